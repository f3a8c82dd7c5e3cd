"""The pass `gpu-synchronise`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from polyir.base import budgets
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import bounded
from polyir.model.outcome import report_outcome
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.remembered import keeping_proof, require_proved
from polyir.transform.gpu.barriers import apply_barriers, plan_barriers


@dataclass(frozen=True)
class GpuSynchronisePass(RewritePass):
    """Add barriers where a thread of a GPU kernel needs what another thread of its block wrote.

    Before, where S[t, i] reads what S[t - 1, i + 1] wrote:

        poly.mark #poly.kernel<block [32]> {
          poly.band "[{ S[t, i] -> [(t)] }]" {
            poly.band "[{ S[t, i] -> [(i)] }]" loop_attributes [[#poly.map<thread x>]]

    After:

        poly.stmt @barrier0 domain "[n] -> { barrier0[t0] : ... }" (%t0) {
          gpu.barrier
        }
        poly.mark #poly.kernel<block [32]> {
          poly.band "[{ S[t, i] -> [(t)] }]" {
            poly.extension "[n] -> { [i0] -> barrier0[t0 = i0] : ... }" {
              poly.sequence {
                poly.filter "[n] -> { S[t, i] }" {
                  poly.band "[{ S[t, i] -> [(i)] }]" loop_attributes [[#poly.map<thread x>]]
                }
                poly.filter "[n] -> { barrier0[t0] }"
    """

    name = "gpu-synchronise"

    def rewrite(self, op: ScopOp) -> None:
        self.synchronise(op)

    def synchronise(self, op: ScopOp, is_bounded: bool = False) -> bool:
        """Add the barriers to a scop; whether that was done.

        It is not if it `is_bounded` and isl exceeds the budget, or fails.
        """
        require_proved(op, self.name)
        assert op.dependences is not None
        compute = partial(plan_barriers, scop_of(op), op.dependences.data)
        barriers = bounded(budgets.KERNEL_BARRIERS, compute, op, is_bounded)
        if barriers is None:
            return False
        report_outcome(self.name, barriers, op, "gpu-fault")
        with keeping_proof(op):
            apply_barriers(op, barriers)
        return True
