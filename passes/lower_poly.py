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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from polyir.codegen.lower import lower_scop
from polyir.diagnostics import location_of, missed, remark
from polyir.dialects.scop import ScopOp
from polyir.limits import ResourceError, bounded
from polyir.loops.split_loops import SplitLimits, split_loops
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import replace_tree, scops_in
from polyir.transform.expansion.local import Plan, localise, plan_copies


@dataclass(frozen=True)
class LowerPolyPass(ModulePass):
    """Replace every scop by loops that execute its schedule tree.

    With `split-loops`, no innermost loop tests a loop counter, as after the pass of that name.
    """

    name = "lower-poly"

    split_loops: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = scops_in(op)
        if not scops:
            missed(self.name, "nothing to do: the module has no poly.scop", op)
        for scop in scops:
            self._localise(scop)
            block = scop.parent_block()
            existing = set(block.ops) if block is not None else set()
            with bounded("code generation", location_of(scop)):
                lower_scop(scop_of(scop))
            if self.split_loops and block is not None:
                self._split([op for op in block.ops if op not in existing])

    def _split(self, generated: Sequence[Operation]) -> None:
        """Split the loops among `generated`, which were made for a scop."""
        report = partial(remark, self.name)
        try:
            with bounded("splitting loops"):
                split_loops(generated, SplitLimits(), report, report)
        except ResourceError as error:
            missed(self.name, f"{error.message}: tests of loop counters stay", generated[0])

    def _localise(self, scop: ScopOp) -> None:
        """Make copies local that are to be, now that the schedule is the last one."""
        plan: Plan = {}
        try:
            with bounded("looking for local copies", location_of(scop)):
                plan = plan_copies(scop_of(scop))
        except ResourceError as error:
            missed(self.name, f"{error.message}: arrays stay as they are", scop)
        outcome = localise(scop, plan)
        for message in outcome.done:
            remark(self.name, message, scop)
        for message in outcome.missed:
            missed(self.name, message, scop)
        if outcome.done:
            replace_tree(scop, outcome)
