"""The pass `permutation-case-reduce`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class PermutationCaseReducePass(VariablePass):
    """Combine reductions over the branches of a case, in place of a reduction over the case.

    Each branch gets a local. If branches contribute to different results, a case says which of
    them have a value. `reduction` is the number of the reduction in the equation, counted from 0.

    Before, where i and j are from 0 to N - 1:

        Y = reduce(+, (i, j -> i), case { {: j < i} : A; {: j >= i} : B; });

    After `--permutation-case-reduce=Y`:

        Y = case {
            { [i] : 0 < i < N } : Y_sum + Y_sum2;
            { [i] : i = 0 } : Y_sum2;
        };
        Y_sum = reduce(+, (i, j -> i), { [i, j] : j < i } : A);
        Y_sum2 = reduce(+, (i, j -> i), { [i, j] : j >= i } : B);
    """

    name = "permutation-case-reduce"

    reduction: int = 0

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.reductions import permutation_case_reduce

        return permutation_case_reduce(system, self.variable, self.reduction)
