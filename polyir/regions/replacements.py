"""The new statements of a region of a C file, with the checks before them, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Final

from polyir.frontend.c.source import SourceRegion
from polyir.frontend.c.translation import TranslatedRegion
from polyir.regions.alias_checks import AliasCheck
from polyir.target.c.line_origins import made_like
from polyir.target.c.region import (
    ORIGINAL_CODE,
    ElementRange,
    Form,
    RangeText,
    RegionText,
    operand_text,
    range_texts,
)


@dataclass(frozen=True)
class CheckText:
    """A condition in C for the new statements, and those that compute what it needs."""

    before: RegionText
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class Replacement:
    """The text of a region's new statements, and the line before which its helpers stand.

    They are executed where the checks hold, which are made in order: what one reads may only be
    readable where those before it hold. Where the check `reads` does not hold, the region does
    nothing if `is_whole`.
    """

    region: SourceRegion
    text: RegionText
    unused: tuple[str, ...]
    inlined: frozenset[str]
    """Those of `unused` that are functions."""
    reads: tuple[CheckText, ...]
    is_whole: bool
    checks: tuple[CheckText, ...]
    flag: str
    """The name of a variable that says whether the checks hold so far."""

    @property
    def texts(self) -> tuple[RegionText, ...]:
        """All statements that are added."""
        return (self.text, *(check.before for check in (*self.reads, *self.checks)))

    @property
    def helpers(self) -> dict[str, str]:
        """The definitions of the functions that the new statements call, by their names."""
        return {name: text for each in self.texts for name, text in each.helpers}


def with_free_helpers(replacement: Replacement, words: frozenset[str]) -> Replacement:
    """The replacement, whose helpers have names that the file does not use.

    A file that polyir-cc wrote has functions with the usual names.
    """
    names = {
        name: next(free for n in count(1) if (free := f"{name}_{n}") not in words)
        for name in replacement.helpers
        if name in words
    }
    if not names:
        return replacement
    pattern = re.compile(rf"\b(?:{'|'.join(names)})\b")

    def renamed(text: str) -> str:
        return pattern.sub(lambda match: names[match[0]], text)

    def renamed_in(text: RegionText) -> RegionText:
        helpers = ((renamed(name), renamed(definition)) for name, definition in text.helpers)
        lines = tuple(made_like(line, renamed(line)) for line in text.lines)
        return RegionText(lines, tuple(helpers))

    def renamed_check(check: CheckText) -> CheckText:
        return CheckText(renamed_in(check.before), tuple(map(renamed, check.conditions)))

    reads = tuple(map(renamed_check, replacement.reads))
    checks = tuple(map(renamed_check, replacement.checks))
    return replace(replacement, text=renamed_in(replacement.text), reads=reads, checks=checks)


def block_lines(
    replacement: Replacement, before: Sequence[str], original: Sequence[str], ending: str
) -> list[str]:
    """The lines of the statements, indented as those that they replace were.

    With checks, `original` is executed where they do not hold. They are in braces if they declare
    something, and if they may not be the end of a block, whose lines so far are `before`.
    """
    reads = replacement.reads
    checks = tuple(check for check in replacement.checks if check.conditions)
    if not replacement.is_whole:
        checks, reads = (*reads, *checks), ()
    lines = replacement.text.lines
    if checks:
        kept = ("  } else {", f"    {ORIGINAL_CODE}", "  }")
        lines = (*_conditional(checks, lines, replacement.flag), *kept)
    if reads:
        lines = (*_conditional(reads, lines, replacement.flag), "  }")
    conditions = " ".join(each for check in reads for each in check.conditions)
    words = re.findall(r"\w+", conditions)
    unused = [name for name in replacement.unused if name not in words]
    if not checks:
        variables = " ".join(f"(void){name};" for name in unused if name not in replacement.inlined)
        functions = [name for name in unused if name in replacement.inlined]
        marks = [f"  {variables}"] if variables else []
        marks += [f"  (void){name}; // Its calls are inlined." for name in functions]
        lines = (*marks, *lines)
    if _declares(lines) or not _is_in_block(before):
        lines = ("{", *lines, "}")
    else:
        lines = tuple(made_like(line, line[2:]) for line in lines)
    spaces, block = indentation(original), list[str]()
    for line in lines:
        if line.endswith(ORIGINAL_CODE):
            block += _indented(original, spaces + line.removesuffix(ORIGINAL_CODE))
        else:
            block.append(made_like(line, f"{spaces}{line}{ending}"))
    return block


_DECLARES_NOTHING: Final = re.compile(
    r"  (?:\s|\}|(?:if|for|while) \(|#pragma omp|\*?\w+(?:\[|\.|->|\(| [-+*/]?= ))"
)
"""How lines begin that are not declarations of the outermost block."""


def _declares(lines: Sequence[str]) -> bool:
    """Whether statements may declare something outside of the braces in them."""
    return not all(map(_DECLARES_NOTHING.match, lines))


def _is_in_block(before: Sequence[str]) -> bool:
    """Whether what comes after these lines is for certain a statement of a block, not of an `if`.

    What ends with a comment is not looked into.
    """
    last = next((line for each in reversed(before) if (line := each.strip())), "")
    if re.fullmatch(r"#\s*pragma\s+(?:end)?scop\b.*", last):
        return True
    is_plain = not (last.startswith("#") or "//" in last or "*/" in last)
    return is_plain and last.endswith(("{", ";", "}"))


def indentation(lines: Sequence[str]) -> str:
    """What all lines begin with, but those that are empty and those of the preprocessor."""
    code = [line for line in lines if line.strip() and not line.startswith("#")]
    least = min(code, key=lambda line: len(line) - len(line.lstrip()), default="")
    spaces = least[: len(least) - len(least.lstrip())]
    return spaces if all(line.startswith(spaces) for line in code) else ""


def _indented(lines: Sequence[str], spaces: str) -> Sequence[str]:
    """The lines with another indentation; as they are, if a string or macro has several of them."""
    if any(line.rstrip("\r\n").endswith("\\") for line in lines):
        return lines
    old = len(indentation(lines))
    return [
        spaces + line[old:] if line.strip() and not line.startswith("#") else line for line in lines
    ]


def _conditional(checks: Sequence[CheckText], lines: Sequence[str], flag: str) -> tuple[str, ...]:
    """Statements where checks hold, up to the brace that ends them.

    A check is made where those before it hold.
    """
    first, *others = checks
    before, conditions = list(first.before.lines), list(first.conditions)
    for check in others:
        if not check.before.lines:
            conditions += check.conditions
            continue
        declared = "" if conditions == [flag] else "int "
        before += [*_wrapped(f"  {declared}{flag} = ", conditions, ";"), f"  if ({flag}) {{"]
        before += [f"  {line}" for line in check.before.lines]
        before += [*_wrapped(f"    {flag} = ", check.conditions, ";"), "  }"]
        conditions = [flag]
    return (
        *before,
        *_wrapped("  if (", conditions, ") {"),
        *(made_like(line, f"  {line}") for line in lines),
    )


def _wrapped(head: str, conditions: Sequence[str], end: str) -> list[str]:
    """A conjunction; calls are on lines of their own."""
    joined = conditions[0]
    for one, other in pairwise(conditions):
        joined += f" &&{chr(10) if '(' in one + other else ' '}{other}"
    joined = joined.replace("\n", "\n      ")
    return f"{head}{joined}{end}".splitlines()


DISJOINT = (
    "polyir_disjoint",
    """static inline int polyir_disjoint(const volatile void *first_1, const volatile void *end_1,
                                  const volatile void *first_2, const volatile void *end_2) {
  return (unsigned long)end_1 <= (unsigned long)first_2 ||
         (unsigned long)end_2 <= (unsigned long)first_1;
}
""",
)


ROWS_OUTSIDE = (
    "polyir_rows_outside",
    """typedef char *polyir_row __attribute__((__may_alias__));

/* Whether no part of a row, from one element to another one of some size, is in other memory. */
static int polyir_rows_outside(const void *table, long first, long last, long begin, long end,
                               long size, const volatile void *from, const volatile void *to) {
  const polyir_row *rows = (const polyir_row *)table;
  for (long i = first; i <= last && begin <= end; i++)
    if ((unsigned long)rows[i] + begin * size < (unsigned long)to &&
        (unsigned long)from < (unsigned long)rows[i] + (end + 1) * size)
      return 0;
  return 1;
}
""",
)

ROWS_APART = (
    "polyir_rows_apart",
    """/* Whether parts of rows follow each other, up or down, outside of the table of pointers. */
static int polyir_rows_apart(const void *table, long first, long last, long begin, long end,
                             long size) {
  const polyir_row *rows = (const polyir_row *)table;
  int up = last <= first || (unsigned long)rows[first] < (unsigned long)rows[last];
  for (long i = first; i < last && begin <= end; i++) {
    unsigned long one = (unsigned long)rows[up ? i : i + 1];
    unsigned long next = (unsigned long)rows[up ? i + 1 : i];
    if (one + (end + 1) * size > next + begin * size)
      return 0;
  }
  return polyir_rows_outside(table, first, last, begin, end, size, rows + first, rows + last + 1);
}
""",
)

ROWS_DISJOINT = (
    "polyir_rows_disjoint",
    """/* Whether no part of a row, or table, is in a row of another array, where both are apart. */
static int polyir_rows_disjoint(const void *table, long first, long last, long begin, long end,
                                long size, const void *other, long first_2, long last_2,
                                long begin_2, long end_2, long size_2) {
  const polyir_row *rows = (const polyir_row *)table, *rows_2 = (const polyir_row *)other;
  long i = first, j = first_2;
  if (last < first || last_2 < first_2 || begin > end || begin_2 > end_2)
    return 1;
  int up = (unsigned long)rows[first] <= (unsigned long)rows[last];
  int up_2 = (unsigned long)rows_2[first_2] <= (unsigned long)rows_2[last_2];
  while (i <= last && j <= last_2) {
    unsigned long one = (unsigned long)rows[up ? i : first + last - i];
    unsigned long two = (unsigned long)rows_2[up_2 ? j : first_2 + last_2 - j];
    if (one + (end + 1) * size <= two + begin_2 * size_2)
      i++;
    else if (two + (end_2 + 1) * size_2 <= one + begin * size)
      j++;
    else
      return 0;
  }
  return polyir_rows_outside(table, first, last, begin, end, size,
                             rows_2 + first_2, rows_2 + last_2 + 1) &&
         polyir_rows_outside(other, first_2, last_2, begin_2, end_2, size_2,
                             rows + first, rows + last + 1);
}
""",
)


def _apart_call(one: RangeText, other: RangeText) -> str:
    """The test that two parts of memory, or the rows of one, do not overlap."""
    if one.rows is None and other.rows is None:
        return call_text(DISJOINT, (f"{one.first}, {one.end}", f"{other.first}, {other.end}"))
    if one.rows is None:
        return _apart_call(other, one)
    if other.rows is not None:
        if one == other:
            return call_text(ROWS_APART, (one.rows.text,))
        return call_text(ROWS_DISJOINT, (one.rows.text, other.rows.text))
    memory = f"{other.first}, {other.end}"
    outside = call_text(ROWS_OUTSIDE, (one.rows.text, memory))
    # Nor may pointers to rows be written.
    return f"{outside} &&\n{call_text(DISJOINT, (one.rows.table_ends, memory))}"


def _helpers_of(conditions: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The functions that conditions call, after those that these call."""
    texts = list(conditions)
    found: list[tuple[str, str]] = []
    for helper in (ROWS_DISJOINT, ROWS_APART, ROWS_OUTSIDE, DISJOINT):
        if any(f"{helper[0]}(" in text for text in texts):
            found.insert(0, helper)
            texts.append(helper[1])
    yield from found


def check_text(
    check: AliasCheck,
    content: TranslatedRegion,
    forms: Sequence[Form],
    taken: Sequence[str],
) -> CheckText:
    """The check in C."""
    ranges = dict.fromkeys(each for pair in check.pairs for each in (pair.first, pair.second))
    boxes = [range for range in ranges if isinstance(range, ElementRange)]
    texts = range_texts(check.function, forms, boxes, taken, check.called)
    before, found = texts.before, dict(zip(boxes, texts.ranges, strict=True))
    tested = (*check.conditions, *check.executed)
    conditions = dict.fromkeys(operand_text(texts.values[position]) for position in tested)
    apart: dict[tuple[str, ...], dict[str, None]] = {}
    for pair in check.pairs:
        parts: list[RangeText] = []
        needless = [] if pair.needless is None else [texts.values[pair.needless]]
        for range in (pair.first, pair.second):
            if isinstance(range, ElementRange):
                text = found[range]
                parts.append(text)
                if text.condition is not None:
                    conditions[f"({text.condition})"] = None
            else:
                name = range if isinstance(range, str) else forms[range].text
                parts.append(RangeText(f"&{name}", f"&{name} + 1", None))
                needless += _if_null(content, range, name)
        apart.setdefault(tuple(dict.fromkeys(needless)), {})[_apart_call(*parts)] = None
    for alternatives, calls in apart.items():
        together = " &&\n".join(calls)
        if alternatives:
            inner = f"({together})" if len(calls) > 1 else together
            indented = inner.replace("\n", "\n  ")
            others = [f"({each})" if "&&" in each else each for each in alternatives]
            together = f"({' || '.join(others)} ||\n {indented})"
        conditions[together] = None
    helpers = _helpers_of(conditions)
    return CheckText(RegionText(before.lines, (*before.helpers, *helpers)), tuple(conditions))


def _if_null(content: TranslatedRegion, operand: int | str, name: str) -> list[str]:
    """The condition that the pointer to a structure is null: no member has an address then.

    None is needed if the structure is read.
    """
    if not isinstance(operand, int) or "->" not in name:
        return []
    origin = content.arguments[operand].origin
    return [] if origin.container in content.reads.containers.values() else [f"!{origin.pointer}"]


def call_text(helper: tuple[str, str], parts: Sequence[str]) -> str:
    """A call of a helper, with a line for each part if it is long."""
    head = f"{helper[0]}("
    text = f"{head}{', '.join(parts)})"
    between = ",\n" + " " * len(head)
    return text if len(text) <= 90 else f"{head}{between.join(parts)})"
