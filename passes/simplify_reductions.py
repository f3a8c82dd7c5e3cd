"""The pass `simplify-reductions`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.equations.simplification.options import Options
from polyir.passes.simplify_equations import is_integer, simplify_module


@dataclass(frozen=True)
class SimplifyReductionsPass(ModulePass):
    """Compute reductions of equations with fewer operations, by degree.

    Where values contribute to several results, a result is computed from a neighbour; sums of sums,
    common factors and equal values are used for it. `--remarks` prints the number of operations
    before and after, and the steps. The algorithm is that of Gautam and Rajopadhye, "Simplifying
    Reductions" (POPL 2006).

    `variables` lists those whose equations may change; by default, all. `element-type` is that of
    all values. What takes contributions back, or takes out a factor, rounds floating-point numbers
    otherwise: with `f64` and `f32` it needs `reassociate`. `effort` bounds the search.

    Before, in the notation of systems:

        Y[i] = reduce(+, [j], { : 1 <= j <= i} : X[j]);

    After:

        Y[i] = case {
          { : i = 1} : X[1];
          { : i > 1} : Y[i - 1] + X[i];
        };
    """

    name = "simplify-reductions"

    variables: tuple[str, ...] = ()
    element_type: str = "f64"
    reassociate: bool = False
    effort: int = 2000

    def __post_init__(self) -> None:
        self._options()

    def _options(self) -> Options:
        integers = is_integer(self.name, self.element_type)
        return Options(integers, self.reassociate, effort=self.effort)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_module(op, self.name, self._options(), self.variables)
