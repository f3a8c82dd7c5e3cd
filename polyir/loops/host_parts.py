"""Kernels of a single thread that run on the host instead, between those of the device."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.builder import Builder
from xdsl.dialects import arith, gpu, memref
from xdsl.dialects.builtin import IndexType, MemRefType, NoneAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.model.gpu import HOST_PART
from polyir.model.raising.effects import stores_in


def run_on_host(function: FuncOp) -> None:
    """Replace the launches of `function` that have the attribute `HOST_PART` by their bodies.

        gpu.launch blocks(%bx, ...) threads(%tx, ...) {          gpu.memcpy %A, %A_dev
          %0 = affine.load %A_dev[%tx + 1]                       %0 = affine.load %A[%c0 + 1]
          affine.store %0, %A_dev[%tx]                   =>      affine.store %0, %A[%c0]
          gpu.terminator                                         gpu.memcpy %A_dev, %A
        } {poly.host}

    A body with barriers, or memory of a block, stays on the device. Arrays that no other launch
    accesses stay on the host, and those that nothing writes to are the same in both places: none
    of these is copied.
    """
    launches = [op for op in function.walk() if isinstance(op, gpu.LaunchOp)]
    parts = [op for op in launches if op.attributes.pop(HOST_PART, None) and not _needs_device(op)]
    if not parts:
        return
    kernels = [op for op in launches if op not in parts]
    on_device = {buffer for op in kernels for buffer in _buffers_in(op)}
    written = {buffer for op in launches for buffer in _buffers_in(op) if _stores(op, buffer)}
    buffers = dict.fromkeys(buffer for part in parts for buffer in _buffers_in(part))
    hosts = {buffer: _array_of_host(buffer) for buffer in buffers}
    for part in parts:
        inside = tuple(dict.fromkeys(_buffers_in(part)))
        before, after = Builder(InsertPoint.before(part)), Builder(InsertPoint.after(part))
        for buffer in inside:
            host = hosts[buffer]
            if buffer in on_device and buffer in written:
                if not _has_contents(buffer, part, launches):
                    assert isinstance(buffer.owner, Operation)
                    start = Builder(InsertPoint.after(_later(buffer, host)))
                    start.insert(gpu.MemcpyOp(host, buffer))
                before.insert(gpu.MemcpyOp(buffer, host))
                if _stores(part, buffer):
                    after.insert(gpu.MemcpyOp(host, buffer))
            for use in tuple(buffer.uses):
                if part.is_ancestor(use.operation):
                    use.operation.operands[use.index] = host
        _inline(part)
    for buffer in buffers:
        if buffer not in on_device:
            for use in tuple(buffer.uses):
                Rewriter.erase_op(use.operation)
            assert isinstance(buffer.owner, Operation)
            Rewriter.erase_op(buffer.owner)


def _needs_device(launch: gpu.LaunchOp) -> bool:
    """Whether the body of a launch uses what the host does not have."""
    return any(
        isinstance(op, gpu.BarrierOp)
        or (
            isinstance(op, memref.AllocaOp)
            and not isinstance(op.memref.type.memory_space, NoneAttr)
        )
        for op in launch.body.walk()
    )


def _buffers_in(launch: gpu.LaunchOp) -> Iterator[SSAValue]:
    """The memory of the device that the body of a launch uses."""
    for op in launch.body.walk():
        for operand in op.operands:
            if isinstance(operand.owner, gpu.AllocOp):
                yield operand


def _stores(launch: gpu.LaunchOp, buffer: SSAValue) -> bool:
    """Whether the body of a launch stores in a buffer."""
    return any(store.memref is buffer for store in stores_in(launch))


def _array_of_host(buffer: SSAValue) -> SSAValue:
    """The array that is copied to a buffer or from it; a new one if there is none."""
    for use in buffer.uses:
        if isinstance(use.operation, gpu.MemcpyOp):
            return use.operation.src if use.operation.dst is buffer else use.operation.dst
    allocation, type = buffer.owner, buffer.type
    assert isinstance(allocation, gpu.AllocOp)
    assert isinstance(type, MemRefType)
    new = memref.AllocOp(
        allocation.dynamicSizes, [], MemRefType(type.element_type, type.shape, type.layout)
    )
    new.memref.name_hint = (buffer.name_hint or "memory").removesuffix("_dev")
    Builder(InsertPoint.after(allocation)).insert(new)
    for use in tuple(buffer.uses):
        if isinstance(use.operation, gpu.DeallocOp):
            Builder(InsertPoint.after(use.operation)).insert(memref.DeallocOp.get(new.memref))
    return new.memref


def _later(buffer: SSAValue, host: SSAValue) -> Operation:
    """The operation after which both memories exist."""
    allocation = buffer.owner
    assert isinstance(allocation, Operation)
    is_new = isinstance(host.owner, memref.AllocOp) and host.owner is allocation.next_op
    return host.owner if is_new and isinstance(host.owner, Operation) else allocation


def _has_contents(buffer: SSAValue, part: gpu.LaunchOp, launches: list[gpu.LaunchOp]) -> bool:
    """Whether something that is earlier in the text gives a buffer contents."""
    is_copied = any(
        isinstance(use.operation, gpu.MemcpyOp) and use.operation.dst is buffer
        for use in buffer.uses
    )
    earlier = launches[: launches.index(part)]
    return is_copied or any(_stores(op, buffer) for op in earlier)


def _inline(part: gpu.LaunchOp) -> None:
    """Put the body of a launch in its place; there is one block, of one thread."""
    zero = Builder(InsertPoint.before(part)).insert(
        arith.ConstantOp.from_int_and_width(0, IndexType())
    )
    body = part.body.blocks[0]
    grid = (part.gridSizeX, part.gridSizeY, part.gridSizeZ)
    sizes = (*grid, part.blockSizeX, part.blockSizeY, part.blockSizeZ)
    for argument, value in zip(body.args, [*[zero.result] * 6, *sizes], strict=True):
        argument.replace_all_uses_with(value)
    for op in tuple(body.ops):
        if isinstance(op, gpu.TerminatorOp):
            continue
        op.detach()
        assert part.parent is not None
        part.parent.insert_op_before(op, part)
    Rewriter.erase_op(part)
    for value in dict.fromkeys((zero.result, *sizes)):
        if isinstance(value.owner, arith.ConstantOp) and not value.uses:
            Rewriter.erase_op(value.owner)
