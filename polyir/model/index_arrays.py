"""Index arrays as functions: what a scop knows of `p` in an access `A[p[i]]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import islpy as isl
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from polyir.base.diagnostics import PolyirError, location_of
from polyir.dialects.index_arrays import (
    SIZE,
    Direction,
    IndexArrayAttr,
    IndexArrayFacts,
)
from polyir.dialects.scop import ScopOp
from polyir.model.raising.effects import may_overlap, stores_in
from polyir.model.writes import first_write
from polyir.sets.lists import parameters_of

INDEX_BITS: Final = 64


@dataclass(frozen=True)
class IndexFunction:
    """An index array, which does not change while a scop runs, as an uninterpreted function.

    The facts are those of `IndexArrayFacts`; the `range` has the parameters of the scop.
    """

    name: str
    is_injective: bool = False
    direction: Direction | None = None
    range: isl.Set | None = None


def index_functions(op: ScopOp, names: Mapping[SSAValue, str]) -> dict[SSAValue, IndexFunction]:
    """The arrays of integers that a scop reads and does not write; `names` has those of all."""
    candidates = [value for value in names if _holds_indices(value)]
    if not candidates:
        return {}
    written = {access.memref for access in stores_in(op)}
    return {
        value: _with_facts(IndexFunction(names[value]), op, value)
        for value in candidates
        if not any(may_overlap(value, other) for other in written)
    }


def _holds_indices(value: SSAValue) -> bool:
    memory = value.type
    return isinstance(memory, MemRefType) and isinstance(
        memory.element_type, IndexType | IntegerType
    )


def _with_facts(function: IndexFunction, op: ScopOp, value: SSAValue) -> IndexFunction:
    facts = lasting_facts(value)
    if facts is None:
        return function
    range = None if facts.range is None else _in_scop(facts.range, op)
    return IndexFunction(function.name, facts.is_injective, facts.direction, range)


def facts_of(value: SSAValue) -> IndexArrayFacts | None:
    """What the function says of a memref that is its argument."""
    function = _function_of(value)
    if function is None or function.arg_attrs is None:
        return None
    assert isinstance(value, BlockArgument)
    attribute = function.arg_attrs.data[value.index].data.get(IndexArrayAttr.name)
    return attribute.data if isinstance(attribute, IndexArrayAttr) else None


def lasting_facts(value: SSAValue) -> IndexArrayFacts | None:
    """As `facts_of`, unless the function may write the memref: then they may be of the past."""
    facts = facts_of(value)
    return None if facts is None or write_of(value) is not None else facts


def _function_of(value: SSAValue) -> FuncOp | None:
    """The function that `value` is an argument of."""
    if not isinstance(value, BlockArgument):
        return None
    parent = value.owner.parent_op()
    is_entry = isinstance(parent, FuncOp) and value.owner is parent.body.first_block
    return parent if is_entry and isinstance(parent, FuncOp) else None


def write_of(argument: SSAValue) -> Operation | None:
    """An operation that may write an argument of a function."""
    function = _function_of(argument)
    assert function is not None
    return first_write(function, argument)


def _in_scop(range: isl.Set, op: ScopOp) -> isl.Set | None:
    """A range in terms of the parameters of a scop; `None` if nothing is left of it.

    Nothing is known of arguments that the scop does not have as parameters.
    """
    known = {
        size: name for name, value in op.parameter_values.items() if (size := _size_name(value))
    }
    for name in parameters_of(range.get_space()):
        position = range.find_dim_by_name(isl.dim_type.param, name)
        if name in known:
            range = range.set_dim_name(isl.dim_type.param, position, f"{known[name]} ")
        else:
            range = range.project_out(isl.dim_type.param, position, 1)
    for position, name in enumerate(parameters_of(range.get_space())):
        range = range.set_dim_name(isl.dim_type.param, position, name.strip())
    range = range.align_params(op.context.data.get_space())
    return None if range.plain_is_universe() else range


def _size_name(value: SSAValue) -> str | None:
    """`arg2` for the third argument of a function, `arg2_dim0` for an extent of it."""
    value = without_casts(value)
    match value.owner:
        case memref.DimOp():
            # The context of a scop is read with scops.
            from polyir.model.raising.context import measured

            place = measured(value)
            array = None if place is None else _size_name(place[0])
            return None if place is None or array is None else f"{array}_dim{place[1]}"
        case Block() if isinstance(value, BlockArgument) and _function_of(value) is not None:
            return f"arg{value.index}"
        case _:
            return None


def without_casts(value: SSAValue) -> SSAValue:
    """The integer that a value is, in another type that has room for it."""
    while True:
        match value.owner:
            case arith.ExtSIOp(input=source):
                value = source
            case arith.IndexCastOp(input=source) if _keeps_numbers(source.type, value.type):
                value = source
            case _:
                return value


def _keeps_numbers(source: Attribute, result: Attribute) -> bool:
    """Whether a cast from one type to the other, of which one is `index`, keeps every number."""
    if isinstance(source, IntegerType):
        return isinstance(result, IndexType) and source.width.data <= INDEX_BITS
    return isinstance(result, IntegerType) and result.width.data >= INDEX_BITS


def unused_facts(function: FuncOp) -> Iterator[tuple[str, Operation]]:
    """The index arrays with facts that the function may change, each with a place where it does."""
    for argument in () if function.is_declaration else function.args:
        if facts_of(argument) is not None:
            write = write_of(argument)
            if write is not None:
                yield argument.name_hint or f"arg{argument.index}", write


def require_right_facts(function: FuncOp) -> None:
    """Raise `PolyirError` if what a function says about its index arrays makes no sense."""
    if function.arg_attrs is None:
        return
    types = function.function_type.inputs.data
    for number, attributes in enumerate(function.arg_attrs.data):
        attribute = attributes.data.get(IndexArrayAttr.name)
        if attribute is None:
            continue
        reason = _wrong(attribute, types, number)
        if reason is not None:
            raise PolyirError(
                f"{IndexArrayAttr.name} of argument {number} of "
                f"@{function.sym_name.data}: {reason}",
                location_of(function),
                name="index-arrays",
            )


def _wrong(attribute: Attribute, types: tuple[Attribute, ...], number: int) -> str | None:
    """What is wrong with the facts about an argument."""
    if not isinstance(attribute, IndexArrayAttr):
        return f"expected #{IndexArrayAttr.name}<...>"
    facts, memory = attribute.data, types[number]
    if not isinstance(memory, MemRefType):
        return "it is not a memref"
    if not isinstance(memory.element_type, IndexType | IntegerType):
        return "its elements are not integers"
    if facts.direction is not None and len(memory.get_shape()) != 1:
        return f"'{facts.direction}' needs one dimension"
    if facts.range is None:
        return None
    for name in parameters_of(facts.range.get_space()):
        reason = _wrong_size(name, types)
        if reason is not None:
            return f"the range depends on '{name}', {reason}"
    return None


def _wrong_size(name: str, types: tuple[Attribute, ...]) -> str | None:
    """Why a function has no such size."""
    found = SIZE.fullmatch(name)
    assert found is not None
    argument, dimension = int(found["argument"]), found["dimension"]
    if argument >= len(types):
        return f"but the function has {len(types)} arguments"
    type = types[argument]
    if dimension is None:
        return None if isinstance(type, IndexType | IntegerType) else "which is not an integer"
    if not isinstance(type, MemRefType) or int(dimension) >= len(type.get_shape()):
        return "which is not a dimension of a memref"
    return None
