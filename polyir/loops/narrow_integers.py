"""Compute with narrow integers as they are, not as the wider ones that C promotes them to.

    %0 = arith.extui %a : i8 to i32              %0 = arith.extui %a : i8 to i16
    %1 = arith.extui %b : i8 to i32              %1 = arith.extui %b : i8 to i16
    %s = arith.addi %0, %1 : i32           =>    %s = arith.addi %0, %1 : i16
    %c = arith.cmpi sgt, %s, %limit : i32        %c = arith.cmpi sgt, %s, %narrow : i16

A narrow vector has more elements in a register, and loads need not be widened. All numbers that
are computed on the way have to fit, from the least to the greatest that there may be: ranges are
propagated as by R. E. Moore, "Interval Analysis" (1966).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

_OF_UNSIGNED: Final = {2: 6, 3: 7, 4: 8, 5: 9}
"""The predicates of `arith.cmpi` for signed numbers, each with that for unsigned ones."""

_WIDTHS: Final = (8, 16, 32)

_OPERATIONS: Final = (
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.SelectOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.ShRSIOp,
    arith.AndIOp,
)
"""The operations whose results may have a narrow type."""


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
        if isinstance(op, _OPERATIONS) and not op.results[0].uses:
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class _Range:
    """The numbers that a wide value may be."""

    least: int
    greatest: int

    @staticmethod
    def of(*numbers: int) -> _Range:
        """The range from the least to the greatest of some numbers."""
        return _Range(min(numbers), max(numbers))

    def fits(self, kind: _Kind) -> bool:
        """Whether all numbers are of a type."""
        bits = kind.width - kind.is_signed
        return (-(1 << bits) if kind.is_signed else 0) <= self.least and self.greatest < 1 << bits


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

    parts: dict[SSAValue, frozenset[_Range] | None] = field(default_factory=dict)
    ranges: dict[SSAValue, _Range] = field(default_factory=dict)
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
                if width < own.width.data and all(each.fits(kind) for each in known):
                    return kind
        return None

    def _parts(self, value: SSAValue) -> frozenset[_Range] | None:
        if value not in self.parts:
            self.parts[value] = self._find(value)
        return self.parts[value]

    def _find(self, value: SSAValue) -> frozenset[_Range] | None:
        """The ranges of a value and of what it is computed of; `None` if they are not known."""
        op = value.owner
        inner: list[frozenset[_Range]] = []
        if isinstance(op, _OPERATIONS) and not isinstance(op, arith.ExtSIOp | arith.ExtUIOp):
            for operand in _numbers_of(op):
                found = self._parts(operand)
                if found is None:
                    return None
                inner.append(found)
        own = self._range(op)
        if own is None:
            return None
        self.ranges[value] = own
        return frozenset((own,)).union(*inner)

    def _range(self, op: Operation | Block) -> _Range | None:
        match op:
            case arith.ExtSIOp() | arith.ExtUIOp():
                type = op.input.type
                if not isinstance(type, IntegerType):
                    return None
                if isinstance(op, arith.ExtUIOp):
                    return _Range(0, (1 << type.width.data) - 1)
                return _Range(-(1 << type.width.data - 1), (1 << type.width.data - 1) - 1)
            case arith.ConstantOp(value=IntegerAttr(type=IntegerType()) as number):
                return _Range(number.value.data, number.value.data)
            case _ if isinstance(op, _OPERATIONS):
                one, other = (self.ranges[each] for each in _numbers_of(op))
                return _combined(op, one, other)
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
                pair = [self.value(each, kind, builder) for each in _numbers_of(op)]
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


def _numbers_of(op: Operation) -> Iterator[SSAValue]:
    """The two numbers that an operation computes with."""
    yield from op.operands[-2:]


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp)


def _combined(op: Operation, one: _Range, other: _Range) -> _Range | None:
    """The range of the result of an operation on two numbers."""
    low, high = (one.least, one.greatest), (other.least, other.greatest)
    match op:
        case arith.AddiOp():
            return _Range(one.least + other.least, one.greatest + other.greatest)
        case arith.SubiOp():
            return _Range(one.least - other.greatest, one.greatest - other.least)
        case arith.MuliOp():
            return _Range.of(*(a * b for a in low for b in high))
        case arith.SelectOp():
            return _Range.of(*low, *high)
        case arith.MaxSIOp():
            return _Range(max(low[0], high[0]), max(low[1], high[1]))
        case arith.MinSIOp():
            return _Range(min(low[0], high[0]), min(low[1], high[1]))
        case arith.ShRSIOp() if other.least == other.greatest and 0 <= other.least < _WIDTHS[0]:
            return _Range(one.least >> other.least, one.greatest >> other.least)
        case arith.AndIOp() if min(one.least, other.least) >= 0:
            return _Range(0, min(one.greatest, other.greatest))
        case _:
            return None


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
