"""The pass `gpu-promote`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from polyir.base import budgets
from polyir.base.budgets import Budget
from polyir.base.diagnostics import LegalityError, missed, remark
from polyir.choose.gpu import GENERIC_GPU
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import bounded
from polyir.model.outcome import report_outcome
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.copies import require_right_copies
from polyir.proofs.dependences import dependences_of
from polyir.proofs.remembered import require_proved
from polyir.transform.gpu.promotion import GpuPromoteOptions, plan_gpu_promotion
from polyir.transform.new_dependences import settle_claims
from polyir.transform.promote import Promotion
from polyir.transform.promoted_scop import apply_promotion
from polyir.transform.scop_state import ScopState


@dataclass(frozen=True)
class GpuPromotePass(GpuPromoteOptions, RewritePass):
    """Keep arrays of GPU kernels in shared memory, and what a thread reuses in registers.

    What `buffers=2` adds is left out if it is too hard to plan or to check.

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

    limit: int = GENERIC_GPU.shared_bytes

    def rewrite(self, op: ScopOp) -> None:
        require_proved(op, self.name)
        if self.buffers > 1 and self._promote(op, self, "no tile is copied ahead"):
            return
        self._promote(op, replace(self, buffers=1), "all arrays stay in global memory")

    def _promote(self, op: ScopOp, options: GpuPromoteOptions, otherwise: str) -> bool:
        """Promote what `options` say; whether it was done. If not, `otherwise` says what is so."""
        plan = partial(plan_gpu_promotion, scop_of(op), options, GENERIC_GPU)
        promotion = bounded(budgets.KERNEL_PROMOTION, plan, op)
        if promotion is None:
            self._report_too_hard(budgets.KERNEL_PROMOTION, otherwise, op)
            return False
        if promotion.arrays and not self._carry_out(op, promotion, otherwise):
            return False
        report_outcome(self.name, promotion, op, "local-array")
        return True

    def _report_too_hard(self, budget: Budget, otherwise: str, op: ScopOp) -> None:
        """Say what is not done; a warning where arrays were asked for by name."""
        tell = partial(missed, name="local-array") if self.arrays else remark
        tell(self.name, f"{budget.exceeded}, or isl fails: {otherwise}", op)

    def _carry_out(self, op: ScopOp, promotion: Promotion, otherwise: str) -> bool:
        """Promote, unless that is too hard to check; whether it was done."""
        assert op.dependences is not None
        before = ScopState.of(op)
        order = op.dependences.data.order
        apply_promotion(op, promotion)
        changed = scop_of(op)

        def check() -> str:
            try:
                require_right_copies(changed)
            except LegalityError as error:
                return error.message
            return ""

        wrong = bounded(budgets.KERNEL_COPIES, check, op)
        is_right = wrong == ""
        if wrong is None:
            self._report_too_hard(budgets.KERNEL_COPIES, otherwise, op)
        elif wrong:
            missed(self.name, f"{wrong}: {otherwise}", op, name="local-array")
        # What is parallel under value-based dependences is so under memory-based ones: between the
        # two ends of one of these, there is a chain of the others. They are found far sooner.
        found = dependences_of(op, value_based=False, pass_name=self.name) if is_right else None
        if found is None:
            before.restore(op)
            return False
        op.dependences = DependencesAttr(replace(found, order=order))
        settle_claims(op, self.name)
        return True
