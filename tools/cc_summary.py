"""The last line of `polyir-cc`: how many regions were transformed, how, and what was left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from polyir.base.diagnostics import PolyirError, RemarkKind
from polyir.base.internal_errors import DefectError
from polyir.choose.remarks import CHOSEN
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.source import SourceFile
from polyir.loops.features import loop_features
from polyir.regions.source_to_source import TransformedRegion


class Tally:
    """What became of the regions of some files, or, without pragmas, of their loop nests.

    `missed` says why something stays that was asked for: regions, and loop nests that were
    translated, but whose passes failed. `passed_over` says so of loop nests that nobody asked for,
    since they cannot be modelled.
    """

    def __init__(self) -> None:
        self.missed: list[PolyirError] = []
        self.passed_over: list[PolyirError] = []
        self._ways: Counter[str] = Counter()
        self._in_part = 0
        self._as_they_were = 0
        self._left = 0
        self._names: dict[str, None] = {}

    def add(
        self, file: SourceFile, transformed: Sequence[TransformedRegion], is_detecting: bool
    ) -> None:
        """Count what is in a file."""
        self._names["loop nest" if is_detecting else "region"] = None
        if is_detecting:
            for item in transformed:
                self._add_region([item], is_detecting)
            self._left += len(file.left_nests) + len(file.skipped) + file.asked
            for each in file.left:
                (self.missed if isinstance(each, DefectError) else self.passed_over).append(each)
            self.passed_over += file.skipped
        else:
            for first, last in file.ranges:
                lines = range(first, last + 1)
                parts = [each for each in transformed if each.region.first_line in lines]
                self._add_region(parts, is_detecting)
            self._left += file.asked - len(file.ranges)
            self.missed += file.skipped
        self.missed += file.lost

    def _add_region(self, parts: Sequence[TransformedRegion], is_detecting: bool) -> None:
        """Count a region, of which some parts may have been left, or a loop nest."""
        errors = [each.error for each in parts if each.is_missed and each.error is not None]
        done = [each for each in parts if each.module is not None]
        for error in errors:
            was_asked = not (is_detecting and isinstance(error, NotModelledError))
            (self.missed if was_asked else self.passed_over).append(error)
        if done and errors:
            self._in_part += 1
        elif errors:
            self._left += 1
        elif any(each.is_changed and "original" not in _strategies(each) for each in done):
            self._ways[_way(done)] += 1
        else:
            self._as_they_were += 1

    def line(self) -> str:
        """The line, without its end."""
        count = sum(self._ways.values())
        total = count + self._in_part + self._as_they_were + self._left
        name = " or ".join(self._names)
        reasons = [*self.missed, *self.passed_over]
        if not total and not reasons:
            return f"polyir-cc: there is no {name} to transform"
        of = f"{count} of {total}" if count < total else str(count)
        ways = [each if count == n else f"{n} {each}" for each, n in self._ways.items()]
        how = f" ({'; '.join(ways)})" if ways else ""
        parts = [f"{of} {name}{'' if total == 1 else 's'} transformed{how}"]
        if self._in_part:
            parts.append(f"{self._in_part} in part")
        if self._as_they_were:
            are = "it is" if self._as_they_were == 1 else "they are"
            parts.append(f"{self._as_they_were} best as {are}")
        if self._left:
            parts.append(f"{self._left} left")
        if reasons:
            first = reasons[0]
            place = "" if first.location is None else f"{first.location}: "
            parts[-1] += f"{'; first' if len(reasons) > 1 else ''}: {place}{first.full_message}"
        return f"polyir-cc: {', '.join(parts)}"


def _way(parts: Sequence[TransformedRegion]) -> str:
    """How a region was transformed: by which strategies, and what its new loops are."""
    words = [name for part in parts for name in _strategies(part) if name != "original"]
    if any(part.device is not None for part in parts):
        words.append("kernels")
    if any(part.ranked is not None for part in parts):
        words.append("on ranks")
    words += [word for part in parts for word in _features(part)]
    return ", ".join(dict.fromkeys(words)) or "sequential"


def _strategies(part: TransformedRegion) -> Iterable[str]:
    """The strategies that `optimize` has chosen for a region."""
    for remark in part.remarks:
        if remark.kind is RemarkKind.REMARK and remark.message.startswith(CHOSEN):
            yield remark.message.removeprefix(CHOSEN).partition(",")[0]


def _features(part: TransformedRegion) -> Iterable[str]:
    """What can be seen of a region's new loops: whether they are parallel, whether in vectors."""
    if part.module is None or part.device is not None:
        return
    yield from loop_features(part.module)
