"""The operations around GPU kernels: launches, and the arrays of a scop in the device's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, gpu, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.codegen.kernels import Kernel
from polyir.model.gpu import AXES, HOST_PART
from polyir.model.scop import Scop
from polyir.proofs.transfers import transfers


@dataclass(frozen=True)
class OpenLaunch:
    """A launch whose body is to be filled.

    `builder` builds its code, `front` in front of all of it.
    """

    builder: Builder
    front: Builder
    anchor: Operation
    blocks: Sequence[SSAValue]
    threads: Sequence[SSAValue]

    def close(self) -> None:
        """The body is complete."""
        self.anchor.detach()
        self.anchor.erase()


def open_launch(kernel: Kernel, grid: Sequence[SSAValue], builder: Builder) -> OpenLaunch:
    """Insert a `gpu.launch` of so many blocks along the first axes."""
    one = builder.insert(arith.ConstantOp.from_int_and_width(1, IndexType())).result
    body = Block(arg_types=[IndexType()] * 12)
    blocks, threads = body.args[:3], body.args[3:6]
    for axis, block, thread in zip(AXES, blocks, threads, strict=True):
        block.name_hint, thread.name_hint = f"b{axis}", f"t{axis}"
    for axis, count, size in zip(AXES, body.args[6:9], body.args[9:12], strict=True):
        count.name_hint, size.name_hint = f"grid_{axis}", f"block_{axis}"
    anchor, end = arith.ConstantOp.from_int_and_width(0, IndexType()), gpu.TerminatorOp()
    body.add_ops([anchor, end])
    counts = [*grid, *[one] * (3 - len(grid))]
    sizes = [
        one
        if kernel.sizes.threads(axis) == 1
        else builder.insert(
            arith.ConstantOp.from_int_and_width(kernel.sizes.threads(axis), IndexType())
        ).result
        for axis in range(3)
    ]
    launch = builder.insert(gpu.LaunchOp(Region(body), counts, sizes))
    if kernel.sizes.on_host:
        launch.attributes[HOST_PART] = UnitAttr()
    return OpenLaunch(
        Builder(InsertPoint.before(end)),
        Builder(InsertPoint.before(anchor)),
        anchor,
        blocks,
        threads,
    )


@dataclass(frozen=True)
class DeviceArrays:
    """The arrays of a scop on the device: `copies` by the array, and what is to be copied back."""

    copies: dict[SSAValue, SSAValue]
    copied_out: tuple[SSAValue, ...]

    def release(self, builder: Builder) -> None:
        """Copy back what the kernels have written, and free the memory."""
        for array in self.copied_out:
            builder.insert(gpu.MemcpyOp(self.copies[array], array))
        for copy in self.copies.values():
            builder.insert(gpu.DeallocOp(copy))


def device_arrays(scop: Scop, builder: Builder) -> DeviceArrays:
    """Allocate the arrays of a scop on the device, and copy there what is read."""
    local = {array.memory for array in scop.op.local_arrays}
    arrays = {name: value for name, value in scop.arrays.items() if value not in local}
    moved = transfers(scop)
    copies: dict[SSAValue, SSAValue] = {}
    for name, array in arrays.items():
        assert isinstance(array.type, MemRefType)
        sizes: list[SSAValue] = []
        for dimension, extent in enumerate(array.type.get_shape()):
            if extent == DYNAMIC_INDEX:
                number = builder.insert(arith.ConstantOp.from_int_and_width(dimension, IndexType()))
                sizes.append(builder.insert(memref.DimOp(array, number)).result)
        allocation = builder.insert(gpu.AllocOp(array.type, sizes))
        allocation.result.name_hint = f"{name}_dev"
        copies[array] = allocation.result
    for name in moved.copied_in:
        builder.insert(gpu.MemcpyOp(arrays[name], copies[arrays[name]]))
    return DeviceArrays(copies, tuple(arrays[name] for name in moved.copied_out))
