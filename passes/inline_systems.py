"""The pass `inline-systems`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.equation_pass import EquationPass

if TYPE_CHECKING:
    from polyir.equations.system import Program, System


@dataclass(frozen=True)
class InlineSystemsPass(EquationPass):
    """Copy systems that are used into those that use them, and make several bodies one.

    The variables of a copy have the dimensions of the instances before their own, and names that
    begin with that of the system that is used. Equations for some parameters only become branches
    of a case. `equations-to-scop` begins with this; run before other passes, they see what is used.

    Before:

        affine total [N] -> {: N > 0}
          inputs X : {[i]: 0 <= i < N}
          outputs s : {}
          let s = reduce(+, [i], X[i]);
        .
        affine rows [N] -> {: N > 0}
          inputs A : {[k, i]: 0 <= k, i < N}
          outputs S : {[k]: 0 <= k < N}
          let over {[k]: 0 <= k < N} : (S) = total[N](A);
        .

    After, the second one:

        affine rows [N] -> {: N > 0}
          inputs A : {[k, i]: 0 <= k, i < N}
          outputs S : {[k]: 0 <= k < N}
          locals
            total0_X : {[k, i]: 0 <= k < N and 0 <= i < N}
            total0_s : {[k]: 0 <= k < N}
          let
            total0_s[k] = reduce(+, [i], total0_X[k, i]);
            total0_X = A;
            S = total0_s;
        .
    """

    name = "inline-systems"

    def rewrite(self, system: System, program: Program) -> System:
        from polyir.equations.inlining import inlined

        return inlined(program, system.name)
