"""Barriers of GPU kernels that not all threads of a block reach.

A value is *divergent* if it may differ between the threads of a block, and so is the control inside
a loop or condition that depends on such a value. Coutinho, Sampaio, Pereira, Meira: Divergence
analysis and optimizations (PACT 2011), for structured control: what is carried around a loop, or
comes out of it, is divergent if the loop is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, gpu, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from polyir.dialects.gpu_extra import AddressSpace, memory_arguments, space_of

KernelOp = gpu.LaunchOp | gpu.FuncOp
"""An operation whose body each thread of a device runs."""

_NUMBERS_OF_THREADS = (gpu.ThreadIdOp, gpu.GlobalIdOp, gpu.LaneIdOp, gpu.SubgroupIdOp)
_FOR_ALL_THREADS = (gpu.BarrierOp, gpu.AllReduceOp)


@dataclass(frozen=True)
class DivergentBarrier:
    """A barrier, and the loop or condition around it that threads do not all run alike."""

    barrier: Operation
    around: Operation

    def __str__(self) -> str:
        is_condition = isinstance(self.around, affine.IfOp | scf.IfOp | scf.IndexSwitchOp)
        what = "condition" if is_condition else "loop"
        if self.around.has_trait(IsTerminator):
            what = "branch"
        return (
            f"not all threads of a block reach this barrier: the {what} around it depends on the "
            "number of the thread"
        )


def divergent_barriers(kernel: KernelOp) -> tuple[DivergentBarrier, ...]:
    """The barriers in the body of a kernel that are below divergent control, in its order.

    What is loaded from the same element of memory that threads share is taken to be the same for
    all of them: that there are no races is checked elsewhere.
    """
    barriers = [op for op in kernel.body.walk() if isinstance(op, _FOR_ALL_THREADS)]
    if not barriers:
        return ()
    divergence = _Divergence(kernel)
    found = ((op, divergence.around(op)) for op in barriers)
    return tuple(DivergentBarrier(op, around) for op, around in found if around is not None)


class _Divergence:
    """The divergent values and the divergent control of a kernel, by a fixed point."""

    def __init__(self, kernel: KernelOp) -> None:
        self._kernel = kernel
        self._values: set[SSAValue] = set()
        # Loops and conditions; branches between blocks by the terminator.
        self._control: dict[Region, Operation] = {}
        self._private: set[SSAValue] = set()
        if isinstance(kernel, gpu.LaunchOp):
            self._values.update(kernel.body.blocks[0].args[3:6])
        if kernel.body.blocks:
            self._private.update(memory_arguments(kernel)[1])
        known = -1
        while known != (known := len(self._values) + len(self._control) + len(self._private)):
            for op in kernel.body.walk():
                self._visit(op)

    def around(self, op: Operation) -> Operation | None:
        """The innermost divergent control around an operation."""
        region = op.parent_region()
        while region is not None and op is not self._kernel:
            if region in self._control:
                return self._control[region]
            parent = region.parent
            if parent is None or parent is self._kernel:
                return None
            region = parent.parent_region()
        return None

    # One operation

    def _visit(self, op: Operation) -> None:
        if isinstance(op, memref.AllocaOp | memref.AllocOp):
            if space_of(op.memref.type) is not AddressSpace.Workgroup:
                self._private.add(op.memref)
            return
        if isinstance(op, _NUMBERS_OF_THREADS) or "atomic" in op.name:
            # What an atomic operation finds depends on who comes first.
            self._values.update(op.results)
        elif op.regions:
            self._visit_control(op)
        elif op.successors:
            self._visit_branch(op)
        elif not op.has_trait(IsTerminator):
            self._visit_computation(op)

    def _visit_computation(self, op: Operation) -> None:
        is_divergent = self._any(op.operands)
        views = [operand for operand in op.operands if operand in self._private]
        if views and any(isinstance(result.type, MemRefType) for result in op.results):
            self._private.update(op.results)
        if is_divergent:
            self._values.update(op.results)
        if views and not op.results and (is_divergent or self.around(op) is not None):
            # A thread's own memory has divergent contents from here on, also through other views.
            for view in views:
                self._spoil(view)

    def _spoil(self, view: SSAValue) -> None:
        self._values.add(view)
        if isinstance(view.owner, Operation):
            for operand in view.owner.operands:
                if operand in self._private:
                    self._spoil(operand)

    def _visit_branch(self, op: Operation) -> None:
        """Branches between blocks: coarse, since loops are structured as long as they are known."""
        region = op.parent_region()
        if region is None:
            return
        if len(op.successors) > 1 and self._any(op.operands[:1]):
            self._control.setdefault(region, op)
        if region in self._control or self._any(op.operands):
            for successor in op.successors:
                self._values.update(successor.args)

    def _visit_control(self, op: Operation) -> None:
        if self._any(_deciding(op)):
            for region in op.regions:
                self._control.setdefault(region, op)
        is_divergent = any(region in self._control for region in op.regions)
        if is_divergent:
            self._values.update(op.results)
            for block in _blocks(op):
                self._values.update(block.args)
            return
        for group in _carried(op):
            if self._any(group):
                self._values.update(group)

    def _any(self, values: Iterable[SSAValue]) -> bool:
        return any(value in self._values for value in values)


def _deciding(op: Operation) -> Sequence[SSAValue]:
    """The operands that decide which regions of an operation run, and how often."""
    match op:
        case affine.ForOp():
            return [*op.lowerBoundOperands, *op.upperBoundOperands]
        case scf.ForOp():
            return [op.lb, op.ub, op.step]
        case scf.ParallelOp():
            return [*op.lowerBound, *op.upperBound, *op.step]
        case scf.WhileOp():
            condition = op.before_region.block.last_op
            return [condition.condition] if isinstance(condition, scf.ConditionOp) else op.operands
        case _:
            return op.operands


def _carried(op: Operation) -> Iterator[tuple[SSAValue, ...]]:
    """Values of which each may become the others: what a loop carries, and what comes out of it."""
    ends = [block.last_op for block in _blocks(op)]
    yielded = [tuple(end.operands) for end in ends if end is not None]
    if isinstance(op, scf.WhileOp):
        before, after = op.before_region.block, op.after_region.block
        condition, end = before.last_op, after.last_op
        assert condition is not None
        assert end is not None
        yield from zip(op.operands, before.args, end.operands, strict=True)
        yield from zip(condition.operands[1:], after.args, op.results, strict=True)
    elif isinstance(op, affine.ForOp | scf.ForOp):
        initial = op.inits if isinstance(op, affine.ForOp) else op.iter_args
        arguments = op.body.block.args[1:]
        yield from zip(initial, arguments, *yielded, op.results, strict=True)
    elif op.results:
        for values in yielded:
            yield from zip(values, op.results, strict=False)


def _blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        yield from region.blocks
