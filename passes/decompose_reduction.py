"""The pass `decompose-reduction`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class DecomposeReductionPass(VariablePass):
    """Reduce in two steps: along `inner` to a new local, called `local`, then along `outer`.

    The projection of the reduction must be `outer` after `inner`; `outer` may be left out if it is
    one affine function. Values are combined in another order. `reduction` is the number of the
    reduction in the equation, counted from 0.

    Before:

        Y = reduce(+, (i, j, k -> i), A);

    After `--decompose-reduction="variable=Y inner='(i, j, k -> i, j)' local=Z"`:

        Y = reduce(+, (i, j -> i), Z);
        Z = reduce(+, (i, j, k -> i, j), A);
    """

    name = "decompose-reduction"

    inner: str
    outer: str | None = None
    reduction: int = 0
    local: str | None = None

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.given_functions import given_function
        from polyir.equations.reductions import decompose_reduction

        inner = given_function(self.inner, system)
        outer = None if self.outer is None else given_function(self.outer, system)
        return decompose_reduction(system, self.variable, self.reduction, inner, outer, self.local)
