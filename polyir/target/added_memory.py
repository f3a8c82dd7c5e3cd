"""Allocations of emitted functions: those that the input did not have are checked."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from polyir.base.walks import operations_in
from polyir.loops.checked_allocations import Threads, check_functions
from polyir.loops.levels import lower_for_target


def check_added_memory(
    ctx: Context, module: ModuleOp, original: ModuleOp, threads: Threads
) -> None:
    """Lower `module`, and let its functions run as in `original` where they get no memory."""
    lower_for_target(ctx, module)
    if any(isinstance(op, memref.AllocOp) for op in operations_in(module)):
        before = original.clone()
        lower_for_target(ctx, before)
        check_functions(module, before, threads)
