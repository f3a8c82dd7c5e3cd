"""Values of C expressions, and the conversions between C's types."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

from polyir.dialects.affine_extra import ArithIndexCastUIOp
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.pieces import Pieces
from polyir.frontend.c.types import DOUBLE, LLONG, Arithmetic
from polyir.model.index_expressions import IndexExpression, is_index_number


@dataclass(frozen=True)
class Value:
    """A value of an arithmetic type: an SSA value, or an index expression.

    An index expression is the number as a mathematical integer: for an unsigned type, it is known
    not to wrap around; for a signed type, C guarantees this. `pieces` are what is known of an
    integer that is not one affine function.

    A floating-point value that is an integer has both, and so has a quotient of unsigned 64-bit
    numbers: subscripts and bounds, which are below 2**63, need the index expression, and data may
    be any number.

    The `bits` of an unsigned 64-bit number are an index of the same 64 bits, which may be negative:
    as a subscript, it leads to the same address.
    """

    type: Arithmetic
    ssa: SSAValue | None = None
    index: IndexExpression | None = None
    pieces: Pieces = ()
    bits: IndexExpression | None = None

    @property
    def is_for_large(self) -> bool:
        """Whether data is not computed from the index expression, but for numbers of any size."""
        is_integer = not self.type.is_float
        return is_integer and self.ssa is not None and self.index is not None

    @property
    def constant(self) -> int | None:
        """The number, if it is a constant."""
        if self.index is not None and self.index.is_constant:
            return self.index.constant
        return None


def difference(one: Value, other: Value) -> IndexExpression | None:
    """The difference of two values that are indices."""
    return None if one.index is None or other.index is None else one.index - other.index


class Conversions:
    """Converts values to types and to indices."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._casts: dict[tuple[IndexExpression, Arithmetic], SSAValue] = {}

    def data(self, value: Value) -> SSAValue:
        """The value in the IR type of its C type."""
        if value.ssa is not None:
            return value.ssa
        assert value.index is not None
        builder, type = self._builder, value.type
        if value.index.is_constant:
            return builder.constant(value.index.constant, type.ir)
        index = builder.index_value(value.index)
        origin = builder.origins.get(index)
        if origin is not None and origin.type == type.ir:
            return origin
        if not builder.is_parametric(value.index):
            return builder.insert(arith.IndexCastOp(index, type.ir)).result
        key = (value.index, type)
        if key not in self._casts:
            cast = builder.insert_invariant(arith.IndexCastOp(index, type.ir))
            self._casts[key] = cast.result
        return self._casts[key]

    def index(self, value: Value) -> IndexExpression:
        """The value as an index; not affine where it depends on data."""
        if value.index is not None:
            return value.index
        assert value.ssa is not None
        builder = self._builder
        if _is_wide_constant(value):
            raise NotModelledError(
                "a constant of 2**63 or more as a bound or a subscript", name="wide-number"
            )
        if not value.type.is_signed:
            return builder.index_of_data(value.ssa, ArithIndexCastUIOp)
        found = self._signed_index(value.ssa)
        atoms = [each for each, _ in found.terms if isinstance(each, SSAValue)]
        if any(
            each in builder.products
            or (builder.is_affine(IndexExpression.of(each)) and not builder.is_invariant(each))
            for each in atoms
        ):
            return found
        return builder.index_of_data(value.ssa, arith.IndexCastOp)

    def _signed_index(self, data: SSAValue) -> IndexExpression:
        """A signed number as an index: a sum or product, which does not overflow, is one of them.

        So `A[row[k] * n + j]` is row `row[k]`, and its elements follow each other.
        """
        match data.owner:
            case arith.ExtSIOp(input=inner):
                return self._signed_index(inner)
            case arith.IndexCastOp(input=inner) if isinstance(inner.type, IndexType):
                return IndexExpression.of(inner)
            case arith.ConstantOp(value=IntegerAttr() as number):
                return IndexExpression((), number.value.data)
            case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() as op if _has_no_overflow(op):
                left, right = map(self._signed_index, op.operands)
                if isinstance(op, arith.MuliOp):
                    return self._builder.product(left, right)
                return left + right if isinstance(op, arith.AddiOp) else left - right
            case _:
                return self._builder.index_of_data(data, arith.IndexCastOp)

    def convert(self, value: Value, type: Arithmetic) -> Value:
        """The value converted to `type` (C11, 6.3.1)."""
        if value.type == type:
            return value
        if type.is_bool:
            return Value(type, self.truth(value))
        number = value.constant
        if number is not None and type.is_float and abs(number) <= 1 << 53:
            data = self._builder.constant(float(number), type.ir)
            return Value(type, data, value.index if type == DOUBLE else None)
        if value.bits is not None and type.is_signed and type.width == 64:
            return Value(type, index=value.bits)
        if value.index is not None and not type.is_float:
            # A floating-point value that an integer type cannot hold is undefined behaviour.
            if value.type.is_float:
                return Value(type, index=value.index)
            if self.holds(type, value.index, value.type):
                large = value.ssa
                if large is not None:
                    large = self._convert_data(large, value.type, type)
                return Value(type, large, value.index)
            if value.index.is_constant:
                return self.integer(type, value.index.constant)
        data = self._convert_data(self.data(value), value.type, type)
        if type.is_float:
            is_exact = type == DOUBLE and (value.type.is_float or value.type.width <= 32)
            return Value(type, data, value.index if is_exact else None)
        converted = self.of_data(type, data)
        if not type.is_signed and type.width == 64 and value.type.is_signed:
            converted = replace(converted, bits=value.index)
        is_same = type.is_signed and value.type.is_signed and type.width >= value.type.width
        return replace(converted, pieces=value.pieces) if is_same else converted

    def integer(self, type: Arithmetic, number: int) -> Value:
        """`number`, modulo the range of an integer type.

        What does not fit in an index, of 2**63 or more, is data.
        """
        number = wrapped_value(number, type)
        if is_index_number(number):
            return Value(type, index=IndexExpression((), number))
        return Value(type, self._builder.constant(number, type.ir))

    def of_data(self, type: Arithmetic, data: SSAValue) -> Value:
        """A computed value; an integer that is the same in the whole region may be an index.

        Unsigned 64-bit values are assumed to be below 2**63, the size of the largest object.
        """
        if type.is_float or type.is_bool or not self._builder.is_invariant(data):
            return Value(type, data)
        index = self.index(Value(type, data))
        for bound in bounds_of_type(type, index):
            self._builder.assume_everywhere(bound)
        return Value(type, index=index)

    def holds(self, type: Arithmetic, index: IndexExpression, source: Arithmetic) -> bool:
        """Whether each value `index` of type `source` is in the range of the integer type `type`.

        The upper bound of unsigned 64-bit types is not checked: no object is that large.
        """
        proves = self._builder.proves_nonnegative
        if type.is_signed:
            least = 0 if source.is_signed else 1
            if type.width == 64 or source.width + least <= type.width:
                return True
            limit = 1 << (type.width - 1)
            is_above = not source.is_signed or proves(index.shift(limit))
            return is_above and proves(IndexExpression((), limit - 1) - index)
        is_above = not source.is_signed or proves(index)
        return is_above and (source.width <= type.width or self._is_below(type, index))

    def is_in_range(self, type: Arithmetic, index: IndexExpression) -> bool:
        """Whether `index` is what a variable of the type holds that steps to this value.

        A signed type of the width of `int` or more does not overflow.
        """
        return (type.is_signed and type.width >= 32) or self.holds(type, index, LLONG)

    def is_exact(self, type: Arithmetic, index: IndexExpression) -> bool:
        """Whether an operation in an integer type has the result `index`, without wrap-around.

        For a signed type it is, because overflow is undefined. Numbers in it that are not indices
        themselves (`i + 0xffffffffffffffff`) are there to wrap around.
        """
        if index.wide_number is not None:
            return False
        if type.is_signed:
            return True
        if type.width == 64 and self._builder.is_parametric(index):
            # `n - 1` may wrap around, but then it is larger than any object.
            return True
        return self._builder.proves_nonnegative(index) and self._is_below(type, index)

    def _is_below(self, type: Arithmetic, index: IndexExpression) -> bool:
        limit = IndexExpression((), (1 << type.width) - 1)
        return type.width == 64 or self._builder.proves_nonnegative(limit - index)

    def truth(self, value: Value) -> SSAValue:
        """Whether the value is not zero, as an `i1`."""
        data = self.data(value)
        if value.type.is_bool:
            return data
        zero = self._builder.constant(0.0 if value.type.is_float else 0, value.type.ir)
        if value.type.is_float:
            return self._builder.insert(arith.CmpfOp(data, zero, "une")).result
        return self._builder.insert_invariant(arith.CmpiOp(data, zero, "ne")).result

    def _convert_data(self, data: SSAValue, source: Arithmetic, type: Arithmetic) -> SSAValue:
        builder = self._builder
        if source.is_float:
            if type.is_float:
                kind = arith.ExtFOp if type.width > source.width else arith.TruncFOp
                return builder.insert(kind(data, type.ir)).result
            to_integer = arith.FPToSIOp if type.is_signed else arith.FPToUIOp
            return builder.insert(to_integer(data, type.ir)).result  # type: ignore[arg-type]
        if type.is_float:
            to_float = arith.SIToFPOp if source.is_signed else arith.UIToFPOp
            return builder.insert(to_float(data, type.ir)).result  # type: ignore[arg-type]
        if type.width == source.width:
            return data
        if type.width < source.width:
            truncated = arith.TruncIOp(data, type.ir)  # type: ignore[arg-type]
            return builder.insert_invariant(truncated).result
        extend = arith.ExtSIOp if source.is_signed else arith.ExtUIOp
        return builder.insert_invariant(extend(data, type.ir)).result  # type: ignore[arg-type]


def _has_no_overflow(op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> bool:
    return arith.IntegerOverflowFlag.NSW in op.overflow_flags.data


def bounds_of_type(type: Arithmetic, index: IndexExpression) -> tuple[IndexExpression, ...]:
    """Expressions that are non-negative for every value `index` of an integer type.

    The bounds of 64-bit types are omitted: the arithmetic of indices stays within them.
    """
    if type.width >= 64:
        return () if type.is_signed else (index,)
    least = -(1 << (type.width - 1)) if type.is_signed else 0
    greatest = (1 << (type.width - type.is_signed)) - 1
    return (index.shift(-least), IndexExpression((), greatest) - index)


def _is_wide_constant(value: Value) -> bool:
    """Whether a value is a constant of an unsigned type that is not an index."""
    op = value.ssa.owner if value.ssa is not None else None
    if value.type.is_signed or not isinstance(op, arith.ConstantOp):
        return False
    return isinstance(op.value, IntegerAttr) and op.value.value.data < 0


def amid_range(type: Arithmetic, index: IndexExpression) -> tuple[IndexExpression, ...]:
    """Expressions that are non-negative if `index` is far from the bounds of an integer type."""
    bits = min(type.width, 62)
    middle = 0 if type.is_signed else 1 << (bits - 1)
    distance = 1 << (bits - 3)
    return (index.shift(distance - middle), IndexExpression((), distance + middle) - index)


def wrapped_value(value: int, type: Arithmetic) -> int:
    """`value` modulo the range of an integer type."""
    low = value & ((1 << type.width) - 1)
    return low - (1 << type.width) if type.is_signed and low >> (type.width - 1) else low
