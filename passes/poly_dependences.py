"""The pass `poly-dependences`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import missed, remark
from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import ORDERING_KINDS
from polyir.model.prepared_updates import prepare_updates
from polyir.model.reductions import updates_of
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import raised_scops
from polyir.proofs.dependences import attach_dependences, dependences_of
from polyir.proofs.remembered import require_proved
from polyir.transform.walk import summary


@dataclass(frozen=True)
class PolyDependencesPass(ModulePass):
    """Compute the dependences of each scop, and attach them to it.

    They are those of the current schedule tree: run this pass before passes that change the tree.
    With value-based dependences, a read depends only on the last write of its element; with
    `value-based=false`, on every earlier write, and likewise for the other kinds. With `input`,
    pairs of reads of the same element are included: they show reuse, and do not restrict the
    order. With `reassociate`, updates `X[f] = X[f] op e` of one element are related by dependences
    of the kind `reduction`, if op is a sum, product, minimum, maximum, or bitwise `and`, `or`,
    `xor`: passes after this one may run them in another order, which rounds floating-point sums
    and products in another way, and `privatize-reductions` may run them in parallel.

    Before:

        poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
          poly.stmt @S0 domain "[n] -> { S0[i] : 0 < i < n }" (%i) {
            %0 = affine.load %A[%i - 1] : memref<?xf64>
            affine.store %0, %A[%i] : memref<?xf64>
          }

    After:

        poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences
            <value, [flow "A" "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 < i <= -2 + n }"]> {
    """

    name = "poly-dependences"

    value_based: bool = True
    input: bool = False
    reassociate: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kinds = (*ORDERING_KINDS, DependenceKind.INPUT) if self.input else ORDERING_KINDS
        for scop in raised_scops(op, self.name, shares_cells=self.reassociate):
            # Dependences of an illegal tree would make it legal.
            require_proved(scop, self.name)
            if self.reassociate:
                prepare_updates(scop)
            dependences = dependences_of(
                scop, self.value_based, kinds, self.name, reassociate=self.reassociate
            )
            if self.reassociate:
                self._explain(scop)
            if dependences is not None:
                attach_dependences(scop, dependences)
                remark(self.name, _summary(dependences), scop)

    def _explain(self, scop: ScopOp) -> None:
        """Say which updates may run in any order, and why others may not."""
        updates = updates_of(scop_of(scop))
        for update in updates.found:
            name, array = update.statement.name, update.array
            remark(
                self.name,
                f"{name}: updates for a {update.combiner.name} in {array} may run in any order",
                scop,
            )
        for reason in updates.reasons if updates.found else ():
            remark(self.name, reason, scop)
        if not updates.found:
            why = summary(updates.reasons) or "no statement updates an element more than once"
            missed(self.name, f"no dependence is a reduction: {why}", scop, name="no-reduction")


def _summary(dependences: Dependences) -> str:
    base = "value-based" if dependences.value_based else "memory-based"
    counts = ((kind.value, len(dependences.of_kind(kind))) for kind in DependenceKind)
    found = ", ".join(f"{count} {kind}" for kind, count in counts if count)
    return f"{base} dependences: {found or 'none'}"
