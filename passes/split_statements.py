"""The pass `split-statements`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.diagnostics import idle, missed, remark
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.model.splitting import names_taken, parts_of, split_statements
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.remembered import require_proved
from polyir.transform.new_dependences import use_new_tree
from polyir.tree.addresses import StatementAddress


@dataclass(frozen=True)
class SplitStatementsPass(RewritePass):
    """Cut statements with several stores into statements with one store each.

    Raising makes one statement of the stores of an iteration that need the same work, which is
    then done once. The parts, which run one after the other, may get other loops; what several of
    them need, each computes for itself. `statements` are the ones to cut; without them, all
    statements are. Stores stay together if the value of one was loaded before another one changes
    the element.

    Before:

        poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
          %0 = affine.load %A[%i] : memref<?xf64>
          %1 = math.sqrt %0 : f64
          affine.store %1, %B[%i] : memref<?xf64>
          %2 = arith.addf %1, %0 : f64
          affine.store %2, %C[%i] : memref<?xf64>
        }

    After:

        poly.stmt @S0_0 domain "[n] -> { S0_0[i] : 0 <= i < n }" (%i) {
          %0 = affine.load %A[%i] : memref<?xf64>
          %1 = math.sqrt %0 : f64
          affine.store %1, %B[%i] : memref<?xf64>
        }
        poly.stmt @S0_1 domain "[n] -> { S0_1[i] : 0 <= i < n }" (%i) {
          %0 = affine.load %A[%i] : memref<?xf64>
          %1 = math.sqrt %0 : f64
          %2 = arith.addf %1, %0 : f64
          affine.store %2, %C[%i] : memref<?xf64>
        }
    """

    name = "split-statements"

    statements: tuple[StatementAddress, ...] = ()

    def rewrite(self, op: ScopOp) -> None:
        if op.local_arrays:
            missed(
                self.name,
                "the scop is left as it was: it has local arrays already",
                op,
                name="local-array",
            )
            return
        require_proved(op, self.name)
        wanted = [each for each in op.statements if self._is_wanted(each.sym_name.data)]
        taken = names_taken(op)
        parts = {each: parts_of(op, each, taken) for each in wanted}
        parts = {each: own for each, own in parts.items() if len(own) > 1}
        if not parts:
            idle(self.name, "nothing to do: no statement has stores that may be apart", op)
            return
        known = op.dependences
        for statement, own in parts.items():
            names = ", ".join(part.sym_name.data for part in own)
            remark(self.name, f"cut {statement.sym_name.data} into {names}", op)
        split_statements(op, parts)
        any_order = known is not None and bool(known.data.reductions)
        use_new_tree(op, scop_of(op).schedule, self.name, "splitting of statements", any_order)

    def _is_wanted(self, name: str) -> bool:
        return not self.statements or name in self.named
