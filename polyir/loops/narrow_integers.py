"""Compute with narrow integers as they are, not as the wider ones that C promotes them to.

    %0 = arith.extui %a : i8 to i32              %0 = arith.extui %a : i8 to i16
    %1 = arith.extui %b : i8 to i32              %1 = arith.extui %b : i8 to i16
    %s = arith.addi %0, %1 : i32           =>    %s = arith.addi %0, %1 : i16
    %c = arith.cmpi sgt, %s, %limit : i32        %c = arith.cmpi sgt, %s, %narrow : i16

A narrow vector has more elements in a register, and loads need not be widened. All numbers that
are computed on the way have to fit, from the least to the greatest that there may be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.model.integer_ranges import (
    OPERATIONS,
    IntegerRange,
    combined,
    numbers_of,
    range_of_extension,
)

_OF_UNSIGNED: Final = {2: 6, 3: 7, 4: 8, 5: 9}
"""The predicates of `arith.cmpi` for signed numbers, each with that for unsigned ones."""

_WIDTHS: Final = (8, 16, 32)


def narrow_integers(block: Block) -> None:
    """Compute what is compared or truncated in the narrowest types that hold it, in place.

    What is not needed any more is erased.
    """
    numbers = _Numbers()
    for op in tuple(block.ops):
        if isinstance(op, arith.CmpiOp):
            _narrow_comparison(op, numbers)
        elif isinstance(op, arith.TruncIOp):
            _narrow_result(op, numbers)
    for op in reversed(tuple(block.ops)):
        if isinstance(op, OPERATIONS) and not op.results[0].uses:
            Rewriter.erase_op(op)


def widest_number(op: Operation) -> int:
    """The bytes of the widest value computed in `op`, if integers are as narrow as can be."""
    widest = _widest(op)
    if widest > 1 and any(isinstance(inner, arith.TruncIOp | arith.CmpiOp) for inner in op.walk()):
        copy = op.clone()
        blocks = [b for each in copy.walk() for region in each.regions for b in region.blocks]
        # Inner ones first: what is computed around them may not be needed then.
        for block in reversed(blocks):
            narrow_integers(block)
        widest = _widest(copy)
        # Nobody must see what it used.
        copy.erase()
    return widest


def _widest(op: Operation) -> int:
    """The bytes of the widest value that operations in `op` compute, but for constants."""
    types = [
        result.type
        for inner in op.walk()
        if not isinstance(inner, arith.ConstantOp)
        for result in inner.results
    ]
    return max((t.bitwidth // 8 for t in types if isinstance(t, AnyFloat | IntegerType)), default=0)


@dataclass(frozen=True)
class _Kind:
    """A type of numbers."""

    width: int
    is_signed: bool


@dataclass
class _Numbers:
    """The ranges of wide values of a block, and narrow values, as far as was asked.

    `parts` are all ranges on the way to a value, its own included.
    """

    parts: dict[SSAValue, frozenset[IntegerRange] | None] = field(default_factory=dict)
    ranges: dict[SSAValue, IntegerRange] = field(default_factory=dict)
    values: dict[tuple[SSAValue, _Kind], SSAValue] = field(default_factory=dict)

    def kind(self, *values: SSAValue) -> _Kind | None:
        """The narrowest type in which some values can be computed; `None` for their own."""
        parts = [self._parts(each) for each in values]
        known = [each for part in parts if part is not None for each in part]
        own = values[0].type
        if None in parts or not isinstance(own, IntegerType) or all(map(_is_constant, values)):
            return None
        for width in _WIDTHS:
            for is_signed in (False, True):
                kind = _Kind(width, is_signed)
                if width < own.width.data and all(each.fits(width, is_signed) for each in known):
                    return kind
        return None

    def _parts(self, value: SSAValue) -> frozenset[IntegerRange] | None:
        if value not in self.parts:
            self.parts[value] = self._find(value)
        return self.parts[value]

    def _find(self, value: SSAValue) -> frozenset[IntegerRange] | None:
        """The ranges of a value and of what it is computed of; `None` if they are not known."""
        op = value.owner
        inner: list[frozenset[IntegerRange]] = []
        if isinstance(op, OPERATIONS) and not isinstance(op, arith.ExtSIOp | arith.ExtUIOp):
            for operand in numbers_of(op):
                found = self._parts(operand)
                if found is None:
                    return None
                inner.append(found)
        own = self._range(op)
        if own is None:
            return None
        self.ranges[value] = own
        return frozenset((own,)).union(*inner)

    def _range(self, op: Operation | Block) -> IntegerRange | None:
        match op:
            case arith.ExtSIOp() | arith.ExtUIOp():
                return range_of_extension(op)
            case arith.ConstantOp(value=IntegerAttr(type=IntegerType()) as number):
                return IntegerRange(number.value.data, number.value.data)
            case _ if isinstance(op, OPERATIONS):
                return combined(op, *(self.ranges[each] for each in numbers_of(op)))
            case _:
                return None

    def value(self, wide: SSAValue, kind: _Kind, builder: Builder) -> SSAValue:
        """A wide value in a narrow type, which holds it."""
        key = wide, kind
        if key not in self.values:
            self.values[key] = self._value(wide.owner, kind, builder)
        return self.values[key]

    def _value(self, op: Operation | Block, kind: _Kind, builder: Builder) -> SSAValue:
        assert isinstance(op, Operation)
        type = IntegerType(kind.width)
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                found = IntegerAttr(number.value.data, type, truncate_bits=True)
                return builder.insert(arith.ConstantOp(found)).result
            case arith.ExtSIOp() | arith.ExtUIOp():
                if op.input.type == type:
                    return op.input
                return builder.insert(op.__class__(op.input, type)).result
            case arith.SelectOp():
                pair = [self.value(each, kind, builder) for each in numbers_of(op)]
                return builder.insert(arith.SelectOp(op.cond, *pair)).result
            case _:
                made = _WITHOUT_SIGN.get(op.__class__) if not kind.is_signed else None
                operands = [self.value(each, kind, builder) for each in op.operands]
                narrow = (made or op.__class__).create(operands=operands, result_types=[type])
                narrow.location = op.location
                value = builder.insert(narrow).results[0]
                value.name_hint = op.results[0].name_hint
                return value


_WITHOUT_SIGN: Final[dict[type[Operation], type[Operation]]] = {
    arith.MaxSIOp: arith.MaxUIOp,
    arith.MinSIOp: arith.MinUIOp,
    arith.ShRSIOp: arith.ShRUIOp,
}


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp)


def _narrow_comparison(op: arith.CmpiOp, numbers: _Numbers) -> None:
    kind = numbers.kind(op.lhs, op.rhs)
    predicate = op.predicate.value.data
    if kind is None or (predicate >= 6 and kind.is_signed):
        return
    if not kind.is_signed:
        predicate = _OF_UNSIGNED.get(predicate, predicate)
    builder = Builder(InsertPoint.before(op))
    lhs, rhs = (numbers.value(each, kind, builder) for each in (op.lhs, op.rhs))
    Rewriter.replace_op(op, arith.CmpiOp(lhs, rhs, predicate))


def _narrow_result(op: arith.TruncIOp, numbers: _Numbers) -> None:
    kind = numbers.kind(op.input)
    type = op.result.type
    if kind is None or not isinstance(type, IntegerType) or kind.width < type.width.data:
        return
    value = numbers.value(op.input, kind, Builder(InsertPoint.before(op)))
    if kind.width == type.width.data:
        op.result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
    else:
        op.operands[0] = value
