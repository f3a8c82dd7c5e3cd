"""A strategy: the scheduler of the package, then tiles for the second cache."""

from __future__ import annotations

from math import isqrt

from polyir.choose.strategies import Situation, Strategy
from polyir.passes.tile import TilePass
from polyir.passes.wavefront import WavefrontPass
from prefetching.scheduler import WidestSchedulePass


def widest_tiles(given: Situation) -> Strategy | None:
    """Square tiles, three of which fit into the second cache; none for a single loop."""
    if given.depth < 2:
        return None
    cache = given.machine.caches[min(1, len(given.machine.caches) - 1)]
    size = isqrt(cache.bytes // (3 * given.element_bytes)) // given.width * given.width
    tiles = TilePass(sizes=(max(size, given.width),))
    return Strategy((), (WidestSchedulePass(),), (tiles, WavefrontPass(), *given.last))
