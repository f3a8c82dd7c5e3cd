"""isl's own compiled scheduler, as a baseline.

Verdoolaege and Janssens, "Scheduling for PPCG", 2017.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Literal

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.tree import Schedule
from polyir.tree.isl_border import from_isl


@dataclass(frozen=True)
class IslBuiltinOptions:
    """isl's options of the same names, with isl's defaults except for `maximize_coincidence`.

    That one is on so that fusion does not cost parallelism, which is the default of all
    schedulers here. -1 means no limit. `algorithm` chooses isl's Pluto-like integer program for
    the rows, or Feautrier's.
    """

    algorithm: Literal["isl", "feautrier"] = "isl"
    maximize_coincidence: bool = True
    maximize_band_depth: bool = False
    outer_coincidence: bool = False
    serialize_sccs: bool = False
    whole_component: bool = False
    separate_components: bool = True
    treat_coalescing: bool = True
    split_scaled: bool = True
    carry_self_first: bool = True
    max_coefficient: int = -1
    max_constant_term: int = -1


def isl_builtin_schedule(
    constraints: ScheduleConstraints, options: IslBuiltinOptions | None = None
) -> Schedule:
    """The schedule that isl computes; isl's global options are as before when it returns.

    Raises `SchedulingError` when isl fails.
    """
    # The relations are restricted to the context instead of passing the context to isl, which
    # then leaves out statements that have no instances in it.
    context = constraints.context
    request = (
        isl.ScheduleConstraints.on_domain(constraints.domain)
        .set_validity(constraints.validity.intersect_params(context))
        .set_proximity(constraints.proximity.intersect_params(context))
        .set_coincidence(constraints.coincidence.intersect_params(context))
        .set_conditional_validity(constraints.live_ranges(), constraints.conditional_order())
    )
    with _options_set(constraints.domain.get_ctx(), options or IslBuiltinOptions()):
        try:
            schedule = request.compute_schedule()
        except isl.Error as error:
            raise SchedulingError(f"isl's scheduler failed: {error}") from None
    # With some combinations of its options, isl loses statements.
    if not constraints.domain.is_subset(schedule.get_map().domain()):
        raise SchedulingError("isl's scheduler left out some statement instances")
    return from_isl(schedule)


_ALGORITHMS = {"isl": isl.schedule_algorithm.ISL, "feautrier": isl.schedule_algorithm.FEAUTRIER}


@contextmanager
def _options_set(context: isl.Context, options: IslBuiltinOptions) -> Iterator[None]:
    """Set isl's options inside the `with` block, and restore them after it."""
    wanted = {name: int(_ALGORITHMS.get(value, value)) for name, value in vars(options).items()}
    before = {name: getattr(context, f"get_schedule_{name}")() for name in _NAMES}
    _set(context, wanted)
    try:
        yield
    finally:
        _set(context, before)


_NAMES = tuple(field.name for field in fields(IslBuiltinOptions))


def _set(context: isl.Context, values: dict[str, int]) -> None:
    for name in _NAMES:
        getattr(context, f"set_schedule_{name}")(values[name])
