"""Operations of arith as operations of the llvm dialect, one operation at a time.

The order and the rounding of the operations are kept: there are no fast-math flags and there is no
contraction. Integers wrap around unless the operation says that they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.target.errors import operation_name, unsupported_operation
from polyir.target.llvm.types import element_type, is_vector, with_element

Values = Sequence[SSAValue]

Conversion = Callable[[Operation, Builder], SSAValue]
"""Builds the operations that compute the result of an operation, before it; returns the value."""


def convert_operations(
    module: ModuleOp,
    prefixes: tuple[str, ...],
    conversions: Mapping[str, Conversion],
    check: Callable[[Operation], None] = lambda op: None,
) -> None:
    """Replace every operation of `module` whose name starts with one of `prefixes`.

    Before each conversion, `check` may refuse the operation. Raises `TargetError`, at the
    operation, if `conversions` does not have its name.
    """
    for op in tuple(module.walk()):
        name = operation_name(op)
        if not name.startswith(prefixes):
            continue
        convert = conversions.get(name)
        if convert is None:
            raise unsupported_operation(op, "the LLVM target")
        check(op)
        value = convert(op, Builder(InsertPoint.before(op)))
        (result,) = op.results
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
        Rewriter.erase_op(op)


def convert_arith_to_llvm(module: ModuleOp) -> None:
    """Replace every operation of arith in `module`.

    Values of type index must have been converted. Raises `TargetError` for operations and types
    that LLVM does not have.
    """
    convert_operations(module, ("arith.",), CONVERSIONS)


def integer(value: int, type: Attribute, builder: Builder) -> SSAValue:
    """A constant of an integer type, or a vector of such constants."""
    if isinstance(type, VectorType):
        values = DenseIntOrFPElementsAttr.from_list(type, [value] * type.element_count())
        return builder.insert(llvm.ConstantOp(values, type)).result
    assert isinstance(type, IntegerType)
    return builder.insert(llvm.ConstantOp(IntegerAttr(value, type), type)).result


def compare_integers(left: SSAValue, predicate: str, right: SSAValue, builder: Builder) -> SSAValue:
    """An integer comparison; `predicate` is LLVM's name of it."""
    number = llvm.ICmpPredicateFlag(predicate).to_int()
    return builder.insert(llvm.ICmpOp(left, right, IntegerAttr(number, i64))).res


def compare_floats(left: SSAValue, predicate: str, right: SSAValue, builder: Builder) -> SSAValue:
    """A floating-point comparison; `predicate` is LLVM's name of it."""
    if is_vector(left.type):
        from polyir.target.llvm.vector_operations import VectorFCmpOp

        return builder.insert(VectorFCmpOp.make(left, right, predicate)).res
    return builder.insert(llvm.FCmpOp(left, right, predicate)).res


def select(condition: SSAValue, true: SSAValue, false: SSAValue, builder: Builder) -> SSAValue:
    """One of two values, or of their lanes."""
    if is_vector(condition.type):
        from polyir.target.llvm.vector_operations import VectorSelectOp

        return builder.insert(VectorSelectOp(condition, true, false)).res
    return builder.insert(llvm.SelectOp(condition, true, false)).res


def intrinsic(name: str, operands: Values, type: Attribute, builder: Builder) -> SSAValue:
    """A call of the intrinsic function with this full name."""
    call = builder.insert(llvm.CallIntrinsicOp(name, operands, [type]))
    assert call.ress is not None
    return call.ress


def type_suffix(type: Attribute) -> str:
    """The type in the name of an intrinsic: `f64`, `i32`, `v4f32`."""
    if isinstance(type, VectorType):
        return f"v{type.get_shape()[0]}{type_suffix(type.element_type)}"
    return str(type)


_Binary = Callable[[SSAValue, SSAValue], Operation]


def _binary(make: _Binary) -> Conversion:
    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        return builder.insert(make(left, right)).results[0]

    return convert


_Wrapping = type[llvm.AddOp] | type[llvm.SubOp] | type[llvm.MulOp] | type[llvm.ShlOp]


def _wrapping(make: _Wrapping) -> Conversion:
    """Arithmetic that may have flags that say that it does not wrap around."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        flags = op.properties.get("overflowFlags")
        bits = 0
        if isinstance(flags, arith.IntegerOverflowAttr):
            bits += arith.IntegerOverflowFlag.NSW in flags.data
            bits += 2 * (arith.IntegerOverflowFlag.NUW in flags.data)
        return builder.insert(make(left, right, overflow=IntegerAttr(bits, i32))).res

    return convert


def _division(make: _Binary, is_remainder: bool) -> Conversion:
    """Division. For `i1`, the divisor must be 1 (or -1), because the only other value is 0."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        if element_type(left.type) == i1:
            return integer(0, left.type, builder) if is_remainder else left
        return builder.insert(make(left, right)).results[0]

    return convert


def _rounded_division(is_floor: bool) -> Conversion:
    """The quotient rounded towards zero, corrected by one where that is the wrong direction.

    The floor is one less if there is a remainder and the signs differ. The ceiling is one more if
    there is a remainder and the signs agree.
    """

    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        if element_type(left.type) == i1:
            return left
        quotient = builder.insert(llvm.SDivOp(left, right)).res
        remainder = builder.insert(llvm.SRemOp(left, right)).res
        zero = integer(0, left.type, builder)
        is_inexact = compare_integers(remainder, "ne", zero, builder)
        signs = builder.insert(llvm.XOrOp(left, right)).res
        is_wrong = compare_integers(signs, "slt" if is_floor else "sge", zero, builder)
        moves = builder.insert(llvm.AndOp(is_inexact, is_wrong)).res
        step = builder.insert(llvm.ZExtOp(moves, left.type)).res
        move = llvm.SubOp if is_floor else llvm.AddOp
        return builder.insert(move(quotient, step)).res

    return convert


def _unsigned_ceiling(op: Operation, builder: Builder) -> SSAValue:
    left, right = op.operands
    if element_type(left.type) == i1:
        return left
    quotient = builder.insert(llvm.UDivOp(left, right)).res
    remainder = builder.insert(llvm.URemOp(left, right)).res
    is_inexact = compare_integers(remainder, "ne", integer(0, left.type, builder), builder)
    step = builder.insert(llvm.ZExtOp(is_inexact, left.type)).res
    return builder.insert(llvm.AddOp(quotient, step)).res


def _extremum(predicate: str) -> Conversion:
    """The left operand if the comparison is true, else the right one."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        name = {"slt": "smin", "sgt": "smax", "ult": "umin", "ugt": "umax"}[predicate]
        full_name = f"llvm.{name}.{type_suffix(left.type)}"
        return intrinsic(full_name, [left, right], left.type, builder)

    return convert


def _ieee_extremum(is_maximum: bool) -> Conversion:
    """IEEE 754's maximum and minimum: a NaN is propagated, and -0 is less than +0.

    If both operands are NaNs, the result is the right one. Equal operands have the same bits unless
    they are the two zeros: the `and` of their bits is then the larger, the `or` the smaller one.
    """

    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        predicate = "ogt" if is_maximum else "olt"
        chosen = select(compare_floats(left, predicate, right, builder), left, right, builder)
        equal = compare_floats(left, "oeq", right, builder)
        result = select(equal, _merged_bits(left, right, is_maximum, builder), chosen, builder)
        left_is_nan = compare_floats(left, "uno", left, builder)
        result = select(left_is_nan, left, result, builder)
        right_is_nan = compare_floats(right, "uno", right, builder)
        return select(right_is_nan, right, result, builder)

    return convert


def _merged_bits(left: SSAValue, right: SSAValue, is_and: bool, builder: Builder) -> SSAValue:
    element = element_type(left.type)
    assert isinstance(element, AnyFloat)
    bits = with_element(left.type, IntegerType(element.bitwidth))
    first, second = (builder.insert(llvm.BitcastOp(value, bits)).result for value in (left, right))
    merge = llvm.AndOp if is_and else llvm.OrOp
    merged = builder.insert(merge(first, second)).res
    return builder.insert(llvm.BitcastOp(merged, left.type)).result


def _number_extremum(is_maximum: bool) -> Conversion:
    """A number is preferred to a NaN: the left operand, if it is better or the other is a NaN."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        left, right = op.operands
        is_better = compare_floats(left, "ogt" if is_maximum else "olt", right, builder)
        better = select(is_better, left, right, builder)
        is_nan = compare_floats(right, "uno", right, builder)
        return select(is_nan, left, better, builder)

    return convert


def _constant(op: Operation, builder: Builder) -> SSAValue:
    assert isinstance(op, arith.ConstantOp)
    return builder.insert(llvm.ConstantOp(op.value, op.result.type)).result


def _compare_integers(op: Operation, builder: Builder) -> SSAValue:
    predicate = arith.CMPI_COMPARISON_OPERATIONS[_predicate(op)]
    return compare_integers(op.operands[0], predicate, op.operands[1], builder)


def _predicate(op: Operation) -> int:
    """The number of what a comparison asks."""
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    return int(predicate.value.data)


def _compare_floats(op: Operation, builder: Builder) -> SSAValue:
    predicate = arith.CMPF_COMPARISON_OPERATIONS[_predicate(op)]
    if predicate in ("false", "true"):
        return integer(int(predicate == "true"), op.results[0].type, builder)
    return compare_floats(op.operands[0], predicate, op.operands[1], builder)


def _select(op: Operation, builder: Builder) -> SSAValue:
    condition, true, false = op.operands
    return select(condition, true, false, builder)


_Cast = Callable[[SSAValue, Attribute], Operation]


def _cast(make: _Cast) -> Conversion:
    def convert(op: Operation, builder: Builder) -> SSAValue:
        return builder.insert(make(op.operands[0], op.results[0].type)).results[0]

    return convert


def _unsigned_to_float(op: Operation, builder: Builder) -> SSAValue:
    """Through a signed i64, which can hold all narrower numbers.

    An i64 whose top bit is set is halved, converted, and doubled, which is exact. The bit that
    halving shifts out is kept in the lowest bit, so that rounding is the same.
    """
    (value,), type = op.operands, op.results[0].type
    element, wide_type = element_type(value.type), with_element(value.type, i64)
    assert isinstance(element, IntegerType)
    if element.width.data < 64:
        wide = builder.insert(llvm.ZExtOp(value, wide_type)).res
        return builder.insert(llvm.SIToFPOp(wide, type)).result
    one = integer(1, wide_type, builder)
    shifted = builder.insert(llvm.LShrOp(value, one)).res
    lowest = builder.insert(llvm.AndOp(value, one)).res
    half = builder.insert(llvm.OrOp(shifted, lowest)).res
    converted = builder.insert(llvm.SIToFPOp(half, type)).result
    doubled = builder.insert(llvm.FAddOp(converted, converted)).res
    direct = builder.insert(llvm.SIToFPOp(value, type)).result
    is_large = compare_integers(value, "slt", integer(0, wide_type, builder), builder)
    return select(is_large, doubled, direct, builder)


def _float_to_integer(name: str) -> Conversion:
    """LLVM's saturating conversion, which is the same where the operation is defined.

    xDSL has no operation for the plain conversion.
    """

    def convert(op: Operation, builder: Builder) -> SSAValue:
        (value,), type = op.operands, op.results[0].type
        is_bool = element_type(type) == i1
        wide = with_element(type, i32) if is_bool else type
        full_name = f"llvm.{name}.sat.{type_suffix(wide)}.{type_suffix(value.type)}"
        result = intrinsic(full_name, [value], wide, builder)
        return builder.insert(llvm.TruncOp(result, type)).res if is_bool else result

    return convert


CONVERSIONS: Final[Mapping[str, Conversion]] = MappingProxyType(
    {
        "arith.constant": _constant,
        "arith.addi": _wrapping(llvm.AddOp),
        "arith.subi": _wrapping(llvm.SubOp),
        "arith.muli": _wrapping(llvm.MulOp),
        "arith.shli": _wrapping(llvm.ShlOp),
        "arith.shrsi": _binary(llvm.AShrOp),
        "arith.shrui": _binary(llvm.LShrOp),
        "arith.andi": _binary(llvm.AndOp),
        "arith.ori": _binary(llvm.OrOp),
        "arith.xori": _binary(llvm.XOrOp),
        "arith.divsi": _division(llvm.SDivOp, is_remainder=False),
        "arith.divui": _division(llvm.UDivOp, is_remainder=False),
        "arith.remsi": _division(llvm.SRemOp, is_remainder=True),
        "arith.remui": _division(llvm.URemOp, is_remainder=True),
        "arith.floordivsi": _rounded_division(is_floor=True),
        "arith.ceildivsi": _rounded_division(is_floor=False),
        "arith.ceildivui": _unsigned_ceiling,
        "arith.minsi": _extremum("slt"),
        "arith.maxsi": _extremum("sgt"),
        "arith.minui": _extremum("ult"),
        "arith.maxui": _extremum("ugt"),
        "arith.addf": _binary(llvm.FAddOp),
        "arith.subf": _binary(llvm.FSubOp),
        "arith.mulf": _binary(llvm.FMulOp),
        "arith.divf": _binary(llvm.FDivOp),
        "arith.negf": lambda op, builder: builder.insert(llvm.FNegOp(op.operands[0])).res,
        "arith.maximumf": _ieee_extremum(is_maximum=True),
        "arith.minimumf": _ieee_extremum(is_maximum=False),
        "arith.maxnumf": _number_extremum(is_maximum=True),
        "arith.minnumf": _number_extremum(is_maximum=False),
        "arith.cmpi": _compare_integers,
        "arith.cmpf": _compare_floats,
        "arith.select": _select,
        "arith.extsi": _cast(llvm.SExtOp),
        "arith.extui": _cast(llvm.ZExtOp),
        "arith.trunci": _cast(llvm.TruncOp),
        "arith.sitofp": _cast(llvm.SIToFPOp),
        "arith.uitofp": _unsigned_to_float,
        "arith.fptosi": _float_to_integer("fptosi"),
        "arith.fptoui": _float_to_integer("fptoui"),
        "arith.extf": _cast(llvm.FPExtOp),
        "arith.truncf": _cast(llvm.FPTruncOp),
        "arith.bitcast": _cast(llvm.BitcastOp),
    }
)
"""The conversion of each operation of arith, by its name."""
