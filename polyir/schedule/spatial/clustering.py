"""Which clusters share a band, where locality counts: paper 001, section 4.7."""

from __future__ import annotations

from collections.abc import Sequence

from polyir.schedule.band_search import BandSearch
from polyir.schedule.cluster import BandOfRows, Cluster, brings_near
from polyir.schedule.clustering import Clustering, Fusion
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.spatial.locality_graph import LocalityGraph


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
        )
