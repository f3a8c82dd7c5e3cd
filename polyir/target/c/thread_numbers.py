"""Operations of the gpu dialect that give the numbers of threads."""

from __future__ import annotations

from xdsl.ir import Operation

_THREAD_NUMBERS = (
    "gpu.block_dim",
    "gpu.block_id",
    "gpu.global_id",
    "gpu.grid_dim",
    "gpu.thread_id",
)


def is_thread_number(op: Operation) -> bool:
    """Whether an operation gives a number of the thread that runs it, or of how many there are."""
    # By name: few programs need the dialect, and start-up is part of every run.
    return op.name in _THREAD_NUMBERS
