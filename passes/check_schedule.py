"""The pass `check-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, answer, errors_at, idle, remark
from polyir.dialects.scop import ScopOp, scops_in
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import raised_scops
from polyir.proofs.dependences import analysed
from polyir.proofs.remembered import makes_claims
from polyir.proofs.schedules import require_correct, require_correct_schedule
from polyir.transform.given_schedule import GivenSchedule, read_schedule, tree_of
from polyir.tree.names import names_in


@dataclass(frozen=True)
class CheckSchedulePass(ModulePass):
    """Check that a schedule respects the dependences of a scop; change nothing.

    Without options, the current schedule tree of each scop is checked against the dependences of
    the scop, and a remark says that all of them hold. Functions without scops are raised first.
    With `schedule` or `file` (as for `apply-schedule`), the given schedule is checked instead;
    dependences are computed if necessary, and if all of them hold, a line on standard output says
    so.

    If a dependence is violated, an error shows one pair of instances for each violated one:

        in.mlir:3:3: error: the schedule violates the flow dependence through A:
        S0[1, 2] must run before S0[2, 1] (n = 4)

    All that the tree claims is checked, too: `permutable` and `coincident` flags, and attributes
    that require a parallel loop, such as `#poly.parallel` and `#poly.vector`:

        in.mlir:9:7: error: the loop S0.0 is not parallel, as #poly.parallel requires: it carries
        the flow dependence through A: S0[1] must run before S0[2] (n = 3)
    """

    name = "check-schedule"

    schedule: str | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        if self._is_standing_alone():
            self._given()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known = scops_in(op)
        scops = raised_scops(op, self.name, "nothing to check")
        alone = self._is_standing_alone()
        # Without dependences, a tree that was read may be in any order, and nothing is known of it.
        found = [
            scop
            for scop in scops
            if scop.dependences is not None or (scop in known and not alone) or analysed(scop)
        ]
        if alone and found:
            self._check_given(tuple(found))
        elif not alone:
            self._check_in_force(tuple(found))

    def _check_in_force(self, scops: tuple[ScopOp, ...]) -> None:
        for scop in scops:
            if scop.dependences is None and not makes_claims(scop):
                idle(self.name, "nothing to check: the scop has no dependences", scop)
                continue
            count = require_correct_schedule(scop, self.name)
            answer(self.name, _held(count), scop)

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
            with errors_at(scop_op):
                tree = tree_of(given, scop.schedule.domain)
            require_correct(scop.under(tree), scop.dependences)
            count = len(scop.dependences.ordering)
            remark(self.name, _held(count), scop_op)
            function = scop_op.function
            where = "" if function is None else f" of @{function.sym_name.data}"
            print(f"// the schedule respects all {count} dependences{where}")
            checked += 1
        if not checked:
            names = ", ".join(given.statements)
            raise OptionError(f"pass '{self.name}': no scop has exactly the statements {names}")

    def _is_standing_alone(self) -> bool:
        return self.schedule is not None or self.file is not None

    def _given(self) -> GivenSchedule:
        return read_schedule(self.schedule, self.file)


def _held(count: int) -> str:
    match count:
        case 0:
            return "there are no dependences"
        case 1:
            return "the only dependence holds"
        case _:
            return f"all {count} dependences hold"
