"""What `data=distributed` makes of a function: ranks pass parts of arrays, and can ask for which.

The function `NAME_part` takes the numbers that NAME takes, the number of a rank and that of all
ranks. It writes for each dimension of each array of NAME, in order, the first subscript of the
rank's part, and how many there are.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FlatSymbolRefAttr, IndexType, MemRefType, ModuleOp
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.walks import operations_in
from polyir.dialects.scop import PART
from polyir.distributed.blocks import Blocks, RankArguments
from polyir.distributed.functions import dynamic
from polyir.loops.code import Code
from polyir.model.scop import Scop
from polyir.sets.names import unique_name


def add_part_function(
    module: ModuleOp, kernel: func.FuncOp, scop: Scop, blocks: Blocks
) -> func.FuncOp:
    """Add the function that says which part of each array a rank passes, before the kernel."""
    arguments = kernel.body.block.args
    numbers = [each for each in arguments if not isinstance(each.type, MemRefType)]
    arrays = {value: name for name, value in scop.arrays.items()}
    ranks = [len(t.get_shape()) for each in arguments if isinstance(t := each.type, MemRefType)]
    boxes = MemRefType(IndexType(), [sum(ranks), 2])
    types: list[Attribute] = [*(each.type for each in numbers), IndexType(), IndexType(), boxes]
    block = Block(arg_types=types)
    hints = [*(each.name_hint for each in numbers), "rank", "ranks", "part"]
    for argument, hint in zip(block.args, hints, strict=True):
        argument.name_hint = hint
    taken = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}
    name = unique_name(f"{kernel.sym_name.data}_part", taken)
    function = func.FuncOp(name, (types, []), Region(block))
    Rewriter.insert_op(function, InsertPoint.before(kernel))
    kernel.attributes[PART] = FlatSymbolRefAttr(name)

    code = Code(InsertPoint.at_end(block))
    *own, rank, count, part = block.args
    copied = _copied(code, scop, dict(zip(numbers, own, strict=True)))
    values = {name: copied[value] for name, value in scop.op.parameter_values.items()}
    place = blocks.table(code, values, rank, count)
    row = 0
    for argument in arguments:
        if not isinstance(argument.type, MemRefType):
            continue
        dimensions = len(argument.type.get_shape())
        box = [(code.constant(0), code.constant(0))] * dimensions
        if argument in arrays:
            box = blocks.box(code, place, rank, arrays[argument])
        for begin, end in box:
            code.store(begin, part, row, 0)
            code.store(code.difference(end, begin), part, row, 1)
            row += 1
    code.free(place.table)
    code.add(func.ReturnOp())
    return function


def _copied(code: Code, scop: Scop, values: dict[SSAValue, SSAValue]) -> dict[SSAValue, SSAValue]:
    """Copy what computes the parameters of a scop from `values`."""
    needed: set[SSAValue] = set()
    before: list[Operation] = []
    pending = list(scop.op.parameter_values.values())
    while pending:
        value = pending.pop()
        if value in values or value in needed:
            continue
        assert isinstance(value.owner, Operation)
        needed |= set(value.owner.results)
        before.append(value.owner)
        pending += [each for op in operations_in(value.owner) for each in op.operands]
    block = scop.op.parent_block()
    assert block is not None
    # What is inside of an operation of the block is copied with it.
    for op in block.ops:
        if op in before:
            code.add(op.clone(values))
    return values


def require_boxes(
    code: Code, kernel: func.FuncOp, scop: Scop, blocks: Blocks, place: RankArguments
) -> None:
    """Add tests that end all ranks if what one passes has not the extents of its part."""
    for name, value in scop.arrays.items():
        if value.owner is not kernel.body.block or not dynamic(value.type).get_shape():
            continue
        for dimension, (begin, end) in enumerate(blocks.box(code, place, place.rank, name)):
            size = memref.DimOp(value, code.constant(dimension))
            code.add(size)
            holds = code.compared(size.result, "eq", code.difference(end, begin))
            shown = value.name_hint or name
            message = f"extent {dimension} of {shown} is not that of the rank's part"
            code.add(AssertOp(holds, message))


def pass_parts(kernel: func.FuncOp) -> None:
    """Change the arrays that a function takes to ones of any extents."""
    for argument in kernel.body.block.args:
        if isinstance(argument.type, MemRefType):
            Rewriter.replace_value_with_new_type(argument, dynamic(argument.type))
    kernel.update_function_type()


def arguments_of(kernel: func.FuncOp, scop: Scop) -> Sequence[str]:
    """The arrays of a scop that are arguments of its function."""
    return [name for name, each in scop.arrays.items() if each.owner is kernel.body.block]
