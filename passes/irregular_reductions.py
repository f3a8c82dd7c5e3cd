"""irregular-reductions: loops `x[p[i]] += ...` in parallel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, PolyirError, idle, remark
from polyir.choose.sizes import PRIVATE_COPIES
from polyir.irregular.candidates import loops_with_index_arrays
from polyir.irregular.irregular_reductions import ReductionOptions, parallelize
from polyir.irregular.time_steps import reason_of
from polyir.loops.levels import lower_scops
from polyir.loops.loop_forms import erase_idle
from polyir.passes.irregular_pass import report_left

COPIES = 64
"""The largest number of private copies: each one is a part of an expression."""


@dataclass(frozen=True)
class IrregularReductionsPass(ModulePass):
    """Run loops in parallel that only update elements which index arrays choose.

        affine.for %i = 0 to %n {
          %pi = affine.load %p[%i] : memref<?xindex>
          %v = affine.load %e[%i] : memref<?xi64>
          %old = memref.load %x[%pi] : memref<?xi64>
          %new = arith.addi %old, %v : i64
          memref.store %new, %x[%pi] : memref<?xi64>
        }

    becomes, with `method=atomics`,

        scf.parallel (%i) = (%0) to (%n) step (%1) {
          %pi = memref.load %p[%i] : memref<?xindex>
          %v = memref.load %e[%i] : memref<?xi64>
          %old = memref.atomic_rmw addi %v, %x[%pi] : (i64, memref<?xi64>) -> i64
        }

    With `method=private-copies`, there is a parallel loop over parts of the iterations, each of
    which updates a copy of x. With `method=colouring`, the loops are those of `inspect-wavefronts`:
    one over colours, and a parallel one over the blocks of each.

    Updates are `X[f] = X[f] op e`, and several of them may be in an iteration. The methods are

    - `colouring`: an inspector gives a colour to each `block` of iterations, so that those of one
      colour update different elements, and run in parallel;
    - `private-copies`: parts of the iterations update `copies` copies of X in parallel, which are
      combined in their order;
    - `atomics`: iterations run in parallel, and each update is atomic.

    Another order of the updates of floating-point numbers rounds them in another way, so it needs
    `reassociate`. Without it, only `colouring` takes such loops, with colours that keep the order
    of the program. Results are the same for any number of threads, except those of floating-point
    numbers by atomics.
    """

    name = "irregular-reductions"

    method: Literal["colouring", "private-copies", "atomics"] = "colouring"
    block: int = 1
    copies: int = PRIVATE_COPIES
    reassociate: bool = False
    loops: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.block < 1:
            raise OptionError(f"option 'block' of pass '{self.name}' must be at least 1")
        if not 1 <= self.copies <= COPIES:
            raise OptionError(f"option 'copies' of pass '{self.name}' must be from 1 to {COPIES}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        options = ReductionOptions(self.method, self.block, self.copies, self.reassociate)
        is_done = False
        reasons = []
        for loop in loops_with_index_arrays(op, self.loops, only_stores=True):
            try:
                parallelize(loop, options, partial(remark, self.name))
                is_done = True
            except PolyirError as error:
                reasons.append((reason_of(error), loop))
        report_left(self.name, reasons, is_done)
        if is_done:
            erase_idle(tuple(op.ops))
        elif not reasons:
            idle(self.name, "nothing to do: no loop writes elements by index arrays", op)
