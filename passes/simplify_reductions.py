"""The pass `simplify-reductions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from polyir.passes.simplify_equations import SimplifyingPass

if TYPE_CHECKING:
    from polyir.equations.simplification.options import Options
    from polyir.equations.system import System


@dataclass(frozen=True)
class SimplifyReductionsPass(SimplifyingPass):
    """Compute reductions of equations with fewer operations, by degree.

    Where values contribute to several results, a result is computed from a neighbour; sums of sums,
    common factors and equal values are used for it. `--remarks` prints the number of operations
    before and after, and the steps. The algorithm is that of Gautam and Rajopadhye, "Simplifying
    Reductions" (POPL 2006).

    `variables` lists those whose equations may change; by default, all. `type` is the type of all
    elements, `f64`, `f32`, `i64` or `i32`; by default the one that the system says, or `f64`.
    `effort` bounds the search.

    `reassociate` allows what rounds floating-point numbers otherwise: to subtract what no longer
    contributes to a sum, to take factors out of sums, and to divide a product by a factor, which
    must not be 0. For integers, it allows terms to be taken out of minima and maxima; their sums
    must not wrap.

    Before:

        Y[i] = reduce(+, [j], {: 1 <= j <= i} : X[j]);

    After:

        Y[i] = case {
          {: i = 1} : X[1];
          {: i >= 2} : Y[i - 1] + X[i];
        };
    """

    name = "simplify-reductions"

    type: Literal["f64", "f32", "i64", "i32"] | None = None
    reassociate: bool = False
    effort: int = 1000

    def options(self, system: System) -> Options:
        from polyir.equations.element_types import ElementType, type_of
        from polyir.equations.simplification.options import Options

        chosen = None if self.type is None else ElementType(self.type)
        is_integer = type_of(system, chosen).is_integer
        return Options(is_integer, self.reassociate, effort=self.effort)
