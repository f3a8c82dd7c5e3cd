"""The memory of a device: are its buffers as large as the arrays they stand for, and up to date?

The code of the host is followed operation by operation. For each buffer of `gpu.alloc` and the
array that is copied to it or from it, it is known which of the two may have newer contents:

    gpu.memcpy %A_dev, %A               both have the same
    a kernel that stores in %A_dev      those of %A are out of date
    gpu.memcpy %A, %A_dev               both have the same
    affine.store %0, %A[0]              those of %A_dev are out of date

Which elements a kernel writes is not known here: a buffer that a kernel has stored in counts as one
with contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects import affine, gpu, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from polyir.model.memory_accesses import accesses_of
from polyir.model.raising.context import measured, shape_of
from polyir.model.raising.effects import ALLOCATIONS, LOADS, STORES, base_of, inputs_of
from polyir.proofs.first_reads import Chain, chain_of, may_be_executed_later

_Array = SSAValue | str
"""An array of the host: an allocation, an argument, or the name of a global."""

_Launch = gpu.LaunchOp | gpu.LaunchFuncOp


class MemoryFault(NamedTuple):
    """What is wrong with the memory of a device, and the operation where it shows."""

    operation: Operation
    message: str


def device_memory_faults(function: FuncOp) -> tuple[MemoryFault, ...]:
    """The faults of a function that launches kernels, in the order of its text.

    They are buffers that have other extents than the array that is copied, kernels that read what
    nobody has written or copied, or what is out of date, and arrays that are out of date when the
    host reads them or the function returns.
    """
    if function.body.first_block is None:
        return ()
    walk = _Walk(function)
    walk.run(function.body, _State(filled=set(function.args)))
    order = {op: number for number, op in enumerate(function.walk())}
    return tuple(sorted(dict.fromkeys(walk.faults), key=lambda fault: order[fault.operation]))


# ------------------------------------------------------------------------------------ the contents


@dataclass
class _State:
    """What is known of all contents at a place of the host code.

    `empty` are the buffers that surely have none. `newer` are the arrays whose newest contents may
    be on the device, with a launch that wrote them; `outdated` the buffers whose array may have
    newer ones. `filled` are the arrays that may have contents on the host.
    """

    empty: set[SSAValue] = field(default_factory=set)
    newer: dict[_Array, Operation] = field(default_factory=dict)
    outdated: set[SSAValue] = field(default_factory=set)
    filled: set[_Array] = field(default_factory=set)

    def copy(self) -> _State:
        return _State(set(self.empty), dict(self.newer), set(self.outdated), set(self.filled))

    def joined(self, other: _State) -> _State:
        """What is known where two ways meet."""
        return _State(
            self.empty & other.empty,
            {**other.newer, **self.newer},
            self.outdated | other.outdated,
            self.filled | other.filled,
        )


class _Walk:
    """Follows the code of a function, and notes its faults."""

    def __init__(self, function: FuncOp) -> None:
        self.faults: list[MemoryFault] = []
        self._arrays = _arrays_of_buffers(function)
        self._writers = _writers_of_buffers(function)
        self._visible = set(function.args) | {
            _array(operand)
            for op in function.walk()
            if isinstance(op, ReturnOp)
            for operand in op.operands
        }

    def run(self, region: Region, state: _State) -> _State:
        """Follow a region; the state at its end."""
        for block in region.blocks:
            for op in block.ops:
                state = self._run_operation(op, state)
        return state

    def _run_operation(self, op: Operation, state: _State) -> _State:
        match op:
            case gpu.LaunchOp() | gpu.LaunchFuncOp():
                self._launch(op, state)
            case gpu.AllocOp():
                state.empty.add(op.result)
                state.outdated.discard(op.result)
            case gpu.MemcpyOp():
                self._copy(op, state)
            case ReturnOp():
                self._return(op, state)
            case _ if op.regions:
                return self._run_regions(op, state)
            case _:
                self._access(op, state)
        return state

    def _run_regions(self, op: Operation, state: _State) -> _State:
        if isinstance(op, affine.IfOp | scf.IfOp | scf.IndexSwitchOp):
            first, *others = [self.run(region, state.copy()) for region in op.regions]
            for other in others:
                first = first.joined(other)
            return first
        # Loops run any number of times: what one iteration leaves, the next one finds.
        for _ in range(2):
            after = state.copy()
            for region in op.regions:
                after = self.run(region, after)
            state = state.joined(after)
        return state

    # What operations do

    def _launch(self, op: _Launch, state: _State) -> None:
        uses = tuple(_uses_of_buffers(op))
        for use in uses:
            if use.writes:
                state.outdated.update(self._shared_with(use.buffer))
        for use in uses:
            name, arrays = _name(use.buffer), self._arrays.get(use.buffer, ())
            if use.memory_of_host:
                self._fault(op, f"the kernel accesses {name}, which is memory of the host")
            elif use.buffer in state.empty and self._reads_first(op, use, state):
                self._fault(
                    op,
                    f"the kernel reads {name}, but nothing is copied or written there before: a "
                    "gpu.memcpy is missing",
                )
            elif use.reads and use.buffer in state.outdated:
                newer = ", ".join(map(_name, arrays))
                self._fault(op, f"the kernel reads {name}, but {newer} has newer contents")
            if use.writes:
                state.empty.discard(use.buffer)
                state.newer.update((array, op) for array in arrays)

    def _reads_first(self, launch: _Launch, use: _Use, state: _State) -> bool:
        """Whether a kernel surely reads a buffer that is empty here before something writes to it.

        In a loop, it may not do so before an iteration in which the buffer is not empty any more.
        Where the host has no contents to copy, the program itself writes on the device before it
        reads: what looks like a read before that is code that is never executed.
        """
        writers = self._writers.get(use.buffer, ())
        arrays = self._arrays.get(use.buffer, ())
        if not any(isinstance(array, str) or array in state.filled for array in arrays):
            return bool(use.first_loads) and not writers
        return any(
            not any(may_be_executed_later(chain_of(load, launch), store) for store in writers)
            for load in use.first_loads
        )

    def _shared_with(self, buffer: SSAValue) -> Iterator[SSAValue]:
        """Other buffers for the same memory of the host."""
        own = self._arrays.get(buffer, ())
        for other, arrays in self._arrays.items():
            if other is not buffer and any(array in own for array in arrays):
                yield other

    def _copy(self, op: gpu.MemcpyOp, state: _State) -> None:
        for fault in _different_extents(op):
            self._fault(op, fault)
        source, target = _buffer(op.src), _buffer(op.dst)
        if source is not None and source in state.empty:
            array = _array(op.dst)
            is_lost = isinstance(array, str) or array in state.filled
            if target is None and not is_lost:
                # A temporary that has no contents either.
                return
            self._fault(op, f"{_name(source)} is copied, but has no contents")
        if target is not None and source is None:
            array = _array(op.src)
            if array in state.newer:
                self._fault(op, f"{_name(array)} is copied, but has newer contents on the device")
            state.empty.discard(target)
            state.outdated.discard(target)
        elif source is not None and target is None:
            state.newer.pop(_array(op.dst), None)
            state.outdated.discard(source)
            state.filled.add(_array(op.dst))
        elif target is not None:
            state.empty.discard(target)

    def _access(self, op: Operation, state: _State) -> None:
        """An operation of the host that may access memory."""
        if isinstance(op, memref.DimOp | memref.DeallocOp | gpu.DeallocOp):
            return
        if isinstance(op, ALLOCATIONS):
            # Another array than in the iteration before.
            state.newer.pop(op.memref, None)
            state.filled.discard(op.memref)
            return
        if any(isinstance(result.type, MemRefType) for result in op.results):
            return
        for array in _arrays_in(op.operands):
            is_written = isinstance(op, STORES) or (
                not isinstance(op, LOADS) and not _is_source(op, array)
            )
            if not isinstance(op, STORES) and array in state.newer:
                self._fault(op, f"{_name(array)} has newer contents on the device")
            if is_written:
                state.filled.add(array)
                state.outdated.update(
                    buffer for buffer, arrays in self._arrays.items() if array in arrays
                )

    def _return(self, op: Operation, state: _State) -> None:
        for array, launch in state.newer.items():
            if isinstance(array, str) or array in self._visible:
                self._fault(
                    launch,
                    f"the kernel writes the contents of {_name(array)} on the device, but they are "
                    "not copied back: a gpu.memcpy is missing",
                )

    def _fault(self, op: Operation, message: str) -> None:
        self.faults.append(MemoryFault(op, message))


# ---------------------------------------------------------------------------- arrays and buffers


def _buffer(value: SSAValue) -> SSAValue | None:
    """The result of `gpu.alloc` that a value is, or views."""
    base = base_of(value)
    is_buffer = isinstance(base, SSAValue) and isinstance(base.owner, gpu.AllocOp)
    return base if is_buffer and isinstance(base, SSAValue) else None


def _array(value: SSAValue) -> _Array:
    """The array of the host that a value is, or views."""
    base = base_of(value)
    return value if base is None else base


def _arrays_in(values: Iterable[SSAValue]) -> dict[_Array, None]:
    return {
        _array(value): None
        for value in values
        if isinstance(value.type, MemRefType) and _buffer(value) is None
    }


def _is_source(op: Operation, array: _Array) -> bool:
    """Whether an operation only copies from an array."""
    return isinstance(op, memref.CopyOp) and _array(op.destination) != array


def _arrays_of_buffers(function: FuncOp) -> dict[SSAValue, tuple[_Array, ...]]:
    """The arrays that each buffer stands for: it is copied from or to them, or has their sizes."""
    copied: dict[SSAValue, dict[_Array, None]] = {}
    measured_by: dict[SSAValue, dict[_Array, None]] = {}
    for op in function.walk():
        if isinstance(op, gpu.MemcpyOp):
            for buffer, other in ((_buffer(op.src), op.dst), (_buffer(op.dst), op.src)):
                if buffer is not None and _buffer(other) is None:
                    copied.setdefault(buffer, {})[_array(other)] = None
        elif isinstance(op, gpu.AllocOp):
            places = filter(None, map(measured, op.dynamicSizes))
            measured_by[op.result] = {_array(source): None for source, _ in places}
    sized = {buffer: found for buffer, found in measured_by.items() if len(found) == 1}
    return {buffer: tuple(found) for buffer, found in {**sized, **copied}.items()}


def _writers_of_buffers(function: FuncOp) -> dict[SSAValue, list[Chain]]:
    """The operations that give each buffer contents."""
    found: dict[SSAValue, list[Chain]] = {}
    for op in function.walk():
        if isinstance(op, gpu.LaunchOp | gpu.LaunchFuncOp):
            for use in _uses_of_buffers(op):
                stores = [chain_of(store, op) for store in use.stores]
                if use.writes and not stores:
                    stores.append(chain_of(op, op))
                found.setdefault(use.buffer, []).extend(stores)
        elif isinstance(op, gpu.MemcpyOp):
            target = _buffer(op.dst)
            if target is not None:
                found.setdefault(target, []).append(chain_of(op, op))
    return found


def _different_extents(op: gpu.MemcpyOp) -> Iterator[str]:
    """The dimensions in which the two sides of a copy cannot be shown to have the same extent."""
    target, source = shape_of(op.dst), shape_of(op.src)
    names = f"{_name(_array(op.dst))} and {_name(_array(op.src))}"
    if len(target) != len(source):
        yield f"{names} have different numbers of dimensions"
        return
    for dimension in range(len(target)):
        left, right = _extent(op.dst, dimension), _extent(op.src, dimension)
        if left != right:
            yield (
                f"{names} must have the same extents, but dimension {dimension} has "
                f"{_extent_text(left)} and {_extent_text(right)}"
            )


_Extent = int | SSAValue | tuple[SSAValue, int]
"""An extent: a number, a value, or that of a dimension of a memref."""


def _extent(memory: SSAValue, dimension: int) -> _Extent:
    shape = shape_of(memory)
    if shape[dimension] != DYNAMIC_INDEX:
        return shape[dimension]
    if isinstance(memory.owner, gpu.AllocOp | ALLOCATIONS[0] | ALLOCATIONS[1]):
        owner = memory.owner
        sizes = owner.dynamicSizes if isinstance(owner, gpu.AllocOp) else owner.dynamic_sizes
        return _number(sizes[shape[:dimension].count(DYNAMIC_INDEX)])
    return memory, dimension


def _number(size: SSAValue) -> _Extent:
    place = measured(size)
    if place is not None:
        return _extent(*place)
    number = const_evaluate_operand(size)
    return size if number is None else number


def _extent_text(extent: _Extent) -> str:
    match extent:
        case int():
            return str(extent)
        case (memory, dimension):
            return f"that of dimension {dimension} of {_name(memory)}"
        case _:
            return _name(extent)


def _name(value: _Array) -> str:
    if isinstance(value, str):
        return f"@{value}"
    return f"%{value.name_hint}" if value.name_hint else "an array without a name"


# ------------------------------------------------------------------------------------ the kernels


@dataclass(frozen=True)
class _Use:
    """What a kernel does with memory from outside.

    `first_loads` are in front of all stores in the text of the kernel, `stores` all that is known.
    """

    buffer: SSAValue
    reads: bool
    writes: bool
    memory_of_host: bool
    first_loads: tuple[Operation, ...] = ()
    stores: tuple[Operation, ...] = ()


def _uses_of_buffers(launch: _Launch) -> Iterator[_Use]:
    """The uses of buffers of the device, and of arrays that only the host has."""
    if isinstance(launch, gpu.LaunchOp):
        memory = dict.fromkeys(v for v in inputs_of(launch) if isinstance(v.type, MemRefType))
        for value in memory:
            yield from _use(value, value, launch.body)
        return
    kernel = _kernel_of(launch)
    for position, value in enumerate(launch.kernelOperands):
        if isinstance(value.type, MemRefType):
            if kernel is None or not kernel.body.blocks:
                yield from _use(value, None, None)
            else:
                yield from _use(value, kernel.body.blocks[0].args[position], kernel.body)


def _use(value: SSAValue, inside: SSAValue | None, body: Region | None) -> Iterator[_Use]:
    """The use of memory that is known as `inside` in the body of a kernel, if that is known."""
    buffer, base = _buffer(value), base_of(value)
    is_of_host = isinstance(base, str) or (
        isinstance(base, SSAValue) and isinstance(base.owner, ALLOCATIONS)
    )
    if buffer is None and not is_of_host:
        # An argument of the function may be memory of the device.
        return
    memory = value if buffer is None else buffer
    if inside is None or body is None:
        yield _Use(memory, True, True, is_of_host)
        return
    reads = False
    first_loads: list[Operation] = []
    stores: list[Operation] = []
    aliases = {inside}
    for op in body.walk():
        if not any(operand in aliases for operand in op.operands) or isinstance(op, memref.DimOp):
            continue
        if any(isinstance(result.type, MemRefType) for result in op.results):
            aliases.update(op.results)
            continue
        accesses = [access.is_write for access in accesses_of(op) if access.memref in aliases]
        if not accesses or False in accesses:
            reads = True
            first_loads += [] if stores else [op]
        if not accesses or True in accesses:
            stores.append(op)
    is_accessed = bool(reads or stores)
    yield _Use(
        memory,
        reads,
        bool(stores),
        is_of_host and is_accessed,
        tuple(first_loads),
        tuple(stores),
    )


def _kernel_of(launch: gpu.LaunchFuncOp) -> gpu.FuncOp | None:
    """The function that a launch names, if it is in the same module."""
    names = [launch.kernel.root_reference.data]
    names += [name.data for name in launch.kernel.nested_references]
    scope: Operation | None = launch
    while scope is not None:
        found = _symbol(scope, names)
        if isinstance(found, gpu.FuncOp):
            return found
        scope = scope.parent_op()
    return None


def _symbol(scope: Operation, names: list[str]) -> Operation | None:
    """The operation with a nested name, from the symbols directly in `scope`."""
    for name in names:
        inside = (op for region in scope.regions for block in region.blocks for op in block.ops)
        found = next((op for op in inside if _symbol_name(op) == name), None)
        if found is None:
            return None
        scope = found
    return scope


def _symbol_name(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    data = getattr(name, "data", None)
    return data if isinstance(data, str) else None
