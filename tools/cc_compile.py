"""What `polyir-cc --compile` makes of transformed files, and files of dependences for make."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polyir.base.diagnostics import OptionError, PolyirError
from polyir.tools.cc_arguments import (
    CompilerArguments,
    Dependencies,
    Input,
    is_assembled,
    quoted_for_make,
)
from polyir.tools.command_line import require_writable, write_output

COMPILE_FLAGS: Final = ("-O3", "-march=native", "-fopenmp", "-ffp-contract=off")
"""The flags that `--compile` passes to the C compiler, before the user's own."""

PREPROCESSING_FLAGS: Final = COMPILE_FLAGS[1:]
"""Those of them that a file is preprocessed with.

With `-O`, the headers of glibc would define functions in the place of those that are called.
"""

_TARGET: Final = "polyir-target"


@dataclass(frozen=True)
class Translated:
    """A C file after polyir: its text, and that of the functions of devices or ranks it calls.

    `rule` is make's rule for it, if it is asked for.
    """

    source: Input
    text: str
    other: str | None
    rule: str | None


class Command:
    """What a C compiler is to do: with which files, and what its results are called."""

    def __init__(
        self,
        compiler: Sequence[str],
        arguments: CompilerArguments,
        is_compiling: bool,
        output: str | None,
        target: str | None,
    ) -> None:
        """Raises `OptionError` for names that do not go together."""
        self._compiler = compiler
        self._arguments = arguments
        self._is_compiling = is_compiling
        self._output = output
        self._target = target
        modes = [each for each in arguments.options if each in ("-c", "-S")]
        self._mode = "-S" if "-S" in modes else "-c" if modes else ""
        assembled = tuple(each for each in arguments.others if is_assembled(each.path))
        self._alone = (*arguments.sources, *(assembled if self._mode == "-c" else ()))
        if self._mode and output is not None and len(self._alone) > 1:
            raise OptionError(f"{self._mode} writes one file for each input: -o names only one")
        found = arguments.dependencies
        if found is not None and found.file is not None and len(arguments.sources) > 1:
            raise OptionError("-MF names one file, and there are several C files")
        if found is not None and not is_compiling and output in (None, "-") and not found.targets:
            raise OptionError(f"{found.kind} names the output file: give -o or -MT")

    def run_as_it_is(self) -> None:
        """Run the compiler on files of which none is transformed. Raises `PolyirError`."""
        items = [each if isinstance(each, str) else each.path for each in self._arguments.items]
        kind = self._arguments.dependencies
        more = [] if kind is None else _flags(kind, kind.file, kind.targets)
        output = [] if self._output is None else ["-o", self._output]
        is_linking = not self._mode and not self._arguments.ends_early
        self._run([*COMPILE_FLAGS, *items, *more, *output, *(["-lm"] if is_linking else [])])

    def run(self, files: Sequence[Translated]) -> None:
        """Compile transformed files, with what they call. Raises `PolyirError`."""
        if self._mode and any(each.other is not None for each in files):
            option = "--mpi" if self._target is None else "--target"
            raise OptionError(
                f"{option} with --compile makes a program: {self._mode} is not possible"
            )
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if self._mode:
                for number, each in enumerate(files):
                    self._compile(
                        each, folder / str(number), self._result_of(each.source), self._mode
                    )
                for other in self._alone[len(files) :]:
                    options = self._arguments.options
                    self._run([*COMPILE_FLAGS, *options, other.path, "-o", self._result_of(other)])
            else:
                self._link(files, folder)

    def _link(self, files: Sequence[Translated], folder: Path) -> None:
        """Make a program: of one file at once, and of the objects of several."""
        made: dict[Input, list[str]] = {}
        flags = list(COMPILE_FLAGS)
        for number, each in enumerate(files):
            inner = folder / str(number)
            if len(files) == 1:
                more, path = _placed(each, inner)
                flags += more
                made[each.source] = [str(path)]
            else:
                made[each.source] = [str(self._compile(each, inner, str(inner / "object.o"), "-c"))]
            if each.other is not None:
                made[each.source] += _with_others(inner, self._target, each.other)
        items: list[str] = []
        for item in self._arguments.items:
            items += [item] if isinstance(item, str) else made.get(item, [item.path])
        if len(files) > 1:
            # What was C is an object now.
            items = list(_without_language(items))
        self._run([*flags, *items, "-o", self._output or "a.out", "-lm"])

    def _compile(self, file: Translated, folder: Path, result: str, mode: str) -> str:
        flags, path = _placed(file, folder)
        given = _without_language(self._arguments.options)
        options = [each for each in given if each not in ("-c", "-S")]
        language = ["-x", file.source.language] if file.source.language else []
        self._run([*COMPILE_FLAGS, *flags, *options, mode, *language, str(path), "-o", result])
        return result

    def _run(self, arguments: Sequence[str]) -> None:
        if subprocess.run([*self._compiler, *arguments], check=False).returncode != 0:
            raise PolyirError(
                f"the C compiler {' '.join(self._compiler)} failed", name="compiler-failed"
            )

    def _result_of(self, file: Input) -> str:
        """The name of what is made of one file."""
        if self._output not in (None, "-"):
            return self._output
        if not self._is_compiling:
            return Path(file.path).name
        if not self._mode:
            return "a.out"
        return f"{Path(file.path).stem}.{'s' if self._mode == '-S' else 'o'}"

    def require_writable_rules(self) -> None:
        """Raise `PolyirError` if a rule for make cannot be written."""
        if self._arguments.dependencies is not None:
            for source in self._arguments.sources:
                require_writable(self._rule_file(source))

    def write_rules(self, files: Sequence[Translated]) -> None:
        """Write the rules of `-MD` and `-MMD`. Raises `PolyirError`."""
        for file in files:
            if file.rule is not None:
                result = quoted_for_make(self._result_of(file.source))
                targets = " ".join(self._targets) or result
                text = file.rule.replace(f"{_TARGET}:", f"{targets}:", 1)
                write_output(self._rule_file(file.source), text.encode(errors="surrogateescape"))

    @property
    def _targets(self) -> tuple[str, ...]:
        found = self._arguments.dependencies
        return () if found is None else found.targets

    def _rule_file(self, source: Input) -> str:
        """The file of the rule of a C file: with `.d`, as C compilers name it."""
        found = self._arguments.dependencies
        if found is not None and found.file is not None:
            return found.file
        path = Path(self._result_of(source))
        is_one_of_several = not self._mode and len(self._arguments.sources) > 1
        stem = f"{path.stem}-{Path(source.path).stem}" if is_one_of_several else path.stem
        return str(path.with_name(f"{stem}.d"))


@contextmanager
def rule_of(found: Dependencies | None) -> Iterator[tuple[list[str], Path]]:
    """The options with which the preprocessor writes a rule for make, and the file that has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule"
        yield ([] if found is None else _flags(found, str(path), (_TARGET,))), path


def rule_text(path: Path, file: Input, is_text_given: bool) -> str | None:
    """The rule that the preprocessor wrote; it does not know the file whose text it was given."""
    if not path.exists():
        return None
    text = path.read_text(errors="surrogateescape")
    if is_text_given and not file.is_standard_input:
        text = text.replace(f"{_TARGET}:", f"{_TARGET}: {quoted_for_make(file.path)}", 1)
    return text


def _flags(found: Dependencies, file: str | None, targets: Sequence[str]) -> list[str]:
    named = [] if file is None else ["-MF", file]
    phony = ["-MP"] if found.has_phony_targets else []
    return [found.kind, *named, *phony, *(word for each in targets for word in ("-MT", each))]


def _without_language(options: Sequence[str]) -> Iterator[str]:
    """Options without `-x`: the names of the files say what is in them."""
    rest = iter(options)
    for option in rest:
        if option == "-x":
            next(rest, None)
        else:
            yield option


def _placed(file: Translated, folder: Path) -> tuple[list[str], Path]:
    """Where the text of a file is compiled, with the options for its name and its headers."""
    folder.mkdir()
    given = Path(file.source.path)
    if file.source.is_standard_input:
        path, beside = folder / "stdin.c", Path.cwd()
        names = f"{path}=<stdin>"
    else:
        path, beside = folder / given.name, given.resolve().parent
        names = f"{folder}/={'' if given.parent == Path() else f'{given.parent}/'}"
    path.write_text(file.text, encoding="utf-8", errors="surrogateescape", newline="")
    return [f"-ffile-prefix-map={names}", "-iquote", str(beside)], path


def _with_others(folder: Path, target: str | None, text: str) -> list[str]:
    """What a program with kernels, or for ranks, is linked of besides its own file."""
    # No name of the user's file is this one.
    path = folder / f"polyir functions.{'cu' if target == 'cuda' else 'c'}"
    path.write_text(text)
    if target is None:
        return [str(path)]
    if target == "opencl":
        return [str(path), "-lOpenCL", "-lpthread"]
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise PolyirError(
            "--target=cuda with --compile needs nvcc, which is not in PATH", name="missing-tool"
        )
    result = path.with_suffix(".o")
    # With contraction, results would not have the bits of the C program.
    done = subprocess.run([nvcc, "-O3", "-fmad=false", "-c", path, "-o", result], check=False)
    if done.returncode != 0:
        raise PolyirError(f"{nvcc} failed", name="compiler-failed")
    return [str(result), *_cuda_libraries(nvcc)]


def _cuda_libraries(nvcc: str) -> list[str]:
    """What a program with kernels is linked with, where nvcc itself looks for it."""
    command = [nvcc, "--dryrun", "-E", "-x", "cu", os.devnull]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    start = "#$ LIBRARIES="
    folders = [line.removeprefix(start) for line in said.splitlines() if line.startswith(start)]
    libraries = "-lcudart_static -lrt -lpthread -ldl -lstdc++"
    return shlex.split(" ".join((*folders, libraries)))
