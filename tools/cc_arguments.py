"""The arguments of `polyir-cc` that are those of a C compiler, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from polyir.base.diagnostics import OptionError, nearest

STANDARD_INPUT: Final = ("-", "/dev/stdin")

_PREPROCESSING = ("-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter")
_WITH_VALUE = frozenset(
    (
        *(*_PREPROCESSING, "-isysroot", "-std", "-x", "-L", "-l", "-T", "-u", "-z", "-B", "-A"),
        *("-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-mllvm", "--param", "-target"),
        *("-arch", "-framework", "-MF", "-MT", "-MQ"),
    )
)
"""Options whose value may be the next argument."""

_ALWAYS_KNOWN = (*_PREPROCESSING, "-std", "-x", "-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ")
_FOR_PREPROCESSOR = re.compile(
    r"-([DUIm]|i(?!wrapper)|std|ansi|undef|nostdinc|pthread|x|B|-sysroot|f(?!syntax-only|plugin))"
)
"""Options that may change the text that the preprocessor gives.

Not `-O`, with which the headers of glibc define functions in the place of those that are called.
"""

_SOURCES = frozenset(
    (".c", ".i", ".h", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", ".hh", ".hpp")
)
_ASSEMBLED = frozenset((".s", ".S", ".sx"))
_FOR_ANY_ORDER = frozenset(("fast-math", "unsafe-math-optimizations", "associative-math"))
_ENDS_EARLY = frozenset(("-E", "-M", "-MM", "-###", "-fsyntax-only"))
"""Options with which the compiler makes no code, and of the user's file itself something else."""


@dataclass(frozen=True)
class Input:
    """A file that the C compiler is given, whether it is C or C++, and what `-x` says before it."""

    path: str
    is_source: bool
    language: str = ""

    @property
    def is_standard_input(self) -> bool:
        """Whether it is read once, and has no name."""
        return self.path in STANDARD_INPUT


@dataclass(frozen=True)
class Dependencies:
    """What `-MD`, `-MMD`, `-MF`, `-MT`, `-MQ` and `-MP` say; targets are as they are written."""

    kind: str = ""
    file: str | None = None
    targets: tuple[str, ...] = ()
    has_phony_targets: bool = False


@dataclass(frozen=True)
class CompilerArguments:
    """Files and options for the C compiler in their order, without those for dependences."""

    items: tuple[Input | str, ...]
    dependencies: Dependencies | None

    @property
    def sources(self) -> tuple[Input, ...]:
        """The files in C or C++."""
        return tuple(each for each in self.items if isinstance(each, Input) and each.is_source)

    @property
    def others(self) -> tuple[Input, ...]:
        """Objects, libraries, and what else is passed to the compiler as it is."""
        return tuple(each for each in self.items if isinstance(each, Input) and not each.is_source)

    @property
    def options(self) -> tuple[str, ...]:
        """All options, without the files."""
        return tuple(each for each in self.items if isinstance(each, str))

    @property
    def ends_early(self) -> bool:
        """Whether the compiler is to make no code, so that there is nothing to transform."""
        return not _ENDS_EARLY.isdisjoint(self.options)

    @property
    def may_reassociate(self) -> bool:
        """Whether the compiler may compute floating-point sums in another order."""
        allowed = False
        for option in self.options:
            if option.startswith("-O"):
                allowed = option == "-Ofast"
            elif option.removeprefix("-f").removeprefix("no-") in _FOR_ANY_ORDER:
                allowed = not option.startswith("-fno-")
        return allowed

    @property
    def for_preprocessor(self) -> tuple[str, ...]:
        """The options that the text of the files depends on."""
        found: list[str] = []
        options = iter(self.options)
        for option in options:
            value = [next(options, "")] if option in _WITH_VALUE else []
            if _FOR_PREPROCESSOR.match(option):
                found += [option, *value]
        return tuple(found)


def compiler_arguments(
    arguments: Sequence[str], is_compiling: bool, known: Sequence[str]
) -> CompilerArguments:
    """The arguments that polyir-cc itself does not know, as a C compiler reads them.

    Raises `OptionError` for an option that polyir-cc does not know without `--compile`, for no
    file, and for several that cannot go together. `known` are the names for a hint.
    """
    items: list[Input | str] = []
    dependencies = Dependencies()
    language = ""
    for option, value in _parsed(arguments):
        name = option + (value or "")
        if not option:
            is_source = not is_compiling or _is_source(name, language)
            items.append(Input(name, is_source, language))
            continue
        if not is_compiling and not option.startswith(_ALWAYS_KNOWN):
            name = option.partition("=")[0]
            message = f"unknown pass or option '{name}'{nearest(name, known)}"
            raise OptionError(message, name="unknown-pass")
        changed = _with_option(dependencies, option, value)
        if changed is not None:
            dependencies = changed
            continue
        if option == "-x":
            language = value or ""
        items += [f"-std={value}"] if option == "-std" and value else [option]
        items += [value] if value is not None and option != "-std" else []
    if not dependencies.kind and dependencies != Dependencies():
        raise OptionError("-MF, -MT, -MQ and -MP need -MD or -MMD")
    found = CompilerArguments(tuple(items), dependencies if dependencies.kind else None)
    sources = found.sources
    if not is_compiling and len(sources) != 1:
        raise OptionError(
            "the C file is missing; - is standard input"
            if not sources
            else f"several C files ({sources[0].path}, {sources[1].path}) need --compile"
        )
    if sum(each.is_standard_input for each in sources) > 1:
        raise OptionError("standard input can be read only once")
    return found


def _parsed(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Options with the values that are arguments of their own; files are values of no option."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            yield "", argument
        elif argument.startswith(("-Wp,-MD,", "-Wp,-MMD,")):
            _, kind, file = argument.split(",", 2)
            yield kind, None
            yield "-MF", file
        elif argument in _WITH_VALUE:
            value = next(rest, None)
            if value is None:
                raise OptionError(f"{argument} needs a value")
            yield argument, value
        elif argument != "--":
            joined = next((each for each in ("-MF", "-MT", "-MQ") if argument.startswith(each)), "")
            language = argument.startswith("-x") and len(argument) > 2
            name = "-x" if language else joined
            yield (name, argument[len(name) :]) if name else (argument, None)


def _with_option(found: Dependencies, option: str, value: str | None) -> Dependencies | None:
    """The dependencies with an option about them; `None` for other options."""
    if option in ("-MD", "-MMD"):
        return replace(found, kind=option)
    if option == "-MP":
        return replace(found, has_phony_targets=True)
    if option == "-MF":
        return replace(found, file=value)
    if option in ("-MT", "-MQ"):
        text = value or ""
        target = text if option == "-MT" else quoted_for_make(text)
        return replace(found, targets=(*found.targets, target))
    return None


def quoted_for_make(name: str) -> str:
    """The name of a file as it is written in a rule of make."""
    return re.sub(r"([\s#])", r"\\\1", name.replace("$", "$$"))


def _is_source(path: str, language: str) -> bool:
    """Whether a compiler takes a file for C or C++, by what `-x` says, or else by its name."""
    if language not in ("", "none"):
        return language in ("c", "c++", "c-header", "c++-header", "cpp-output")
    return path in STANDARD_INPUT or Path(path).suffix in _SOURCES


def is_assembled(path: str) -> bool:
    """Whether a file that is not C makes an object of its own."""
    return Path(path).suffix in _ASSEMBLED
