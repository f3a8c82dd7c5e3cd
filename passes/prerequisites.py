"""The common part of the passes on scops: each pass runs what it requires first.

A scheduling pass on affine IR raises it and computes value-based dependences first.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base import budgets
from polyir.base.diagnostics import OptionError, errors_at, idle, missed, nearest, remark
from polyir.base.inner_steps import inner_step
from polyir.base.limits import CrashError, limited, within_operations
from polyir.base.walks import outermost
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import KEEPS_LOOPS, ScopOp, scops_in
from polyir.loops.levels import convert_equations
from polyir.model.analysis import bounded
from polyir.model.outcome import Outcome, TreePass, replace_tree, report_outcome, require_outcome
from polyir.model.reductions import oriented
from polyir.model.scop import Scop, scop_of
from polyir.passes.options import PassWithOptions
from polyir.passes.poly_raise import PolyRaisePass
from polyir.proofs.dependences import analysed
from polyir.proofs.remembered import is_proved, remember_proof
from polyir.tree.addresses import LoopAddress, StatementAddress


def raised_scops(
    module: ModuleOp,
    pass_name: str = "",
    task: str = "nothing to do",
    shares_cells: bool = False,
) -> tuple[ScopOp, ...]:
    """The scops of `module`, after raising the functions that have none.

    `shares_cells` is as in `raise_function`.

    If there is no scop at all, raising says why. If there is nothing to raise either, that is what
    the pass `pass_name` says, if it is given. Systems of equations become functions with scops.

    The steps and messages of a distributed program are left out: their statements call functions,
    whose accesses a scop does not show, so that no analysis of them would be right.
    """
    convert_equations(module)
    is_distributed = any(KEEPS_LOOPS in each.attributes for each in scops_in(module))
    functions = () if is_distributed else outermost(module, FuncOp)
    flat = [each for each in functions if not scops_in(each)]
    explained: list[bool] = []
    if flat:
        with inner_step(PolyRaisePass.name, module):
            explained = [PolyRaisePass().raise_loops(each, shares_cells) for each in flat]
    scops = tuple(each for each in scops_in(module) if KEEPS_LOOPS not in each.attributes)
    if pass_name and not scops and not any(explained):
        idle(pass_name, f"{task}: the module has no static control part", module)
    return scops


def analysed_scops(
    module: ModuleOp, pass_name: str = "", task: str = "nothing to do"
) -> tuple[ScopOp, ...]:
    """The scops that `raised_scops` finds, each with its dependences.

    Scops whose dependences cannot be computed within the limits are left out.
    """
    scops = raised_scops(module, pass_name, task)
    if all(scop.dependences is not None for scop in scops):
        return scops
    with inner_step("poly-dependences", module):
        return tuple(scop for scop in scops if scop.dependences is not None or analysed(scop))


@dataclass(frozen=True)
class PassOnScops(PassWithOptions):
    """A pass on the scops of a module, or on those with the statements that its options name."""

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the statements that the options name."""
        found: list[str] = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            items = value if isinstance(value, tuple) else (value,)
            found += [
                item.statement for item in items if isinstance(item, LoopAddress | StatementAddress)
            ]
        return tuple(dict.fromkeys(found))

    def scops(self, ctx: Context, module: ModuleOp) -> tuple[ScopOp, ...]:
        """The scops that the pass applies to, each with its dependences.

        Raises `OptionError` if no scop has all statements that the options name.
        """
        scops = analysed_scops(module, self.name)
        meant = tuple(scop for scop in scops if set(self.named) <= set(_names(scop)))
        if scops and not meant:
            self._refuse(scops)
        for scop in scops:
            if scop not in meant:
                shown = ", ".join(self.named)
                remark(self.name, f"left alone: the scop does not have all of {shown}", scop)
        return meant

    def _refuse(self, scops: tuple[ScopOp, ...]) -> None:
        valid = list(dict.fromkeys(name for scop in scops for name in _names(scop)))
        for name in self.named:
            if name not in valid:
                hint = nearest(name, valid) or f" (statements: {', '.join(valid)})"
                raise OptionError(f"pass '{self.name}': there is no statement '{name}'{hint}")
        shown = ", ".join(self.named)
        raise OptionError(f"pass '{self.name}': {shown} are not in the same scop")


@dataclass(frozen=True)
class RewritePass(PassOnScops):
    """A pass that adds statements or arrays to each scop, and so rewrites its operations."""

    @abstractmethod
    def rewrite(self, op: ScopOp) -> None:
        """Rewrite a scop; raises a `PolyirError`, which gets the place of the scop, to refuse."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop in self.scops(ctx, op):
            with errors_at(scop):
                self.rewrite(scop)


@dataclass(frozen=True)
class ScopPass(PassOnScops, TreePass):
    """A pass that gives each scop a new schedule tree.

    `transform` may run in a worker process (`base.limits`): its only effect is its return value.
    A pass that `moves_nothing` only gives loops attributes. If one that `needs_parallel_loops`
    misses something, it is reported whether `privatize` would give it more of them.
    """

    moves_nothing: ClassVar[bool] = False
    needs_parallel_loops: ClassVar[bool] = False

    @abstractmethod
    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        """The new schedule of `scop`; raises a `PolyirError` to refuse."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Give each scop of a module the tree that `transform` returns."""
        for scop_op in self.scops(ctx, op):
            self._apply_to(scop_op)

    def _checked(self, scop: Scop, dependences: Dependences) -> Outcome:
        """The result of `transform`; raises if copies are not correct under the new schedule."""
        outcome = self.transform(scop, dependences)
        require_outcome(outcome, scop)
        if outcome.schedule is scop.schedule:
            outcome = replace(outcome, proved=True)
        elif dependences.reductions and not self.moves_nothing:
            known = outcome.dependences or dependences
            outcome = replace(outcome, dependences=oriented(known, outcome.schedule))
        if scop.op.local_arrays and not self.moves_nothing:
            # Few scops have local arrays, and start-up is part of every run.
            from polyir.proofs.copies import require_right_copies

            require_right_copies(scop.under(outcome.schedule))
        return outcome

    def outcome(self, scop: Scop) -> Outcome:
        """What the pass makes of a scop, after a report of it; its operations do not change.

        If isl exceeds the budget, or crashes, it is the schedule that the scop has.
        """
        assert scop.dependences is not None
        budget = budgets.TRANSFORMATION
        compute = partial(self._checked, scop, scop.dependences)
        try:
            with errors_at(scop.op):
                outcome = limited(budget.step, partial(within_operations, budget, compute))
            reason = budget.exceeded
        except CrashError as error:
            outcome, reason = None, error.message
        if outcome is None:
            missed(
                self.name, f"{reason}: the schedule is left as it was", scop.op, name="too-complex"
            )
            return Outcome(scop.schedule, proved=True)
        report_outcome(self.name, outcome, scop.op, outcome.name)
        if outcome.missed and self.needs_parallel_loops:
            _advise_copies(scop, scop.dependences)
        return outcome

    def _apply_to(self, scop_op: ScopOp) -> None:
        scop = scop_of(scop_op)
        outcome = self.outcome(scop)
        if outcome.schedule is scop.schedule and outcome.dependences is None:
            return
        known = outcome.proved and is_proved(scop_op)
        replace_tree(scop_op, outcome)
        if known:
            remember_proof(scop_op)


def _advise_copies(scop: Scop, dependences: Dependences) -> None:
    """Report which temporaries alone make loops sequential."""
    # Most passes find what they look for.
    from polyir.transform.expansion.privatize import loops_freed

    freed = bounded(budgets.FREED_LOOPS, partial(loops_freed, scop, dependences), scop.op)
    if freed:
        numbers = sorted({number for loops in freed.values() for number in loops})
        loops = f"loop{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
        missed(
            "privatize",
            f"{loops} would be parallel with copies of {', '.join(freed)} for each iteration: "
            "--privatize before the scheduler makes them",
            scop.op,
            once=True,
            name="privatize",
        )


def _names(scop: ScopOp) -> tuple[str, ...]:
    return tuple(statement.sym_name.data for statement in scop.statements)
