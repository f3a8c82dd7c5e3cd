"""The pass `apply-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.diagnostics import LocalArrayError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.given_schedule import GivenSchedule, apply_schedule, read_schedule


@dataclass(frozen=True)
class ApplySchedulePass(ScopPass):
    """Use a schedule given in isl's notation, as a union map or a schedule tree.

    `schedule` is the text; or `file` names a file that contains it. It must order all instances
    of a scop. A schedule that violates a dependence is refused, and so is one for a scop with
    local arrays: isl's notation does not have their marks.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" coincident [true, false]

    After `--apply-schedule="{ S0[i, j] -> [j, i] }"`:

        poly.band "[{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]"
            permutable coincident [false, true]
    """

    name = "apply-schedule"

    schedule: str | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._given()

    @property
    def named(self) -> tuple[str, ...]:
        return self._given().statements

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        if scop.op.local_arrays:
            raise LocalArrayError(
                "the scop has local arrays: 'promote' must run after 'apply-schedule'"
            )
        return apply_schedule(scop.schedule, dependences, self._given())

    def _given(self) -> GivenSchedule:
        return read_schedule(self.schedule, self.file)
