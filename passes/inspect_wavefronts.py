"""inspect-wavefronts: parallel iterations of an irregular loop, found at run time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, idle, remark
from polyir.choose.sizes import GRAIN
from polyir.irregular.candidates import irregular_loops, nothing_to_do
from polyir.irregular.chosen_blocks import inspect_chosen_blocks
from polyir.irregular.wavefronts import inspect_wavefronts
from polyir.loops.levels import lower_scops
from polyir.loops.loop_forms import erase_idle
from polyir.passes.irregular_pass import privatize_variables, report_left


@dataclass(frozen=True)
class InspectWavefrontsPass(ModulePass):
    """Run iterations of loops with index arrays in wavefronts, which an inspector finds.

        func.func @kernel(%n: index, %p: memref<?xindex>, %q: memref<?xindex>, %A: memref<?xf64>) {
          affine.for %i = 0 to %n {
            %pi = affine.load %p[%i] : memref<?xindex>
            %qi = affine.load %q[%i] : memref<?xindex>
            %v = memref.load %A[%qi] : memref<?xf64>
            memref.store %v, %A[%pi] : memref<?xf64>
          }
          func.return
        }

    becomes two functions and the kernel that calls both. `@kernel_inspector` fills three arrays,
    and `@kernel_executor` has the loops

        scf.for %w = %0 to %wavefronts {
          %first = memref.load %starts[%w] : memref<?xindex>
          %end = memref.load %starts[%w + 1] : memref<?xindex>
          scf.parallel (%t) = (%first) to (%end) {
            %i = memref.load %order[%t] : memref<?xindex>
            ...
          }
        }

    With `block=auto`, the inspector chooses which iterations stay together in a block, and the body
    is a function `@kernel_block` of its own, which runs a block.

    The inspector runs before the outermost loop that does not write the index arrays. Each
    iteration keeps its order, and they run in that of all dependences, so results do not change.

    Blocks of `block` iterations stay together; with `auto`, the inspector chooses the blocks. Then,
    `grain` is the number of iterations that is worth a thread: smaller wavefronts run on one.
    """

    name = "inspect-wavefronts"

    block: int | Literal["auto"] = 1
    grain: int = GRAIN
    loops: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for option in ("block", "grain"):
            value = getattr(self, option)
            if isinstance(value, int) and value < 1:
                message = f"option '{option}' of pass 'inspect-wavefronts' must be at least 1"
                raise OptionError(message)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        privatize_variables(self.name, op)
        found = irregular_loops(op, self.loops)
        report_left(self.name, found.reasons, bool(found.slices))
        report = partial(remark, self.name)
        for slice in found.slices:
            if self.block == "auto":
                inspect_chosen_blocks(slice, self.grain, report)
            else:
                inspect_wavefronts(slice, self.block, report)
        if found.slices:
            erase_idle(tuple(op.ops))
        elif not found.reasons:
            idle(self.name, nothing_to_do(op), op)
