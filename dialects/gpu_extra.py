"""Operations and attributes of MLIR's gpu dialect that xDSL lacks, or verifies in another way.

xDSL's `gpu.launch` and `gpu.func` cannot have memory of their own, its copies need equal types, and
it has no address spaces. The classes here are xDSL's with MLIR's rules, so that code that looks for
xDSL's finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import auto
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, BlockArgument, Data, Operation, Region
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition, traits_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from polyir.dialects.affine_extra import load_missing


class AddressSpace(StrEnum):
    """Where memory of a device is: all see it, the threads of a block, or one thread."""

    Global = auto()
    Workgroup = auto()
    Private = auto()


@irdl_attr_definition
class AddressSpaceAttr(Data[AddressSpace]):
    """`#gpu.address_space<workgroup>`: the memory space of a memref."""

    name = "gpu.address_space"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> AddressSpace:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(AddressSpace)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


WORKGROUP = AddressSpaceAttr(AddressSpace.Workgroup)
PRIVATE = AddressSpaceAttr(AddressSpace.Private)

WORKGROUP_COUNT = "workgroup_attributions"
"""The attribute with the number of arguments that are memory of a block."""

KERNEL = "gpu.kernel"
"""The attribute of a `gpu.func` that the host launches."""


CONTAINER = "gpu.container_module"
"""The attribute of a module with kernels and their launches."""


def is_kernel(function: gpu.FuncOp) -> bool:
    """Whether the host launches `function`: MLIR says so by an attribute, xDSL by a property."""
    return function.kernel is not None or KERNEL in function.attributes


def space_of(type: Attribute) -> AddressSpace:
    """The address space of a memref type: `Global` unless it says another one."""
    if isinstance(type, MemRefType) and isinstance(type.memory_space, AddressSpaceAttr):
        return type.memory_space.data
    return AddressSpace.Global


def memory_arguments(
    operation: gpu.FuncOp | gpu.LaunchOp,
) -> tuple[Sequence[BlockArgument], Sequence[BlockArgument]]:
    """The arguments that are memory: that of a block, then that of a thread."""
    others = 12 if isinstance(operation, gpu.LaunchOp) else len(operation.function_type.inputs)
    arguments = operation.body.blocks[0].args[others:]
    count = workgroup_count(operation)
    return arguments[:count], arguments[count:]


def workgroup_count(operation: Operation) -> int:
    """How many arguments of a `gpu.func` or `gpu.launch` are memory of a block."""
    count = operation.attributes.get(WORKGROUP_COUNT)
    return count.value.data if isinstance(count, IntegerAttr) else 0


class FuncOp(gpu.FuncOp):
    """`gpu.func` as MLIR has it: further arguments of its body are memory of a block or a thread.

    gpu.func @f(%n: index) workgroup(%s : memref<8xf64, #gpu.address_space<workgroup>>) kernel {
    """

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        if not self.body.blocks:
            raise VerifyException("needs a body")
        types = self.body.blocks[0].arg_types
        inputs = self.function_type.inputs.data
        if types[: len(inputs)] != inputs:
            raise VerifyException("the arguments of the body do not have the types of the function")
        if is_kernel(self) and self.function_type.outputs.data:
            raise VerifyException("a kernel has no results")
        _verify_memory(self, types[len(inputs) :])


class LaunchOp(gpu.LaunchOp):
    """`gpu.launch` as MLIR has it: after twelve numbers, arguments of its body are memory."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        if not any(block.ops for block in self.body.blocks):
            raise VerifyException("needs a body that is not empty")
        types = self.body.blocks[0].arg_types
        if types[:12] != (IndexType(),) * 12:
            raise VerifyException(
                "the body needs arguments for the three numbers of a block, of a thread, of blocks "
                "and of threads"
            )
        _verify_memory(self, types[12:])


def _verify_memory(operation: Operation, types: Sequence[Attribute]) -> None:
    """Memory of a block comes first; none of it says that it is in another address space."""
    count = workgroup_count(operation)
    if count > len(types):
        raise VerifyException(f"has {len(types)} arguments for memory, not {count}")
    for position, type in enumerate(types):
        space = WORKGROUP if position < count else PRIVATE
        if not isinstance(type, MemRefType):
            raise VerifyException(f"needs a memref in the space {space}, not {type}")
        if isinstance(type.memory_space, AddressSpaceAttr) and type.memory_space != space:
            raise VerifyException(f"needs memory in the space {space}, not {type}")


class LaunchFuncOp(gpu.LaunchFuncOp):
    """`gpu.launch_func` as MLIR has it: the kernel is there, and takes the arguments."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        around = self.parent_op()
        while around is not None and not isinstance(around, ModuleOp):
            around = around.parent_op()
        if around is None:
            return
        if CONTAINER not in around.attributes:
            raise VerifyException(f"needs the attribute {CONTAINER} of the module around it")
        device = _symbol_in(around.body, self.kernel.root_reference.data)
        if device is None:
            raise VerifyException(f"there is no module @{self.kernel.root_reference.data}")
        if isinstance(device, gpu.ModuleOp):
            self._verify_call(device)

    def _verify_call(self, device: gpu.ModuleOp) -> None:
        names = self.kernel.nested_references.data
        kernel = _symbol_in(device.body, names[0].data) if len(names) == 1 else None
        if kernel is None:
            raise VerifyException(f"there is no kernel {self.kernel}")
        if not isinstance(kernel, gpu.FuncOp):
            return
        if not is_kernel(kernel):
            raise VerifyException(f"{self.kernel} is not a kernel")
        inputs, given = kernel.function_type.inputs.data, self.kernelOperands.types
        if tuple(given) != tuple(inputs):
            expected, found = (", ".join(map(str, types)) for types in (inputs, given))
            raise VerifyException(f"{self.kernel} takes ({expected}), not ({found})")


def _symbol_in(region: Region, name: str) -> Operation | None:
    """The operation of that name in a module."""
    operations: Iterable[Operation] = region.block.ops
    named = (op for op in operations if op.get_attr_or_prop("sym_name") == StringAttr(name))
    return next(named, None)


class MemcpyOp(gpu.MemcpyOp):
    """`gpu.memcpy` as MLIR has it: the types may differ in layout and memory space."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        target, source = self.dst.type, self.src.type
        assert isinstance(target, MemRefType)
        assert isinstance(source, MemRefType)
        if target.get_element_type() != source.get_element_type():
            raise VerifyException("copies between memrefs with elements of different types")
        shapes = target.get_shape(), source.get_shape()
        is_compatible = len(shapes[0]) == len(shapes[1]) and all(
            left == right or DYNAMIC_INDEX in (left, right)
            for left, right in zip(*shapes, strict=True)
        )
        if not is_compatible:
            raise VerifyException("copies between memrefs with different shapes")


@irdl_op_definition
class ModuleEndOp(IRDLOperation):
    """`gpu.module_end`: what the generic form of a `gpu.module` ends with, up to MLIR 19."""

    name = "gpu.module_end"
    traits = traits_def(IsTerminator())


CORRECTED: Mapping[type[Operation], type[Operation]] = MappingProxyType(
    {
        gpu.FuncOp: FuncOp,
        gpu.LaunchOp: LaunchOp,
        gpu.LaunchFuncOp: LaunchFuncOp,
        gpu.MemcpyOp: MemcpyOp,
    }
)
"""Operations that xDSL verifies in another way than MLIR, and their correct classes."""


def load_gpu_extra(context: Context) -> None:
    """Add to `context` what xDSL lacks."""
    load_missing(context, (ModuleEndOp,), (AddressSpaceAttr,))
