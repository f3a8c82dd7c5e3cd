"""The pass `promote-private`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from polyir.base.diagnostics import idle
from polyir.base.limits import limited
from polyir.choose.sizes import LINE_BYTES
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import report_outcome
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import RewritePass
from polyir.proofs.remembered import require_proved
from polyir.transform.private_arrays import plan_private_arrays
from polyir.transform.promoted_scop import promote


@dataclass(frozen=True)
class PromotePrivatePass(RewritePass):
    """Give iterations of parallel loops arrays of their own for values that never leave them.

    `arrays` lists the arrays; by default, it is done to all where each iteration of the outermost
    parallel loops reads only what it has written, and where few iterations, if any, write values
    that something outside may read. These copy the elements out. Tile the loops first, so that an
    iteration needs a small array. With `makes-parallel`, the loops are those that only the memory
    of these arrays makes sequential, too: they are parallel then.

    Before (`promote-private` after `tile=8`, where loop i is parallel, and j is not):

        affine.for %t = 0 to %n {
          affine.for %ti = 0 to %n step 8 {
            affine.for %j = 1 to %n {
              affine.for %i = %ti to min(%ti + 8, %n) {
                ... p[%i, %j] = f(p[%i, %j - 1])

    After:

        affine.for %t = 0 to %n {
          affine.for %ti = 0 to %n step 8 {
            affine.for %j = 1 to %n {
              affine.for %i = %ti to min(%ti + 8, %n) {
                ... p_local[%j, %i - %ti] = f(p_local[%j - 1, %i - %ti])
            affine.if %t == %n - 1 {
              ... p[%i, %j] = p_local[%j, %i - %ti]
    """

    name = "promote-private"

    arrays: tuple[str, ...] = ()
    makes_parallel: bool = False

    def rewrite(self, op: ScopOp) -> None:
        require_proved(op, self.name)
        assert op.dependences is not None
        dependences, makes_parallel = op.dependences.data, self.makes_parallel
        compute = partial(
            plan_private_arrays, scop_of(op), dependences, self.arrays, makes_parallel
        )
        plan = limited("the promotion", compute, ir=op)
        report_outcome(self.name, plan, op, "local-array")
        if plan.arrays:
            promote(op, plan, self.name, LINE_BYTES, value_based=False)
        elif not plan.missed:
            idle(self.name, "no array is private to the iterations of a parallel loop", op)
