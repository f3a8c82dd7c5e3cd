"""A bound on what isl may compute, so that no input keeps polyir busy for ever.

isl counts its own elementary operations, about a million a second. A step of a pass runs
inside `bounded`; whoever drives the passes sets the bound with `isl_operations_limited_to`.
"""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Final, NoReturn, TypeVar
from warnings import catch_warnings, simplefilter

import islpy as isl

from polyir.diagnostics import PolyirError, SourceLocation

DEFAULT_MAX_OPERATIONS: Final = 8_000_000
"""`spatial-schedule` with live ranges takes between 5 and 7 million on PolyBench's deriche."""

Result = TypeVar("Result")

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
        if _is_exceeded(context):
            raise _exhausted(step, limit, location)
    except Exception as error:
        # Where isl gives up in a function that returns a number or a text, what comes next is
        # no error of isl's: any error after that is the bound's.
        if isinstance(error, ResourceError) or not _is_exceeded(context):
            raise
        raise _exhausted(step, limit, location) from error
    finally:
        # isl refuses all work as long as the count is above the bound.
        context.set_max_operations(0)
        context.reset_operations()


@contextmanager
def weighted(weight: int, usual: int, beyond: int) -> Iterator[None]:
    """Count each of isl's operations inside as `weight` of them, and as `beyond` after `usual`.

    A step of the simplex method is one operation to isl, whatever the size of the tableau and of
    the numbers in it; where there are many more steps than usual, the numbers are huge.
    """
    context = isl.DEFAULT_CONTEXT
    outer = context.get_max_operations()
    if not outer:
        yield
        return
    left = outer - _operations(context, outer)
    within = min(usual, left // weight)
    inner = max(within + (left - within * weight) // beyond, 1)
    _restart(context, inner)
    try:
        yield
    finally:
        spent = _operations(context, inner)
        cost = weight * min(spent, usual) + beyond * max(spent - usual, 0)
        _restart(context, left - cost if spent < inner else 0)


def attempted(compute: Callable[[], Result], operations: int, cost: int) -> Result | None:
    """What `compute` returns, or `None` if it takes more than that many isl operations.

    Inside a step, a failure counts as `cost` operations of the step's.
    """
    context = isl.DEFAULT_CONTEXT
    outer = context.get_max_operations()
    left = outer - _operations(context, outer)
    _restart(context, operations)
    charged = cost
    try:
        result = compute()
        charged = _operations(context, operations)
        return result
    except isl.Error:
        if not _is_exceeded(context):
            raise
        return None
    finally:
        if outer:
            _restart(context, left - charged)
        else:
            context.reset_operations()
            context.set_max_operations(0)


def rehearsed(compute: Callable[[], Result]) -> Result:
    """What `compute` returns, once a copy of this process has computed it within the bound.

    For work in which isl has been seen to crash where it hits the bound: it is then the copy that
    crashes. Without a bound, or where processes cannot be copied, there is no rehearsal.

    Raises `isl.Error`, with the bound exceeded, if the copy exceeds it or crashes.
    """
    context = isl.DEFAULT_CONTEXT
    bound = context.get_max_operations()
    if bound and not _is_within_bound(compute, context):
        _restart(context, 0)
        raise isl.Error("the rehearsal exceeds the bound on isl's operations")
    context.set_max_operations(0)
    try:
        return compute()
    finally:
        context.set_max_operations(bound)


def _is_within_bound(compute: Callable[[], object], context: isl.Context) -> bool:
    """Whether `compute` returns, or fails for another reason, before isl exceeds its bound."""
    reader, writer = os.pipe()
    try:
        with catch_warnings():
            # Of threads that a copy lacks: it uses none.
            simplefilter("ignore", DeprecationWarning)
            copy = os.fork()
    except (AttributeError, OSError):
        os.close(reader)
        os.close(writer)
        return True
    if not copy:
        _rehearse(compute, context, writer)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as answers:
            return answers.read() == WITHIN_BOUND
    except BaseException:
        os.kill(copy, signal.SIGKILL)
        raise
    finally:
        # Where nobody wants to know how children end, it is gone already.
        with suppress(ChildProcessError):
            os.waitpid(copy, 0)


WITHIN_BOUND: Final = b"within"
"""What the copy answers; a crash is no answer."""


def _rehearse(compute: Callable[[], object], context: isl.Context, writer: int) -> NoReturn:
    """The life of the copy, which leaves nothing but its answer."""
    try:
        faulthandler.disable()
        with suppress(Exception):
            compute()
        if not _is_exceeded(context):
            os.write(writer, WITHIN_BOUND)
    finally:
        os._exit(0)


def _restart(context: isl.Context, operations: int) -> None:
    """Count anew, up to so many operations."""
    context.reset_operations()
    # At least one, for none would stand for no bound.
    context.set_max_operations(max(operations, 1))


def _operations(context: isl.Context, most: int) -> int:
    """How many operations isl has counted, up to `most`, which it does not tell: by bisection."""
    before = context.get_max_operations()
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        context.set_max_operations(middle)
        if _is_exceeded(context):
            low = middle
        else:
            high = middle - 1
    context.set_max_operations(before)
    return low


def first_within_bound(*computations: Callable[[], Result]) -> Result:
    """What the first of `computations` returns that keeps to its share of the bound in force.

    The first may take all of the bound, and each of the others half of it: what is tried next is
    to be cheaper. Raises what isl raises when the last one exceeds its share.
    """
    context = isl.DEFAULT_CONTEXT
    limit = context.get_max_operations()
    for number, compute in enumerate(computations, 1):
        if number > 1 and limit:
            # At least one, for none would stand for no bound.
            context.set_max_operations(max(limit // 2, 1))
        context.reset_operations()
        try:
            result = compute()
        except Exception:
            # As in `bounded`: any error after the bound's is the bound's.
            if _is_exceeded(context) and number < len(computations):
                continue
            if not _is_exceeded(context):
                context.set_max_operations(limit)
            raise
        context.set_max_operations(limit)
        return result
    raise ValueError("nothing to compute")


def _exhausted(step: str, limit: int, location: SourceLocation | None) -> ResourceError:
    return ResourceError(
        f"{step} takes more than {limit} isl operations (--max-isl-operations)", location
    )


def _is_exceeded(context: isl.Context) -> bool:
    """Whether isl gave up because of the bound: it then does not even make a number."""
    try:
        # Two, for a bound of one lets one more through.
        isl.Val.int_from_si(context, 1).add(isl.Val.int_from_si(context, 2))
    except isl.Error:
        return True
    return False
