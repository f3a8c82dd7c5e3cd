"""What the passes on scops have in common: a pass brings what it needs.

A scheduling pass on affine IR raises it and computes value-based dependences first.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.diagnostics import PolyirError, location_of, missed, remark
from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.limits import ResourceError, limited
from polyir.model.analysis import ORDERING_KINDS, DataflowError, compute_dependences
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
    """The scops of `module`, raised if need be, each with its dependences.

    Scops whose dependences cannot be computed within the time limit are left out.
    """
    analysed: list[ScopOp] = []
    for scop in raised_scops(ctx, module):
        if scop.dependences is None:
            dependences = dependences_of(scop)
            if dependences is None:
                continue
            scop.dependences = DependencesAttr(dependences)
        analysed.append(scop)
    return tuple(analysed)


def dependences_of(
    scop: ScopOp,
    value_based: bool = True,
    kinds: tuple[DependenceKind, ...] = ORDERING_KINDS,
    pass_name: str = "poly-dependences",
) -> Dependences | None:
    """The dependences of a scop, computed within the time limit.

    Where value-based ones take too long, memory-based ones, which are more but far cheaper,
    take their place; `None` if these take too long too. Both are reported as missed.
    """
    for is_value_based in (True, False) if value_based else (False,):
        base = "value-based" if is_value_based else "memory-based"
        try:
            return limited(
                f"the analysis of {base} dependences",
                partial(compute_dependences, scop_of(scop), is_value_based, kinds),
            )
        except (ResourceError, DataflowError) as error:
            instead = "memory-based ones are used" if is_value_based else "the scop is left alone"
            missed(pass_name, f"{error.message}: {instead}", scop)
    return None


def function_of(scop: ScopOp) -> FuncOp | None:
    """The function that `scop` stands in, if there is one."""
    parent = scop.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent


@dataclass(frozen=True)
class ScopPass(ModulePass):
    """A pass that gives each scop a new schedule tree.

    `transform` runs in a worker process (`polyir.limits`): all that it decides must be in what
    it returns.
    """

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
            compute = partial(self.transform, scop_of(scop_op), scop_op.dependences.data)
            outcome = limited("the transformation", compute)
        except ResourceError as error:
            missed(self.name, f"{error.message}: the schedule is left as it was", scop_op)
            return
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
