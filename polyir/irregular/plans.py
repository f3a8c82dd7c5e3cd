"""How a program calls the inspector of a kernel once, and its executor many times.

A kernel that passes have split calls its inspectors, and then its executor, with arrays that it
makes in between (`polyir/irregular/inspection.py`). A plan says the same for somebody else who
calls them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from polyir.base.diagnostics import location_of
from polyir.irregular.guards import Guards, guards_of
from polyir.model.raising.context import measured, shape_of
from polyir.model.raising.effects import (
    ALLOCATIONS,
    LOADS,
    AllocationOp,
    inputs_of,
    is_pure,
    may_overlap,
)
from polyir.sets.names import unique_name

INSPECTED_INSIDE: Final = "polyir.inspected_inside"
"""The attribute of a function with an inspector that does not run first: why not."""

EXECUTOR: Final = "polyir.executor"
"""The attribute of what is left of a kernel whose inspectors run before it."""


@dataclass(frozen=True)
class PlannedCall:
    """A call. Operands are numbered: first the arguments of the kernel, then its outputs."""

    symbol: str
    operands: tuple[int, ...]


@dataclass(frozen=True)
class InspectionPlan:
    """What a kernel does before its executor runs.

    `outputs` are the shapes of the arrays that inspectors fill; an extent below 0 is the result
    `-1 - extent` of the function `sizes`. `index_arrays` are the arguments of the kernel that the
    inspectors read, and `needed` those of which they need the value, or at least the shape. Of
    numbers among them, some only decide by `guards` whether there is anything to inspect.
    """

    sizes: PlannedCall
    outputs: tuple[tuple[int, ...], ...]
    inspectors: tuple[PlannedCall, ...]
    executor: PlannedCall
    index_arrays: frozenset[int]
    needed: frozenset[int]
    guards: Guards


Plans = Mapping[str, InspectionPlan | str]
"""The plans of kernels by name, or why there is none."""


def add_plans(module: ModuleOp) -> Plans:
    """The plans of the kernels of `module`, with functions for them that are added to it."""
    plans: dict[str, InspectionPlan | str] = {}
    functions = functions_in(module.body.block)
    for name, op in functions.items():
        if len(op.body.blocks) != 1:
            continue
        reason = op.attributes.get(INSPECTED_INSIDE)
        if isinstance(reason, StringAttr):
            plans[kernel_of(op).sym_name.data] = reason.data
        elif name not in plans and _is_split(op, functions):
            plans[name] = _Planner(module, op, functions).plan()
    return plans


def functions_in(table: Block) -> dict[str, func.FuncOp]:
    """The functions of a module, which has the block `table`, by their names."""
    return {op.sym_name.data: op for op in table.ops if isinstance(op, func.FuncOp)}


def kernel_of(function: func.FuncOp) -> func.FuncOp:
    """The kernel that a function is the executor of; the function itself if it is none."""
    call = executor_call(function)
    kernel = None if call is None else call.parent_op()
    return kernel if isinstance(kernel, func.FuncOp) else function


def executor_call(function: func.FuncOp) -> func.CallOp | None:
    """The call of an executor in its kernel; `None` for other functions."""
    table = function.parent_block()
    if EXECUTOR not in function.attributes or table is None:
        return None
    calls = (
        op
        for other in table.ops
        if isinstance(other, func.FuncOp)
        for op in _calls_in(other)
        if op.callee.root_reference.data == function.sym_name.data
    )
    return next(calls, None)


def _calls_in(function: func.FuncOp) -> list[func.CallOp]:
    """The calls of a function outside loops and conditionals."""
    blocks = function.body.blocks
    return [op for block in blocks for op in block.ops if isinstance(op, func.CallOp)]


def _is_split(op: func.FuncOp, functions: Mapping[str, func.FuncOp]) -> bool:
    """Whether a function has become the calls of inspectors and an executor."""
    calls = _calls_in(op)
    last = functions.get(calls[-1].callee.root_reference.data) if calls else None
    return last is not None and EXECUTOR in last.attributes


def _is_plain(op: Operation) -> bool:
    """Whether an operation is a call, or no more than what makes arrays for it."""
    kinds = (*ALLOCATIONS, *LOADS, memref.DeallocOp, func.CallOp, func.ReturnOp)
    return isinstance(op, (*kinds, scf.IfOp, scf.YieldOp)) or is_pure(op)


class _Planner:
    """Reads the calls of a kernel."""

    def __init__(
        self, module: ModuleOp, kernel: func.FuncOp, functions: Mapping[str, func.FuncOp]
    ) -> None:
        self._module, self._kernel, self._functions = module, kernel, dict(functions)
        self._name = kernel.sym_name.data
        _replace_sizes_of_own(kernel)
        self._made = [op for op in kernel.body.block.ops if isinstance(op, ALLOCATIONS)]
        self._calls = _calls_in(kernel)
        known = (*kernel.body.block.args, *(op.memref for op in self._made))
        self._numbers = {value: number for number, value in enumerate(known)}

    def plan(self) -> InspectionPlan | str:
        """The plan, or why there is none."""
        other = next((op for op in self._kernel.body.block.walk() if not _is_plain(op)), None)
        if other is not None:
            return f"'{other.name}' runs before it: {location_of(other)}"
        *inspectors, executor = self._calls
        operands = [value for call in self._calls for value in call.operands]
        if any(value not in self._numbers for value in operands):
            return "its inspector needs what the kernel computes"
        own = tuple(op.memref for op in self._made)
        sizes = [size for op in self._made for size in op.dynamic_sizes]
        loads = (inner for op in _slice(sizes) for inner in op.walk() if isinstance(inner, LOADS))
        if any(load.memref in own for load in loads):
            return "the sizes of arrays depend on what an inspector finds"
        shapes = tuple(self._shapes())
        planned = self._sizes_call(sizes)
        arguments = len(self._kernel.body.block.args)
        calls = tuple(self._planned(call) for call in inspectors)
        read = {
            self._numbers[value]
            for call in inspectors
            for value, own_value in zip(call.operands, self._callee(call).args, strict=True)
            if is_read(own_value, self._callee(call))
        }
        used = {number for call in (planned, *calls) for number in call.operands}
        bodies = [(self._body(call.symbol), call.operands) for call in (planned, *calls)]
        return InspectionPlan(
            planned,
            shapes,
            calls,
            self._planned(executor),
            frozenset(number for number in read if number < arguments),
            frozenset(number for number in used if number < arguments),
            guards_of(bodies),
        )

    def _planned(self, call: func.CallOp) -> PlannedCall:
        operands = tuple(self._numbers[value] for value in call.operands)
        return PlannedCall(call.callee.root_reference.data, operands)

    def _callee(self, call: func.CallOp) -> Block:
        return self._body(call.callee.root_reference.data)

    def _body(self, symbol: str) -> Block:
        return self._functions[symbol].body.block

    def _shapes(self) -> Iterator[tuple[int, ...]]:
        count = 0
        for op in self._made:
            shape: list[int] = []
            assert isinstance(op.memref.type, MemRefType)
            for extent in op.memref.type.get_shape():
                dynamic = extent == DYNAMIC_INDEX
                shape.append(-1 - count if dynamic else extent)
                count += dynamic
            yield tuple(shape)

    def _sizes_call(self, sizes: Sequence[SSAValue]) -> PlannedCall:
        """Add the function that computes sizes of the kernel's arguments."""
        needed = _slice(sizes)
        arguments = self._kernel.body.block.args
        used = {value for op in needed for value in inputs_of(op)} | set(sizes)
        taken = [argument for argument in arguments if argument in used]
        block = Block(arg_types=[argument.type for argument in taken])
        values: dict[SSAValue, SSAValue] = dict(zip(taken, block.args, strict=True))
        for argument, old in zip(block.args, taken, strict=True):
            argument.name_hint = old.name_hint
        for op in needed:
            block.add_op(op.clone(values))
        block.add_op(func.ReturnOp(*(values.get(size, size) for size in sizes)))
        name = unique_name(f"{self._name}_sizes", set(self._functions))
        types = [argument.type for argument in block.args], [IndexType()] * len(sizes)
        self._functions[name] = func.FuncOp(name, types, Region(block))
        self._module.body.block.add_op(self._functions[name])
        return PlannedCall(name, tuple(self._numbers[argument] for argument in taken))


def _replace_sizes_of_own(kernel: func.FuncOp) -> None:
    """Use the sizes that arrays of a kernel are made with, instead of asking the arrays."""
    for op in tuple(kernel.body.block.walk()):
        place = measured(op.results[0]) if isinstance(op, memref.DimOp) else None
        made = None if place is None else place[0].owner
        if place is None or not isinstance(made, AllocationOp):
            continue
        shape = shape_of(place[0])
        if shape[place[1]] == DYNAMIC_INDEX:
            number = sum(size == DYNAMIC_INDEX for size in shape[: place[1]])
            Rewriter.replace_op(op, [], [made.dynamic_sizes[number]])
        else:
            size = IntegerAttr.from_index_int_value(shape[place[1]])
            Rewriter.replace_op(op, arith.ConstantOp(size))


def is_read(memory: SSAValue, block: Block) -> bool:
    """Whether something is loaded from an argument of a function, or from a view of it."""
    loads = (op for op in block.walk() if isinstance(op, LOADS))
    return any(may_overlap(load.memref, memory) for load in loads)


def _slice(values: Sequence[SSAValue]) -> list[Operation]:
    """The operations that values depend on, each after those that it needs."""
    found: dict[Operation, None] = {}

    def add(value: SSAValue) -> None:
        owner = value.owner
        if isinstance(owner, Block) or owner in found:
            return
        if isinstance(owner, AllocationOp):
            return
        for operand in inputs_of(owner):
            add(operand)
        found[owner] = None

    for value in values:
        add(value)
    return list(found)
