"""The pass `isl-builtin-schedule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.constraints import (
    live_range_constraints,
    reordered_live_ranges,
    schedule_constraints,
)
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.isl_builtin import Algorithm, BuiltinOptions, isl_builtin_schedule


@dataclass(frozen=True)
class IslBuiltinSchedulePass(SchedulerPass):
    """Schedule with the compiled scheduler of the isl library, as a baseline.

    The options are isl's (`schedule-...`), of the same meaning and with the same defaults, but
    for `maximize-coincidence`, which is on. -1 means no limit.

    With `live-range-reordering`, iterations that reuse memory for other values may change their
    order, as long as the values' lives do not overlap; the scop's dependences are then those of
    the new order.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }]" coincident [false] {
          poly.band "[{ S0[i, j] -> [(j)] }]" coincident [false]
        }

    After:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [true, false]
    """

    name = "isl-builtin-schedule"

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
    input_dependences: bool = False
    live_range_reordering: bool = False

    def find(self, scop: Scop, dependences: Dependences) -> Outcome:
        ask = live_range_constraints if self.live_range_reordering else schedule_constraints
        constraints = ask(scop, dependences, input_dependences=self.input_dependences)
        schedule = isl_builtin_schedule(constraints, self._options())
        if self.live_range_reordering:
            return reordered_live_ranges(scop, schedule, self.name)
        return Outcome(schedule)

    def _options(self) -> BuiltinOptions:
        return BuiltinOptions(
            algorithm=Algorithm(self.algorithm),
            maximize_coincidence=self.maximize_coincidence,
            maximize_band_depth=self.maximize_band_depth,
            outer_coincidence=self.outer_coincidence,
            serialize_sccs=self.serialize_sccs,
            whole_component=self.whole_component,
            separate_components=self.separate_components,
            treat_coalescing=self.treat_coalescing,
            split_scaled=self.split_scaled,
            carry_self_first=self.carry_self_first,
            max_coefficient=self.max_coefficient,
            max_constant_term=self.max_constant_term,
        )
