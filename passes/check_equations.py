"""The pass `check-equations`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import idle, remark
from polyir.base.limits import limited
from polyir.passes.options import PassWithOptions

if TYPE_CHECKING:
    from polyir.equations.system import Program


@dataclass(frozen=True)
class CheckEquationsPass(PassWithOptions):
    """Check that systems of equations define each value once, by values that exist.

    The first equation that is wrong is an error: one that does not cover its variable's domain, a
    case with two branches at a point, a use outside of a domain, a reduction without bound, a value
    that needs itself. The message has the set, and a point of it. `equations-to-scop` does so, too;
    the passes on equations take it that the systems are right. The systems stay as they are:

        equations.define @Y {
          %0 = equations.read @X : <1>
          equations.yield %0 : <1>
        }
    """

    name = "check-equations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from polyir.equations.ir import program_of

        program = program_of(op)
        if not program.systems:
            idle(self.name, "there is no system of equations: nothing to do", op)
        require_defined(program)
        for system in program.systems:
            remark(self.name, f"'{system.name}' defines each value once", op)


def require_defined(program: Program) -> None:
    """Raise the first diagnostic of `polyir.equations.checks`, if there is any."""
    from polyir.equations.checks import check_program

    errors = limited("checking the equations", lambda: check_program(program))
    if errors:
        raise errors[0]
