"""The pass `reassociate`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from polyir.base.diagnostics import idle, missed, remark
from polyir.base.limits import limited
from polyir.choose.gpu import GENERIC_GPU
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import Rewritten, report_outcome
from polyir.model.prepared_updates import split_updates
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.dependences import analysed
from polyir.proofs.remembered import require_proved
from polyir.transform.new_dependences import use_new_tree
from polyir.transform.reassociation.plan import ReassociateOptions
from polyir.transform.reassociation.search import next_reduction
from polyir.transform.reassociation.statements import apply_rewriting
from polyir.transform.reassociation.tree import RewrittenTree
from polyir.transform.walk import summary


@dataclass(frozen=True)
class ReassociatePass(ReassociateOptions, RewritePass):
    """Compute reductions in parallel: partial results in lanes, and trees that combine them.

    A reduction is a statement `X[f] = X[f] op e` that updates an element several times, by an
    operation that is associative and commutative: a sum, product, minimum, maximum, or bitwise
    `and`, `or`, `xor`. Floating-point sums and products are then rounded in another order, so that
    their last bits change. Of other passes, only those with an option `reassociate` do that.

    Run it after a scheduler and before `map-to-gpu`. Reductions with at most one parallel loop
    around become parallel, or those that `statements` names. A result has `lanes` partial results:
    256 for a single one, and for one of many 32, or 8 where neighbouring results are next to each
    other in memory. A single result of a large range is first divided into `blocks` parts.

    Before:

        poly.band "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" permutable coincident [true, false]

    After, with `lanes=4`, where S updates `y_partial[i, j mod 4]`:

        poly.band "[{ S[i, j] -> [(i - (i) mod 64)]; ... }]" coincident [true] {
          poly.mark #poly.one_block {
            poly.sequence {
              poly.filter "{ S_init[i0, l]; S[i, j] }" {
                poly.band "[{ S[i, j] -> [(i)]; ... }, { S[i, j] -> [((j) mod 4)]; ... }]"
                    coincident [true, true] {
                  poly.sequence {
                    poly.filter "{ S_init[i0, l] }"
                    poly.filter "{ S[i, j] }" {
                      poly.band "[{ S[i, j] -> [(j)] }]"
                    }
                  }
                }
              }
              poly.filter "{ S_tree2[i0, l] }" {
                poly.band "[{ S_tree2[i0, l] -> [(i0)] }, { S_tree2[i0, l] -> [(l)] }]" ...
              }
              poly.filter "{ S_result[i0] }" {
                poly.band "[{ S_result[i0] -> [(i0)] }]" ...
    """

    name = "reassociate"

    def rewrite(self, op: ScopOp) -> None:
        if op.local_arrays:
            missed(
                self.name,
                "the scop is left as it was: it has local arrays already",
                op,
                name="no-reduction",
            )
            return
        require_proved(op, self.name)
        if not self.statements and split_updates(op):
            analysed(op)
        seen: tuple[str, ...] = ()
        done: list[str] = []
        left: list[str] = []
        while op.dependences is not None:
            search = partial(
                next_reduction, scop_of(op), op.dependences.data, self, GENERIC_GPU, seen
            )
            found = limited("the search for reductions", search, ir=op)
            seen = found.seen
            left += found.reasons
            if found.rewriting is None:
                break
            done.append(found.done)
            apply_rewriting(op, scop_of(op), found.rewriting)
            in_lanes = RewrittenTree(found.rewriting).in_lanes()
            # What is left of reductions keeps its order: it is in lanes now.
            use_new_tree(op, in_lanes, self.name, "reassociation", reassociate=False)
        for message in done if self.statements else (*done, *left):
            remark(self.name, message, op)
        if self.statements:
            report_outcome(self.name, Rewritten(missed=tuple(left)), op, "no-reduction")
        elif not done:
            why = summary(left) or "no statement updates an element more than once"
            idle(self.name, f"nothing to do: {why}", op)
