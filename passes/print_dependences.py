"""The pass `print-dependences`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import missed
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import ScopOp
from polyir.model.distance import format_dependences
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops


@dataclass(frozen=True)
class PrintDependencesPass(ModulePass):
    """Print the dependences of each scop to standard output.

    Each line shows one dependence: kind, array, source and target, distance or direction vectors
    in the loops that both share (see `polyir.model.distance` for the notation), and relation. The
    lines are comments, so the whole output is still a valid program. If necessary, programs are
    raised and value-based dependences are computed first.

        // value-based dependences in @sweep:
        // flow  A  S0 -> S0  (1)  [n] -> { S0[i] -> S0[i' = 1 + i] : 0 < i <= -2 + n }
    """

    name = "print-dependences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(ctx, op)
        if not scops:
            missed(self.name, "nothing to print: the module has no static control part", op)
        for scop_op in scops:
            scop = scop_of(scop_op)
            assert scop.dependences is not None
            dependences = scop.dependences
            lines = [_heading(scop_op, dependences)]
            lines += format_dependences(scop, dependences).splitlines()
            print("\n".join(f"// {line}" for line in lines))


def _heading(scop: ScopOp, dependences: Dependences) -> str:
    base = "value-based" if dependences.value_based else "memory-based"
    function = scop.function
    where = "" if function is None else f" in @{function.sym_name.data}"
    if not dependences.items:
        return f"no {base} dependences{where}"
    return f"{base} dependences{where}:"
