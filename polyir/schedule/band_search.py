"""The widest band of some statements in isl's manner: paper 001, sections 3.2 and 3.3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.schedule.cluster import BandOfRows, Graph
from polyir.schedule.dependences import Dependence
from polyir.schedule.hyperplane import BoundedHyperplane
from polyir.schedule.linear import Row
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.proximity_row import ProximityRows, rows_left
from polyir.schedule.role_graph import ConditionalDependence, RoleGraph
from polyir.schedule.tree import Hyperplane


@dataclass(frozen=True)
class BandSearch(ABC, Generic[Graph]):
    """How bands are looked for."""

    parameter_count: int

    def find(
        self,
        statements: Sequence[ScheduledStatement],
        graph: Graph,
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        """The rows of a permutable band of `statements`, each independent of what is `found`.

        Where the band reverses a conditional order while a live range next to it spans several
        iterations, it is looked for anew: with these live ranges inside single iterations, or, if
        that gives more rows, with the order kept without condition.
        """
        local = self._mended(statements, graph, found, _ranges_of)
        if not graph.conditional or not rows_left(statements, _found_with(found, local)):
            return local
        ordered = self._mended(statements, graph, found, _order_of)
        return ordered if ordered.width > local.width else local

    def _mended(
        self,
        statements: Sequence[ScheduledStatement],
        graph: Graph,
        found: Mapping[int, tuple[Row, ...]],
        demands: Callable[[ConditionalDependence], Sequence[Dependence]],
    ) -> BandOfRows:
        """The band with the `demands` of all conditional orders that it would break else."""
        demanded: dict[int, None] = {}
        while True:
            further = [each for number in demanded for each in demands(graph.conditional[number])]
            band = self.band(statements, graph, (*graph.dependences, *further), found)
            broken = [
                number
                for number, each in enumerate(graph.conditional)
                if number not in demanded and each.is_broken_by(band.hyperplanes)
            ]
            if not broken:
                return band
            demanded |= dict.fromkeys(broken)

    @abstractmethod
    def band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: Graph,
        dependences: Sequence[Dependence],
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        """A permutable band under `dependences`, which are in place of those of `graph`."""


def _ranges_of(condition: ConditionalDependence) -> list[Dependence]:
    return [replace(each, is_local=True) for each in condition.ranges]


def _order_of(condition: ConditionalDependence) -> list[Dependence]:
    return [condition.order]


def _found_with(
    found: Mapping[int, tuple[Row, ...]], band: BandOfRows
) -> Mapping[int, tuple[Row, ...]]:
    for hyperplane in band.hyperplanes:
        found = with_row(found, hyperplane)
    return found


@dataclass(frozen=True)
class ProximitySearch(BandSearch[RoleGraph]):
    """Bands of short distances.

    With `outer_coincidence`, a band whose first row cannot be coincident is not wanted.
    """

    outer_coincidence: bool = False

    def band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: RoleGraph,
        dependences: Sequence[Dependence],
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        rows = proximity_rows(
            statements,
            self.parameter_count,
            dependences,
            found,
            is_coincident_only=self.outer_coincidence,
        )
        return band_of(rows, dependences)


def proximity_rows(
    statements: Sequence[ScheduledStatement],
    parameter_count: int,
    dependences: Sequence[Dependence],
    found: Mapping[int, tuple[Row, ...]],
    *,
    is_coincident_only: bool = False,
) -> list[BoundedHyperplane]:
    """As many rows as can be found: coincident ones first, then any.

    With `is_coincident_only`, there are no others without a coincident one.
    """
    rows: list[BoundedHyperplane] = []
    spanned = dict(found)
    for coincident in (True, False):
        program = ProximityRows(statements, parameter_count, dependences, coincident=coincident)
        while rows_left(statements, spanned):
            row = program.solve(spanned)
            if row is None:
                break
            rows.append(row)
            spanned = with_row(spanned, row.hyperplane)
        if is_coincident_only and not rows:
            break
        if not rows_left(statements, spanned):
            break
    return rows


def with_row(
    found: Mapping[int, tuple[Row, ...]], hyperplane: Hyperplane
) -> dict[int, tuple[Row, ...]]:
    """The directions that need no further row once `hyperplane` is there."""
    added = {number: (*found[number], row.coefficients) for number, row in hyperplane.items()}
    return {**found, **added}


def band_of(
    rows: Sequence[BoundedHyperplane],
    dependences: Sequence[Dependence],
    attributes: LoopAttributes = (),
) -> BandOfRows:
    """The band of `rows`, with its flags."""
    return BandOfRows(
        tuple(rows), tuple(_is_coincident(row, dependences) for row in rows), attributes
    )


def _is_coincident(row: BoundedHyperplane, dependences: Sequence[Dependence]) -> bool:
    return all(each.has_zero_distance(row.hyperplane) for each in dependences if each.is_coincident)
