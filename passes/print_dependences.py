"""The pass `print-dependences`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base import budgets
from polyir.base.diagnostics import missed
from polyir.base.limits import CrashError, limited
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import ScopOp
from polyir.model.dependence_text import describe
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops


@dataclass(frozen=True)
class PrintDependencesPass(ModulePass):
    """Print the dependences of each scop to standard output.

    Each line shows one dependence: kind, array, source and target, distance or direction vectors
    in the loops that both share (see `polyir.model.distance` for the notation), and relation.
    `(may)` follows a statement whose access is under a condition on data. The lines are comments,
    so the whole output is still a valid program. If necessary, programs are raised and value-based
    dependences are computed first.

        // value-based dependences in @sweep:
        // flow  A  S0 -> S0  (1)  [n] -> { S0[i] -> S0[i' = 1 + i] : 0 < i <= -2 + n }
    """

    name = "print-dependences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop_op in analysed_scops(op, self.name, "nothing to print"):
            scop = scop_of(scop_op)
            assert scop.dependences is not None
            compute = partial(describe, scop, scop.dependences)
            try:
                text = limited("the description of the dependences", compute)
            except CrashError as error:
                missed(
                    self.name, f"{error.message}: they are not printed", scop_op, name="too-complex"
                )
                continue
            if text.unknown:
                missed(self.name, _not_known(len(text.unknown)), scop_op, name="too-complex")
            lines = (_heading(scop_op, scop.dependences), *text.lines)
            print("\n".join(f"// {line}" for line in lines))


def _not_known(count: int) -> str:
    which = "a dependence" if count == 1 else f"{count} dependences"
    return (
        f"the distances of {which} take isl more than "
        f"{budgets.SHOWN_DEPENDENCE.operations} operations each: "
        "they are printed as '*'"
    )


def _heading(scop: ScopOp, dependences: Dependences) -> str:
    base = "value-based" if dependences.value_based else "memory-based"
    function = scop.function
    where = "" if function is None else f" in @{function.sym_name.data}"
    if not dependences.items:
        return f"no {base} dependences{where}"
    return f"{base} dependences{where}:"
