"""The widest band with good use of the caches, or of coalesced accesses: sections 4.7 and 4.8."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from polyir.dialects.loop_attributes import GpuDimension, LoopAttributes, MapAttr
from polyir.schedule.band_search import BandSearch, band_of, proximity_rows, with_row
from polyir.schedule.cluster import BandOfRows
from polyir.schedule.dependences import Dependence
from polyir.schedule.hyperplane import BoundedHyperplane
from polyir.schedule.linear import Row
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.spatial.carry_few import row_carrying_few
from polyir.schedule.spatial.carry_many import row_carrying_many
from polyir.schedule.spatial.locality_graph import LocalityGraph, LocalityGroup
from polyir.schedule.spatial.register_pressure import register_pressure
from polyir.schedule.spatial.rows import RowQuestion
from polyir.schedule.tree import DistanceBound, Hyperplane

MAP_TO_X = MapAttr(GpuDimension("thread", "x"))
"""The attribute of a loop that gives coalesced accesses along a GPU's x."""

UNPROFITABLE = 2
"""With so many rows left, or fewer, a parallel loop would be too deep to pay for its barriers."""

NO_BAND = BandOfRows((), ())

_Solve = Callable[[RowQuestion, Sequence[LocalityGroup]], Hyperplane | None]


@dataclass(frozen=True)
class CpuSearch(BandSearch[LocalityGraph]):
    """Bands for caches: outer rows carry as little reuse as possible, the last one much.

    One coincident row is enough. Where the first row cannot be coincident, the band is left to
    wavefronts, unless its statements want more than `register_limit` registers: then there is
    no band, and a sequential loop has parallel ones inside.
    """

    register_limit: int

    def band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: LocalityGraph,
        dependences: Sequence[Dependence],
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        run = _Run(statements, self.parameter_count, dependences, graph.groups, found)
        is_parallel = graph.is_inside_parallel
        while left := run.rows_left:
            solve = row_carrying_few if left > 1 else _hyperplane_carrying_many
            is_wanted = not is_parallel and (not run.rows or left > UNPROFITABLE)
            row = run.solve(solve, coincident=True) if is_wanted else None
            is_parallel = is_parallel or row is not None
            if row is None:
                if not run.rows and is_wanted and self._is_too_large(graph):
                    return NO_BAND
                row = run.solve(solve, coincident=False)
            if row is None:
                break
            run.add(row)
        return band_of(run.rows, dependences)

    def _is_too_large(self, graph: LocalityGraph) -> bool:
        return register_pressure(graph.groups) > self.register_limit


@dataclass(frozen=True)
class GpuSearch(BandSearch[LocalityGraph]):
    """Bands for GPUs: the first row gives coalesced accesses, as many rows as can are coincident.

    Where the first row cannot be coincident, there is no band: a sequential loop has parallel
    ones inside, and they become kernels.
    """

    def band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: LocalityGraph,
        dependences: Sequence[Dependence],
        found: Mapping[int, tuple[Row, ...]],
    ) -> BandOfRows:
        run = _Run(statements, self.parameter_count, dependences, graph.groups, found)
        attributes: LoopAttributes = ()
        if not graph.is_inside_parallel and run.rows_left:
            row = row_carrying_many(run.question(coincident=True), run.groups)
            if row is None:
                return NO_BAND
            if row.carried:
                run.add(row.hyperplane)
                attributes = (MAP_TO_X,)
        run.rows += proximity_rows(statements, self.parameter_count, dependences, run.spanned)
        return band_of(run.rows, dependences, attributes)


class _Run:
    """One search: the rows so far, and what they leave."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        dependences: Sequence[Dependence],
        groups: Sequence[LocalityGroup],
        found: Mapping[int, tuple[Row, ...]],
    ) -> None:
        self.rows: list[BoundedHyperplane] = []
        self.groups = tuple(groups)
        self.spanned = {each.position: found[each.position] for each in statements}
        self._statements = tuple(statements)
        self._parameter_count = parameter_count
        self._dependences = tuple(dependences)

    @property
    def rows_left(self) -> int:
        return self.question(coincident=False).rows_left

    def question(self, *, coincident: bool) -> RowQuestion:
        return RowQuestion(
            self._statements, self._parameter_count, self._dependences, self.spanned, coincident
        )

    def solve(self, solve: _Solve, *, coincident: bool) -> Hyperplane | None:
        return solve(self.question(coincident=coincident), self.groups)

    def add(self, row: Hyperplane) -> None:
        no_bound = DistanceBound((0,) * self._parameter_count, 0)
        self.rows.append(BoundedHyperplane(row, no_bound))
        self.spanned = with_row(self.spanned, row)
        self.groups = tuple(each.uncarried_by([row]) for each in self.groups)


def _hyperplane_carrying_many(
    question: RowQuestion, groups: Sequence[LocalityGroup]
) -> Hyperplane | None:
    row = row_carrying_many(question, groups)
    return None if row is None else row.hyperplane
