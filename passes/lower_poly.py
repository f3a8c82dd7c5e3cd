"""lower-poly: scops to loops.

    poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
      poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
        affine.store %zero, %A[%i] : memref<?xf64>
      }
      poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
        poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]
      }
    }

becomes

    affine.for %i = 0 to %n {
      affine.store %zero, %A[%i] : memref<?xf64>
    }
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.codegen.lower import lower_scop
from polyir.diagnostics import missed, remark
from polyir.dialects.scop import ScopOp
from polyir.limits import ResourceError, limited
from polyir.model.outcome import Outcome
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import replace_tree, scops_in
from polyir.transform.expansion.local import Plan, localise, plan_copies
from polyir.transform.given_schedule import tree_of_map


@dataclass(frozen=True)
class LowerPolyPass(ModulePass):
    """Replace every scop by loops that execute its schedule tree.

    Where the loops take too long to generate, `fall-back` generates those of the program's
    original order, with a warning; without it, that is an error.
    """

    name = "lower-poly"

    fall_back: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = scops_in(op)
        if not scops:
            missed(self.name, "nothing to do: the module has no poly.scop", op)
        for scop in scops:
            self._localise(scop)
            try:
                lower_scop(scop_of(scop))
            except ResourceError as error:
                self._lower_original(scop, error)

    def _lower_original(self, scop: ScopOp, error: ResourceError) -> None:
        """Generate loops for the order that the dependences are of, which is that of a source."""
        order = None if scop.dependences is None else scop.dependences.data.order
        if order is None or not self.fall_back:
            raise error
        missed(self.name, f"{error.message}: the loops keep their original order", scop)
        original = tree_of_map(order, scop_of(scop).domain)
        replace_tree(scop, Outcome(original))
        lower_scop(scop_of(scop))

    def _localise(self, scop: ScopOp) -> None:
        """Make copies local that are to be, now that the schedule is the last one."""
        plan: Plan = {}
        try:
            compute = partial(plan_copies, scop_of(scop))
            plan = limited("the search for local copies", compute, ir=scop)
        except ResourceError as error:
            missed(self.name, f"{error.message}: arrays stay as they are", scop)
        outcome = localise(scop, plan)
        for message in outcome.done:
            remark(self.name, message, scop)
        for message in outcome.missed:
            missed(self.name, message, scop)
        if outcome.done:
            replace_tree(scop, outcome)
