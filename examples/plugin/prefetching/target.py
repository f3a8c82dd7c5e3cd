"""A target: the loops of each function, as an outline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.affine import ForOp, ParallelOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.target import Target

from polyir.loops.levels import lower_for_target


@dataclass(frozen=True)
class OutlineTarget(Target):
    """A line for each function and loop, with how many operations are right inside it."""

    name = "outline"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower_for_target(ctx, module)
        for function in module.ops:
            if isinstance(function, FuncOp):
                print(f"{function.sym_name.data}:", file=output)
                _print_loops(function, "  ", output)


def _print_loops(op: Operation, indentation: str, output: IO[str]) -> None:
    for inner in (each for region in op.regions for block in region.blocks for each in block.ops):
        deeper = indentation
        if isinstance(inner, ForOp | ParallelOp):
            kind = "parallel" if isinstance(inner, ParallelOp) else "loop"
            size = sum(len(block.ops) for region in inner.regions for block in region.blocks)
            print(f"{indentation}{kind} of {size} operations", file=output)
            deeper += "  "
        _print_loops(inner, deeper, output)
