"""Two versions of a function, of which a test at its entry chooses one.

Both compute the same, for all sizes:

    %holds = ...
    scf.if %holds {
      ... the loops that were chosen for large sizes
    } else {
      ... those of the input
    } {polyir.versions}

With the attribute `polyir.several_threads`, too, the first one is only worth it if parallel loops
run on several threads. The first one may choose between two others in the same way: of the
`scf.if` in it, `polyir.several_threads_otherwise` says that the second one is only worth it then.
Targets that can tell how many threads there are make it part of the test (`ask_for_threads`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, UnitAttr, f64, i1, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.allocation_checks import ThreadCountOp
from polyir.model.raising.effects import is_pure, may_trap

VERSIONS: Final = "polyir.versions"
"""The attribute of an `scf.if` that runs the loops of the input where its condition fails."""

SEVERAL_THREADS: Final = "polyir.several_threads"
"""The attribute of an `scf.if` whose first branch is only worth it on several threads."""

SEVERAL_THREADS_OTHERWISE: Final = "polyir.several_threads_otherwise"
"""The attribute of an `scf.if` whose second branch is only worth it on several threads."""


@dataclass(frozen=True)
class Size:
    """A value, or how much it is above another one: `n`, or `n - k` of a loop from `k` to `n`."""

    value: SSAValue
    above: SSAValue | None = None


def entry_test(
    function: FuncOp,
    products: Sequence[Sequence[Size]],
    least: int,
    limits: Sequence[tuple[Size, int]] = (),
) -> Block | None:
    """Operations that find out whether sizes, and a sum of products of them, are large enough.

    The sum must be `least` or more, and each size of `limits` its number or more. The block has the
    arguments of the function, whose values the sizes are; it ends with the condition, which is true
    where nothing is asked. There is none if a size, or what else may be in bounds, is not known at
    the entry.
    """
    if len(function.body.blocks) != 1:
        return None
    entry = Block(arg_types=function.function_type.inputs.data)
    known = dict[SSAValue, SSAValue](zip(function.body.block.args, entry.args, strict=True))
    builder = Builder(InsertPoint.at_end(entry))
    sizes = (*chain.from_iterable(products), *(size for size, _ in limits))
    values = (value for size in sizes for value in (size.value, size.above) if value is not None)
    if any(_at_entry(each, known, builder) is None for each in (*_indices(function), *values)):
        return None
    numbers = {size: _number(size, known, builder) for size in dict.fromkeys(sizes)}
    singles = [*limits]
    if len(products) == 1 and len(products[0]) == 1:
        singles.append((products[0][0], least))
        products = ()
    conditions: list[SSAValue] = []
    for size, number in singles:
        limit = builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(number))).result
        conditions.append(builder.insert(arith.CmpiOp(numbers[size], limit, "sge")).result)
    if products:
        # The product of integers may overflow.
        multiplied = partial(_computed, builder, arith.MulfOp)
        reals = [[_real(numbers[size], builder) for size in product] for product in products]
        parts = [reduce(multiplied, factors) for factors in reals]
        total = reduce(partial(_computed, builder, arith.AddfOp), parts)
        limit = builder.insert(arith.ConstantOp(FloatAttr(float(least), f64))).result
        conditions.append(builder.insert(arith.CmpfOp(total, limit, "oge")).result)
    if not conditions:
        builder.insert(arith.ConstantOp(IntegerAttr(1, i1)))
    if len(conditions) > 1:
        reduce(partial(_computed, builder, arith.AndIOp), conditions)
    return entry


def _number(size: Size, known: dict[SSAValue, SSAValue], builder: Builder) -> SSAValue:
    if size.above is None:
        return known[size.value]
    return builder.insert(arith.SubiOp(known[size.value], known[size.above])).result


def _real(value: SSAValue, builder: Builder) -> SSAValue:
    """An index as a number of floating point."""
    number = builder.insert(arith.IndexCastOp(value, i64)).result
    return builder.insert(arith.SIToFPOp(number, f64)).result


def _computed(
    builder: Builder,
    kind: type[arith.MulfOp | arith.AddfOp | arith.AndIOp],
    left: SSAValue,
    right: SSAValue,
) -> SSAValue:
    return builder.insert(kind(left, right)).result


def _at_entry(
    value: SSAValue, known: dict[SSAValue, SSAValue], builder: Builder
) -> SSAValue | None:
    """A value as it is computed at the entry, if that needs nothing but the arguments."""
    if value in known:
        return known[value]
    op = value.owner
    if not isinstance(op, Operation) or not is_pure(op) or may_trap(op):
        return None
    if any(_at_entry(operand, known, builder) is None for operand in op.operands):
        return None
    copy = op.clone(known)
    same = next((each for each in builder.insertion_point.block.ops if _is_same(each, copy)), None)
    if same is None:
        builder.insert(copy)
    else:
        copy.erase()
    known.update(zip(op.results, (same or copy).results, strict=True))
    return known[value]


def _is_same(one: Operation, other: Operation) -> bool:
    """Whether two pure operations compute the same."""
    return (
        one.name == other.name
        and tuple(one.operands) == tuple(other.operands)
        and one.attributes == other.attributes
        and one.properties == other.properties
    )


def _indices(function: FuncOp) -> Iterator[SSAValue]:
    """The values that bounds of affine loops may have only if they are not computed in an `if`."""
    for op in function.body.block.ops:
        if not isinstance(op, arith.ConstantOp):
            yield from (each for each in op.results if isinstance(each.type, IndexType))


def add_version(function: FuncOp, other: FuncOp, entry: Block, *attributes: str) -> None:
    """Let a function run as another one, which is used up, where the test `entry` fails.

    The `scf.if` has `attributes`.
    """
    assert entry.last_op is not None
    condition = entry.last_op.results[0]
    types = function.function_type.outputs.data
    choice = scf.IfOp(condition, types, _moved(function, entry), _moved(other, entry))
    choice.attributes.update(dict.fromkeys(attributes, UnitAttr()))
    choice.location = function.location
    for old, new in zip(function.body.block.args, entry.args, strict=True):
        new.name_hint = old.name_hint
    entry.add_ops([choice, ReturnOp(*choice.results)])
    function.detach_region(function.body).erase()
    function.add_region(Region(entry))


def _moved(function: FuncOp, entry: Block) -> Region:
    """The operations of a function, which use the values of another block."""
    block, branch = function.body.block, Block()
    known = dict[SSAValue, SSAValue](zip(block.args, entry.args, strict=True))
    builder = Builder(InsertPoint.at_end(entry))
    for each in tuple(_indices(function)):
        _at_entry(each, known, builder)
    for old, new in known.items():
        old.replace_all_uses_with(new)
    for op in tuple(block.ops):
        op.detach()
        if isinstance(op, ReturnOp):
            branch.add_op(scf.YieldOp(*op.operands))
        if isinstance(op, ReturnOp) or any(each in known for each in op.results):
            op.erase()
        else:
            branch.add_op(op)
    return Region(branch)


def versions_of(function: FuncOp) -> scf.IfOp | None:
    """The choice between two versions of a function, if it has them."""
    if len(function.body.blocks) != 1:
        return None
    for op in function.body.block.ops:
        if isinstance(op, scf.IfOp) and VERSIONS in op.attributes:
            return op
    return None


def chosen_block(function: FuncOp) -> Block:
    """The operations of a function, or of its version for large sizes."""
    versions = versions_of(function)
    return function.body.blocks[0] if versions is None else versions.true_region.block


def ask_for_threads(function: FuncOp, least: int = 2, of_first: bool = True) -> None:
    """Make the number of threads a part of the test at the entry, where attributes ask for it.

    Unless it is `of_first`, `SEVERAL_THREADS` does not count.
    """
    choice = versions_of(function)
    if choice is None:
        return
    asks = choice.attributes.pop(SEVERAL_THREADS, None) is not None and of_first
    inside = [op for op in choice.true_region.block.ops if isinstance(op, scf.IfOp)]
    others = [op for op in inside if op.attributes.pop(SEVERAL_THREADS_OTHERWISE, None) is not None]
    if not asks and not others:
        return
    builder = Builder(InsertPoint.before(choice))
    several = _several_threads(builder, least)
    if not asks:
        block = function.body.block
        values = [*block.args, *(each for op in block.ops for each in op.results)]
        is_large = _at_entry(others[0].cond, dict(zip(values, values, strict=True)), builder)
        if is_large is None:
            return
        several = builder.insert(arith.OrIOp(is_large, several)).result
    if isinstance(choice.cond.owner, arith.ConstantOp):
        choice.operands[0] = several
    else:
        choice.operands[0] = builder.insert(arith.AndIOp(choice.cond, several)).result


def take_test(function: FuncOp, of_threads: bool = True, least_threads: int = 1) -> FuncOp | None:
    """Leave a function without results its version for large sizes, and return the test.

    It is a function of the same arguments that returns the condition; `None` if that is always
    true. It tests for several threads where these are asked for, unless that is left out; and, in
    any case, for `least_threads`.
    """
    choice = versions_of(function)
    if least_threads > 1 and choice is None:
        return _test_of_threads(function, least_threads)
    if least_threads > 1 and choice is not None:
        choice.attributes[SEVERAL_THREADS] = UnitAttr()
    ask_for_threads(function, max(2, least_threads), of_threads or least_threads > 1)
    if choice is None or choice.results:
        return None
    block = function.body.block
    is_constant = isinstance(choice.cond.owner, arith.ConstantOp)
    inputs = function.function_type.inputs.data
    test = FuncOp(f"{function.sym_name.data}_sizes", (inputs, [choice.cond.type]))
    known = dict[SSAValue, SSAValue](zip(block.args, test.body.block.args, strict=True))
    before = tuple(block.ops)[: block.get_operation_index(choice)]
    test.body.block.add_ops(op.clone(known) for op in before)
    test.body.block.add_op(ReturnOp(known[choice.cond]))
    for op in tuple(choice.true_region.block.ops):
        op.detach()
        if isinstance(op, scf.YieldOp):
            op.erase()
        else:
            block.insert_op_before(op, choice)
    Rewriter.erase_op(choice)
    for op in reversed(before):
        if not any(each.uses for each in op.results):
            Rewriter.erase_op(op)
    return None if is_constant else test


def _several_threads(builder: Builder, least: int) -> SSAValue:
    count = builder.insert(ThreadCountOp()).result
    fewer = builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(least - 1))).result
    return builder.insert(arith.CmpiOp(count, fewer, "sgt")).result


def _test_of_threads(function: FuncOp, least: int) -> FuncOp:
    """A function of the same arguments that returns whether there are so many threads."""
    inputs = function.function_type.inputs.data
    test = FuncOp(f"{function.sym_name.data}_sizes", (inputs, [i1]))
    builder = Builder(InsertPoint.at_end(test.body.block))
    builder.insert(ReturnOp(_several_threads(builder, least)))
    return test
