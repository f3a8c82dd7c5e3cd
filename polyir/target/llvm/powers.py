"""Powers with integer exponents as loops: LLVM's intrinsic functions leave the rounding open."""

from __future__ import annotations

from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, ModuleOp, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.target.llvm.conversion import operation_name
from polyir.target.llvm.types import refuse

_POWERS: Final = ("math.ipowi", "math.fpowi")


def expand_integer_powers(module: ModuleOp) -> None:
    """Replace `math.ipowi` and `math.fpowi` by repeated squaring.

    The products are those of the C target, in the same order. Raises `LlvmTargetError` for vectors
    and for `i1`.
    """
    for op in tuple(module.walk()):
        if operation_name(op) in _POWERS:
            builder = Builder(InsertPoint.before(op))
            power = _power(op, builder)
            power.name_hint = op.results[0].name_hint
            op.results[0].replace_all_uses_with(power)
            Rewriter.erase_op(op)


def _power(op: Operation, builder: Builder) -> SSAValue:
    base, exponent = op.operands
    type = exponent.type
    if not isinstance(type, IntegerType) or type == i1 or base.type == i1:
        raise refuse(op, f"the LLVM target has no {operation_name(op)} on {base.type}, {type}")
    zero = _constant(0, type, builder)
    is_negative = builder.insert(arith.CmpiOp(exponent, zero, "slt")).result
    negated = builder.insert(arith.SubiOp(zero, exponent)).result
    size = builder.insert(arith.SelectOp(is_negative, negated, exponent)).result
    power = _squaring(base, size, type, builder)
    if isinstance(base.type, AnyFloat):
        one = _constant(1, base.type, builder)
        inverse: SSAValue = builder.insert(arith.DivfOp(one, power)).result
    else:
        inverse = _integer_inverse(base, power, builder)
    return builder.insert(arith.SelectOp(is_negative, inverse, power)).result


def _squaring(base: SSAValue, exponent: SSAValue, type: IntegerType, builder: Builder) -> SSAValue:
    """The product over the bits of `exponent`, the lowest first; its loop is of fixed length."""
    first = builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(0))).result
    last = builder.insert(
        arith.ConstantOp(IntegerAttr.from_index_int_value(type.width.data))
    ).result
    step = builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(1))).result
    one = _constant(1, base.type, builder)
    body = Block(arg_types=[first.type, base.type, base.type, type])
    _, result, square, bits = body.args
    inside = Builder(InsertPoint.at_end(body))
    multiply = arith.MulfOp if isinstance(base.type, AnyFloat) else arith.MuliOp
    unit = _constant(1, type, inside)
    lowest = inside.insert(arith.AndIOp(bits, unit)).result
    is_set = inside.insert(arith.CmpiOp(lowest, _constant(0, type, inside), "ne")).result
    product = inside.insert(multiply(result, square)).result
    chosen = inside.insert(arith.SelectOp(is_set, product, result)).result
    squared = inside.insert(multiply(square, square)).result
    rest = inside.insert(arith.ShRUIOp(bits, unit)).result
    inside.insert(scf.YieldOp(chosen, squared, rest))
    loop = scf.ForOp(first, last, step, [one, base, exponent], body)
    return builder.insert(loop).results[0]


def _integer_inverse(base: SSAValue, power: SSAValue, builder: Builder) -> SSAValue:
    """`1 / power` rounded to zero: `power` itself if `base` is 1 or -1, else 0."""
    zero = _constant(0, base.type, builder)
    is_one, is_minus_one = (
        builder.insert(arith.CmpiOp(base, _constant(number, base.type, builder), "eq")).result
        for number in (1, -1)
    )
    is_unit = builder.insert(arith.OrIOp(is_one, is_minus_one)).result
    return builder.insert(arith.SelectOp(is_unit, power, zero)).result


def _constant(number: int, type: Attribute, builder: Builder) -> SSAValue:
    if isinstance(type, AnyFloat):
        return builder.insert(arith.ConstantOp(FloatAttr(float(number), type))).result
    assert isinstance(type, IntegerType)
    return builder.insert(arith.ConstantOp(IntegerAttr(number, type))).result
