"""vectorize: vector code for chosen loops."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import idle, missed, remark
from polyir.loops.common_values import share_values
from polyir.loops.levels import lower_scops
from polyir.loops.vectorize import vectorize


@dataclass(frozen=True)
class VectorizePass(ModulePass):
    """Make vector code of the loops with the attribute `#poly.vector`, which must be parallel.

        affine.for %j = 0 to %n {
          %a = affine.load %A[%j] : memref<?xf64>
          %doubled = arith.addf %a, %a : f64
          affine.store %doubled, %B[%j] : memref<?xf64>
        } {poly.vector = #poly.vector<8>}

    becomes

        affine.for %j = 0 to affine_map<()[s0] -> (s0 - 7)>()[%n] step 8 {
          %a = affine.vector_load %A[%j] : memref<?xf64>, vector<8xf64>
          %doubled = arith.addf %a, %a : vector<8xf64>
          affine.vector_store %doubled, %B[%j] : memref<?xf64>, vector<8xf64>
        }

    and one masked vector for the iterations that are left.

    `register-tile` chooses such loops. Blocks of iterations, with the attribute `#poly.jam` on
    loops around, become straight-line code, and what the loop around a block adds up is kept in
    registers. So do loops of few constant iterations inside, as those of a filter. Scops are
    lowered first. Conditions become selects, and integers are computed in the narrowest type that
    holds all that they may be, as far as they are compared or truncated. Results keep their bits.

    Only loops that a pass with the option `reassociate` chose are computed in another order: those
    with `#poly.reduction` in vectors of partial results, those with `#poly.parts` by threads.
    """

    name = "vectorize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        done = partial(remark, self.name)
        left = partial(missed, self.name, name="not-vectorized")
        functions = [function for function in op.walk() if isinstance(function, FuncOp)]
        found = [function for function in functions if vectorize(function, done, left)]
        share_values(found)
        if not found:
            idle(self.name, "nothing to do: no loop has the attribute #poly.vector", op)
