"""What the passes on scops have in common: a pass brings what it needs.

A scheduling pass on affine IR raises it and computes value-based dependences first.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.diagnostics import PolyirError, location_of, missed, remark
from polyir.dialects.dependence import Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import compute_dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop, scop_of
from polyir.model.tree import tree_from_schedule
from polyir.passes.poly_raise import PolyRaisePass


def scops_in(module: ModuleOp) -> tuple[ScopOp, ...]:
    """The scops of a module in the order of the text."""
    return tuple(op for op in module.walk() if isinstance(op, ScopOp))


def raised_scops(ctx: Context, module: ModuleOp) -> tuple[ScopOp, ...]:
    """The scops of `module`, raised if there are none."""
    if not scops_in(module):
        PolyRaisePass().apply(ctx, module)
    return scops_in(module)


def analysed_scops(ctx: Context, module: ModuleOp) -> tuple[ScopOp, ...]:
    """The scops of `module`, raised if need be, each with its dependences."""
    scops = raised_scops(ctx, module)
    for scop in scops:
        if scop.dependences is None:
            scop.dependences = DependencesAttr(compute_dependences(scop_of(scop)))
    return scops


def function_of(scop: ScopOp) -> FuncOp | None:
    """The function that `scop` stands in, if there is one."""
    parent = scop.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent


@dataclass(frozen=True)
class ScopPass(ModulePass):
    """A pass that gives each scop a new schedule tree."""

    @abstractmethod
    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        """The new schedule of `scop`; raises a `PolyirError` to refuse."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(ctx, op)
        if not scops:
            missed(self.name, "nothing to do: the module has no static control part", op)
        for scop_op in scops:
            self._apply_to(scop_op)

    def _apply_to(self, scop_op: ScopOp) -> None:
        assert scop_op.dependences is not None
        try:
            outcome = self.transform(scop_of(scop_op), scop_op.dependences.data)
        except PolyirError as error:
            error.location = error.location or location_of(scop_op)
            raise
        for message in outcome.done:
            remark(self.name, message, scop_op)
        for message in outcome.missed:
            missed(self.name, message, scop_op)
        replace_tree(scop_op, outcome)


def replace_tree(scop_op: ScopOp, outcome: Outcome) -> None:
    """Put the schedule of `outcome` in the place of the scop's schedule tree.

    So it is with the dependences, if `outcome` has any.
    """
    if outcome.dependences is not None:
        scop_op.dependences = DependencesAttr(outcome.dependences)
    old = scop_op.tree
    scop_op.body.block.insert_op_before(tree_from_schedule(outcome.schedule), old)
    old.detach()  # type: ignore[no-untyped-call]
    old.erase()
