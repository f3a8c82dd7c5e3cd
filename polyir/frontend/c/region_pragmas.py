"""The pragmas around regions in a preprocessed text, and why some of them have no region."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from polyir.base.diagnostics import SourceLocation
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.preprocess import MARKER, Chunk

_DIRECTIVE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+(scop|endscop)\b")
_DIRECTIVE_LINE = re.compile(r"\s*(?:\#|%:)\s*pragma\s+(?:end)?scop\b(?:/\*.*\*/|//.*|[^/\\])*\s*")
_OPERATOR = r'_Pragma\s*\(\s*"\s*(?:end)?scop\s*"\s*\)\s*;?\s*(?://.*|/\*.*\*/)?\s*'
_OPERATOR_LINE = re.compile(rf"\s*{_OPERATOR}")
_MACRO_LINE = re.compile(r"\s*(\w+)\s*;?\s*(?://.*|/\*.*\*/)?\s*")


class OutsideFunctionError(NotModelledError):
    """A region that is in no function of the file, perhaps since the file is not valid C."""


class UnreadFileError(NotModelledError):
    """Nothing of a file is read."""

    name = "unread-file"


@dataclass(frozen=True)
class RegionPragma:
    """`#pragma scop`, or `#pragma endscop`, and where the function around it begins."""

    location: SourceLocation
    is_start: bool
    function: SourceLocation | None


def region_pragmas(text: str, chunks: Sequence[Chunk]) -> tuple[RegionPragma, ...]:
    """The pragmas of a preprocessed text, each once, in order. `chunks` are its declarations.

    What is preprocessed away is not among them.
    """
    functions: dict[SourceLocation, SourceLocation] = {}
    for chunk in chunks:
        if chunk.body is not None and "scop" in chunk.text:
            start = SourceLocation(chunk.file, chunk.line, 1)
            for line, _ in _pragmas(chunk.text, chunk.file, chunk.line):
                functions.setdefault(line, start)
    found: dict[SourceLocation, RegionPragma] = {}
    for location, is_start in _pragmas(text, "", 1):
        found.setdefault(location, RegionPragma(location, is_start, functions.get(location)))
    return tuple(found.values())


def files_of_regions(text: str) -> frozenset[str]:
    """The files with pragmas for regions, of those that a preprocessed text is made of."""
    return frozenset(location.file for location, _ in _pragmas(text, "", 1))


def _pragmas(text: str, file: str, line: int) -> Iterator[tuple[SourceLocation, bool]]:
    """The places of the pragmas in a text that begins at a line of a file."""
    position = 0
    for match in _DIRECTIVE.finditer(text) if "scop" in text else ():
        line += text.count("\n", position, match.start())
        position = match.start()
        marker, pragma = MARKER.match(match[0]), _PRAGMA.match(match[0])
        if marker is not None:
            # It names the line that follows it.
            line, file = int(marker[1]) - 1, marker[2]
        elif pragma is not None:
            location = SourceLocation(file, line, pragma.start(1) + 1)
            yield location, pragma[1] == "scop"


def has_own_line(line: str, source: str) -> bool:
    """Whether a line of a file with a pragma, or with a macro for one, has nothing else.

    The macro is one that `source`, the text of the file, defines.
    """
    if _DIRECTIVE_LINE.fullmatch(line) or _OPERATOR_LINE.fullmatch(line):
        return True
    macro = _MACRO_LINE.fullmatch(line)
    return macro is not None and bool(
        re.search(rf"^\s*#\s*define\s+{macro[1]}\s+{_OPERATOR}$", source, re.MULTILINE)
    )


def lost_regions(
    pragmas: Sequence[RegionPragma],
    path: str,
    ranges: Collection[tuple[int, int]],
    skipped: Collection[SourceLocation],
    named: Collection[SourceLocation | None],
) -> Iterator[NotModelledError]:
    """An error for each pragma that is not one of a region which was read.

    `ranges` are the lines of the pragmas of the regions that were read, `skipped` the places of the
    functions that cannot be parsed, and `named` those of other errors. A pragma is named once, with
    its partner or alone.
    """
    starts = frozenset(first for first, _ in ranges)
    ends = frozenset(last for _, last in ranges)
    waiting: list[RegionPragma] = []
    alone: list[RegionPragma] = []
    lost: list[RegionPragma] = []
    for pragma in pragmas:
        line = pragma.location.line
        if pragma.location.file == path and line in (starts if pragma.is_start else ends):
            continue
        if pragma.is_start:
            waiting.append(pragma)
            lost.append(pragma)
        elif waiting and waiting[-1].location.file == pragma.location.file:
            waiting.pop()
        else:
            alone.append(pragma)
    without_end = frozenset(pragma.location for pragma in waiting)
    for pragma in (*lost, *alone):
        if pragma.function not in skipped and pragma.location not in named:
            yield _reason(pragma, path, ranges, pragma.location in without_end)


def _reason(
    pragma: RegionPragma, path: str, ranges: Collection[tuple[int, int]], has_no_end: bool
) -> NotModelledError:
    """Why there is no region at a pragma, and what to do."""
    location = pragma.location
    if location.file != path:
        return NotModelledError(
            "it is in an included file: run polyir-cc on that file", location, name="region-pragma"
        )
    if not pragma.is_start:
        return NotModelledError(
            "'#pragma endscop' without '#pragma scop' before it", location, name="region-pragma"
        )
    if pragma.function is None:
        return OutsideFunctionError(
            "a region must be inside a function: move the pragmas into its body", location
        )
    if any(first < location.line < last for first, last in ranges):
        return NotModelledError(
            "regions must not be nested: remove the inner pragmas", location, name="region-pragma"
        )
    if has_no_end:
        return NotModelledError(
            "'#pragma scop' without '#pragma endscop' in its block", location, name="region-pragma"
        )
    return NotModelledError(
        "'#pragma scop' and '#pragma endscop' must be statements of one block: put braces around "
        "the region",
        location,
        name="region-pragma",
    )
