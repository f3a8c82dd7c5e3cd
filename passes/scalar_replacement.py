"""scalar-replacement: array elements in SSA values."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, idle, missed, remark
from polyir.base.inner_steps import apply_inside
from polyir.dialects.scop import scops_in
from polyir.loops.common_values import share_values
from polyir.loops.scalar_replacement import scalar_replacement
from polyir.passes.lower_poly import LowerPolyPass


@dataclass(frozen=True)
class ScalarReplacementPass(ModulePass):
    """Keep array elements in SSA values in loops that do not change their address.

        affine.for %k = 0 to 100 {
          %c = affine.load %C[%i] : memref<?xf64>
          %a = affine.load %A[%k] : memref<?xf64>
          %sum = arith.addf %c, %a : f64
          affine.store %sum, %C[%i] : memref<?xf64>
        }

    becomes

        %C_value = affine.load %C[%i] : memref<?xf64>
        %C_value_1 = affine.for %k = 0 to 100 iter_args(%C_value_2 = %C_value) -> (f64) {
          %a = affine.load %A[%k] : memref<?xf64>
          %sum = arith.addf %C_value_2, %a : f64
          affine.yield %sum : f64
        }
        affine.store %C_value_1, %C[%i] : memref<?xf64>

    `levels` counts loops from the inside: 1 for innermost loops only, 2 for the loops around
    these too, `all` for all loops. Scops are lowered first. Floating-point operations keep their
    order.
    """

    name = "scalar-replacement"

    levels: int | Literal["all"] = 1

    def __post_init__(self) -> None:
        if self.levels != "all" and self.levels < 1:
            raise OptionError("option 'levels' of pass 'scalar-replacement' must be at least 1")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if scops_in(op):
            apply_inside(LowerPolyPass(), ctx, op)
        levels = sys.maxsize if self.levels == "all" else self.levels
        found = False
        for function in [inner for inner in op.walk() if isinstance(inner, FuncOp)]:
            if self._replace_in(function, levels):
                share_values([function])
                found = True
        if not found:
            nothing = "no loop touches an element whose address stays the same in it"
            idle(self.name, f"nothing to do: {nothing}", op)

    def _replace_in(self, function: FuncOp, levels: int) -> bool:
        """Replace elements in `function`; returns whether there were any candidates."""
        done: list[Operation] = []
        left: list[tuple[str, Operation]] = []

        def report(message: str, loop: Operation) -> None:
            done.append(loop)
            remark(self.name, message, loop)

        scalar_replacement(function, levels, report, lambda *why: left.append(why))
        for message, loop in left:
            # What stays is only worth a warning where all does.
            tell = remark if done else partial(missed, name="not-transformed")
            tell(self.name, message, loop)
        return bool(done or left)
