"""The least and the greatest number that an integer may be, from the types it is computed of.

Ranges are propagated as by R. E. Moore, "Interval Analysis" (1966).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

MOST_BITS: Final = 16
"""The bounds of wider types are beyond most arrays, and say nothing."""

NARROW: Final = 8
"""The bits of the narrowest integers."""

OPERATIONS: Final = (
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
"""The operations that ranges are known of."""


@dataclass(frozen=True)
class IntegerRange:
    """The numbers that a value may be."""

    least: int
    greatest: int

    @staticmethod
    def of(*numbers: int) -> IntegerRange:
        """The range from the least to the greatest of some numbers."""
        return IntegerRange(min(numbers), max(numbers))

    def fits(self, width: int, is_signed: bool) -> bool:
        """Whether all numbers are of a type of so many bits."""
        bits = width - is_signed
        return (-(1 << bits) if is_signed else 0) <= self.least and self.greatest < 1 << bits


def integer_range(value: SSAValue) -> IntegerRange | None:
    """What an integer, or an index that is one, may be; `None` if that is not known."""
    op, found = value.owner, None
    match op:
        case arith.IndexCastOp(input=inner):
            return integer_range(inner) or _range_of_type(inner, is_signed=True)
        case Operation(name="arith.index_castui"):
            return _unsigned(op.operands[0])
        case arith.ExtSIOp() | arith.ExtUIOp():
            found = _range_of_type(op.input, isinstance(op, arith.ExtSIOp))
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            found = IntegerRange(number.data, number.data)
        case _ if isinstance(op, OPERATIONS):
            one, other = map(integer_range, numbers_of(op))
            if isinstance(op, arith.AndIOp):
                # A mask that is not negative is enough.
                masks = [each for each in (one, other) if each is not None and each.least >= 0]
                found = IntegerRange(0, min(each.greatest for each in masks)) if masks else None
            elif one is not None and other is not None:
                found = combined(op, one, other)
    if found is None or not isinstance(value.type, IntegerType):
        return found
    return found if found.fits(value.type.width.data, is_signed=True) else None


def _unsigned(value: SSAValue) -> IntegerRange | None:
    """What an integer may be if its bits are those of a number that is not negative."""
    found = integer_range(value)
    return found if found is not None and found.least >= 0 else _range_of_type(value, False)


def range_of_extension(op: arith.ExtSIOp | arith.ExtUIOp) -> IntegerRange | None:
    """The range of a narrower integer that is extended."""
    type = op.input.type
    is_signed = isinstance(op, arith.ExtSIOp)
    return _of_bits(type.width.data, is_signed) if isinstance(type, IntegerType) else None


def _range_of_type(value: SSAValue, is_signed: bool) -> IntegerRange | None:
    """The range of a narrow type; that of others says nothing."""
    type = value.type
    if not isinstance(type, IntegerType) or type.width.data > MOST_BITS:
        return None
    return _of_bits(type.width.data, is_signed)


def _of_bits(width: int, is_signed: bool) -> IntegerRange:
    if not is_signed:
        return IntegerRange(0, (1 << width) - 1)
    return IntegerRange(-(1 << width - 1), (1 << width - 1) - 1)


def numbers_of(op: Operation) -> Iterator[SSAValue]:
    """The two numbers that an operation computes with."""
    yield from op.operands[-2:]


def combined(op: Operation, one: IntegerRange, other: IntegerRange) -> IntegerRange | None:
    """The range of the result of an operation on two numbers."""
    low, high = (one.least, one.greatest), (other.least, other.greatest)
    match op:
        case arith.AddiOp():
            return IntegerRange(one.least + other.least, one.greatest + other.greatest)
        case arith.SubiOp():
            return IntegerRange(one.least - other.greatest, one.greatest - other.least)
        case arith.MuliOp():
            return IntegerRange.of(*(a * b for a in low for b in high))
        case arith.SelectOp():
            return IntegerRange.of(*low, *high)
        case arith.MaxSIOp():
            return IntegerRange(max(low[0], high[0]), max(low[1], high[1]))
        case arith.MinSIOp():
            return IntegerRange(min(low[0], high[0]), min(low[1], high[1]))
        case arith.ShRSIOp() if other.least == other.greatest and 0 <= other.least < NARROW:
            return IntegerRange(one.least >> other.least, one.greatest >> other.least)
        case arith.AndIOp() if min(one.least, other.least) >= 0:
            return IntegerRange(0, min(one.greatest, other.greatest))
        case _:
            return None
