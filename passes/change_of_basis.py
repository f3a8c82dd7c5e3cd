"""The pass `change-of-basis`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class ChangeOfBasisPass(VariablePass):
    """Give the points of a local, or of the body of a reduction, other coordinates.

    `function` must be injective on the domain; `inverse` is needed if it is not one affine
    function there. With `reduction`, the body of that reduction in the equation of the variable
    changes (they are counted from 0), and the order in which values are combined; otherwise the
    variable's domain, its equation, and all its uses.

    Before:

        equations.variable @X local "[N] -> { [i, j] : 0 <= i < N and 0 <= j <= i }"
        ...
        %0 = equations.read @X : <2>

    After `--change-of-basis="variable=X function='{ [i, j] -> [i - j, j] }'"`:

        equations.variable @X local "[N] -> { [i0, j] : i0 >= 0 and 0 <= j < N - i0 }"
        ...
        %0 = equations.read @X : <2>
        %1 = equations.depend %0 by "[N] -> { [i, j] -> [(i - j), (j)] }"
    """

    name = "change-of-basis"

    function: str
    inverse: str | None = None
    reduction: int | None = None

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.basis import change_of_basis, change_reduction_basis
        from polyir.equations.given_functions import given_function

        function = given_function(self.function, system)
        inverse = None if self.inverse is None else given_function(self.inverse, system)
        if self.reduction is None:
            return change_of_basis(system, self.variable, function, inverse)
        return change_reduction_basis(system, self.variable, self.reduction, function, inverse)
