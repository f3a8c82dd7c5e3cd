"""The pass `gpu-promote`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.diagnostics import PolyirError, location_of
from polyir.dialects.scop import ScopOp
from polyir.limits import limited
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import PassOnScops, report_outcome, require_proved
from polyir.passes.promote import promote_in
from polyir.transform.gpu.promotion import GpuPromoteOptions, plan_gpu_promotion


@dataclass(frozen=True)
class GpuPromotePass(GpuPromoteOptions, PassOnScops):
    """Keep arrays of GPU kernels in shared memory, and what a thread reuses in registers.

    Before, where the threads of a block all read A[i, k] for 32 values of k:

        poly.mark #poly.kernel<block [32, 8]> {
          poly.band "[{ S[i, j, k] -> [(i - (i) mod 32)] }, ...]"
              loop_attributes [[#poly.map<block y>], [#poly.map<block x>], []] {
            poly.band "[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }, ...]"
                loop_attributes [[#poly.map<thread y>], [#poly.map<thread x>], []]

    After:

        %A_shared = poly.local_array @A_shared workgroup : memref<32x32xf64>
        poly.stmt @A_in domain "[n] -> { A_in[t0, t1, t2, a0, a1] : ... }" (...) {
          %0 = affine.load %A[%a0, %a1] : memref<?x?xf64>
          affine.store %0, %A_shared[%a0 - %t0, %a1 - %t2] : memref<32x32xf64>
        }
        poly.mark #poly.kernel<block [32, 8]> {
          poly.band "[{ S[i, j, k] -> [(i - (i) mod 32)] }, ...]" {
            poly.mark #poly.local<@A_shared "{ [S[i, j, k] -> A[i, k]] -> A_shared[...] }"> {
              poly.extension "[n] -> { [i0, i1, i2] -> A_in[i0, i1, i2, a0, a1] : ... }" {
                poly.sequence {
                  poly.filter "[n] -> { A_in[t0, t1, t2, a0, a1] }" {
                    poly.band ... loop_attributes [[#poly.map<thread y>], [#poly.map<thread x>]]
                  }
                  poly.filter "[n] -> { S[i, j, k] }" {
                    poly.band "[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }, ...]"
    """

    name = "gpu-promote"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop in self.scops(ctx, op):
            try:
                self._promote(scop)
            except PolyirError as error:
                error.location = error.location or location_of(scop)
                raise

    def _promote(self, op: ScopOp) -> None:
        require_proved(op, self.name)
        scop = scop_of(op)
        promotion = limited("the promotion", lambda: plan_gpu_promotion(scop, self), ir=op)
        report_outcome(self.name, promotion, op)
        # What is parallel under value-based dependences is so under memory-based ones: between the
        # two ends of one of these, there is a chain of the others. They are found far sooner.
        promote_in(op, promotion, self.name, value_based=False)
