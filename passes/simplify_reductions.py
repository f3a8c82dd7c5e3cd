"""The pass `simplify-reductions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.diagnostics import OptionError, nearest
from polyir.passes.simplify_equations import SimplifyingPass

if TYPE_CHECKING:
    from polyir.equations.simplification.options import Options


@dataclass(frozen=True)
class SimplifyReductionsPass(SimplifyingPass):
    """Compute reductions of equations with fewer operations, by degree.

    Where values contribute to several results, a result is computed from a neighbour; sums of sums,
    common factors and equal values are used for it. `--remarks` prints the number of operations
    before and after, and the steps. The algorithm is that of Gautam and Rajopadhye, "Simplifying
    Reductions" (POPL 2006).

    `variables` lists those whose equations may change; by default, all. `type` is the type of all
    elements: `f64`, `f32`, `i64` or `i32`. `effort` bounds the search.

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

    type: str = "f64"
    reassociate: bool = False
    effort: int = 1000

    def __post_init__(self) -> None:
        from polyir.equations.element_types import ElementType

        known = [each.value for each in ElementType]
        if self.type not in known:
            hint = nearest(self.type, known)
            raise OptionError(f"'{self.name}': there is no element type '{self.type}'{hint}")

    def options(self) -> Options:
        from polyir.equations.element_types import ElementType
        from polyir.equations.simplification.options import Options

        is_integer = ElementType(self.type).is_integer
        return Options(is_integer, self.reassociate, effort=self.effort)
