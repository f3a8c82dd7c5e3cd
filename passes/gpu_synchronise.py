"""The pass `gpu-synchronise`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from polyir.dialects.scop import ScopOp
from polyir.limits import limited
from polyir.model.proof import keeping_proof
from polyir.model.scop import scop_of
from polyir.passes.bounded_steps import bounded
from polyir.passes.prerequisites import RewritePass, report_outcome, require_proved
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
        self.is_synchronised(op)

    def is_synchronised(self, op: ScopOp, operations: int | None = None) -> bool:
        """Add the barriers to a scop.

        If isl takes more than so many `operations`, or fails, nothing is done, and the result is
        false.
        """
        require_proved(op, self.name)
        assert op.dependences is not None
        compute = partial(plan_barriers, scop_of(op), op.dependences.data)
        step = "the search for barriers"
        if operations is None:
            barriers = limited(step, compute)
        else:
            within = bounded(step, compute, op, operations)
            if within is None:
                return False
            barriers = within
        report_outcome(self.name, barriers, op)
        with keeping_proof(op):
            apply_barriers(op, barriers)
        return True
