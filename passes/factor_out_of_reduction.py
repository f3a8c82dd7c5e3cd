"""The pass `factor-out-of-reduction`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class FactorOutOfReductionPass(VariablePass):
    """Take operands that depend on the result only in front of a reduction.

    The operator of the body must distribute over that of the reduction: `*` over `+`, `+` over
    `min` and `max`, `and` over `or` and `xor`, `or` over `and`, `min` and `max` over each other and
    themselves. On floating-point numbers, a product in front of a sum is rounded otherwise.
    `reduction` is the number of the reduction in the equation, counted from 0.

    Before:

        Y = reduce(+, (i, j -> i), (i, j -> i)@A * B);

    After `--factor-out-of-reduction=Y`:

        Y = A * reduce(+, (i, j -> i), B);
    """

    name = "factor-out-of-reduction"

    reduction: int = 0

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.distribution import factor_out_of_reduction

        return factor_out_of_reduction(system, self.variable, self.reduction)
