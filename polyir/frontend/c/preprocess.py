"""The preprocessed text as external declarations, of which only those that regions need are kept.

The standard headers declare thousands of functions, with extensions that only their own compiler
supports. A function with a region needs few of them: those that it names, those that these name,
and so on. Line markers are kept, so that every declaration has its location in the source.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from polyir.diagnostics import PolyirError

# Words of GNU C that stand for words of C, or for nothing that matters here.
_GNU_WORDS = (
    "-D__extension__=",
    "-D__restrict=restrict",
    "-D__restrict__=restrict",
    "-D__inline=inline",
    "-D__inline__=inline",
    "-D__const=const",
    "-D__signed__=signed",
    "-D__volatile__=volatile",
)

_DEFINE = re.compile(r"^#[ \t]*(?:define|undef)[ \t]+(\w+).*$", re.MULTILINE)
_MARKER = re.compile(r'#[ \t]+(\d+)[ \t]+"((?:[^"\\]|\\.)*)"')
_TOKEN = re.compile(
    r'\n#[^\n]*|\n|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|[{};]|" + r"[^{};\"'\n]+"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_BRACES = re.compile(r"\{[^{}]*\}")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_DROPPED = re.compile(r"\b(__attribute__|__attribute|__asm__|__asm|asm)\s*\(")
_STANDARD_ATTRIBUTE = re.compile(r"\[\[[^\[\]]*\]\]")
_PROMISE = re.compile(r"\b(?:__)?(const|pure)(?:__)?\b")
_PARENTHESES = re.compile(r"\([^()]*\)")
# Attributes that change what a type is; without them the text would mean something else.
_CHANGES_TYPE = re.compile(r"\b(?:__)?(?:vector_size|mode)(?:__)?\s*\(")
_SIMPLE_BODY = re.compile(r"^\{\s*return\b[^;{}]*;\s*\}$")
_KEYWORDS = (
    "auto bool char const double enum extern float inline int long register restrict return "
    "short signed static struct typedef union unsigned void volatile _Bool _Complex"
)
_FOR = re.compile(r"\bfor\b")
_SCOP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+scop\b", re.MULTILINE)


@dataclass(frozen=True)
class Preprocessed:
    """The preprocessor's output and the names of all macros that were ever defined."""

    text: str
    macros: tuple[str, ...]


Promise = Literal["const", "pure"]
"""What a function's GNU attribute says: it reads no memory, or writes none; and it returns."""


@dataclass(frozen=True)
class NeededText:
    """Declarations in standard C, and the functions among them whose attributes promise much."""

    text: str
    promises: Mapping[str, Promise]


@dataclass(frozen=True)
class Chunk:
    """One external declaration: its text, where it begins, and where a function's body begins."""

    text: str
    file: str
    line: int
    body: int | None

    @property
    def has_loop(self) -> bool:
        """Whether it is a function with a `for` loop."""
        return self.body is not None and _FOR.search(self.text, self.body) is not None


def preprocess(compiler: str, arguments: Sequence[str], path: str) -> Preprocessed:
    """Run the system's preprocessor on a file; raises `PolyirError` with its messages."""
    command = [compiler, "-E", "-dD", *_GNU_WORDS, *arguments, path]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise PolyirError(f"cannot run {compiler}: {error.strerror}") from None
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise PolyirError(f"the preprocessor {compiler} failed:\n{message}")
    text = done.stdout.decode(errors="surrogateescape").replace("\r\n", "\n")
    macros = tuple(dict.fromkeys(_DEFINE.findall(text)))
    return Preprocessed(_DEFINE.sub("", text), macros)


def has_region(text: str) -> bool:
    """Whether a preprocessed text has a region between pragmas."""
    return _SCOP.search(text) is not None


def needed_text(
    text: str, path: str, is_detecting: bool = False, unreadable: Collection[int] = ()
) -> NeededText:
    """The part of a preprocessed text that the functions with regions need.

    If `is_detecting`, these are all functions of the file `path` with `for` loops. The functions
    that begin at the lines `unreadable` of the file have no body, nor have those of other files,
    unless it is a single `return`.
    """
    chunks = tuple(_chunks(text))
    waiting = [
        number
        for number, chunk in enumerate(chunks)
        if (_has_loop(chunk, path, unreadable) if is_detecting else _SCOP.search(chunk.text))
    ]
    regions = frozenset(waiting)
    providers = _providers(chunks)
    kept: dict[int, str] = {}
    while waiting:
        number = waiting.pop()
        if number in kept:
            continue
        chunk = chunks[number]
        is_own = chunk.file == path and chunk.line not in unreadable
        kept[number] = _kept_text(chunk, is_own or number in regions)
        for word in dict.fromkeys(_WORD.findall(kept[number])):
            waiting.extend(providers.get(word, ()))
    if not kept:
        return NeededText("", {})
    parts = ["typedef int __builtin_va_list;\n"]
    promises: dict[str, Promise] = {}
    for number in sorted(kept):
        chunk = chunks[number]
        parts.append(f'# {chunk.line} "{chunk.file}"\n{kept[number]}\n')
        promises.update(_promises(chunk))
    return NeededText("".join(parts), promises)


def function_around(text: str, path: str, line: int) -> Chunk | None:
    """The function of the file `path` that contains a line."""
    found = [
        chunk
        for chunk in _chunks(text)
        if chunk.file == path and chunk.body is not None
        if chunk.line <= line <= chunk.line + chunk.text.count("\n")
    ]
    return found[-1] if found else None


def _has_loop(chunk: Chunk, path: str, unreadable: Collection[int]) -> bool:
    return chunk.file == path and chunk.line not in unreadable and chunk.has_loop


def _chunks(text: str) -> Iterator[Chunk]:
    """Split a text into its external declarations."""
    file, line, depth = "", 0, 0
    start: int | None = None
    start_file, start_line = file, line
    body: int | None = None
    for match in _TOKEN.finditer("\n" + text):
        token, position = match.group(), match.start()
        if token[0] == "\n":
            line += 1
            marker = _MARKER.match(token, 1)
            if marker is not None:
                # The marker names the line that follows it.
                line, file = int(marker[1]) - 1, marker[2]
            elif start is None and token[1:].lstrip("# \t").startswith("pragma"):
                continue
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
        if depth == 0 and ends:
            yield Chunk(text[start - 1 : match.end() - 1], start_file, start_line, body)
            start = None


def _ends_parameters(head: str) -> bool:
    return head.rstrip().endswith(")") and "=" not in head


def _kept_text(chunk: Chunk, keeps_body: bool) -> str:
    """The text of a declaration as standard C, without the body if nothing needs it."""
    text = chunk.text
    if chunk.body is not None and not keeps_body and not _SIMPLE_BODY.match(text[chunk.body :]):
        text = text[: chunk.body] + ";"
    return _without_attributes(text)


def _without_attributes(text: str) -> str:
    """`text` without GNU attributes and assembler names, unless they change a type."""
    position = 0
    parts: list[str] = []
    while (match := _DROPPED.search(text, position)) is not None:
        end = _closing(text, match.end())
        clause = text[match.start() : end]
        parts.append(text[position : match.start()])
        parts.append(clause if _CHANGES_TYPE.search(clause) else "\n" * clause.count("\n"))
        position = end
    kept = "".join((*parts, text[position:]))
    return _STANDARD_ATTRIBUTE.sub(lambda match: "\n" * match[0].count("\n"), kept)


def _promises(chunk: Chunk) -> Iterator[tuple[str, Promise]]:
    """The function that a declaration calls `const` or `pure`."""
    head = chunk.text if chunk.body is None else chunk.text[: chunk.body]
    clauses = [
        head[match.start() : _closing(head, match.end())] for match in _DROPPED.finditer(head)
    ]
    clauses += _STANDARD_ATTRIBUTE.findall(head)
    promised = [match[1] for clause in clauses for match in _PROMISE.finditer(clause)]
    plain = _without_attributes(head)
    previous = ""
    while previous != plain:
        previous, plain = plain, _PARENTHESES.sub(" ", plain)
    # The attribute is that of one function.
    if promised and "," not in plain and "{" not in plain and "typedef" not in plain:
        for name in list(_declared(chunk))[:1]:
            yield name, "const" if "const" in promised else "pure"


def _closing(text: str, position: int) -> int:
    """The position after the parenthesis that closes the one before `position`."""
    depth = 1
    while depth > 0 and position < len(text):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return position


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
    if chunk.body is not None:
        head = _without_attributes(chunk.text[: chunk.body])
        is_function = True
    else:
        head = _without_attributes(chunk.text)
        yield from re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", head)
        if "enum" in head and "{" in head:
            yield from _WORD.findall(head)
            return
        previous = ""
        while previous != head:
            previous, head = head, _BRACES.sub(" ", head)
        is_function = "(" in head and not head.lstrip().startswith("typedef")
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
