"""What `--verify-diagnostics` checks: comments that say which diagnostics a text gives.

The comments are those of mlir-opt: `// expected-error {{part of the message}}` is about the same
line, `expected-error@+1` about the next one, `@-2` about the second one above, `@below` and
`@above` about the nearest line that has no such comment, and `@unknown` about a diagnostic without
a line. The kinds are `error`, `warning` and `remark`; in `expected-error-re`, text in double braces
is a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyir.base.diagnostics import PolyirError, Remark, SourceLocation

_COMMENT = re.compile(
    r"expected-(?P<kind>error|note|remark|warning)(?P<regex>-re)?\s*"
    r"(?:@(?P<where>[+-][0-9]+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}\s*$"
)


@dataclass(frozen=True)
class Diagnostic:
    """What a comment is compared with: an error, a warning or a remark."""

    kind: str
    message: str
    location: SourceLocation | None

    @classmethod
    def of_error(cls, error: PolyirError) -> Diagnostic:
        return cls("error", error.message, error.location)

    @classmethod
    def of_remark(cls, remark: Remark) -> Diagnostic:
        message = f"[{remark.pass_name}] {remark.message}"
        return cls(remark.kind.value, message, remark.location)


@dataclass(frozen=True)
class _Expectation:
    kind: str
    text: str
    pattern: re.Pattern[str]
    # The line that it is about, or `None` for a diagnostic without a line.
    line: int | None
    place: SourceLocation

    def describes(self, diagnostic: Diagnostic) -> bool:
        location = diagnostic.location
        in_file = location is not None and location.file == self.place.file
        line = location.line if location is not None and in_file else None
        return (
            self.kind == diagnostic.kind
            and self.line == line
            and self.pattern.search(diagnostic.message) is not None
        )


def mismatches(
    text: str,
    filename: str,
    line_offset: int,
    diagnostics: Sequence[Diagnostic],
    *,
    all_remarks: bool,
) -> list[PolyirError]:
    """One error for each diagnostic that `text` does not expect, and each that it does in vain.

    Unless `all_remarks`, a remark need not be expected. Raises `PolyirError` for a malformed
    regular expression.
    """
    open_expectations = _expectations(text, filename, line_offset)
    errors: list[PolyirError] = []
    for diagnostic in diagnostics:
        found = next((each for each in open_expectations if each.describes(diagnostic)), None)
        if found is not None:
            open_expectations.remove(found)
        elif diagnostic.kind != "remark" or all_remarks:
            message = f"unexpected {diagnostic.kind}: {diagnostic.message}"
            errors.append(PolyirError(message, diagnostic.location, name="expected-diagnostic"))
    errors += [
        PolyirError(
            f'expected {each.kind} "{each.text}" was not produced',
            each.place,
            name="expected-diagnostic",
        )
        for each in open_expectations
    ]
    return errors


def _expectations(text: str, filename: str, line_offset: int) -> list[_Expectation]:
    lines = text.splitlines()
    comments = [_COMMENT.search(line) for line in lines]
    found: list[_Expectation] = []
    for index, comment in enumerate(comments):
        if comment is None:
            continue
        about = _line_about(comment["where"], index, comments)
        place = SourceLocation(filename, line_offset + index + 1, comment.start() + 1)
        found.append(
            _Expectation(
                comment["kind"],
                comment["text"],
                _pattern(comment["text"], comment["regex"] is not None, place),
                None if about is None else line_offset + about + 1,
                place,
            )
        )
    return found


def _line_about(
    where: str | None, index: int, comments: Sequence[re.Match[str] | None]
) -> int | None:
    """The line, from 0, that the comment in line `index` is about."""
    match where:
        case None:
            return index
        case "unknown":
            return None
        case "below" | "above":
            step = 1 if where == "below" else -1
            index += step
            while 0 <= index < len(comments) and comments[index] is not None:
                index += step
            return index
        case _:
            return index + int(where)


def _pattern(text: str, is_regex: bool, place: SourceLocation) -> re.Pattern[str]:
    if not is_regex:
        return re.compile(re.escape(text))
    # Every second part is within braces.
    parts = re.split(r"\{\{(.*?)\}\}", text)
    pieces = [f"(?:{part})" if number % 2 else re.escape(part) for number, part in enumerate(parts)]
    try:
        return re.compile("".join(pieces))
    except re.error as error:
        raise PolyirError(
            f"malformed regular expression: {error}", place, name="expected-diagnostic"
        ) from None
