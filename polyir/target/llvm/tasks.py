"""Parallel loops as tasks: functions that run a part of the iterations of a loop.

A task takes a pointer to its context (the outer values that the loop uses) and a range of
iterations. The caller passes it to `polyir_parallel_for(task, context, lower, upper, step)`, which
the runtime provides. If there is only one thread (`polyir_thread_count`), or at most one iteration,
the loop runs directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, func, llvm, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.allocation_checks import ThreadCountOp
from polyir.dialects.shaped_operations import conversion
from polyir.target.abi import PARALLEL_FOR, THREAD_COUNT
from polyir.target.llvm.memory import POINTER
from polyir.target.llvm.symbols import declare_function, enclosing_module
from polyir.target.llvm.types import element_type, is_vector, with_element
from polyir.target.loop_hints import hint_attributes


def convert_parallel_to_tasks(module: ModuleOp) -> None:
    """Make each outermost `scf.parallel` of `module` a task; all others become sequential loops.

    In a loop of several dimensions, the outermost one is distributed over the threads. A parallel
    loop with a reduction runs in order, which its semantics allow. Memrefs must have been
    converted.
    """
    for op in tuple(module.body.block.ops):
        if isinstance(op, func.FuncOp):
            for region in op.regions:
                _convert_region(region, op.sym_name.data)
    for inner in tuple(module.walk()):
        if isinstance(inner, ThreadCountOp):
            builder = Builder(InsertPoint.before(inner))
            count = conversion(arith.IndexCastOp, _thread_count(inner, builder), IndexType())
            Rewriter.replace_op(inner, count)


def _convert_region(region: Region, name: str) -> None:
    for block in region.blocks:
        for op in tuple(block.ops):
            if isinstance(op, scf.ParallelOp) and not op.results:
                _sequentialise_below(op)
                _outline(op, name)
                continue
            for inner in op.regions:
                _convert_region(inner, name)
            if isinstance(op, scf.ParallelOp):
                _to_loops(op)


def _sequentialise_below(op: Operation) -> None:
    """Make all parallel loops inside `op` sequential, the innermost first."""
    inner = [found for found in op.walk() if isinstance(found, scf.ParallelOp) and found is not op]
    for loop in reversed(inner):
        _to_loops(loop)


def _to_loops(op: scf.ParallelOp) -> None:
    """Replace a parallel loop by sequential ones, which carry the partial results of reductions."""
    outer = Builder(InsertPoint.before(op))
    results = _loop_nest(op, 0, tuple(op.lowerBound), list(op.initVals), [], outer)
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)


def _loop_nest(
    op: scf.ParallelOp,
    depth: int,
    lower: Sequence[SSAValue],
    carried: Sequence[SSAValue],
    counters: list[SSAValue],
    builder: Builder,
) -> Sequence[SSAValue]:
    """Build the loops of the dimensions from `depth` on; returns the values that they carry out."""
    if depth == len(lower):
        return _inline_body(op, counters, carried, builder)
    body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
    body.args[0].name_hint = op.body.block.args[depth].name_hint
    loop = scf.ForOp(lower[depth], op.upperBound[depth], op.step[depth], carried, body)
    loop.location = op.location
    if depth + 1 == len(lower):
        loop.attributes.update(hint_attributes(op))
    builder.insert(loop)
    inside = Builder(InsertPoint.at_end(body))
    counters = [*counters, body.args[0]]
    values = _loop_nest(op, depth + 1, lower, body.args[1:], counters, inside)
    inside.insert(scf.YieldOp(*values))
    return loop.results


def _inline_body(
    op: scf.ParallelOp, counters: Sequence[SSAValue], carried: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    """Move the body of `op` to the insertion point; returns the values after one iteration."""
    block = op.body.block
    for argument, counter in zip(block.args, counters, strict=True):
        argument.replace_all_uses_with(counter)
    reduce = block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    _move_before(reduce, builder)
    values: list[SSAValue] = []
    for region, left, right in zip(reduce.reductions, carried, reduce.args, strict=True):
        combine = region.block
        for argument, value in zip(combine.args, (left, right), strict=True):
            argument.replace_all_uses_with(value)
        end = combine.last_op
        assert isinstance(end, scf.ReduceReturnOp)
        _move_before(end, builder)
        values.append(end.result)
    return values


def _move_before(end: Operation, builder: Builder) -> None:
    """Move the operations of a block, but for `end`, its last one, to the insertion point."""
    block = end.parent
    assert block is not None
    for inner in tuple(block.ops):
        if inner is not end:
            inner.detach()
            builder.insert(inner)


@dataclass(frozen=True)
class _Captured:
    """The outer values that a loop uses: values to be passed, and constants to be copied."""

    values: tuple[SSAValue, ...]
    constants: tuple[Operation, ...]


def _outline(op: scf.ParallelOp, name: str) -> None:
    """Move the loop to a function that runs a part of it, and replace it by a call."""
    module = enclosing_module(op)
    captured = _captured(op)
    number = sum(
        isinstance(other, func.FuncOp) and other.sym_name.data.startswith(f"{name}_part_")
        for other in module.body.block.ops
    )
    part_name, task_name = f"{name}_part_{number}", f"{name}_task_{number}"
    module.body.block.add_op(_part(op, part_name, captured))
    module.body.block.add_op(_task(task_name, part_name, captured))
    declare_function(op, PARALLEL_FOR, [POINTER, POINTER, i64, i64, i64])
    _call_parts(op, part_name, task_name, captured)
    Rewriter.erase_op(op)


def _captured(op: scf.ParallelOp) -> _Captured:
    inside = [block for inner in op.walk() for region in inner.regions for block in region.blocks]
    blocks = dict.fromkeys(inside)
    used: dict[SSAValue, None] = {}
    for inner in op.walk():
        for operand in inner.operands:
            used[operand] = None
    # The lower and the upper bound of the shared dimension are those of the part.
    values: list[SSAValue] = []
    constants: dict[Operation, None] = {}
    for value in used:
        if value.owner in blocks or _block_of(value) in blocks:
            continue
        owner = value.owner
        if isinstance(owner, arith.ConstantOp | llvm.AddressOfOp | llvm.ConstantOp):
            constants[owner] = None
        else:
            values.append(value)
    return _Captured(tuple(values), tuple(constants))


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner.parent_block() if isinstance(owner, Operation) else owner


def _part(op: scf.ParallelOp, name: str, captured: _Captured) -> func.FuncOp:
    """The function that runs the iterations from its first up to its second argument.

    The body of `op` moves into it.
    """
    types = [IndexType(), IndexType(), *(value.type for value in captured.values)]
    entry = Block(arg_types=types)
    entry.args[0].name_hint, entry.args[1].name_hint = "first", "last"
    builder = Builder(InsertPoint.at_end(entry))
    outside: dict[SSAValue, SSAValue] = {}
    for value, argument in zip(captured.values, entry.args[2:], strict=True):
        outside[value] = argument
        argument.name_hint = value.name_hint
    for constant in captured.constants:
        copy = builder.insert(constant.clone())
        outside[constant.results[0]] = copy.results[0]
    bounds = _renamed((*op.lowerBound, *op.upperBound, *op.step), outside)
    count = len(op.lowerBound)
    body = Region()
    op.body.move_blocks(body)
    op.body.add_block(Block([scf.ReduceOp()], arg_types=[IndexType()] * count))
    loop = scf.ParallelOp(
        [entry.args[0], *bounds[1:count]],
        [entry.args[1], *bounds[count + 1 : 2 * count]],
        bounds[2 * count :],
        body,
    )
    loop.location = op.location
    loop.attributes.update(hint_attributes(op))
    builder.insert(loop)
    for inner in body.walk():
        inner.operands = _renamed(inner.operands, outside)
    builder.insert(func.ReturnOp())
    _to_loops(loop)
    _hoist_allocations(entry)
    attributes = [DictionaryAttr({})] * 2
    attributes += [_argument_attributes(value) for value in captured.values]
    return func.FuncOp(
        name,
        FunctionType.from_lists(types, []),
        Region(entry),
        StringAttr("private"),
        arg_attrs=ArrayAttr(attributes),
    )


_ALLOCATING: Final = ("malloc", "aligned_alloc")
_IN_SIZES: Final = (arith.ConstantOp, arith.AddiOp, arith.AndIOp, arith.MuliOp, arith.IndexCastOp)


def _hoist_allocations(block: Block) -> None:
    """Move what each iteration of the loops in a part allocates and frees out of these loops.

    Iterations of a part run one after the other, so they can use the same memory.
    """
    for loop in tuple(block.ops):
        if isinstance(loop, scf.ForOp):
            inside = loop.body.block
            _hoist_allocations(inside)
            for op in tuple(inside.ops):
                frees = [use.operation for result in op.results for use in result.uses]
                frees = [free for free in frees if _calls(free, "free") and free.parent is inside]
                if _calls(op, *_ALLOCATING) and len(frees) == 1:
                    _hoist_allocation(op, frees[0], loop)


def _calls(op: Operation, *names: str) -> bool:
    callee = op.callee if isinstance(op, llvm.CallOp) else None
    return callee is not None and callee.string_value() in names


def _hoist_allocation(allocation: Operation, free: Operation, loop: scf.ForOp) -> None:
    """Move an allocation and the computation of its size before a loop, if it is always the same.

    What frees it comes after the loop.
    """
    inside, outside = loop.body.block, loop.parent
    assert outside is not None
    moved: dict[Operation, None] = {}
    work = [allocation]
    while work:
        op = work.pop()
        if op is not allocation and not isinstance(op, _IN_SIZES):
            return
        moved[op] = None
        for operand in op.operands:
            if operand.owner is inside:
                return
            if isinstance(operand.owner, Operation) and operand.owner.parent is inside:
                work.append(operand.owner)
    for op in [op for op in inside.ops if op in moved]:
        op.detach()
        outside.insert_op_before(op, loop)
    free.detach()
    outside.insert_op_after(free, loop)


def _renamed(values: Iterable[SSAValue], names: dict[SSAValue, SSAValue]) -> list[SSAValue]:
    return [names.get(value, value) for value in values]


def _argument_attributes(value: SSAValue) -> DictionaryAttr:
    """`noalias` for a pointer that has no alias outside the task either."""
    if value.type == POINTER and _is_own_array(value):
        return DictionaryAttr({"llvm.noalias": UnitAttr()})
    return DictionaryAttr({})


def _is_own_array(pointer: SSAValue) -> bool:
    """Whether nothing else points to the array: a `noalias` argument, or an allocation."""
    if not isinstance(pointer, BlockArgument):
        return isinstance(pointer.owner, llvm.AllocaOp | llvm.CallOp)
    function = pointer.block.parent_op()
    if not isinstance(function, func.FuncOp) or function.arg_attrs is None:
        return False
    if pointer.block is not function.body.blocks[0]:
        return False
    return "llvm.noalias" in function.arg_attrs.data[pointer.index].data


def _field_type(type: Attribute) -> Attribute:
    return with_element(type, i64) if isinstance(element_type(type), IndexType) else type


_CONTEXT_ALIGNMENT: Final = 8
"""In bytes: that of the struct, and so of the vectors in it."""


def _context_type(captured: _Captured) -> llvm.LLVMStructType:
    return llvm.LLVMStructType.from_type_list(
        [_field_type(value.type) for value in captured.values]
    )


def _field(
    context: SSAValue, position: int, type: llvm.LLVMStructType, builder: Builder
) -> SSAValue:
    """The address of a field. The cast does nothing but make llvmlite forget the pointee's type."""
    field = builder.insert(llvm.GEPOp(context, [0, position], type, inbounds=True)).result
    return builder.insert(llvm.BitcastOp(field, POINTER)).result


def _task(name: str, part_name: str, captured: _Captured) -> func.FuncOp:
    """The function that reads the context and runs a part."""
    entry = Block(arg_types=[POINTER, IndexType(), IndexType()])
    for argument, hint in zip(entry.args, ("context", "first", "last"), strict=True):
        argument.name_hint = hint
    builder = Builder(InsertPoint.at_end(entry))
    context = _context_type(captured)
    arguments: list[SSAValue] = list(entry.args[1:])
    for position, value in enumerate(captured.values):
        field = _field(entry.args[0], position, context, builder)
        type = _field_type(value.type)
        load = llvm.LoadOp(field, type, _CONTEXT_ALIGNMENT if is_vector(type) else None)
        loaded: SSAValue = builder.insert(load).dereferenced_value
        if type != value.type:
            loaded = builder.insert(conversion(arith.IndexCastOp, loaded, value.type)).results[0]
        loaded.name_hint = value.name_hint
        arguments.append(loaded)
    builder.insert(func.CallOp(part_name, arguments, []))
    builder.insert(func.ReturnOp())
    type = FunctionType.from_lists([POINTER, IndexType(), IndexType()], [])
    return func.FuncOp(name, type, Region(entry), StringAttr("private"))


def _call_parts(op: scf.ParallelOp, part_name: str, task_name: str, captured: _Captured) -> None:
    """Replace `op`: distribute the range over the threads if it has at least two iterations."""
    builder = Builder(InsertPoint.before(op))
    lower, upper, step = op.lowerBound[0], op.upperBound[0], op.step[0]
    second = builder.insert(arith.AddiOp(lower, step)).result
    has_two = builder.insert(arith.CmpiOp(second, upper, "slt")).result
    is_shared = builder.insert(arith.AndIOp(has_two, _has_threads(op, builder))).result
    shared, alone = Block(), Block()
    builder.insert(scf.IfOp(is_shared, [], Region(shared), Region(alone)))
    inside = Builder(InsertPoint.at_end(shared))
    context = _store_context(captured, inside)
    task = inside.insert(llvm.AddressOfOp(task_name, POINTER)).result
    numbers = [
        inside.insert(arith.IndexCastOp(value, i64)).result for value in (lower, upper, step)
    ]
    inside.insert(llvm.CallOp(PARALLEL_FOR, task, context, *numbers))
    inside.insert(scf.YieldOp())
    inside = Builder(InsertPoint.at_end(alone))
    inside.insert(func.CallOp(part_name, [lower, upper, *captured.values], []))
    inside.insert(scf.YieldOp())


def _has_threads(op: Operation, builder: Builder) -> SSAValue:
    """A value that says whether the runtime has more than one thread."""
    count = _thread_count(op, builder)
    one = builder.insert(arith.ConstantOp(IntegerAttr(1, i64))).result
    return builder.insert(arith.CmpiOp(count, one, "sgt")).result


def _thread_count(op: Operation, builder: Builder) -> SSAValue:
    """How many threads the runtime has, as an `i64`."""
    block = enclosing_module(op).body.block
    if not any(
        isinstance(other, llvm.GlobalOp) and other.sym_name.data == THREAD_COUNT
        for other in block.ops
    ):
        variable = llvm.GlobalOp(i64, THREAD_COUNT, "external", alignment=8)
        Rewriter.insert_op(variable, InsertPoint.at_start(block))
    address = builder.insert(llvm.AddressOfOp(THREAD_COUNT, POINTER)).result
    return builder.insert(llvm.LoadOp(address, i64)).dereferenced_value


def _store_context(captured: _Captured, builder: Builder) -> SSAValue:
    """Write the captured values to a struct on the stack."""
    type = _context_type(captured)
    one = builder.insert(arith.ConstantOp(IntegerAttr(1, i64))).result
    context = builder.insert(llvm.AllocaOp(one, type, _CONTEXT_ALIGNMENT)).res
    for position, value in enumerate(captured.values):
        kept = _field_type(value.type)
        if kept != value.type:
            value = builder.insert(conversion(arith.IndexCastOp, value, kept)).results[0]
        field = _field(context, position, type, builder)
        alignment = _CONTEXT_ALIGNMENT if is_vector(kept) else None
        builder.insert(llvm.StoreOp(value, field, alignment))
    return context
