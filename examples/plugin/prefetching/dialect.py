"""The dialect of the package."""

from __future__ import annotations

from xdsl.ir import Dialect

from prefetching.prefetch import BlockAttr, DistanceAttr

PREFETCHING = Dialect("prefetching", [], [DistanceAttr, BlockAttr])
