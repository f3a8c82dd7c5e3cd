"""The pass `normalize-equations`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import EquationPass

if TYPE_CHECKING:
    from polyir.equations.system import Expression, Program, System


@dataclass(frozen=True)
class NormalizeEquationsPass(EquationPass):
    """Bring equations into normal form: cases outside, then restrictions, operators, dependences.

    Each reduction inside an expression gets a local. Then each equation is
    `Y = case { D_1 : g_1; D_2 : g_2; ... }`, or a reduction of that, and in the g there are
    operators and `if` over constants, index expressions and variables at affine functions of the
    point. Branches without points are left out, and `auto` becomes the domain that it means. Inputs
    of systems that are used become locals unless they are variables.

    Before, in the notation of `--emit=show`, where Y has the domain `{ [i] : 0 <= i < N }`:

        Y = (i -> i + 1)@(case {
            { [i] : i < 5 } : A;
            auto : 2 * reduce(+, (i, j -> i), B);
        });

    After:

        Y = case {
            { [i] : 0 <= i <= 3 } : (i -> i + 1)@A;
            { [i] : 4 <= i < N } : 2 * (i -> i + 1)@Y_sum;
        };
        Y_sum = reduce(+, (i, j -> i), B);
    """

    name = "normalize-equations"

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.normal_form import normalized
        from polyir.equations.system import Variable
        from polyir.equations.use_inputs import with_locals_for_inputs

        def is_expression(given: Expression) -> bool:
            return not isinstance(given, Variable)

        return normalized(with_locals_for_inputs(system, program, is_expression))
