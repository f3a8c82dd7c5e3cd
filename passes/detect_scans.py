"""The pass `detect-scans`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyir.passes.simplify_equations import SimplifyingPass

if TYPE_CHECKING:
    from polyir.equations.simplification.options import Options
    from polyir.equations.system import System


@dataclass(frozen=True)
class DetectScansPass(SimplifyingPass):
    """Turn reductions of equations into scans: each result from a neighbour, and what is new.

    Only where nothing has to be taken back from the neighbour, so that any operator will do, and
    where that needs fewer operations, by degree. `variables` lists the variables whose equations
    may change; by default, all. `simplify-reductions` does this, and more.

    Before:

        Y[i] = reduce(max, [j], {: 1 <= j <= i} : X[j]);

    After:

        Y[i] = case {
          {: i = 1} : X[1];
          {: i >= 2} : max(Y[i - 1], X[i]);
        };
    """

    name = "detect-scans"

    def options(self, system: System) -> Options:
        from polyir.equations.simplification.options import Options

        return Options(scans_only=True)
