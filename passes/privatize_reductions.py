"""The pass `privatize-reductions`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from polyir.base.diagnostics import idle, missed, remark
from polyir.base.limits import limited
from polyir.choose.sizes import LINE_BYTES, PART_TURN, PARTS
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.remembered import require_proved
from polyir.transform.new_dependences import use_new_tree
from polyir.transform.reassociation.private_results import (
    PrivatizeReductionsOptions,
    next_privatization,
)
from polyir.transform.reassociation.private_rewriting import (
    apply_private_rewriting,
    plan_private_rewriting,
)
from polyir.transform.walk import summary


@dataclass(frozen=True)
class PrivatizeReductionsPass(PrivatizeReductionsOptions, RewritePass):
    """Let loops that carry only reductions run in parts, each with partial results of its own.

    Reductions are the dependences of that kind: `poly-dependences=reassociate=true` finds them. A
    nest is left alone if its outermost band has a parallel loop. Else, the outermost loop that
    carries nothing but reductions gets a parallel loop over `parts` around it, 16 if nothing is
    said. Each part has its own copy of the elements that the loop updates, which begins with the
    neutral element; after the loop, all copies are combined in their order. So results are the
    same for any number of threads.

    Parts take turns: of one iteration, or of 1024 of an innermost loop, or of `block` iterations.

    Before:

        poly.band "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" permutable

    After, where S updates `y_partial[i mod 16, j]`:

        poly.sequence {
          poly.filter "{ S_init[p, i0]; S[i, j] }" {
            poly.band "[{ S_init[p, i0] -> [(p)]; S[i, j] -> [((i) mod 16)] }]" coincident [true] {
              poly.sequence {
                poly.filter "{ S_init[p, i0] }" {
                  poly.band "[{ S_init[p, i0] -> [(i0)] }]" coincident [true]
                }
                poly.filter "{ S[i, j] }" {
                  poly.band "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" ...
                }
              }
            }
          }
          poly.filter "{ S_result[i0] }" {
            poly.band "[{ S_result[i0] -> [(i0)] }]" coincident [true]
          }
        }
    """

    name = "privatize-reductions"

    parts: int = PARTS

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
        if op.dependences is None or not op.dependences.data.reductions:
            reason = "no dependence is a reduction: poly-dependences=reassociate=true finds them"
            idle(self.name, f"nothing to do: {reason}", op)
            return
        is_done = False
        reasons: dict[str, None] = {}
        while op.dependences is not None:
            search = partial(next_privatization, scop_of(op), op.dependences.data, self, PART_TURN)
            found = limited("the search for reductions", search, ir=op)
            reasons.update(dict.fromkeys(found.reasons))
            if found.privatization is None:
                break
            rewriting = plan_private_rewriting(scop_of(op), found.privatization)
            apply_private_rewriting(op, scop_of(op), rewriting, LINE_BYTES // 8)
            remark(self.name, str(found.privatization), op)
            is_done = True
            use_new_tree(op, rewriting.in_parts(), self.name, "privatization", reassociate=True)
        for reason in reasons if is_done else ():
            remark(self.name, reason, op)
        if not is_done:
            why = summary(tuple(reasons)) or "no loop that is not parallel carries only reductions"
            idle(self.name, f"nothing to do: {why}", op)
