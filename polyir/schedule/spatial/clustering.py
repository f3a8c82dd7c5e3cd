"""Which clusters share a band, where locality counts: paper 001, section 4.7."""

from __future__ import annotations

from collections.abc import Sequence

from polyir.schedule.band_search import BandSearch
from polyir.schedule.cluster import BandOfRows, Cluster, brings_near
from polyir.schedule.clustering import Clustering, Fusion
from polyir.schedule.linear import rank
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.spatial.carry_many import is_carried
from polyir.schedule.spatial.locality_graph import LocalityGraph, LocalityGroup
from polyir.schedule.tree import Hyperplane


class LocalityClustering(Clustering[LocalityGraph]):
    """Clusters that may lose parallelism, but not the last coincident row."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        search: BandSearch[LocalityGraph],
        fusion: Fusion,
        one_degree: bool,
    ) -> None:
        super().__init__(statements, search, fusion)
        self._one_degree = one_degree
        self._typed = fusion is Fusion.TYPED

    def is_wanted(
        self, clusters: Sequence[Cluster], band: BandOfRows, graph: LocalityGraph
    ) -> bool:
        """Whether the policy lets `clusters`, between which `graph` is, share `band`."""
        if not self._typed or not self._one_degree:
            return super().is_wanted(clusters, band, graph)
        return (
            band.width == max(each.band.width for each in clusters)
            and any(band.coincident) >= any(any(each.band.coincident) for each in clusters)
            and brings_near(graph, clusters, band, self._statements)
            and self._lines_used(graph, (band,))
            >= self._lines_used(graph, [each.band for each in clusters])
        )

    def _lines_used(self, graph: LocalityGraph, bands: Sequence[BandOfRows]) -> int:
        """How often the innermost loop of a statement goes along the lines of a group."""
        return sum(
            _carried_innermost(self._statements[position], graph.groups, band.hyperplanes)
            for band in bands
            for position in band.statements
        )


def _carried_innermost(
    statement: ScheduledStatement,
    groups: Sequence[LocalityGroup],
    hyperplanes: Sequence[Hyperplane],
) -> int:
    """Of how many groups the last loop of `statement` carries the spatial reuse.

    The last loop is the last row that is new for the statement.
    """
    rows = [each[statement.position].coefficients for each in hyperplanes]
    ranks = [rank(rows[:count], statement.depth) for count in range(len(rows) + 1)]
    if not ranks[-1]:
        return 0
    last = ranks.index(ranks[-1]) - 1
    own = [each.within((statement.position,)).spatial for each in groups]
    return sum(
        bool(spatial)
        and all(each.vanishes_on(row) for each in spatial for row in hyperplanes[:last])
        and is_carried(spatial, hyperplanes[last])
        for spatial in own
    )
