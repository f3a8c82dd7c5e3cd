"""GPU kernels as functions: the bodies of launches go to a module for the device.

What a body takes from outside becomes arguments of its function, in the order in which the host
defines it. Constants are copied instead, and so are other numbers that cost nothing to compute
from what is passed anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, arith, gpu, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from polyir.base.diagnostics import PolyirError, location_of
from polyir.base.walks import operations_in
from polyir.dialects import gpu_extra
from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.gpu_extra import AddressSpace, memory_arguments, space_of

Report = Callable[[str, Operation], None]
"""Takes a message on an operation."""

AXES = ("x", "y", "z")


def outline_kernels(module: ModuleOp, report: Report) -> int:
    """Move the body of each `gpu.launch` of `module` to a `gpu.func`; returns how many there are.

    The kernels of a function `f` are `@f_kernels::@f_0`, `@f_0`, ... in the order of its text;
    their module is in front of it. Memory in the spaces of a block and of a thread becomes memory
    of the function, wherever the body allocates it.

    Raises `PolyirError` for a launch that is in no function or in another launch, for memory of a
    block whose size or place the function cannot know, and for globals that a kernel cannot have.
    """
    hosts: dict[FuncOp, list[gpu.LaunchOp]] = {}
    for op in module.walk():
        if isinstance(op, gpu.LaunchOp):
            hosts.setdefault(_host_of(op), []).append(op)
    for host, launches in hosts.items():
        _outline_in(host, launches, report)
    return sum(map(len, hosts.values()))


def _host_of(launch: gpu.LaunchOp) -> FuncOp:
    around = launch.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        if isinstance(around, gpu.LaunchOp | gpu.FuncOp):
            raise PolyirError(
                "a kernel must not launch kernels", location_of(launch), name="kernel-form"
            )
        around = around.parent_op()
    if around is None:
        raise PolyirError(
            "a kernel must be launched in a function", location_of(launch), name="kernel-form"
        )
    return around


def _outline_in(host: FuncOp, launches: Sequence[gpu.LaunchOp], report: Report) -> None:
    surrounding = host.parent_op()
    if not isinstance(surrounding, ModuleOp):
        raise PolyirError(
            "a kernel must be launched by the host", location_of(launches[0]), name="kernel-form"
        )
    name = host.sym_name.data
    taken = {_symbol_name(op) for op in operations_in(surrounding)}
    kernels = Block()
    device = gpu.ModuleOp.create(
        properties={"sym_name": StringAttr(_free_name(f"{name}_kernels", taken))},
        regions=[Region(kernels)],
    )
    device.location = host.location
    surrounding.body.block.insert_op_before(device, host)
    surrounding.attributes[gpu_extra.CONTAINER] = UnitAttr()
    positions = _positions(host)
    for number, launch in enumerate(launches):
        inputs = _inputs_of(launch, positions)
        kernel = _kernel(launch, inputs, _free_name(f"{name}_{number}", taken))
        kernels.add_op(kernel)
        _replace_launch(launch, device.sym_name.data, kernel, inputs.arguments)
        _remove_unused(inputs.copied)
        count = len(inputs.arguments)
        plural = "argument" if count == 1 else "arguments"
        report(f"the kernel @{kernel.sym_name.data} has {count} {plural}", kernel)
    _add_symbols(kernels, surrounding)


def _free_name(wanted: str, taken: set[str | None]) -> str:
    """`wanted`, followed by a number if something in the module has that name; it is then `taken`.

    C has one name space for what is in different modules here.
    """
    name, number = wanted, 0
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name


def _symbol_name(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


# ------------------------------------------------------------------- what comes from outside


@dataclass(frozen=True)
class _Inputs:
    """What a body takes from outside: arguments, and operations that are copied into it."""

    arguments: tuple[SSAValue, ...]
    copied: tuple[Operation, ...]


def _positions(host: FuncOp) -> Mapping[SSAValue, int]:
    """Where each value of a function is defined, in the order of the text."""
    values: list[SSAValue] = []
    for op in host.walk():
        values += op.results
        values += [
            value for region in op.regions for block in region.blocks for value in block.args
        ]
    return {value: position for position, value in enumerate(values)}


def _inputs_of(launch: gpu.LaunchOp, positions: Mapping[SSAValue, int]) -> _Inputs:
    """What the body of `launch` uses, each value once, in the order of the definitions.

    A number is computed in the kernel if that needs at most one argument, so that there are never
    more of them than values that the body uses.
    """
    used = dict.fromkeys(
        operand
        for op in launch.body.walk()
        for operand in op.operands
        if not launch.is_ancestor(operand.owner)
    )
    ordered = sorted(used, key=positions.__getitem__)
    arguments = {value for value in ordered if not _is_cheap(value.owner)}
    for value in ordered:
        needed = set(_sources(value, arguments)) - arguments
        arguments |= needed if len(needed) <= 1 else {value}
    copied: dict[Operation, None] = {}
    for value in ordered:
        copied.update(dict.fromkeys(_computations(value, arguments)))
    return _Inputs(tuple(sorted(arguments, key=positions.__getitem__)), tuple(copied))


def _sources(value: SSAValue, known: set[SSAValue]) -> Iterator[SSAValue]:
    """What `value` is computed from: known values, and those that are not cheap to compute."""
    op = value.owner
    if value in known or isinstance(op, Block) or not _is_cheap(op):
        yield value
        return
    for operand in op.operands:
        yield from _sources(operand, known)


def _computations(value: SSAValue, known: set[SSAValue]) -> Iterator[Operation]:
    """The operations that compute `value` from known values, in order."""
    if value in known:
        return
    assert isinstance(value.owner, Operation)
    for operand in value.owner.operands:
        yield from _computations(operand, known)
    yield value.owner


def _is_cheap(op: Operation | Block) -> bool:
    """Whether each thread may as well compute what `op` computes: a sum or a product of numbers.

    The host divides once for all threads.
    """
    match op:
        case arith.ConstantOp():
            return isinstance(op.value, IntegerAttr | FloatAttr)
        case affine.ApplyOp():
            return not any(map(_divides, op.map.data.results))
        case affine.MinOp() | MaxOp():
            return not any(map(_divides, op.map.data.results))
        case Operation():
            is_integer = all(isinstance(type, IndexType | IntegerType) for type in op.operand_types)
            return op.name in _CHEAP and is_integer
        case _:
            return False


_CHEAP = (
    *("arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.maxsi"),
    *("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"),
)


def _divides(expression: AffineExpr) -> bool:
    kinds = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)
    return any(
        isinstance(part, AffineBinaryOpExpr) and part.kind in kinds for part in expression.dfs()
    )


def _remove_unused(operations: Sequence[Operation]) -> None:
    """Remove those of the host's computations that only kernels needed."""
    for op in reversed(operations):
        if not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


# ----------------------------------------------------------------------------- the new function


def _kernel(launch: gpu.LaunchOp, inputs: _Inputs, name: str) -> gpu.FuncOp:
    """A kernel that takes the body of a launch."""
    memory = _Memory(launch)
    region = Region()
    launch.body.move_blocks(region)
    entry = region.blocks[0]
    front = InsertPoint.at_start(entry)
    _replace_numbers(launch, entry, front)
    _replace_inputs(inputs, region, front)
    for block in region.blocks:
        if isinstance(block.last_op, gpu.TerminatorOp):
            end = gpu.ReturnOp([])
            end.location = block.last_op.location
            Rewriter.replace_op(block.last_op, end)
    memory.take(region, len(inputs.arguments))
    function = gpu_extra.FuncOp(
        name,
        ([value.type for value in inputs.arguments], []),
        region,
        kernel=True,
        known_block_size=_constant_sizes(launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ),
        known_grid_size=_constant_sizes(launch.gridSizeX, launch.gridSizeY, launch.gridSizeZ),
    )
    function.attributes |= memory.attributes
    function.location = launch.location
    return function


def _replace_numbers(launch: gpu.LaunchOp, entry: Block, front: InsertPoint) -> None:
    """Operations instead of the twelve numbers that the body of a launch has as arguments."""
    kinds = (gpu.BlockIdOp, gpu.ThreadIdOp, gpu.GridDimOp, gpu.BlockDimOp)
    sizes = (
        *(launch.gridSizeX, launch.gridSizeY, launch.gridSizeZ),
        *(launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ),
    )
    numbers = entry.args[:12]
    for position, number in enumerate(numbers):
        axis = gpu.DimensionAttr(gpu.DimensionEnum(AXES[position % 3]))
        size = const_evaluate_operand(sizes[position - 6]) if position >= 6 else None
        op: Operation
        if size is None:
            op = kinds[position // 3](axis)
        else:
            op = arith.ConstantOp.from_int_and_width(size, IndexType())
        if number.uses:
            _insert(op, front, launch)
            op.results[0].name_hint = number.name_hint
            number.replace_all_uses_with(op.results[0])
    for number in numbers:
        entry.erase_arg(number)


def _replace_inputs(inputs: _Inputs, region: Region, front: InsertPoint) -> None:
    """Arguments and copies instead of the values from outside."""
    entry = region.blocks[0]
    hints = {value.name_hint for value in inputs.arguments}
    values: dict[SSAValue, SSAValue] = {}
    for position, value in enumerate(inputs.arguments):
        values[value] = entry.insert_arg(value.type, position)
        values[value].name_hint = _hint_in_kernel(value, hints)
    for op in inputs.copied:
        copy = op.clone(values)
        Rewriter.insert_op(copy, front)
        values |= zip(op.results, copy.results, strict=True)
    for op in region.walk():
        if any(operand in values for operand in op.operands):
            op.operands = [values.get(operand, operand) for operand in op.operands]


def _hint_in_kernel(value: SSAValue, others: set[str | None]) -> str | None:
    """The name of an input: on the device, `A_dev` is the only array A."""
    name = value.name_hint
    short = None if name is None else name.removesuffix("_dev")
    is_copy = isinstance(value.owner, gpu.AllocOp) and short not in others
    return short or name if is_copy else name


def _insert(op: Operation, place: InsertPoint, origin: Operation) -> None:
    op.location = origin.location
    Rewriter.insert_op(op, place)


def _constant_sizes(*values: SSAValue) -> tuple[int, ...] | None:
    """The sizes, if all of them are known."""
    sizes = tuple(size for size in map(const_evaluate_operand, values) if size is not None)
    return sizes if len(sizes) == len(values) else None


class _Memory:
    """The memory of the blocks and the threads of a kernel: its last arguments."""

    def __init__(self, launch: gpu.LaunchOp) -> None:
        self._dictionaries: dict[AddressSpace, list[Attribute]] = {}
        groups = memory_arguments(launch)
        for space, arguments in zip(_SPACES, groups, strict=True):
            known = launch.attributes.get(f"{space.value}_attrib_attrs")
            self._dictionaries[space] = (
                list(known)
                if isinstance(known, ArrayAttr)
                else [DictionaryAttr({})] * len(arguments)
            )

    def take(self, region: Region, inputs: int) -> None:
        """Make arguments of the arrays that the body allocates in one of the spaces.

        The first `inputs` arguments are not memory.
        """
        for op in tuple(region.walk()):
            space = space_of(op.memref.type) if isinstance(op, memref.AllocaOp) else None
            if not isinstance(op, memref.AllocaOp) or space not in self._dictionaries:
                continue
            _require_fixed(op)
            own = self._dictionaries[space]
            last = space is AddressSpace.Private
            others = len(self._dictionaries[AddressSpace.Workgroup]) if last else 0
            argument = region.blocks[0].insert_arg(op.memref.type, inputs + others + len(own))
            argument.name_hint = op.memref.name_hint
            aligned = {} if op.alignment is None else {"llvm.align": op.alignment}
            own.append(DictionaryAttr(aligned))
            op.memref.replace_all_uses_with(argument)
            Rewriter.erase_op(op)

    @property
    def attributes(self) -> dict[str, Attribute]:
        """What the function says about its memory."""
        found: dict[str, Attribute] = {}
        if count := len(self._dictionaries[AddressSpace.Workgroup]):
            found[gpu_extra.WORKGROUP_COUNT] = IntegerAttr(count, i64)
        for space, own in self._dictionaries.items():
            if any(isinstance(each, DictionaryAttr) and each.data for each in own):
                found[f"{space.value}_attrib_attrs"] = ArrayAttr(own)
        return found


_SPACES = (AddressSpace.Workgroup, AddressSpace.Private)


def _require_fixed(op: memref.AllocaOp) -> None:
    """Raise `PolyirError` unless the memory can be there during the whole kernel."""
    shown = f"%{op.memref.name_hint or 'memory'}"
    if op.dynamic_sizes or op.symbol_operands:
        raise PolyirError(
            f"the memory {shown} of a kernel must have constant extents, not {op.memref.type}",
            location_of(op),
            name="kernel-form",
        )
    for use in op.memref.uses:
        if use.operation.has_trait(IsTerminator):
            raise PolyirError(
                f"a loop or a branch of a kernel must not pass on its memory {shown}",
                location_of(use.operation),
                name="kernel-form",
            )


# ----------------------------------------------------------------------------- the host's side


def _replace_launch(
    launch: gpu.LaunchOp, module: str, kernel: gpu.FuncOp, arguments: Sequence[SSAValue]
) -> None:
    dynamic = launch.dynamicSharedMemorySize
    call = gpu_extra.LaunchFuncOp(
        SymbolRefAttr(module, [kernel.sym_name.data]),
        [launch.gridSizeX, launch.gridSizeY, launch.gridSizeZ],
        [launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ],
        kernelOperands=arguments,
        async_launch=launch.asyncToken is not None,
        asyncDependencies=launch.asyncDependencies,
        dynamicSharedMemorySize=dynamic,
    )
    call.attributes |= {
        name: value for name, value in launch.attributes.items() if name not in _OF_MEMORY
    }
    call.location = launch.location
    Rewriter.replace_op(launch, call)


_OF_MEMORY = (gpu_extra.WORKGROUP_COUNT, *(f"{space.value}_attrib_attrs" for space in _SPACES))
"""The attributes of a launch that are about memory of its body."""


def _add_symbols(kernels: Block, module: ModuleOp) -> None:
    """Copy the functions and the constants that kernels use to their module."""
    added = list(kernels.ops)
    known = {_symbol_name(op) for op in added}
    outside = {_symbol_name(op): op for op in module.body.block.ops}
    for op in added:
        for user, name in _references(op):
            definition = outside.get(name)
            if name in known or definition is None:
                continue
            if isinstance(definition, memref.GlobalOp) and definition.constant is None:
                raise PolyirError(
                    f"a kernel must not use the global '@{name}', which is in the host's memory",
                    location_of(user),
                    name="kernel-form",
                )
            copy = definition.clone()
            kernels.add_op(copy)
            added.append(copy)
            known.add(name)


def _references(op: Operation) -> Iterator[tuple[Operation, str]]:
    """The operations inside `op` that name something, and the names."""
    for inner in op.walk():
        for value in (*inner.properties.values(), *inner.attributes.values()):
            if isinstance(value, SymbolRefAttr):
                yield inner, value.root_reference.data
