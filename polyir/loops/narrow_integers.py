"""Compare and select narrow integers as they are, not as the wider ones that C promotes them to.

    %0 = arith.extsi %a : i16 to i32            %c = arith.cmpi sgt, %a, %b : i16
    %1 = arith.extsi %b : i16 to i32            %s = arith.select %c, %a, %b : i16
    %c = arith.cmpi sgt, %0, %1 : i32     =>
    %s = arith.select %c, %0, %1 : i32
    %t = arith.trunci %s : i32 to i16

Vectors need not be widened and narrowed again then. Sums and products stay wide: they may not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

_OF_UNSIGNED: Final = {2: 6, 3: 7, 4: 8, 5: 9}
"""The predicates of `arith.cmpi` for signed numbers, each with that for unsigned ones."""


def narrow_integers(block: Block) -> None:
    """Compare, select and truncate the integers of a block in narrow types, in place.

    What is not needed any more is erased.
    """
    numbers = _Numbers()
    for op in tuple(block.ops):
        if isinstance(op, arith.CmpiOp):
            _narrow_comparison(op, numbers)
        elif isinstance(op, arith.TruncIOp):
            _narrow_result(op, numbers)
    for op in reversed(tuple(block.ops)):
        if isinstance(op, _EXTENDED) and not op.results[0].uses:
            Rewriter.erase_op(op)


_EXTENDED: Final = (
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.SelectOp,
    arith.MaxSIOp,
    arith.MinSIOp,
)
"""The operations whose results may be extensions of narrow numbers."""


@dataclass(frozen=True)
class _Kind:
    """What a wide value is the extension of: a number of a type, signed or not, or constants.

    Without a type, it is made of constants alone, from `least` to `greatest`.
    """

    type: IntegerType | None
    is_signed: bool
    least: int = 0
    greatest: int = 0

    def joined(self, other: _Kind) -> _Kind | None:
        """What may be this value or that one; `None` if it has no narrow type."""
        first, second = (self, other) if self.type is not None else (other, self)
        if first.type is None:
            return _Kind(
                None, True, min(self.least, other.least), max(self.greatest, other.greatest)
            )
        if second.type is not None:
            return first if first == second else None
        bits = first.type.width.data - first.is_signed
        least = -(1 << bits) if first.is_signed else 0
        return first if least <= second.least and second.greatest < 1 << bits else None


@dataclass
class _Numbers:
    """The narrow numbers that wide values of a block are extensions of, as far as was asked."""

    kinds: dict[SSAValue, _Kind | None] = field(default_factory=dict)
    values: dict[tuple[SSAValue, _Kind], SSAValue] = field(default_factory=dict)

    def kind(self, value: SSAValue) -> _Kind | None:
        """What a wide value is the extension of, if it is."""
        if value not in self.kinds:
            self.kinds[value] = self._kind(value.owner)
        return self.kinds[value]

    def _kind(self, op: Operation | Block) -> _Kind | None:
        match op:
            case arith.ExtSIOp() | arith.ExtUIOp():
                type = op.input.type
                # Conditions are no numbers.
                if not isinstance(type, IntegerType) or type.width.data < 8:
                    return None
                return _Kind(type, isinstance(op, arith.ExtSIOp))
            case arith.ConstantOp(value=IntegerAttr(type=IntegerType()) as number):
                return _Kind(None, True, number.value.data, number.value.data)
            case arith.SelectOp() | arith.MaxSIOp() | arith.MinSIOp():
                one, other = self.kind(op.lhs), self.kind(op.rhs)
                return None if one is None or other is None else one.joined(other)
            case _:
                return None

    def value(self, wide: SSAValue, kind: _Kind, builder: Builder) -> SSAValue:
        """The number that a wide value is the extension of."""
        key = wide, kind
        if key not in self.values:
            self.values[key] = self._value(wide.owner, kind, builder)
        return self.values[key]

    def _value(self, op: Operation | Block, kind: _Kind, builder: Builder) -> SSAValue:
        assert isinstance(op, Operation)
        assert kind.type is not None
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                found = IntegerAttr(number.value.data, kind.type, truncate_bits=True)
                return builder.insert(arith.ConstantOp(found)).result
            case arith.SelectOp():
                pair = [self.value(each, kind, builder) for each in (op.lhs, op.rhs)]
                return builder.insert(arith.SelectOp(op.cond, *pair)).result
            case arith.MaxSIOp() | arith.MinSIOp():
                lhs, rhs = (self.value(each, kind, builder) for each in (op.lhs, op.rhs))
                if isinstance(op, arith.MaxSIOp):
                    greater = arith.MaxSIOp if kind.is_signed else arith.MaxUIOp
                    return builder.insert(greater(lhs, rhs)).result
                less = arith.MinSIOp if kind.is_signed else arith.MinUIOp
                return builder.insert(less(lhs, rhs)).result
            case _:
                return op.operands[0]


def _narrow_comparison(op: arith.CmpiOp, numbers: _Numbers) -> None:
    one, other = numbers.kind(op.lhs), numbers.kind(op.rhs)
    kind = None if one is None or other is None else one.joined(other)
    predicate = op.predicate.value.data
    if kind is None or kind.type is None or (predicate >= 6 and kind.is_signed):
        return
    if not kind.is_signed:
        predicate = _OF_UNSIGNED.get(predicate, predicate)
    builder = Builder(InsertPoint.before(op))
    lhs, rhs = (numbers.value(each, kind, builder) for each in (op.lhs, op.rhs))
    Rewriter.replace_op(op, arith.CmpiOp(lhs, rhs, predicate))


def _narrow_result(op: arith.TruncIOp, numbers: _Numbers) -> None:
    kind = numbers.kind(op.input)
    if kind is None or kind.type is None or kind.type != op.result.type:
        return
    value = numbers.value(op.input, kind, Builder(InsertPoint.before(op)))
    op.result.replace_all_uses_with(value)
    Rewriter.erase_op(op)
