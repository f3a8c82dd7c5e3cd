"""isl's own compiled scheduler, as a baseline: Verdoolaege and Janssens, "Scheduling for PPCG"
(2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.problem import SchedulingError


class Algorithm(Enum):
    """What isl uses for the rows: its Pluto-like program, or Feautrier's."""

    ISL = "isl"
    FEAUTRIER = "feautrier"


@dataclass(frozen=True)
class BuiltinOptions:
    """isl's options of the same names; the defaults are isl's, but for `maximize_coincidence`.

    That one is set so that fusion does not cost parallelism, which is what all schedulers here
    do by default. -1 stands for no limit.
    """

    algorithm: Algorithm = Algorithm.ISL
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
    constraints: ScheduleConstraints, options: BuiltinOptions | None = None
) -> isl.Schedule:
    """The schedule that isl computes; isl's global options are as before when it returns.

    Raises `SchedulingError` when isl fails.
    """
    # The relations say what the context says. Given a context, isl leaves out the statements
    # that have no instances in it.
    context = constraints.context
    request = (
        isl.ScheduleConstraints.on_domain(constraints.domain)
        .set_validity(constraints.validity.intersect_params(context))
        .set_proximity(constraints.proximity.intersect_params(context))
        .set_coincidence(constraints.coincidence.intersect_params(context))
        .set_conditional_validity(constraints.live_ranges(), constraints.conditional_order())
    )
    with _options_set(constraints.domain.get_ctx(), options or BuiltinOptions()):
        try:
            schedule = request.compute_schedule()
        except isl.Error as error:
            raise SchedulingError(f"isl's scheduler failed: {error}") from None
    # With several of its options together, isl forgets statements.
    if not constraints.domain.is_subset(schedule.get_map().domain()):
        raise SchedulingError("isl's scheduler leaves instances out")
    return schedule


@contextmanager
def _options_set(context: isl.Context, options: BuiltinOptions) -> Iterator[None]:
    """isl's options as wanted inside, and as they were behind."""
    before = _options_of(context)
    _set(context, options)
    try:
        yield
    finally:
        _set(context, before)


def _options_of(context: isl.Context) -> BuiltinOptions:
    is_feautrier = context.get_schedule_algorithm() == isl.schedule_algorithm.FEAUTRIER
    return BuiltinOptions(
        algorithm=Algorithm.FEAUTRIER if is_feautrier else Algorithm.ISL,
        maximize_coincidence=bool(context.get_schedule_maximize_coincidence()),
        maximize_band_depth=bool(context.get_schedule_maximize_band_depth()),
        outer_coincidence=bool(context.get_schedule_outer_coincidence()),
        serialize_sccs=bool(context.get_schedule_serialize_sccs()),
        whole_component=bool(context.get_schedule_whole_component()),
        separate_components=bool(context.get_schedule_separate_components()),
        treat_coalescing=bool(context.get_schedule_treat_coalescing()),
        split_scaled=bool(context.get_schedule_split_scaled()),
        carry_self_first=bool(context.get_schedule_carry_self_first()),
        max_coefficient=context.get_schedule_max_coefficient(),
        max_constant_term=context.get_schedule_max_constant_term(),
    )


def _set(context: isl.Context, options: BuiltinOptions) -> None:
    algorithms = isl.schedule_algorithm
    is_feautrier = options.algorithm is Algorithm.FEAUTRIER
    context.set_schedule_algorithm(algorithms.FEAUTRIER if is_feautrier else algorithms.ISL)
    context.set_schedule_maximize_coincidence(int(options.maximize_coincidence))
    context.set_schedule_maximize_band_depth(int(options.maximize_band_depth))
    context.set_schedule_outer_coincidence(int(options.outer_coincidence))
    context.set_schedule_serialize_sccs(int(options.serialize_sccs))
    context.set_schedule_whole_component(int(options.whole_component))
    context.set_schedule_separate_components(int(options.separate_components))
    context.set_schedule_treat_coalescing(int(options.treat_coalescing))
    context.set_schedule_split_scaled(int(options.split_scaled))
    context.set_schedule_carry_self_first(int(options.carry_self_first))
    context.set_schedule_max_coefficient(options.max_coefficient)
    context.set_schedule_max_constant_term(options.max_constant_term)
