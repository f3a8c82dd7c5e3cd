"""The widest band of some statements in isl's manner: paper 001, sections 3.2 and 3.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyir.schedule.cluster import BandOfRows
from polyir.schedule.dependences import Dependence
from polyir.schedule.hyperplane import BoundedHyperplane
from polyir.schedule.linear import Row
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.proximity_row import ProximityRows, rows_left
from polyir.schedule.role_graph import RoleGraph


@dataclass(frozen=True)
class BandSearch:
    """How bands are looked for.

    With `outer_coincidence`, a band whose first row cannot be coincident is not wanted.
    """

    parameter_count: int
    outer_coincidence: bool

    def find(
        self,
        statements: Sequence[ScheduledStatement],
        graph: RoleGraph,
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        """The rows of a permutable band of `statements`, each independent of what is `found`.

        A conditional order that the band reverses, while a live range next to it spans several
        iterations, becomes an order without condition, and the band is looked for anew.
        """
        demanded: dict[int, None] = {}
        while True:
            orders = [graph.conditional[number].order for number in demanded]
            band = self._rows(statements, (*graph.dependences, *orders), found)
            broken = [
                number
                for number, each in enumerate(graph.conditional)
                if number not in demanded and each.is_broken_by(band.hyperplanes)
            ]
            if not broken:
                return band
            demanded |= dict.fromkeys(broken)

    def _rows(
        self,
        statements: Sequence[ScheduledStatement],
        dependences: Sequence[Dependence],
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        """As many rows as can be found: coincident ones first, then any."""
        rows: list[BoundedHyperplane] = []
        spanned = {each.position: found[each.position] for each in statements}
        for coincident in (True, False):
            program = ProximityRows(
                statements, self.parameter_count, dependences, coincident=coincident
            )
            while rows_left(statements, spanned):
                row = program.solve(spanned)
                if row is None:
                    break
                rows.append(row)
                for position, each in row.hyperplane.items():
                    spanned[position] = (*spanned[position], each.coefficients)
            if self.outer_coincidence and not rows:
                break
            if not rows_left(statements, spanned):
                break
        return BandOfRows(tuple(rows), tuple(_is_coincident(row, dependences) for row in rows))


def _is_coincident(row: BoundedHyperplane, dependences: Sequence[Dependence]) -> bool:
    return all(each.has_zero_distance(row.hyperplane) for each in dependences if each.is_coincident)
