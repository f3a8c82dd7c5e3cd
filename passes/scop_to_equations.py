"""The pass `scop-to-equations`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import PolyirError, Remark, RemarkKind, location_of, remark, report
from polyir.dialects.scop import ScopOp
from polyir.passes.options import PassWithOptions
from polyir.passes.prerequisites import raised_scops


@dataclass(frozen=True)
class ScopToEquationsPass(PassWithOptions):
    """Make a system of equations of what each `poly.scop` computes.

    Order and memory are gone: an equation says by exact dataflow analysis which values a value is
    made of. The inputs are the elements that the scop reads from before it, and the outputs those
    that it writes. `equations.compute` stands in the place of the scop, so that the function has
    the arguments that it had, and `equations-to-scop` makes a scop of it again.

    Statements `X[f] = X[f] op e` become reductions where nothing reads X[f] in between. Sums and
    products of floating-point numbers round differently in another order, and minima and maxima may
    treat NaN differently: these become reductions with `reassociate` only.

    Before:

        func.func @prefix(%n: index, %s: memref<?xi64>, %a: memref<?xi64>) {
          poly.scop (%n as "n") {
            poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j <= i }" (%i, %j) {
              %0 = affine.load %s[%i] : memref<?xi64>
              %1 = affine.load %a[%j] : memref<?xi64>
              %2 = arith.addi %0, %1 : i64
              affine.store %2, %s[%i] : memref<?xi64>
            }
            ...

    After:

        func.func @prefix(%n: index, %s: memref<?xi64>, %a: memref<?xi64>) {
          equations.compute @prefix_system(%n)
            inputs (%s, %a : memref<?xi64>, memref<?xi64>) outputs (%s : memref<?xi64>)
          func.return
        }

    and a system, in which `s_out[i] = s[i] + reduce(+, [j], {: 0 <= j <= i} : a[j])`.
    """

    name = "scop-to-equations"

    reassociate: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop in raised_scops(op, self.name):
            try:
                self._convert(scop, op)
            except PolyirError as error:
                message = f"the scop stays as it is: {error.message}"
                place = error.location or location_of(scop)
                report(Remark(RemarkKind.MISSED, self.name, message, place, name=error.name))

    def _convert(self, scop: ScopOp, module: ModuleOp) -> None:
        from polyir.equations.from_scop import replace_scop

        converted = replace_scop(scop, module, self.reassociate)
        for message in (*converted.reductions, *converted.reasons):
            remark(self.name, message, scop)
