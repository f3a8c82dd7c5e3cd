"""The pass `promote`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from polyir.base.limits import limited, started
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import (
    RewritePass,
    dependences_of,
    report_outcome,
    require_proved,
    settle_claims,
)
from polyir.proofs.copies import require_right_copies
from polyir.transform.promote import PromoteOptions, Promotion, plan_promotion
from polyir.transform.promoted_scop import apply_promotion


@dataclass(frozen=True)
class PromotePass(PromoteOptions, RewritePass):
    """Copy the array elements that an iteration of a loop accesses to a local array.

    `promote{arrays=A loop="S.0"}`, where a strip of 8 iterations reads A[i] and writes B[i]:

        poly.band "[n] -> [{ S[i] -> [(i - (i) mod 8)] }]" {
          poly.band "[n] -> [{ S[i] -> [(i)] }]"
        }

    becomes

        %A_local = poly.local_array @A_local stack : memref<8xf64>
        poly.stmt @A_in domain "[n] -> { A_in[t0, a0] : ... }" (%t0, %a0) {
          %0 = affine.load %A[%a0] : memref<?xf64>
          affine.store %0, %A_local[%a0 - %t0] : memref<8xf64>
        }
        poly.band "[n] -> [{ S[i] -> [(i - (i) mod 8)] }]" {
          poly.mark #poly.local<@A_local "{ [S[i] -> A[i1]] -> A_local[((i) mod 8)] : i1 = i }"> {
            poly.extension "[n] -> { [i0] -> A_in[t0 = i0, a0] : ... }" {
              poly.sequence {
                poly.filter "[n] -> { A_in[t0, a0] }" {
                  poly.band "[n] -> [{ A_in[t0, a0] -> [(a0)] }]"
                }
                poly.filter "[n] -> { S[i] }" {
                  poly.band "[n] -> [{ S[i] -> [(i)] }]"
    """

    name = "promote"

    def rewrite(self, op: ScopOp) -> None:
        require_proved(op, self.name)
        scop = scop_of(op)
        promotion = limited("the promotion", lambda: plan_promotion(scop, self), ir=op)
        report_outcome(self.name, promotion, op)
        if promotion.arrays:
            promote(op, promotion, self.name, self.alignment)


def promote(
    op: ScopOp,
    promotion: Promotion,
    pass_name: str,
    alignment: int = 0,
    value_based: bool = True,
) -> None:
    """Rewrite a scop as a plan says, and give it new dependences, `value_based` ones if it can be.

    Raises `LegalityError` if its copies are not right.
    """
    assert op.dependences is not None
    order = op.dependences.data.order
    apply_promotion(op, promotion, alignment)
    changed = scop_of(op)
    check = started("the check of copies", lambda: require_right_copies(changed))
    try:
        found = dependences_of(op, value_based, pass_name=pass_name)
    except BaseException:
        check.stop()
        raise
    check.result()
    if found is None:
        op.dependences = None
        return
    op.dependences = DependencesAttr(replace(found, order=order))
    settle_claims(op, pass_name)
