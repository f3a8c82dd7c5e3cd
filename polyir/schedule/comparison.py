"""Figures by which schedules of the same scop can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polyir.dialects.dependence import Dependence, Dependences
from polyir.model.distance import common_loops, vectors_of
from polyir.proofs.bands import annotate_bands
from polyir.proofs.legality import violations
from polyir.sets.lists import sets_of
from polyir.tree import Kind, Schedule, ScheduleNode


@dataclass(frozen=True)
class Figures:
    """What one schedule offers.

    `widths` are the numbers of members of its bands, outer before inner. `outer_coincident` gives
    for each statement the number of leading coincident members of its outermost band, computed
    from the dependences and not read from the flags. `distance` is the sum of the largest
    distances of all ordering dependences in the loops that source and target share, where they
    are bounded by a constant; `unbounded` counts those that are not. `apart` counts the
    dependences whose source and target share no loop. `is_legal` is the result of the exact check.
    """

    widths: tuple[int, ...]
    outer_coincident: tuple[tuple[str, int], ...]
    distance: int
    unbounded: int
    apart: int
    is_legal: bool

    @property
    def total_outer_coincident(self) -> int:
        """The sum of `outer_coincident` over the statements."""
        return sum(count for _, count in self.outer_coincident)


def figures_of(schedule: Schedule, dependences: Dependences) -> Figures:
    """The figures of a schedule under `dependences`."""
    exact = annotate_bands(schedule, dependences)
    bands = tuple(node for node in exact.root.walk() if node.kind is Kind.BAND and node.members)
    distance, unbounded, apart = 0, 0, 0
    for dependence in dependences.ordering:
        entries = _largest_distances(exact, dependence)
        apart += not entries
        distance += sum(entry for entry in entries if entry is not None)
        unbounded += sum(entry is None for entry in entries)
    return Figures(
        tuple(len(band.members) for band in bands),
        tuple(_outer_coincident(exact, bands)),
        distance,
        unbounded,
        apart,
        not violations(dependences, schedule),
    )


def _outer_coincident(
    schedule: Schedule, bands: tuple[ScheduleNode, ...]
) -> Iterator[tuple[str, int]]:
    counts: dict[str, int] = {}
    for band in bands:
        flags = [band.members[k].is_coincident for k in range(len(band.members))]
        leading = flags.index(False) if False in flags else len(flags)
        for instances in sets_of(band.domain):
            counts.setdefault(instances.get_tuple_name() or "", leading)
    for instances in sets_of(schedule.domain):
        name = instances.get_tuple_name() or ""
        yield name, counts.get(name, 0)


def _largest_distances(schedule: Schedule, dependence: Dependence) -> list[int | None]:
    """The largest distance in each loop that both ends share; `None` if it is unbounded."""
    loops = common_loops(schedule, dependence)
    vectors = vectors_of(dependence.relation, loops)
    largest: list[int | None] = []
    for entries in zip(*(vector.entries for vector in vectors), strict=True):
        ends = [end for entry in entries for end in (entry.minimum, entry.maximum)]
        bounded = [abs(end) for end in ends if end is not None]
        largest.append(max(bounded) if len(bounded) == len(ends) else None)
    return largest


HEADING = ("scheduler", "bands", "outer", "distance", "apart", "legal")
"""The columns of a comparison: the scheduler's name, and what `cells_of` gives."""


def cells_of(figures: Figures) -> tuple[str, ...]:
    """The figures as text, in the order of `HEADING` without its first column."""
    unbounded = f" + {figures.unbounded}*" if figures.unbounded else ""
    return (
        " ".join(map(str, figures.widths)) or "-",
        str(figures.total_outer_coincident),
        f"{figures.distance}{unbounded}",
        str(figures.apart),
        "yes" if figures.is_legal else "NO",
    )


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows of cells as lines with aligned columns, the first one a heading."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
