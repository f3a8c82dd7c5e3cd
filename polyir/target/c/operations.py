"""The C expression of each operation that computes a value and touches no memory.

One operation of IR becomes one operation of C on the same operands, so that floating-point
results keep their bits. Integers wrap around: arithmetic that may overflow is computed in the
unsigned type, unless `nsw` says that it does not. `index` is taken not to overflow.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Operation

from polyir.target.abi import LIBRARY_FUNCTIONS, PREFIX, Scalar, library_name, scalar_type
from polyir.target.c.helpers import bit_cast_name
from polyir.target.c.index_arithmetic import difference_of, product, sum_of
from polyir.target.c.syntax import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    FloatLiteral,
    IntegerLiteral,
    Unary,
    arithmetic,
    cast,
    compare,
    is_default_nan,
    negate,
    scalar_of,
    walk,
)
from polyir.target.errors import operation_name, unsupported

Operands = Sequence[Expression]
Builder = Callable[[Operation, Operands], Expression]


def is_computation(op: Operation) -> bool:
    """Whether `computation` knows the operation."""
    return operation_name(op) in _BUILDERS


def computation(op: Operation, operands: Operands) -> Expression:
    """The expression of the result of `op`; raises `TargetError` for types without C."""
    return _BUILDERS[operation_name(op)](op, operands)


def _result_type(op: Operation) -> Scalar:
    return scalar_type(op.results[0].type, op)


def signed(operand: Expression) -> Expression:
    """The operand as a signed number: the `i1` that is true is -1."""
    if operand.type is Scalar.BOOL:
        return Unary(Scalar.INT32, "-", cast(Scalar.INT32, operand))
    return operand


def unsigned(operand: Expression) -> Expression:
    return cast(operand.type.unsigned, operand)


def to_type(type: Scalar, value: Expression) -> Expression:
    """An integer converted to `type` by dropping high bits; `i1` keeps the lowest."""
    if type is Scalar.BOOL and value.type.is_float:
        value = cast(Scalar.INT32, value)
    if type is Scalar.BOOL and value.type is not Scalar.BOOL:
        own = scalar_of(value)
        lowest = Binary(own, "&", value, IntegerLiteral(own, 1))
        return compare("!=", lowest, IntegerLiteral(own, 0))
    return cast(type, value)


def _constant(op: Operation, operands: Operands) -> Expression:
    assert isinstance(op, arith.ConstantOp)
    match op.value:
        case IntegerAttr(value=value):
            return IntegerLiteral(_result_type(op), value.data)
        case FloatAttr():
            return float_constant(_result_type(op), op.value.value.data)
        case _:
            raise unsupported(
                op, f"constants of type '{op.result.type}' are not supported by the C target"
            )


def float_constant(type: Scalar, value: float) -> Expression:
    """A literal; a NaN that carries something is made from its bits."""
    if value != value and not is_default_nan(value):
        bits = _bits(type, value)
        integer = Scalar.INT32 if type is Scalar.FLOAT else Scalar.INT64
        return Call(type, bit_cast_name(integer, type), (IntegerLiteral(integer, bits),))
    return FloatLiteral(type, value)


def _bits(type: Scalar, value: float) -> int:
    packed = struct.pack("<f" if type is Scalar.FLOAT else "<d", value)
    return int.from_bytes(packed, "little", signed=True)


def _wrapping(operator: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        left, right = operands
        type = _result_type(op)
        if type is Scalar.BOOL:
            # Modulo 2, addition and subtraction are exclusive or, multiplication is and.
            return Binary(type, "&" if operator == "*" else "^", left, right)
        if isinstance(op.results[0].type, IndexType):
            return _OF_INDICES[operator](left, right)
        if _cannot_overflow(op):
            return arithmetic(operator, left, right)
        if type.width < 32:
            # Both are promoted to int, which holds every result.
            return cast(type, Binary(Scalar.INT32, operator, left, right))
        return cast(type, Binary(type.unsigned, operator, unsigned(left), _same(right)))

    return build


_OF_INDICES: Final = MappingProxyType({"+": sum_of, "-": difference_of, "*": product})


def _same(right: Expression) -> Expression:
    """The right operand beside an unsigned left one, to whose type C converts it by itself."""
    converted = unsigned(right)
    is_shorter = not (isinstance(converted, Cast) and converted.operand is right)
    return converted if is_shorter else right


def _cannot_overflow(op: Operation) -> bool:
    flags = op.properties.get("overflowFlags")
    return (
        isinstance(flags, arith.IntegerOverflowAttr) and arith.IntegerOverflowFlag.NSW in flags.data
    )


def _bitwise(operator: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        left, right = operands
        type = _result_type(op)
        match operator, type, right:
            case "^", Scalar.BOOL, IntegerLiteral(value=value) if value & 1:
                return negate(left)
            case "&" | "|", Scalar.BOOL, _ if any(isinstance(each, Call) for each in walk(right)):
                # Clang asks for these where the right one is the result of a call.
                return Binary(type, operator * 2, left, right)
            case _:
                return Binary(type, operator, left, right)

    return build


def _shift_amount(type: Scalar, amount: Expression) -> Expression:
    """The amount, kept below the width: beyond it MLIR gives poison, C undefined behaviour."""
    if isinstance(amount, IntegerLiteral):
        return IntegerLiteral(Scalar.INT32, amount.value % type.width)
    return Binary(amount.type, "&", amount, IntegerLiteral(scalar_of(amount), type.width - 1))


def _shift(operator: str, is_unsigned: bool) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        left, right = operands
        type = _result_type(op)
        if type is Scalar.BOOL:
            # The only amount that is not poison is 0.
            return left
        value = unsigned(left) if is_unsigned else left
        if isinstance(value, IntegerLiteral):
            value = Cast(type, value)
        if type.width < 32 and operator == "<<":
            value = cast(Scalar.UINT32, left)
        return cast(type, Binary(value.type, operator, value, _shift_amount(type, right)))

    return build


def _divide(operator: str, is_unsigned: bool) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_type(op)
        if type is Scalar.BOOL:
            # A divisor that is not 1 (or -1) is 0 and has no meaning.
            return operands[0] if operator == "/" else IntegerLiteral(type, 0)
        left, right = [unsigned(x) if is_unsigned else x for x in operands]
        return cast(type, _narrowed(operator, left, right))

    return build


def _narrowed(operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right`, marked as `int` where C promotes narrow operands to that."""
    if left.type.width < 32:
        return Binary(Scalar.INT32, operator, left, right)
    return arithmetic(operator, left, right)


def _rounded_division(helper: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_type(op)
        if type is Scalar.BOOL:
            return operands[0]
        return cast(type, Call(Scalar.INT64, f"{PREFIX}{helper}", tuple(operands)))

    return build


def _typed_helper(stem: str) -> Builder:
    """A helper for one type, named with its suffix; `i1` goes through `i8`."""

    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_type(op)
        if type is not Scalar.BOOL:
            return Call(type, f"{PREFIX}{stem}_{type.suffix}", tuple(operands))
        wide = tuple(cast(Scalar.INT8, signed(operand)) for operand in operands)
        return to_type(type, Call(Scalar.INT8, f"{PREFIX}{stem}_i8", wide))

    return build


def _minimum_or_maximum(stem: str, operator: str) -> Builder:
    """A conditional expression; `index` has the helper of affine expressions."""

    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_type(op)
        if isinstance(op.results[0].type, IndexType):
            return Call(type, f"{PREFIX}{stem}", tuple(operands))
        # gcc makes branches of nested calls, which are predicted wrongly where data decides.
        first, second = map(signed, operands)
        if first == second:
            # gcc warns of a number that is compared with itself.
            return to_type(type, first)
        test = Binary(Scalar.BOOL, operator, first, second)
        return to_type(type, Conditional(first.type, test, first, second))

    return build


def _float_binary(operator: str) -> Builder:
    def build(op: Operation, operands: Operands) -> Expression:
        left, right = operands
        return Binary(_result_type(op), operator, left, right)

    return build


def _negate_float(op: Operation, operands: Operands) -> Expression:
    return Unary(_result_type(op), "-", operands[0])


_INTEGER_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FIRST_UNSIGNED: Final = 6


def _compare_integers(op: Operation, operands: Operands) -> Expression:
    assert isinstance(op, arith.CmpiOp)
    predicate = op.predicate.value.data
    operator = _INTEGER_COMPARISONS[predicate]
    left, right = operands
    if predicate >= _FIRST_UNSIGNED:
        left, right = unsigned(left), unsigned(right)
    elif predicate > 1:
        left, right = signed(left), signed(right)
    if left == right:
        # gcc warns of a number that is compared with itself.
        return IntegerLiteral(Scalar.BOOL, int(operator in ("==", "<=", ">=")))
    return compare(operator, left, right)


def _compare_floats(op: Operation, operands: Operands) -> Expression:
    """C's `<` and its like are false for NaN, so an unordered predicate negates its opposite."""
    assert isinstance(op, arith.CmpfOp)
    left, right = operands

    def test(operator: str) -> Expression:
        return compare(operator, left, right)

    def macro(name: str) -> Expression:
        return cast(Scalar.BOOL, Call(Scalar.INT32, name, (left, right)))

    match arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]:
        case "oeq":
            return test("==")
        case "ogt":
            return test(">")
        case "oge":
            return test(">=")
        case "olt":
            return test("<")
        case "ole":
            return test("<=")
        case "one":
            return macro("islessgreater")
        case "ord":
            return negate(Call(Scalar.INT32, "isunordered", (left, right)))
        case "ueq":
            return negate(Call(Scalar.INT32, "islessgreater", (left, right)))
        case "ugt":
            return negate(test("<="))
        case "uge":
            return negate(test("<"))
        case "ult":
            return negate(test(">="))
        case "ule":
            return negate(test(">"))
        case "une":
            return test("!=")
        case "uno":
            return macro("isunordered")
        case constant:
            return IntegerLiteral(Scalar.BOOL, int(constant == "true"))


def _select(op: Operation, operands: Operands) -> Expression:
    condition, then, otherwise = operands
    return Conditional(_result_type(op), condition, then, otherwise)


def _convert_signed(op: Operation, operands: Operands) -> Expression:
    """Sign extension, and `index_cast`, which extends signs too or truncates."""
    return to_type(_result_type(op), signed(operands[0]))


def _convert_unsigned(op: Operation, operands: Operands) -> Expression:
    return to_type(_result_type(op), unsigned(operands[0]))


def _float_to_unsigned(op: Operation, operands: Operands) -> Expression:
    type = _result_type(op)
    return to_type(type, cast(type.unsigned, operands[0]))


def _bit_cast(op: Operation, operands: Operands) -> Expression:
    type = _result_type(op)
    source = scalar_of(operands[0])
    if source.is_float == type.is_float:
        return operands[0]
    return Call(type, bit_cast_name(source, type), tuple(operands))


def _library(name: str) -> Builder:
    """A function of `math.h`; the one for `float` ends in `f`."""

    def build(op: Operation, operands: Operands) -> Expression:
        type = _result_type(op)
        return Call(type, library_name(name, type), tuple(operands))

    return build


def _reciprocal_root(op: Operation, operands: Operands) -> Expression:
    root = _library("sqrt")(op, operands)
    return Binary(root.type, "/", FloatLiteral(_result_type(op), 1.0), root)


def _float_to_integer_power(op: Operation, operands: Operands) -> Expression:
    type = _result_type(op)
    return Call(type, f"{PREFIX}fpowi_{type.suffix}", tuple(operands))


_BUILDERS: Final = MappingProxyType[str, Builder](
    {
        "arith.constant": _constant,
        "arith.addi": _wrapping("+"),
        "arith.subi": _wrapping("-"),
        "arith.muli": _wrapping("*"),
        "arith.andi": _bitwise("&"),
        "arith.ori": _bitwise("|"),
        "arith.xori": _bitwise("^"),
        "arith.shli": _shift("<<", is_unsigned=True),
        "arith.shrui": _shift(">>", is_unsigned=True),
        "arith.shrsi": _shift(">>", is_unsigned=False),
        "arith.divsi": _divide("/", is_unsigned=False),
        "arith.divui": _divide("/", is_unsigned=True),
        "arith.remsi": _divide("%", is_unsigned=False),
        "arith.remui": _divide("%", is_unsigned=True),
        "arith.floordivsi": _rounded_division("floordiv"),
        "arith.ceildivsi": _rounded_division("ceildiv"),
        "arith.ceildivui": _typed_helper("ceildivu"),
        "arith.minsi": _minimum_or_maximum("min", "<"),
        "arith.maxsi": _minimum_or_maximum("max", ">"),
        "arith.minui": _typed_helper("minu"),
        "arith.maxui": _typed_helper("maxu"),
        "arith.addf": _float_binary("+"),
        "arith.subf": _float_binary("-"),
        "arith.mulf": _float_binary("*"),
        "arith.divf": _float_binary("/"),
        "arith.negf": _negate_float,
        "arith.maximumf": _typed_helper("maximum"),
        "arith.minimumf": _typed_helper("minimum"),
        "arith.maxnumf": _typed_helper("maxnum"),
        "arith.minnumf": _typed_helper("minnum"),
        "arith.cmpi": _compare_integers,
        "arith.cmpf": _compare_floats,
        "arith.select": _select,
        "arith.index_cast": _convert_signed,
        "arith.index_castui": _convert_unsigned,
        "index.casts": _convert_signed,
        "index.castu": _convert_unsigned,
        "arith.extsi": _convert_signed,
        "arith.extui": _convert_unsigned,
        "arith.trunci": _convert_signed,
        "arith.sitofp": _convert_signed,
        "arith.uitofp": _convert_unsigned,
        "arith.fptosi": _convert_signed,
        "arith.fptoui": _float_to_unsigned,
        "arith.extf": _convert_signed,
        "arith.truncf": _convert_signed,
        "arith.bitcast": _bit_cast,
        "math.absi": _typed_helper("abs"),
        "math.ctlz": _typed_helper("ctlz"),
        "math.cttz": _typed_helper("cttz"),
        "math.ctpop": _typed_helper("ctpop"),
        "math.ipowi": _typed_helper("ipow"),
        "math.fpowi": _float_to_integer_power,
        "math.rsqrt": _reciprocal_root,
        **{name: _library(function) for name, function in LIBRARY_FUNCTIONS.items()},
    }
)
"""How the expression of each operation is built, by the operation's name."""
