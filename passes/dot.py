"""The pass `dot`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import PolyirError
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.view.dot import dependence_graph, schedule_graph

What = Literal["dependences", "tree", "both"]


@dataclass(frozen=True)
class DotPass(ModulePass):
    """Print graphs for Graphviz: the dependence graph, the schedule tree, or both.

    In the dependence graph, nodes are statements, and edges show the array and the distances;
    flow is solid, anti dashed, output dotted. In the tree, a `*` marks coincident members. Without
    `file`, the text goes to standard output: pipe `--dot --emit=none` to `dot -Tsvg`.

        digraph "sweep dependences" {
          node [shape=box];
          "S0" [label="S0[i]"];
          "S0" -> "S0" [label="A (1)", style=solid];
        }
    """

    name = "dot"

    what: What = "both"
    file: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(op, self.name, "nothing to draw")
        if not scops:
            return
        text = self.write(scops)
        if not self.file:
            print(text, end="")

    def write(self, scops: Sequence[ScopOp]) -> str:
        """The graphs of `scops` as text, which is also written to the file, if there is one."""
        text = "".join(self._graphs(scop) for scop in scops)
        if not self.file:
            return text
        try:
            Path(self.file).write_text(text)
        except OSError as error:
            raise PolyirError(
                f"cannot write '{self.file}': {error.strerror}", name="file-access"
            ) from None
        return text

    def _graphs(self, op: ScopOp) -> str:
        scop = scop_of(op)
        assert scop.dependences is not None
        around = op.parent_op()
        function = around.sym_name.data if isinstance(around, FuncOp) else "scop"
        text = ""
        if self.what != "tree":
            text += dependence_graph(scop, scop.dependences, f"{function} dependences")
        if self.what != "dependences":
            text += schedule_graph(scop, f"{function} schedule")
        return text
