"""The pass `hoist-reduction`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class HoistReductionPass(VariablePass):
    """Give a reduction inside an expression a local of its own, called `local`.

    `reduction` is the number of the reduction in the equation of the variable, counted from 0. The
    domain of the local is where its value is needed.

    Before:

        Y = 2 * reduce(+, (i, j -> i), A);

    After `--hoist-reduction="variable=Y local=Z"`:

        Y = 2 * Z;
        Z = reduce(+, (i, j -> i), A);
    """

    name = "hoist-reduction"

    reduction: int = 0
    local: str | None = None

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.reductions import hoist_reduction

        return hoist_reduction(system, self.variable, self.reduction, self.local)
