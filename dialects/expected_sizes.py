"""How a function is expected to be called: attributes of it and of its arguments.

    func.func @f(%n: index {polyir.size = 4000 : index},
                 %A: memref<?x?xf64> {polyir.sizes = array<i64: 4000, 16>})

Nothing that is computed depends on them. The cost model takes the sizes as its numbers, and one
call of a function that is `polyir.repeated` comes soon after another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation

from polyir.base.diagnostics import PolyirError, location_of

SIZE: Final = "polyir.size"
"""The attribute of an integer: its value."""

SIZES: Final = "polyir.sizes"
"""The attribute of a memref: its extents, 0 where nothing is expected."""

REPEATED: Final = "polyir.repeated"
"""The attribute of a function that stands for a part of a loop's body: its threads are awake."""

LEAST: Final = "polyir.min_size"
MOST: Final = "polyir.max_size"
"""The attributes of an integer that has no value less, or greater, than this."""


def is_repeated(op: Operation) -> bool:
    """Whether the function around an operation is called again and again."""
    around = op.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        around = around.parent_op()
    return around is not None and REPEATED in around.attributes


def expected_number(argument: BlockArgument, name: str) -> int | None:
    """What the attribute `name` says of an argument that is an integer, or nothing."""
    found = _attributes(argument).get(name)
    if found is None:
        return None
    number = found.value.data if isinstance(found, IntegerAttr) else 0
    if not isinstance(argument.type, IndexType | IntegerType):
        raise _error(argument, name, "is for integers")
    if number < 1 and name != LEAST and name != MOST:
        raise _error(argument, name, "must be a positive integer")
    return number


def expected_extents(argument: BlockArgument) -> tuple[int | None, ...]:
    """The extents that a memref is expected to have, `None` for those that are not stated."""
    found = _attributes(argument).get(SIZES)
    if found is None:
        return ()
    if not isinstance(argument.type, MemRefType):
        raise _error(argument, SIZES, "is for memrefs")
    rank = argument.type.get_num_dims()
    numbers = found.get_values() if isinstance(found, DenseArrayBase) else ()
    if len(numbers) != rank or any(not isinstance(each, int) or each < 0 for each in numbers):
        raise _error(argument, SIZES, f"must be {rank} integers, 0 for what is not known")
    return tuple(int(each) or None for each in numbers)


def expect(function: FuncOp, expected: Mapping[int, Mapping[str, Attribute]]) -> None:
    """Add attributes to the arguments of a function, by their numbers."""
    if not expected:
        return
    known = function.arg_attrs or ArrayAttr(DictionaryAttr({}) for _ in function.body.block.args)
    function.arg_attrs = ArrayAttr(
        DictionaryAttr({**each.data, **expected.get(number, {})})
        for number, each in enumerate(known)
    )


def without_expectations(function: FuncOp) -> None:
    """Take what is expected of the arguments of a function away."""
    if function.arg_attrs is None:
        return
    kept = [
        {name: value for name, value in each.data.items() if name not in (SIZE, SIZES, LEAST, MOST)}
        for each in function.arg_attrs
    ]
    function.arg_attrs = ArrayAttr(map(DictionaryAttr, kept)) if any(kept) else None


def size_attribute(size: int) -> Attribute:
    """The size of an integer."""
    return IntegerAttr(size, IndexType())


def extents_attribute(extents: Iterable[int | None]) -> Attribute:
    """The extents of a memref."""
    return DenseArrayBase.from_list(i64, [each or 0 for each in extents])


def _attributes(argument: BlockArgument) -> Mapping[str, Attribute]:
    function = argument.owner.parent_op()
    if not isinstance(function, FuncOp) or argument.owner is not function.body.first_block:
        return {}
    return {} if function.arg_attrs is None else function.arg_attrs.data[argument.index].data


def _error(argument: BlockArgument, attribute: str, message: str) -> PolyirError:
    name = argument.name_hint or f"argument {argument.index}"
    place = location_of(argument.owner.parent_op())
    return PolyirError(f"'{attribute}' of '{name}' {message}", place, name="sizes")
