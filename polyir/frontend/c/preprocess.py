"""The preprocessed text as external declarations, of which only those that regions need are kept.

The standard headers declare thousands of functions, with extensions that only their own compiler
supports. A function with a region needs few of them: those that it names, those that these name,
and so on. Line markers are kept, so that every declaration has its location in the source.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.frontend.c.statement_expressions import (
    after_parenthesis,
    without_statement_expressions,
)

# Words of GNU C that stand for words of C, or for nothing that matters here.
_GNU_WORDS = {
    "__extension__": "",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "__inline": "inline",
    "__inline__": "inline",
    "__const": "const",
    "__const__": "const",
    "__signed": "signed",
    "__signed__": "signed",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__complex__": "_Complex",
    "__complex": "_Complex",
    "_Noreturn": "",
    "__noreturn__": "",
}
_STRING = r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'"
_GNU_WORD = re.compile(rf"{_STRING}|\b(?:{'|'.join(_GNU_WORDS)})\b")
_DEFINE = re.compile(r"^#[ \t]*(?:define|undef)[ \t]+(\w+).*$", re.MULTILINE)
MARKER = re.compile(r'#[ \t]+(\d+)[ \t]+"((?:[^"\\]|\\.)*)"')
_ESCAPED_MARKER = re.compile(r'^#[ \t]+\d+[ \t]+"[^"\n]*\\[0-3][0-7]{2}[^"\n]*"', re.MULTILINE)
_TOKEN = re.compile(
    r'\n#[^\n]*|\n|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|[{};]|" + r"[^{};\"'\n]+"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_BRACES = re.compile(r"\{[^{}]*\}")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
# Where a macro of a system header ends, there is a line marker.
_OPENING = r"(?:\n#[^\n]*|\s)*\("
_ATTRIBUTE = re.compile(rf"{_STRING}|\b(__attribute__|__attribute){_OPENING}")
_LABEL = re.compile(rf"{_STRING}|\b(__asm__|__asm|asm){_OPENING}")
_ALIGNMENT = re.compile(rf"{_STRING}|\b(_Alignas|alignas){_OPENING}")
# A number with GNU C's suffix `i`, as in `1.0iF`, which the macro `I` of complex.h stands for.
_IMAGINARY = re.compile(
    rf"{_STRING}|"
    r"(?<![\w.])(?:0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"(?P<suffix>[fFlLuU]*[iIjJ][fFlLuU]*)\b"
)
IMAGINARY: Final = "__imaginary__"
"""The name that stands for every imaginary constant; the parser reads none."""
# Attributes without which the text would mean something else: they change types, what memory a
# name stands for, or what is executed.
_MATTERS = re.compile(
    r"\b(?:__)?(?:vector_size|ext_vector_type|mode|may_alias|alias|weakref|address_space|cleanup)"
    r"(?:__)?\b"
)
# `int f(a, b) int a; int b; {`
_OLD_STYLE = re.compile(
    r"[A-Za-z_]\w*\s*\(\s*[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*\)\s*[A-Za-z_][^(){}=]*;\s*\Z"
)
_LINE_MARKER = re.compile(r"^#.*$", re.MULTILINE)
_BLANKED = re.compile(r"\n#[^\n]*|[^\n]")
_STANDARD_ATTRIBUTE = re.compile(r"\[\[[^\[\]]*\]\]")
_PROMISE = re.compile(r"\b(?:__)?(const|pure)(?:__)?\b")
_PARENTHESES = re.compile(r"\([^()]*\)")
_SIMPLE_BODY = re.compile(r"^\{\s*return\b[^;{}]*;\s*\}$")
_KEYWORDS = (
    "auto bool char const double enum extern float inline int long register restrict return "
    "short signed static struct typedef union unsigned void volatile _Bool _Complex"
)
_FOR = re.compile(r"\bfor\b")
_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+(?P<text>polyir\b.*)")
_SCOP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+scop\b", re.MULTILINE)
_LINE_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d).*$", re.MULTILINE)
_CXX_SUFFIXES = (
    *(".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", ".hh", ".hpp", ".hxx", ".H"),
    *(".cu", ".cuh", ".hip"),
)
_SUFFIXES_OF_COMPILERS = (".c", ".h", ".i", *_CXX_SUFFIXES[:-3])


@dataclass(frozen=True)
class Preprocessed:
    """The preprocessor's output and the names of all macros that were ever defined."""

    text: str
    macros: tuple[str, ...]


Promise = Literal["const", "pure"]
"""What a function's GNU attribute says: it reads no memory, or writes none; and it returns."""


@dataclass(frozen=True)
class Directive:
    """What follows the word `pragma`, and where it is."""

    text: str
    location: SourceLocation


@dataclass(frozen=True)
class Chunk:
    """One external declaration: its text, where it begins, and where a function's body begins."""

    text: str
    file: str
    line: int
    body: int | None
    pragmas: tuple[Directive, ...] = ()
    """Those for polyir in front of a function."""

    @property
    def has_loop(self) -> bool:
        """Whether it is a function with a `for` loop."""
        return self.body is not None and _FOR.search(self.text, self.body) is not None


def language_of(path: str) -> str:
    """`c` or `c++`, by the name of a file."""
    return "c++" if Path(path).suffix in _CXX_SUFFIXES else "c"


def preprocess(
    compiler: Sequence[str], arguments: Sequence[str], path: str, text: str | None = None
) -> Preprocessed:
    """Run the system's preprocessor on a file; raises `PolyirError` with its messages.

    If `text` is given, it is the text of the file, which is not read again. Its lines keep their
    numbers, whatever `#line` says.
    """
    done = _run(compiler, ["-E", "-dD", *arguments], path, text)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise PolyirError(
            f"the preprocessor {' '.join(compiler)} failed:\n{message}", name="preprocessor"
        )
    text = done.stdout.decode(errors="surrogateescape").replace("\r\n", "\n")
    text = _ESCAPED_MARKER.sub(_with_plain_name, text)
    macros = tuple(dict.fromkeys(_DEFINE.findall(text)))
    return Preprocessed(_standard(_DEFINE.sub("", text)), macros)


def _standard(text: str) -> str:
    """A preprocessed text without the extensions of GNU C that stand for something simple."""
    text = without_statement_expressions(_GNU_WORD.sub(_standard_word, text))
    text = _without(text, _ALIGNMENT, keeps=False)
    return _IMAGINARY.sub(lambda match: IMAGINARY if match["suffix"] else match[0], text)


def is_read_again(path: str, text: str) -> bool:
    """Whether the C compiler reads a file with the text `text` itself, not from a copy of it.

    It must not read a pipe, which is empty then, a file with another text, or `#line`, which gives
    lines other numbers.
    """
    if not Path(path).is_file() or _LINE_DIRECTIVE.search(text):
        return False
    return Path(path).read_bytes() == text.encode(errors="surrogateescape")


def first_error(
    compiler: Sequence[str], arguments: Sequence[str], path: str, text: str | None = None
) -> str | None:
    """The first error that the C compiler finds in a file, with its place; `None` if none."""
    done = _run(compiler, ["-fsyntax-only", "-w", *arguments], path, text)
    lines = done.stderr.decode(errors="replace").splitlines()
    return next((line for line in lines if "error:" in line), None) if done.returncode else None


def _run(
    compiler: Sequence[str], arguments: Sequence[str], path: str, text: str | None
) -> subprocess.CompletedProcess[bytes]:
    """Run the C compiler on a file."""
    command, given = [*compiler, *arguments], None
    is_known = any(each.startswith("-x") for each in arguments)
    if text is not None and not is_read_again(path, text):
        lines = f'# 1 "{path}"\n{_LINE_DIRECTIVE.sub("", text)}'
        given = lines.encode(errors="surrogateescape")
        command += ["-iquote", str(Path(path).parent)]
    if not is_known and (given is not None or Path(path).suffix not in _SUFFIXES_OF_COMPILERS):
        command += ["-x", language_of(path)]
    command.append(path if given is None else "-")
    try:
        return subprocess.run(command, capture_output=True, check=False, input=given)
    except OSError as error:
        raise PolyirError(
            f"cannot run {compiler[0]}: {error.strerror}", name="preprocessor"
        ) from None


def _with_plain_name(match: re.Match[str]) -> str:
    """A line marker without octal numbers, which Clang writes for the bytes of a file's name."""
    numbers = re.compile(rb"\\([0-3][0-7]{2})")
    name = numbers.sub(lambda each: bytes([int(each[1], 8)]), match[0].encode())
    return name.decode(errors="surrogateescape")


def _standard_word(match: re.Match[str]) -> str:
    """What stands for a word of GNU C, as long as the word."""
    word = match.group()
    return _GNU_WORDS[word].ljust(len(word)) if word in _GNU_WORDS else word


@dataclass(frozen=True)
class Needed:
    """What functions with regions need: declarations with their numbers, and their texts.

    `regions` are the numbers of the functions with regions. `skipped` are those that are left out,
    each with the declaration that it needs and that cannot be parsed.
    """

    regions: frozenset[int]
    declarations: tuple[tuple[int, Chunk], ...]
    texts: tuple[str, ...]
    skipped: tuple[tuple[Chunk, Chunk], ...]

    def text(self, count: int | None = None) -> str:
        """The text for the parser; with `count`, of the first declarations only."""
        return "".join(("typedef int __builtin_va_list;\n", *self.texts[:count]))

    def number_at(self, file: str, line: int) -> int | None:
        """The number of the declaration that contains a line, if there is only one."""
        found = [
            number
            for number, chunk in self.declarations
            if chunk.file == file and chunk.line <= line <= chunk.line + chunk.text.count("\n")
        ]
        return found[0] if len(found) == 1 else None


class Declarations:
    """The external declarations of a preprocessed text, that of the file `path`."""

    def __init__(self, text: str, path: str) -> None:
        self.chunks = tuple(_chunks(text))
        self.is_complete = not _tail(text, self.chunks[-1].text if self.chunks else "")
        self._path = path
        self._providers = _providers(self.chunks)
        self._functions = frozenset(
            number for number, chunk in enumerate(self.chunks) if _is_function(chunk)
        )

    def needed(
        self, path: str | None, bodiless: Collection[int], unreadable: Collection[int]
    ) -> Needed:
        """What the functions with regions need, without the declarations `unreadable`.

        With `path`, what all functions of this file with `for` loops need. Functions of other files
        have no body, unless it is a single `return`; those in `bodiless` have none, and their
        regions do not count.
        """
        regions = frozenset(
            number
            for number, chunk in enumerate(self.chunks)
            if number not in bodiless and number not in unreadable
            if (chunk.file == path and chunk.has_loop if path else _SCOP.search(chunk.text))
        )
        # A body that needs what cannot be read is left out where its function is only called.
        without_body = {*bodiless, *(self._unreadable_bodies(bodiless, unreadable))}
        used: dict[int, None] = {}
        readable: dict[int, None] = {}
        skipped: list[tuple[Chunk, Chunk]] = []
        for region in sorted(regions):
            found = self._closure(region, without_body, {})
            if any(number in unreadable for number in found):
                # A call of a function that is not declared parses, and is refused.
                unusable = {
                    number: None
                    for number in found
                    if number in self._functions and number != region
                    if any(each in unreadable for each in self._types_of(number, bodiless))
                }
                found = self._closure(region, without_body, unusable)
            missing = next((number for number in found if number in unreadable), None)
            if missing is None:
                readable[region] = None
                used.update(found)
            else:
                skipped.append((self.chunks[region], self.chunks[missing]))
        numbers = sorted(used)
        return Needed(
            frozenset(readable),
            tuple((number, self.chunks[number]) for number in numbers),
            tuple(self._placed(number, number in readable, without_body) for number in numbers),
            tuple(skipped),
        )

    def definitions(self) -> Iterator[tuple[str, str]]:
        """For each function that the file defines: its text with what that needs, and its head.

        Both are for the parser. Other functions are left out.
        """
        for number, chunk in enumerate(self.chunks):
            if chunk.body is None or chunk.file != self._path:
                continue
            others = self._functions - {number}
            whole = self._closure(number, (), others)
            head = {**self._types_of(number, ()), number: None}
            yield (
                "".join(self._placed(each, each == number, ()) for each in sorted(whole)),
                "".join(self._placed(each, False, (number,)) for each in sorted(head)),
            )

    def _closure(
        self, start: int, bodiless: Collection[int], without: Collection[int]
    ) -> dict[int, None]:
        """The numbers of what a function with a region needs, itself among them."""
        found: dict[int, None] = {}
        waiting = [start]
        while waiting:
            number = waiting.pop()
            if number not in found and number not in without:
                found[number] = None
                text = self._kept(number, number == start, bodiless)
                for word in dict.fromkeys(_WORD.findall(text)):
                    waiting.extend(self._providers.get(word, ()))
        return found

    def _types_of(self, function: int, bodiless: Collection[int]) -> dict[int, None]:
        """The numbers of what a function without a region needs, except for other functions."""
        others = self._functions - {function}
        text = self._kept(function, False, {*bodiless, function})
        found: dict[int, None] = {}
        for word in dict.fromkeys(_WORD.findall(text)):
            for number in self._providers.get(word, ()):
                found.update(self._closure(number, bodiless, others))
        return found

    def _unreadable_bodies(
        self, bodiless: Collection[int], unreadable: Collection[int]
    ) -> Iterator[int]:
        """The functions of the file whose bodies need one of the declarations `unreadable`."""
        for number in self._functions if unreadable else ():
            if self.chunks[number].body is not None and number not in bodiless:
                found = self._closure(number, bodiless, self._functions - {number})
                if any(each in unreadable for each in found):
                    yield number

    def _kept(self, number: int, has_region: bool, bodiless: Collection[int]) -> str:
        chunk = self.chunks[number]
        is_simple = chunk.body is not None and _SIMPLE_BODY.match(chunk.text[chunk.body :])
        is_kept = chunk.file == self._path or is_simple is not None
        return _kept_text(chunk, has_region or (is_kept and number not in bodiless))

    def _placed(self, number: int, has_region: bool, bodiless: Collection[int]) -> str:
        chunk = self.chunks[number]
        return f'# {chunk.line} "{chunk.file}"\n{self._kept(number, has_region, bodiless)}\n'


def _chunks(text: str) -> Iterator[Chunk]:
    """Split a text into its external declarations."""
    file, line, depth = "", 0, 0
    start: int | None = None
    start_file, start_line = file, line
    body: int | None = None
    pragmas: list[Directive] = []
    for match in _TOKEN.finditer("\n" + text):
        token, position = match.group(), match.start()
        if token[0] == "\n":
            line += 1
            marker = MARKER.match(token, 1)
            if marker is not None:
                # The marker names the line that follows it.
                line, file = int(marker[1]) - 1, marker[2]
            elif start is None and (pragma := _PRAGMA.fullmatch(token[1:])) is not None:
                place = SourceLocation(file, line, pragma.start("text") + 1)
                pragmas.append(Directive(pragma["text"], place))
            continue
        if start is None:
            if token.isspace():
                continue
            start, start_file, start_line, body = position, file, line, None
        if token == "{":
            if depth == 0 and _ends_parameters(text[start - 1 : position - 1]):
                body = position - start
            depth += 1
        elif token == "}":
            depth = max(0, depth - 1)
        ends = token == ";" or (token == "}" and body is not None)
        if token == ";" and depth == 0 and _declares_parameters(text, start - 1, match.end() - 1):
            continue
        if depth == 0 and ends:
            before = () if body is None else tuple(pragmas)
            yield Chunk(text[start - 1 : match.end() - 1], start_file, start_line, body, before)
            start = None
            if body is not None:
                pragmas = []


def _tail(text: str, last: str) -> str:
    """What follows the last declaration of a text: nothing, unless it is not valid C."""
    start = text.rindex(last) + len(last) if last else 0
    return _LINE_MARKER.sub("", text[start:]).strip(" \t\n\f\v;")


def _ends_parameters(head: str) -> bool:
    plain = _plain(head)
    return (plain.rstrip().endswith(")") and "=" not in head) or _is_old_style(plain)


def _declares_parameters(text: str, start: int, end: int) -> bool:
    """Whether a declaration from `start` to `end` is the beginning of an old-style definition."""
    declaration = text[start:end]
    if "(" not in declaration or not _is_old_style(_plain(declaration)):
        return False
    body = text.find("{", end)
    between = _LINE_MARKER.sub("", _plain(text[end:body])).strip()
    return body >= 0 and (not between or between.endswith(";"))


def _plain(head: str) -> str:
    """A declaration without attributes and labels in assembler."""
    head = _STANDARD_ATTRIBUTE.sub(" ", head)
    return _without(_without(head, _ATTRIBUTE, keeps=False), _LABEL) if "(" in head else head


def _kept_text(chunk: Chunk, has_body: bool) -> str:
    """The text of a declaration as standard C."""
    text = _without(chunk.text, _ATTRIBUTE)
    text = _STANDARD_ATTRIBUTE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    head, body = text[: chunk.body], "" if chunk.body is None else text[chunk.body :]
    # An `asm` in a body is a statement.
    head = _without(head, _LABEL)
    if chunk.body is None or has_body:
        return head + body
    # Without its parameters, an old-style definition declares the same.
    return (head[: head.index(")") + 1] if _is_old_style(head) else head) + ";"


def _without(text: str, clause: re.Pattern[str], keeps: bool = True) -> str:
    """`text` with spaces for clauses in parentheses; it `keeps` attributes that matter."""
    position = 0
    parts: list[str] = []
    while (match := clause.search(text, position)) is not None:
        end = after_parenthesis(text, match.end()) if match[1] else match.end()
        found = text[match.start() : end]
        is_kept = match[1] is None or (keeps and _MATTERS.search(found))
        parts.append(text[position : match.start()])
        parts.append(found if is_kept else _BLANKED.sub(_blank, found))
        position = end
    return "".join((*parts, text[position:]))


def _blank(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("\n") else " "


def promises_of(chunk: Chunk) -> Iterator[tuple[str, Promise]]:
    """The function that a declaration calls `const` or `pure`."""
    head = chunk.text if chunk.body is None else chunk.text[: chunk.body]
    found = (match for match in _ATTRIBUTE.finditer(head) if match[1] is not None)
    clauses = [head[match.start() : after_parenthesis(head, match.end())] for match in found]
    clauses += _STANDARD_ATTRIBUTE.findall(head)
    promised = [match[1] for clause in clauses for match in _PROMISE.finditer(clause)]
    plain = _plain(head)
    previous = ""
    while promised and previous != plain:
        previous, plain = plain, _PARENTHESES.sub(" ", plain)
    # The attribute is that of one function.
    if promised and "," not in plain and "{" not in plain and "typedef" not in plain:
        for name in list(_declared(chunk))[:1]:
            yield name, "const" if "const" in promised else "pure"


def _is_old_style(head: str) -> bool:
    """Whether the text before a body ends with the declarations of parameters."""
    return _OLD_STYLE.search(_LINE_MARKER.sub("", head)) is not None


def _is_function(chunk: Chunk) -> bool:
    """Whether a declaration is that of one function."""
    head = _plain(chunk.text[: chunk.body])
    is_prototype = re.search(r"[A-Za-z_]\w*\s*\([^()=]*(?:\([^()]*\)[^()=]*)*\)\s*;\s*\Z", head)
    return chunk.body is not None or (
        is_prototype is not None and not head.lstrip().startswith("typedef")
    )


def _providers(chunks: Sequence[Chunk]) -> dict[str, list[int]]:
    """The declarations by the names that they may declare."""
    keywords = frozenset(_KEYWORDS.split())
    providers: dict[str, list[int]] = {}
    for number, chunk in enumerate(chunks):
        for name in dict.fromkeys(_declared(chunk)):
            if name in keywords:
                continue
            providers.setdefault(name, []).append(number)
    return providers


def _declared(chunk: Chunk) -> Iterator[str]:
    """The names that a declaration may declare, and a few that it only uses."""
    head = _plain(chunk.text[: chunk.body])
    if chunk.body is not None:
        is_function = True
    else:
        yield from re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", head)
        if "enum" in head and "{" in head:
            yield from _WORD.findall(head)
            return
        previous = ""
        while previous != head:
            previous, head = head, _BRACES.sub(" ", head)
        # The extents of arrays may have parentheses.
        outside = _BRACKETS.sub(" ", head)
        is_function = "(" in outside and not head.lstrip().startswith("typedef")
    head = re.sub(r"^#.*$", "", head, flags=re.MULTILINE)
    if is_function:
        match = re.search(r"([A-Za-z_]\w*)\s*(?:\)\s*)?\(", head)
        if match is not None:
            yield match[1]
        return
    if "(" in head or "," in head or "=" in head:
        yield from _WORD.findall(head)
        return
    words = _WORD.findall(_BRACKETS.sub(" ", head))
    yield from words[-1:]
