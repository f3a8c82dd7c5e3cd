"""The pass `spatial-schedule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.constraints import (
    live_range_constraints,
    reordered_live_ranges,
    schedule_constraints,
)
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.clustering import Fusion
from polyir.schedule.spatial.reuse import DEFAULT_LINE_SIZE, reuse_groups
from polyir.schedule.spatial.scheduler import (
    DEFAULT_REGISTER_LIMIT,
    Recipe,
    SpatialOptions,
    spatial_schedule,
)


@dataclass(frozen=True)
class SpatialSchedulePass(SchedulerPass):
    """Find bands for caches or for coalesced accesses, by the reuse of elements and cache lines.

    `target=cpu` makes one parallel loop, as far outside as can be, and an innermost loop along
    which most references go through cache lines. A band that is not parallel outside is there
    for `--tile --wavefront`, unless its statements want more than `register-limit` registers:
    then a sequential loop has parallel ones inside. `target=gpu` makes many parallel loops, the
    first one of a band with coalesced accesses where there is one, under a mark "map-to-x".

    `line-size` is how many elements a cache line has; `fusion` and `live-range-reordering` are
    those of `isl-schedule`.

    Before (`C[i, j] += A[i, k] * B[k, j]`):

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]"
            permutable coincident [true, true, false]

    After:

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(j)] }]"
            permutable coincident [true, false, true]
    """

    name = "spatial-schedule"

    target: Literal["cpu", "gpu"] = "cpu"
    line_size: int = DEFAULT_LINE_SIZE
    fusion: Literal["max", "typed", "min"] = "typed"
    register_limit: int = DEFAULT_REGISTER_LIMIT
    live_range_reordering: bool = False

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        if self.line_size < 1:
            raise OptionError(f"line-size must be 1 or more: line-size={self.line_size}")
        if self.register_limit < 0:
            raise OptionError(
                f"register-limit must be 0 or more: register-limit={self.register_limit}"
            )

    def find(self, scop: Scop, dependences: Dependences) -> Outcome:
        ask = live_range_constraints if self.live_range_reordering else schedule_constraints
        constraints = ask(scop, dependences, input_dependences=True)
        options = SpatialOptions(Recipe(self.target), Fusion(self.fusion), self.register_limit)
        result = spatial_schedule(constraints, reuse_groups(scop, self.line_size), options)
        if self.live_range_reordering:
            return reordered_live_ranges(scop, result.schedule, self.name, result.notes)
        return Outcome(result.schedule, done=result.notes)
