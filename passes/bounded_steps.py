"""Steps of passes that are left out where isl takes too long for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from polyir.dialects.scop import ScopOp
from polyir.limits import ResourceError, limited, within_operations
from polyir.model.analysis import DataflowError

Result = TypeVar("Result")


def bounded(step: str, compute: Callable[[], Result], op: ScopOp, operations: int) -> Result | None:
    """What `compute` returns, or `None` if it takes isl too many operations, or isl fails."""
    try:
        return limited(step, partial(within_operations, operations, compute), ir=op)
    except (ResourceError, DataflowError):
        # isl may crash where it stops, and its dataflow analysis goes wrong for some orders.
        return None
