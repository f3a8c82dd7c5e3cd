"""The pass `substitute`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import VariablePass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class SubstitutePass(VariablePass):
    """Put the definition of a variable in place of its uses in the equation of another.

    `use` is the number of the only use to replace, counted from 0. The equation of the definition
    stays.

    Before, where A and X have the same domain:

        X = A * A;
        Y = X + (i -> i - 1)@X;

    After `--substitute="variable=Y definition=X use=1"`:

        Y = X + (i -> i - 1)@A * (i -> i - 1)@A;
    """

    name = "substitute"

    definition: str
    use: int | None = None

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.substitution import substitute

        return substitute(system, self.variable, self.definition, self.use)
