"""What polyir says to its user: errors, and remarks on what passes decided.

Errors are exceptions of the `PolyirError` family; a tool prints `render()` and exits with
code 1. Remarks are values: an algorithm returns them or a pass reports them with `remark`
and `missed`, and whoever drives the passes decides, through `remarks_to`, where they go.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import TextIO, TypeAlias

from xdsl.dialects.builtin import FileLineColLoc, LocationAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

Report: TypeAlias = Callable[[str, Operation], None]
"""Gets messages, each with the operation that it is about."""


@dataclass(frozen=True)
class SourceLocation:
    """A place in a source file; `line` and `column` count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        line, column = self.line, self.column
        origins = _origins_of_lines.get(self.file, ())
        if line <= len(origins):
            line, before = origins[line - 1]
            column += before
        return f"{self.file}:{line}:{column}"


_origins_of_lines: dict[str, Sequence[tuple[int, int]]] = {}


def show_origins(file: str, origins: Sequence[tuple[int, int]]) -> None:
    """Print the places in a file that was read with other line breaks as its user sees them.

    `origins` has the line and the column, from 0, where each line began; none, if it was read as
    it is.
    """
    _origins_of_lines[file] = origins


LONGEST_LINE = 160
"""How much of a source line a diagnostic shows."""


class PolyirError(DiagnosticException):
    """An error in the user's input or request: one diagnostic, never a traceback.

    xDSL's own driver knows it as one of its diagnostics.

    `source_line` is the text of the line at `location`, when it is at hand; `render` then
    shows it with a caret. `name` is that of the kind of diagnostic, if it is not the one of the
    class.
    """

    name = ""
    """The stable name of the kind of diagnostic, which `polyir.base.explanations` explains."""

    def __init__(
        self,
        message: str,
        location: SourceLocation | None = None,
        source_line: str | None = None,
        *,
        name: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.name = name or self.name
        self.location = location
        self.source_line = source_line

    def render(self) -> str:
        """The diagnostic: `file:line:col: error: message [name]`, the source line and a caret."""
        prefix = "" if self.location is None else f"{self.location}: "
        return f"{prefix}error: {self.full_message}{self._shown_line()}"

    @property
    def full_message(self) -> str:
        """The message with the name of its kind of diagnostic."""
        return named(self.message, self.name)

    def place(self) -> str | None:
        """The location, the source line and a caret, for whoever has the message already."""
        return None if self.location is None else f"at {self.location}{self._shown_line()}"

    def _shown_line(self) -> str:
        if self.location is None or self.source_line is None:
            return ""
        line, column = self._excerpt(self.source_line, self.location.column - 1)
        # A tab before the caret must stay a tab, or the caret stands in the wrong column.
        caret = "".join("\t" if c == "\t" else " " for c in line[:column]) + "^"
        return f"\n{line}\n{caret}"

    @staticmethod
    def _excerpt(line: str, column: int) -> tuple[str, int]:
        """What is shown of a line, and where the column is in it: dependences fill screens."""
        start = 0 if column < LONGEST_LINE // 2 else column - LONGEST_LINE // 2
        shown = line[start : start + LONGEST_LINE]
        before, after = "..." if start else "", "..." if start + LONGEST_LINE < len(line) else ""
        return before + shown + after, column - start + len(before)


def named(message: str, name: str) -> str:
    """A message with the name of its kind of diagnostic after its first line."""
    first, *others = message.split("\n", 1)
    return "\n".join([f"{first} [{name}]" if name else first, *others])


class InputSyntaxError(PolyirError):
    """The input text is not a well-formed program."""

    name = "syntax"


class OptionError(PolyirError):
    """An unknown pass, an unknown option, or a bad value for one."""

    name = "bad-option"


class MissingPackageError(PolyirError):
    """An optional package is required but not installed."""

    name = "missing-package"


class CacheError(PolyirError):
    """The directory of the cache cannot be used, or not safely."""

    name = "cache"


@dataclass(frozen=True)
class ViolatedPair:
    """Two instances that would run in the wrong order: their dependence, and the pair as text.

    `ends` are the kind of the dependence, its array, its source and its target.
    """

    ends: tuple[str, str, str, str]
    example: str


class LegalityError(PolyirError):
    """A requested transformation would violate a dependence; the message names it.

    `violated` is a pair of instances as an example, where there is one.
    """

    name = "violated-dependence"

    def __init__(
        self,
        message: str,
        location: SourceLocation | None = None,
        violated: ViolatedPair | None = None,
        *,
        name: str = "",
    ) -> None:
        super().__init__(message, location, name=name)
        self.violated = violated


class LocalArrayError(LegalityError):
    """An array cannot be kept in local memory, or a scop has local arrays already."""

    name = "local-array"


class RemarkKind(Enum):
    """`REMARK` is shown on request (`--remarks`); `MISSED` always."""

    REMARK = "remark"
    MISSED = "warning"


@dataclass(frozen=True)
class Remark:
    """One decision of one pass, in LLVM's remark style.

    `is_answer` if it is what the pass was asked for: it is always shown. `once` if it is about the
    input and not about a step: whoever finds it again says nothing new. `is_idle` if there was
    nothing to do, which matters only to who asked for the pass. `name` is that of the kind of
    diagnostic, which all warnings have.
    """

    kind: RemarkKind
    pass_name: str
    message: str
    location: SourceLocation | None = None
    is_answer: bool = False
    once: bool = False
    is_idle: bool = False
    name: str = ""

    def __str__(self) -> str:
        prefix = "" if self.location is None else f"{self.location}: "
        message = named(self.message, self.name)
        return f"{prefix}{self.kind.value}: [{self.pass_name}] {message}"


def print_diagnostic(text: object) -> None:
    """Print an error, a warning, a remark or a note to standard error, in colours on a terminal."""
    print(coloured(str(text)) if _has_colours(sys.stderr) else text, file=sys.stderr)


def coloured(text: str) -> str:
    """A diagnostic in Clang's colours; other texts as they are."""
    match = _DIAGNOSTIC.fullmatch(text)
    if match is None:
        return text
    bold, plain = "\x1b[1m", "\x1b[0m"
    kind = f"\x1b[1;{_COLOURS[match['kind']]}m{match['kind']}: {plain}"
    rest = _CARET.sub(lambda caret: f"{caret[1]}\x1b[1;32m^{plain}", match["rest"])
    return f"{bold}{match['place']}{plain}{kind}{bold}{match['message']}{plain}{rest}"


def _has_colours(stream: TextIO) -> bool:
    """Whether a stream shows colours: a terminal does, unless `NO_COLOR` is set (no-color.org)."""
    if os.environ.get("FORCE_COLOR"):
        return True
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not is_plain and stream.isatty()


_COLOURS = {"error": 31, "warning": 35, "remark": 34, "note": 36}
_DIAGNOSTIC = re.compile(
    r"(?P<place>(?:\S*:\d+:\d+: )?)(?P<kind>error|warning|remark|note): "
    r"(?P<message>[^\n]*)(?P<rest>.*)",
    re.DOTALL,
)
_CARET = re.compile(r"(\n\s*)\^$")


RemarkSink = Callable[[Remark], None]


def print_missed(remark: Remark) -> None:
    """The default sink: what was not done and answers go to standard error, the rest nowhere."""
    if remark.kind is RemarkKind.MISSED or remark.is_answer:
        print_diagnostic(remark)


def print_missed_by_default(remark: Remark) -> None:
    """The sink for passes that nobody named: those that had nothing to do are not worth a line."""
    if not remark.is_idle:
        print_missed(remark)


def print_all(remark: Remark) -> None:
    """The sink of `--remarks`: everything goes to standard error."""
    print_diagnostic(remark)


_sink: ContextVar[RemarkSink] = ContextVar("polyir_remark_sink", default=print_missed)


@contextmanager
def remarks_to(sink: RemarkSink) -> Iterator[None]:
    """Send all remarks reported inside the `with` block to `sink`, but none of `once` again."""
    seen: set[Remark] = set()

    def send(remark: Remark) -> None:
        if remark not in seen:
            sink(remark)
        if remark.once:
            seen.add(remark)

    token = _sink.set(send)
    try:
        yield
    finally:
        _sink.reset(token)


@contextmanager
def remarks_kept() -> Iterator[list[Remark]]:
    """The remarks reported inside the `with` block, which also go to the sink in force."""
    sink = _sink.get()
    found: list[Remark] = []

    def keep(remark: Remark) -> None:
        found.append(remark)
        sink(remark)

    token = _sink.set(keep)
    try:
        yield found
    finally:
        _sink.reset(token)


def report(remark: Remark) -> None:
    """Hand a remark to the sink that is in force."""
    _sink.get()(remark)


def remark(pass_name: str, message: str, op: Operation | None = None, once: bool = False) -> None:
    """Report a decision of a pass at the location of `op`."""
    report(Remark(RemarkKind.REMARK, pass_name, message, location_of(op), once=once))


def answer(pass_name: str, message: str, op: Operation | None = None) -> None:
    """Report what a pass was asked to find out, at the location of `op`."""
    report(Remark(RemarkKind.REMARK, pass_name, message, location_of(op), is_answer=True))


def missed(
    pass_name: str,
    message: str,
    op: Operation | None = None,
    once: bool = False,
    name: str = "",
) -> None:
    """Report what a pass was asked for and did not do, and why, at the location of `op`.

    `name` is that of the kind of diagnostic.
    """
    place = location_of(op)
    report(Remark(RemarkKind.MISSED, pass_name, message, place, once=once, name=name))


def idle(pass_name: str, message: str, op: Operation | None = None) -> None:
    """Report that a pass that may have been asked for had nothing to do."""
    place = location_of(op)
    name = "nothing-to-do"
    report(Remark(RemarkKind.MISSED, pass_name, message, place, is_idle=True, name=name))


def location_of(op: Operation | None) -> SourceLocation | None:
    """The source location of `op`, or of the nearest operation around it that has one."""
    while op is not None:
        location = source_location(op.location)
        if location is not None:
            return location
        op = op.parent_op()
    return None


@contextmanager
def errors_at(op: Operation) -> Iterator[None]:
    """Give errors that have no location the one of `op`, internal ones too (`place_of`)."""
    try:
        yield
    except PolyirError as error:
        error.location = error.location or location_of(op)
        raise
    except Exception as error:
        error.__dict__.setdefault(_PLACE, location_of(op))
        raise


_PLACE = "polyir_location"


def place_of(error: Exception) -> SourceLocation | None:
    """The place in the input that a step worked on when it raised `error`, if it is known."""
    if isinstance(error, PolyirError):
        return error.location
    place = error.__dict__.get(_PLACE)
    return place if isinstance(place, SourceLocation) else None


def source_location(location: LocationAttr) -> SourceLocation | None:
    """An xDSL location as a `SourceLocation`; `None` if it names no file."""
    if isinstance(location, FileLineColLoc):
        return SourceLocation(location.filename.data, location.line.data, location.column.data)
    return None


def nearest(name: str, valid: Iterable[str]) -> str:
    """A hint with the valid names nearest to `name`: `"; did you mean 'a' or 'b'?"`, or ""."""
    matches = difflib.get_close_matches(name, list(valid), n=3, cutoff=0.6)
    if not matches:
        return ""
    return "; did you mean " + " or ".join(f"'{match}'" for match in matches) + "?"
