"""The pass `spatial-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import LINE_BYTES, VALUE_REGISTERS
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import LiveRangePass
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.spatial.reuse import reuse_groups
from polyir.schedule.spatial.scheduler import SpatialOptions, spatial_schedule


@dataclass(frozen=True)
class SpatialSchedulePass(LiveRangePass, SpatialOptions):
    """Find bands for caches or for coalesced accesses, by the reuse of elements and cache lines.

    `target=cpu` makes one parallel loop, as far outside as possible, and an innermost loop along
    which most references go through cache lines. If the outermost loop of a band cannot be
    parallel, the band is left to `--tile --wavefront`, unless its statements need more than
    `register-limit` registers: then a sequential loop gets parallel loops inside it. By default,
    the limit is what x86-64 has left (31) when every loop has a register for its counter.
    `target=gpu` makes many parallel loops. The first one of a band has coalesced accesses if
    possible; it then gets the attribute `#poly.map<thread x>`.

    `line-size` is the number of elements in a cache line; `fusion` and `live-range-reordering`
    are those of `isl-schedule`.

    Before (`C[i, j] += A[i, k] * B[k, j]`):

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]"
            permutable coincident [true, true, false]

    After:

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(j)] }]"
            permutable coincident [true, false, true]
    """

    name = "spatial-schedule"

    line_size: int = LINE_BYTES // 8

    @property
    def counts_input_dependences(self) -> bool:
        return True

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        reuse = reuse_groups(scop, self.line_size)
        result = spatial_schedule(constraints, reuse, self, VALUE_REGISTERS)
        return Outcome(result.schedule, done=result.notes, proved=True)
