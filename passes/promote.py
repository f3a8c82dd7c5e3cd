"""The pass `promote`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.limits import limited
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import report_outcome
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.remembered import require_proved
from polyir.transform.promote import PromoteOptions, plan_promotion
from polyir.transform.promoted_scop import promote


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
        report_outcome(self.name, promotion, op, "local-array")
        if promotion.arrays:
            promote(op, promotion, self.name, self.alignment)
