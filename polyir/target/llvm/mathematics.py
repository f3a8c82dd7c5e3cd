"""Operations of math as operations of the llvm dialect.

Operations that IEEE 754 defines exactly become intrinsic functions, which LLVM turns into
instructions. Powers with integer exponents become loops, because LLVM's intrinsic functions leave
their rounding open. All others call the C library. These calls are marked so that LLVM does not
replace one function by another: `pow(x, 0.5)` and `sqrt(x)` differ in their bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.target.abi import LIBRARY_FUNCTIONS, Scalar, library_name
from polyir.target.errors import operation_name, unsupported
from polyir.target.llvm.arithmetic import (
    Conversion,
    compare_integers,
    convert_operations,
    integer,
    intrinsic,
    select,
    type_suffix,
)
from polyir.target.llvm.symbols import declare_function
from polyir.target.llvm.types import element_type


def convert_math_to_llvm(module: ModuleOp) -> None:
    """Replace every operation of math, and `arith.remf`, in `module`.

    `math.ipowi` and `math.fpowi` must have been expanded. Raises `TargetError` for operations and
    types that LLVM does not have.
    """
    convert_operations(module, ("math.", "arith.remf"), CONVERSIONS)


_EXACT: Final = MappingProxyType(
    {
        "math.absf": "fabs",
        "math.ceil": "ceil",
        "math.copysign": "copysign",
        "math.floor": "floor",
        "math.fma": "fma",
        "math.round": "round",
        "math.roundeven": "roundeven",
        "math.sqrt": "sqrt",
        "math.trunc": "trunc",
    }
)
"""The intrinsic function of each operation whose result IEEE 754 defines exactly."""


def _exact(name: str) -> Conversion:
    def convert(op: Operation, builder: Builder) -> SSAValue:
        type = op.results[0].type
        return intrinsic(f"llvm.{name}.{type_suffix(type)}", op.operands, type, builder)

    return convert


def _library(name: str) -> Conversion:
    """A call of a function of the C library."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        result = op.results[0].type
        type = element_type(result)
        if not isinstance(type, Float32Type | Float64Type):
            raise unsupported(op, f"{op.name} on '{type}' is not supported by the LLVM target")
        scalar = Scalar.FLOAT if isinstance(type, Float32Type) else Scalar.DOUBLE
        function = library_name(name, scalar)
        inputs = [type for _ in op.operands]
        declare_function(op, function, inputs, type, _PURE)

        def call(operands: Sequence[SSAValue]) -> SSAValue:
            made = builder.insert(llvm.CallOp(function, *operands, return_type=type))
            assert made.returned is not None
            return made.returned

        if not isinstance(result, VectorType):
            return call(op.operands)
        return _lane_by_lane(op, result, call, builder)

    return convert


def _lane_by_lane(
    op: Operation,
    type: VectorType,
    call: Callable[[Sequence[SSAValue]], SSAValue],
    builder: Builder,
) -> SSAValue:
    """The vector of what `call` gives for the values of each lane."""
    from polyir.target.llvm.vectors import extracted, inserted

    result: SSAValue = builder.insert(llvm.UndefOp(type)).res
    for lane in range(type.element_count()):
        values = [extracted(operand, lane, builder) for operand in op.operands]
        result = inserted(result, call(values), lane, builder)
    return result


_PURE: Final = ("nobuiltin", "nounwind", "readnone")


def _reciprocal_root(op: Operation, builder: Builder) -> SSAValue:
    type = op.results[0].type
    element = element_type(type)
    if not isinstance(element, Float32Type | Float64Type):
        raise unsupported(op, f"{op.name} on '{type}' is not supported by the LLVM target")
    root = intrinsic(f"llvm.sqrt.{type_suffix(type)}", op.operands, type, builder)
    number: Attribute = FloatAttr(1.0, element)
    if isinstance(type, VectorType):
        number = DenseIntOrFPElementsAttr.from_list(type, [1.0] * type.element_count())
    one = builder.insert(llvm.ConstantOp(number, type)).result
    return builder.insert(llvm.FDivOp(one, root)).res


def _absolute_integer(op: Operation, builder: Builder) -> SSAValue:
    """The absolute value; that of the smallest number is itself: subtraction wraps around."""
    (value,) = op.operands
    if element_type(value.type) == i1:
        return value
    zero = integer(0, value.type, builder)
    negated = builder.insert(llvm.SubOp(zero, value)).res
    return select(compare_integers(value, "slt", zero, builder), negated, value, builder)


def _bit_count(name: str, takes_flag: bool) -> Conversion:
    """A count of bits; the flag says that the result for zero is defined."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        (value,), type = op.operands, op.results[0].type
        flags = [integer(0, i1, builder)] if takes_flag else []
        return intrinsic(f"llvm.{name}.{type_suffix(type)}", [value, *flags], type, builder)

    return convert


CONVERSIONS: Final[Mapping[str, Conversion]] = MappingProxyType(
    {
        **{name: _library(function) for name, function in LIBRARY_FUNCTIONS.items()},
        **{name: _exact(function) for name, function in _EXACT.items()},
        "math.rsqrt": _reciprocal_root,
        "math.absi": _absolute_integer,
        "math.ctlz": _bit_count("ctlz", takes_flag=True),
        "math.cttz": _bit_count("cttz", takes_flag=True),
        "math.ctpop": _bit_count("ctpop", takes_flag=False),
    }
)
"""The conversion of each operation of math, by its name."""


# ------------------------------------------------------------------------------------ powers

_POWERS: Final = ("math.ipowi", "math.fpowi")


def expand_integer_powers(module: ModuleOp) -> None:
    """Replace `math.ipowi` and `math.fpowi` by repeated squaring.

    The products are the same as in the C target, in the same order. Raises `TargetError` for
    vectors and for `i1`.
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
        raise unsupported(
            op,
            f"{operation_name(op)} on '{base.type}' and '{type}' is not supported "
            "by the LLVM target",
        )
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
    """The product over the bits of `exponent`, lowest first, in a loop of fixed length."""
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
    """`1 / power` rounded towards zero: `power` itself if `base` is 1 or -1, else 0."""
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
