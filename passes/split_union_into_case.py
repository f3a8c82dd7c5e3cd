"""The pass `split-union-into-case`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class SplitUnionIntoCasePass(VariablePass):
    """Make an equation over a union a case of disjoint basic sets.

    With `reduction`, the body of that reduction in the equation is split: they are counted from 0.

    Before, where X has the domain `{ [i] : 0 <= i < N or i = 2N }`:

        X = A;

    After `--split-union-into-case=X`:

        X = case {
            { [i] : 0 <= i < N } : A;
            { [i] : i = 2N } : A;
        };
    """

    name = "split-union-into-case"

    reduction: int | None = None

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.unions import split_union_into_case, split_union_of_reduction

        if self.reduction is None:
            return split_union_into_case(system, self.variable)
        return split_union_of_reduction(system, self.variable, self.reduction)

    def why_nothing(self) -> str:
        return "its points are one basic set"
