"""What takes long in a report, computed by worker processes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from types import MappingProxyType
from typing import TypeVar

from polyir.base.limits import ResourceError, Step, in_order

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


def computed(
    computations: Mapping[Key, Callable[[], Result]],
    otherwise: Mapping[Key, Callable[[ResourceError], Result]] = MappingProxyType({}),
) -> dict[Key, Result]:
    """What each of `computations` returns, in their order, which is that in which they begin.

    They run in worker processes, so that they must not rely on side effects. What
    is best begun first is what takes longest. Some have something `otherwise` where a computation
    takes too long.
    """
    found: dict[Key, Result] = {}
    with closing(in_order("the report", computations.values())) as steps:
        for (key, compute), step in zip(computations.items(), steps, strict=True):
            found[key] = _result(step, compute, otherwise.get(key))
    return found


def _result(
    step: Step[Result],
    compute: Callable[[], Result],
    otherwise: Callable[[ResourceError], Result] | None,
) -> Result:
    try:
        return step.result()
    except ResourceError as error:
        if otherwise is not None:
            return otherwise(error)
        # Here, the parts of it that are limited are so one by one, and something takes their place.
        return compute()
