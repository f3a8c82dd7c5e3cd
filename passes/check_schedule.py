"""The pass `check-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import LegalityError, OptionError, PolyirError, location_of, missed, remark
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import ScopOp
from polyir.limits import limited
from polyir.model.copies import require_same_program
from polyir.model.legality import describe_violations, violations
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops, scops_in
from polyir.transform.given_schedule import GivenSchedule, read_schedule, tree_of
from polyir.transform.walk import names_in


@dataclass(frozen=True)
class CheckSchedulePass(ModulePass):
    """Check that a schedule respects the dependences of a scop; change nothing.

    Without options, the current schedule tree of each scop is checked against the dependences of
    the scop. With `schedule` or `file` (as for `apply-schedule`), the given schedule is checked
    instead; dependences are computed if necessary, and if all of them hold, a line on standard
    output says so.

    If a dependence is violated, an error shows one pair of instances for each violated one:

        in.mlir:3:3: error: the schedule violates the flow dependence through A:
        S0[1, 2] must run before S0[2, 1] (n = 4)
    """

    name = "check-schedule"

    schedule: str | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        if self._is_standing_alone():
            self._given()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(ctx, op) if self._is_standing_alone() else scops_in(op)
        if not scops:
            missed(self.name, "nothing to check: the module has no static control part", op)
        elif self._is_standing_alone():
            self._check_given(scops)
        else:
            self._check_in_force(scops)

    def _check_in_force(self, scops: tuple[ScopOp, ...]) -> None:
        for scop_op in scops:
            scop = scop_of(scop_op)
            if scop.dependences is None:
                missed(self.name, "nothing to check: the scop has no dependences", scop_op)
                continue
            self._require_legal(scop_op, scop.dependences, scop.schedule)

    def _check_given(self, scops: tuple[ScopOp, ...]) -> None:
        """Check the given schedule on each scop that has exactly its statements."""
        given = self._given()
        checked = 0
        for scop_op in scops:
            scop = scop_of(scop_op)
            if len(scops) > 1 and set(names_in(scop.domain)) != set(given.statements):
                remark(self.name, "left alone: the schedule is for other statements", scop_op)
                continue
            assert scop.dependences is not None
            try:
                tree = tree_of(given, scop.schedule.get_domain())
            except PolyirError as error:
                error.location = error.location or location_of(scop_op)
                raise
            count = self._require_legal(scop_op, scop.dependences, tree)
            function = scop_op.function
            where = "" if function is None else f" of @{function.sym_name.data}"
            print(f"// the schedule respects all {count} dependences{where}")
            checked += 1
        if not checked:
            names = ", ".join(given.statements)
            raise OptionError(f"pass '{self.name}': no scop has exactly the statements {names}")

    def _require_legal(
        self, scop_op: ScopOp, dependences: Dependences, schedule: isl.Schedule
    ) -> int:
        """The number of dependences; raises `LegalityError` if one of them is violated."""
        location = location_of(scop_op)
        what = "the check of the schedule"
        found = limited(what, lambda: violations(dependences, schedule), location)
        count = len(dependences.ordering)
        if found:
            message = describe_violations(found, count, "the schedule")
            raise LegalityError(message, location)
        if scop_op.local_arrays:
            scop = scop_of(scop_op).under(schedule)
            try:
                limited(what, lambda: require_same_program(scop), location)
            except LegalityError as error:
                error.location = error.location or location
                raise
        remark(self.name, f"all {count} dependences hold", scop_op)
        return count

    def _is_standing_alone(self) -> bool:
        return self.schedule is not None or self.file is not None

    def _given(self) -> GivenSchedule:
        return read_schedule(self.schedule, self.file)
