"""A bound on what isl may compute, so that no input keeps polyir busy for ever.

isl counts its own elementary operations, about a million a second. A step of a pass runs
inside `bounded`; whoever drives the passes sets the bound with `isl_operations_limited_to`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import islpy as isl

from polyir.diagnostics import PolyirError, SourceLocation

DEFAULT_MAX_OPERATIONS: Final = 5_000_000
"""More than any whole PolyBench kernel takes from text to loops."""

_EXCEEDED = "maximal number of operations exceeded"

_limit: ContextVar[int] = ContextVar("polyir_max_isl_operations", default=DEFAULT_MAX_OPERATIONS)


class ResourceError(PolyirError):
    """A step would take more isl operations than it may."""


@contextmanager
def isl_operations_limited_to(operations: int) -> Iterator[None]:
    """Bound every step inside the `with` block; 0 stands for no bound."""
    token = _limit.set(operations)
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def bounded(step: str, location: SourceLocation | None = None) -> Iterator[None]:
    """Run a step under the bound in force; raises `ResourceError` when it is hit.

    `step` names what is done, for the message. Steps do not nest: the inner one would start
    the outer one's count anew.
    """
    limit = _limit.get()
    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(limit)
    try:
        yield
    except isl.Error as error:
        if not is_exceeded(error):
            raise
        raise ResourceError(
            f"{step} takes more than {limit} isl operations (--max-isl-operations)", location
        ) from error
    finally:
        # isl refuses all work as long as the count is above the bound.
        context.set_max_operations(0)
        context.reset_operations()


def is_exceeded(error: isl.Error) -> bool:
    """Whether isl gave up because of the bound."""
    return _EXCEEDED in str(error)
