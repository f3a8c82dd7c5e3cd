"""The dialect of the package."""

from __future__ import annotations

from xdsl.ir import Dialect

from prefetching.operation import AddToOp
from prefetching.prefetch import BlockAttr, DistanceAttr

PREFETCHING = Dialect("prefetching", [AddToOp], [DistanceAttr, BlockAttr])
