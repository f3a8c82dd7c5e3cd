"""The checks of GPU kernels: of those in schedule trees, and of those that exist as operations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from xdsl.dialects import gpu
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from polyir.base import budgets
from polyir.base.diagnostics import LegalityError, location_of
from polyir.dialects.gpu_extra import is_kernel
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import bounded
from polyir.model.scop import scop_of
from polyir.proofs.device_memory import device_memory_faults
from polyir.proofs.divergence import KernelOp, divergent_barriers
from polyir.proofs.kernels import false_claims_of_kernels
from polyir.proofs.remembered import are_kernels_proved, remember_proof_of_kernels, require_proved
from polyir.proofs.schedules import claims_refused


def require_correct_kernels(scop_op: ScopOp, pass_name: str, is_bounded: bool = False) -> bool:
    """Check the kernels of a scop unless they are known to be right, and remember that they are.

    The order of the tree, which is that of the launches, is checked first. The result is false if
    it `is_bounded` and isl exceeds the budget, or fails.

    Raises `LegalityError` with a pair of instances for each fault, at its place, and
    `ResourceError` if the check takes too long.
    """
    require_proved(scop_op, pass_name)
    if are_kernels_proved(scop_op):
        return True
    compute = partial(false_claims_of_kernels, scop_of(scop_op))
    found = bounded(budgets.KERNEL_CHECK, compute, scop_op, is_bounded)
    if found is None:
        return False
    if found:
        raise claims_refused(scop_op, found, "the mapping to GPU kernels has {} faults:")
    remember_proof_of_kernels(scop_op)
    return True


def kernels_in(root: Operation) -> tuple[KernelOp, ...]:
    """The kernels that exist as operations: launches with a body, and functions for the device."""
    return tuple(
        op
        for op in root.walk()
        if isinstance(op, gpu.LaunchOp) or (isinstance(op, gpu.FuncOp) and is_kernel(op))
    )


def require_correct_code(root: Operation) -> None:
    """Check the kernels in `root` and the host code around them.

    Raises `LegalityError` for barriers that not all threads of a block reach, and for what
    `device_memory_faults` finds.
    """
    found = list(_faults(root))
    if not found:
        return
    place = location_of(found[0][0])
    if len(found) == 1:
        raise LegalityError(found[0][1], place, name="gpu-fault")
    lines = [f"{location_of(op)}: {message}" for op, message in found]
    raise LegalityError(
        "\n  ".join([f"the code for the GPU has {len(found)} faults:", *lines]),
        place,
        name="gpu-fault",
    )


def _faults(root: Operation) -> Iterator[tuple[Operation, str]]:
    for kernel in kernels_in(root):
        for barrier in divergent_barriers(kernel):
            yield barrier.barrier, str(barrier)
    for op in root.walk():
        if isinstance(op, FuncOp):
            yield from device_memory_faults(op)
