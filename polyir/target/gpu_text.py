"""The operations of the gpu dialect in MLIR's syntax, which xDSL prints in the generic form only.

Each function prints what follows the name of the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

if TYPE_CHECKING:
    # It takes a while to import, and few modules have operations of it: these go by their names.
    from xdsl.dialects import gpu

    from polyir.target.mlir import MlirPrinter


def gpu_dictionaries(op: Operation) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The properties and the attributes that an operation has in MLIR 19."""
    properties, attributes = dict(op.properties), dict(op.attributes)
    if op.name in ("gpu.memcpy", "gpu.dealloc"):
        attributes.pop("operandSegmentSizes", None)
    if op.name in _INDICES and "upper_bound" in attributes:
        properties["upper_bound"] = attributes.pop("upper_bound")
    if op.name == "gpu.func":
        if properties.pop("kernel", None) is not None:
            attributes["gpu.kernel"] = UnitAttr()
        for name in ("known_block_size", "known_grid_size"):
            if f"gpu.{name}" in attributes:
                properties[name] = attributes.pop(f"gpu.{name}")
        for name in ("workgroup_attrib_attrs", "private_attrib_attrs"):
            if name in attributes:
                properties[name] = attributes.pop(name)
    return properties, attributes


def _module(printer: MlirPrinter, op: Operation) -> None:
    """Its terminator is only implied in xDSL, and its generic form has one in MLIR 19."""
    name = op.properties["sym_name"]
    assert isinstance(name, StringAttr)
    printer.print_string(" ")
    printer.print_symbol_name(name.data)
    printer.print_op_attributes(op.attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(op.regions[0])


def _func(printer: MlirPrinter, op: Operation) -> None:
    function = cast("gpu.FuncOp", op)
    properties, attributes = gpu_dictionaries(op)
    arguments = function.body.blocks[0].args
    count = len(function.function_type.inputs)
    printer.print_string(" ")
    printer.print_symbol_name(function.sym_name.data)
    with printer.in_parens():
        printer.print_list(arguments[:count], printer.print_block_argument)
    printer.print_result_types(function.function_type.outputs.data)
    _print_memory(printer, arguments[count:], op, properties)
    if attributes.pop("gpu.kernel", None) is not None:
        printer.print_string(" kernel")
    shown = {name: value for name, value in properties.items() if name.startswith("known_")}
    others = {
        name: value
        for name, value in attributes.items()
        if name not in ("sym_name", _WORKGROUP_COUNT)
    }
    printer.print_op_attributes(shown | others, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(function.body, print_entry_block_args=False)


_WORKGROUP_COUNT = "workgroup_attributions"


def _print_memory(
    printer: MlirPrinter,
    arguments: Sequence[BlockArgument],
    op: Operation,
    properties: Mapping[str, Attribute],
) -> None:
    """Print ` workgroup(%s : memref<...>) private(%p : memref<...>)`."""
    from polyir.dialects.gpu_extra import workgroup_count

    count = workgroup_count(op)
    for word, group in (("workgroup", arguments[:count]), ("private", arguments[count:])):
        if not group:
            continue
        found = properties.get(f"{word}_attrib_attrs")
        own = list(found) if isinstance(found, ArrayAttr) else [DictionaryAttr({})] * len(group)
        printer.print_string(f" {word}")
        with printer.in_parens():
            printer.print_list(
                zip(group, own, strict=True), lambda item: _print_memory_argument(printer, *item)
            )


def _print_memory_argument(
    printer: MlirPrinter, argument: BlockArgument, dictionary: Attribute
) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" : ")
    printer.print_attribute(argument.type)
    if isinstance(dictionary, DictionaryAttr):
        printer.print_op_attributes(dictionary.data)


def _launch(printer: MlirPrinter, op: Operation) -> None:
    launch = cast("gpu.LaunchOp", op)
    arguments = launch.body.blocks[0].args
    blocks = (launch.gridSizeX, launch.gridSizeY, launch.gridSizeZ)
    threads = (launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ)
    _print_dependencies(printer, launch.asyncDependencies, launch.asyncToken)
    for word, start, sizes in (("blocks", 0, blocks), ("threads", 3, threads)):
        printer.print_string(f" {word}")
        printer.print_names(arguments[start : start + 3])
        printer.print_string(" in ")
        with printer.in_parens():
            printer.print_list(
                zip(arguments[start + 6 : start + 9], sizes, strict=True),
                lambda pair: _print_assignment(printer, *pair),
            )
    _print_dynamic_memory(printer, launch.dynamicSharedMemorySize)
    _print_memory(printer, arguments[12:], op, op.attributes)
    printer.print_string(" ")
    printer.print_region(launch.body, print_entry_block_args=False)
    printer.print_op_attributes(_without(op.attributes, _WORKGROUP_COUNT))


def _print_assignment(printer: MlirPrinter, name: SSAValue, value: SSAValue) -> None:
    printer.print_ssa_value(name)
    printer.print_string(" = ")
    printer.print_operand(value)


def _print_dynamic_memory(printer: MlirPrinter, size: SSAValue | None) -> None:
    if size is not None:
        printer.print_string(" dynamic_shared_memory_size ")
        printer.print_operand(size)


def _launch_func(printer: MlirPrinter, op: Operation) -> None:
    launch = cast("gpu.LaunchFuncOp", op)
    clusters = (launch.clusterSizeX, launch.clusterSizeY, launch.clusterSizeZ)
    blocks = (launch.gridSizeX, launch.gridSizeY, launch.gridSizeZ)
    threads = (launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ)
    _print_dependencies(printer, launch.asyncDependencies, launch.asyncToken)
    printer.print_string(" ")
    printer.print_attribute(launch.kernel)
    sizes = [each for each in clusters if each is not None]
    for word, group in (("clusters", sizes), ("blocks", blocks), ("threads", threads)):
        if group:
            printer.print_string(f" {word} in ")
            printer.print_names(group)
    if not isinstance(launch.gridSizeX.type, IndexType):
        printer.print_string(" : ")
        printer.print_attribute(launch.gridSizeX.type)
    _print_dynamic_memory(printer, launch.dynamicSharedMemorySize)
    if launch.kernelOperands:
        printer.print_string(" args")
        with printer.in_parens():
            printer.print_list(
                launch.kernelOperands, lambda value: _print_typed_operand(printer, value)
            )
    printer.print_op_attributes(op.attributes)


def _print_typed_operand(printer: MlirPrinter, value: SSAValue) -> None:
    printer.print_operand(value)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


def _return(printer: MlirPrinter, op: Operation) -> None:
    printer.print_op_attributes(op.attributes)
    if op.operands:
        printer.print_string(" ")
        printer.print_list(op.operands, printer.print_operand)
        printer.print_string(" : ")
        printer.print_list(op.operand_types, printer.print_attribute)


def _index_operation(printer: MlirPrinter, op: Operation) -> None:
    dimension = cast("gpu.DimensionAttr", op.properties["dimension"])
    printer.print_string(f" {dimension.data.value}")
    bound = op.attributes.get("upper_bound")
    if isinstance(bound, IntegerAttr):
        printer.print_string(f" upper_bound {bound.value.data}")
    printer.print_op_attributes(_without(op.attributes, "upper_bound"))


def _plain(printer: MlirPrinter, op: Operation) -> None:
    printer.print_op_attributes(op.attributes)


def _print_dependencies(
    printer: MlirPrinter, tokens: Sequence[SSAValue], own: SSAValue | None
) -> None:
    """Print ` async [%a, %b]`."""
    if own is not None:
        printer.print_string(" async")
    if tokens:
        printer.print_string(" ")
        with printer.in_square_brackets():
            printer.print_list(tokens, printer.print_operand)


def _wait(printer: MlirPrinter, op: Operation) -> None:
    _print_dependencies(printer, op.operands, op.results[0] if op.results else None)
    printer.print_op_attributes(op.attributes)


def _alloc(printer: MlirPrinter, op: Operation) -> None:
    allocation = cast("gpu.AllocOp", op)
    _print_dependencies(printer, allocation.asyncDependencies, allocation.asyncToken)
    printer.print_string("" if allocation.hostShared is None else " host_shared")
    if allocation.asyncToken or allocation.asyncDependencies or allocation.hostShared:
        printer.print_string(" ")
    printer.print_names(allocation.dynamicSizes)
    if allocation.symbolOperands:
        with printer.in_square_brackets():
            printer.print_list(allocation.symbolOperands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(allocation.result.type)


def _memcpy(printer: MlirPrinter, op: Operation) -> None:
    copy = cast("gpu.MemcpyOp", op)
    _print_dependencies(printer, copy.asyncDependencies, copy.asyncToken)
    _print_arrays(printer, op, (copy.dst, copy.src))


def _dealloc(printer: MlirPrinter, op: Operation) -> None:
    free = cast("gpu.DeallocOp", op)
    _print_dependencies(printer, free.asyncDependencies, free.asyncToken)
    _print_arrays(printer, op, (free.buffer,))


def _print_arrays(printer: MlirPrinter, op: Operation, arrays: Sequence[SSAValue]) -> None:
    printer.print_string(" ")
    printer.print_list(arrays, printer.print_operand)
    printer.print_op_attributes(_without(op.attributes, "operandSegmentSizes"))
    printer.print_string(" : ")
    printer.print_list(arrays, lambda array: printer.print_attribute(array.type))


def _without(attributes: Mapping[str, Attribute], left_out: str) -> dict[str, Attribute]:
    return {name: value for name, value in attributes.items() if name != left_out}


_INDICES = ("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.global_id")

GPU_TEXT: Mapping[str, Callable[[MlirPrinter, Operation], None]] = MappingProxyType(
    {
        "gpu.module": _module,
        "gpu.func": _func,
        "gpu.launch": _launch,
        "gpu.launch_func": _launch_func,
        "gpu.return": _return,
        "gpu.terminator": _plain,
        "gpu.barrier": _plain,
        "gpu.wait": _wait,
        "gpu.alloc": _alloc,
        "gpu.memcpy": _memcpy,
        "gpu.dealloc": _dealloc,
        **dict.fromkeys(_INDICES, _index_operation),
    }
)
"""What follows the names of these operations."""
