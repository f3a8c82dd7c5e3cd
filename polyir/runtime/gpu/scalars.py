"""Arithmetic of `arith`, `index` and `math` on Python's numbers, for xDSL's interpreter.

Results have the bits that the C target's code gives. Integers are signed numbers of their width, an
`i1` is 0 or 1, and an `f32` is a float that a `float` of C can hold.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import copysign, isnan
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from xdsl.dialects import arith, builtin, math
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import Attribute, Operation

from polyir.dialects import affine_extra
from polyir.target.abi import LIBRARY_FUNCTIONS, Scalar, library_name, scalar_type
from polyir.target.errors import unsupported

Number = int | float
Compute = Callable[..., Number]
Run = Callable[[Operation, tuple[Any, ...]], Number]

_BOOL: Final = 1
_LONG: Final = 64


def fitted(type: Attribute, value: Number) -> Number:
    """A number as a value of `type`: integers wrap around, floats are rounded."""
    match type:
        case builtin.IndexType():
            return _signed(int(value), _LONG)
        case builtin.IntegerType():
            return _signed(int(value), type.width.data)
        case builtin.Float32Type():
            return float(ctypes.c_float(value).value)
        case _:
            return float(value)


def _signed(value: int, width: int) -> int:
    if width == _BOOL:
        return value & 1
    half = 1 << (width - 1)
    return ((value + half) & ((1 << width) - 1)) - half


def _width(type: Attribute) -> int:
    return type.width.data if isinstance(type, builtin.IntegerType) else _LONG


# ------------------------------------------------------------------------------------ forms


def _plain(compute: Compute) -> Run:
    """An operation on the operands as they are."""
    return lambda op, values: fitted(op.results[0].type, compute(*values))


def _as_signed(compute: Compute) -> Run:
    """An operation on integers of which an `i1` that is true is -1."""

    def run(op: Operation, values: tuple[Any, ...]) -> Number:
        if _width(op.operands[0].type) == _BOOL:
            values = tuple(-value for value in values)
        return fitted(op.results[0].type, compute(*values))

    return run


def _as_unsigned(compute: Compute) -> Run:
    """An operation on the bits of integers."""

    def run(op: Operation, values: tuple[Any, ...]) -> Number:
        mask = (1 << _width(op.operands[0].type)) - 1
        return fitted(op.results[0].type, compute(*(value & mask for value in values)))

    return run


def _with_width(compute: Compute) -> Run:
    """An operation on the bits of an integer, of a number that is passed first."""

    def run(op: Operation, values: tuple[Any, ...]) -> Number:
        width = _width(op.operands[0].type)
        bits = (value & ((1 << width) - 1) for value in values)
        return fitted(op.results[0].type, compute(width, *bits))

    return run


def _library(name: str) -> Run:
    """A function of the C library."""

    def run(op: Operation, values: tuple[Any, ...]) -> Number:
        type = scalar_type(op.results[0].type, op)
        result: float = _c_function(library_name(name, type), type, len(values))(*values)
        return result

    return run


@cache
def _c_function(name: str, type: Scalar, arity: int) -> Callable[..., float]:
    c_type = ctypes.c_float if type is Scalar.FLOAT else ctypes.c_double
    return ctypes.CFUNCTYPE(c_type, *(c_type for _ in range(arity)))((name, ctypes.CDLL(None)))


# ------------------------------------------------------------------------------------ integers


def _truncated(a: int, b: int) -> int:
    """`a / b` as in C."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _power(a: int, b: int) -> int:
    """A negative exponent gives 1 / a**|b| truncated, as in MLIR."""
    if b >= 0:
        return pow(a, b, 1 << _LONG)
    return a ** (b & 1) if a in (1, -1) else 0


_INTEGERS: Final[Mapping[str, Run]] = MappingProxyType(
    {
        "arith.addi": _plain(lambda a, b: a + b),
        "arith.subi": _plain(lambda a, b: a - b),
        "arith.muli": _plain(lambda a, b: a * b),
        "arith.andi": _plain(lambda a, b: a & b),
        "arith.ori": _plain(lambda a, b: a | b),
        "arith.xori": _plain(lambda a, b: a ^ b),
        "arith.shli": _with_width(lambda width, a, b: a << (b % width)),
        "arith.shrui": _with_width(lambda width, a, b: a >> (b % width)),
        "arith.shrsi": _with_width(lambda width, a, b: _signed(a, width) >> (b % width)),
        "arith.divsi": _plain(_truncated),
        "arith.remsi": _plain(lambda a, b: a - b * _truncated(a, b)),
        "arith.floordivsi": _plain(lambda a, b: a // b),
        "arith.ceildivsi": _plain(lambda a, b: -(-a // b)),
        "arith.divui": _as_unsigned(lambda a, b: a // b),
        "arith.remui": _as_unsigned(lambda a, b: a % b),
        "arith.ceildivui": _as_unsigned(lambda a, b: -(-a // b)),
        "arith.minsi": _as_signed(min),
        "arith.maxsi": _as_signed(max),
        "arith.minui": _as_unsigned(min),
        "arith.maxui": _as_unsigned(max),
        "arith.index_cast": _as_signed(lambda a: a),
        "arith.index_castui": _as_unsigned(lambda a: a),
        "index.casts": _as_signed(lambda a: a),
        "index.castu": _as_unsigned(lambda a: a),
        "arith.extsi": _as_signed(lambda a: a),
        "arith.extui": _as_unsigned(lambda a: a),
        "arith.trunci": _plain(lambda a: a),
        "math.absi": _as_signed(abs),
        "math.ctlz": _with_width(lambda width, a: width - a.bit_length()),
        "math.cttz": _with_width(lambda width, a: (a & -a).bit_length() - 1 if a else width),
        "math.ctpop": _as_unsigned(lambda a: a.bit_count()),
        "math.ipowi": _as_signed(_power),
    }
)

# ------------------------------------------------------------------------------------ floats


def _quotient(a: float, b: float) -> float:
    """`a / b` as the processor computes it, also where `b` is 0."""
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def _maximum(a: float, b: float) -> float:
    """IEEE 754's: a NaN stays, and 0.0 is greater than -0.0."""
    if isnan(a) or isnan(b):
        return b if isnan(b) else a
    if a == b:
        return b if copysign(1.0, a) < 0 else a
    return max(a, b)


def _minimum(a: float, b: float) -> float:
    if isnan(a) or isnan(b):
        return b if isnan(b) else a
    if a == b:
        return a if copysign(1.0, a) < 0 else b
    return min(a, b)


def _integer_power(op: Operation, values: tuple[Any, ...]) -> Number:
    """Repeated squaring, each product rounded."""
    type = op.results[0].type
    base, exponent = values
    result, rest = 1.0, abs(exponent)
    while rest:
        if rest & 1:
            result = float(fitted(type, result * base))
        base = fitted(type, base * base)
        rest >>= 1
    return fitted(type, _quotient(1.0, result)) if exponent < 0 else result


def _reciprocal_root(op: Operation, values: tuple[Any, ...]) -> Number:
    return fitted(op.results[0].type, _quotient(1.0, _library("sqrt")(op, values)))


def _converted(a: float) -> int:
    """The whole part; C does not say what it is where there is none."""
    return int(a) if abs(a) < 2.0**64 else 0


def _bits(op: Operation, values: tuple[Any, ...]) -> Number:
    """The same bits as a value of another type."""
    source, target = (_format(each.type) for each in (op.operands[0], op.results[0]))
    if source == target:
        result: Number = values[0]
    else:
        (result,) = struct.unpack(target, struct.pack(source, *values))
    return result


def _format(type: Attribute) -> str:
    match type:
        case builtin.Float32Type():
            return "<f"
        case builtin.Float64Type():
            return "<d"
        case _:
            return {8: "<b", 16: "<h", 32: "<i"}.get(_width(type), "<q")


_FLOATS: Final[Mapping[str, Run]] = MappingProxyType(
    {
        "arith.addf": _plain(lambda a, b: a + b),
        "arith.subf": _plain(lambda a, b: a - b),
        "arith.mulf": _plain(lambda a, b: a * b),
        "arith.divf": _plain(_quotient),
        "arith.negf": _plain(lambda a: -a),
        "arith.maximumf": _plain(_maximum),
        "arith.minimumf": _plain(_minimum),
        "arith.maxnumf": _plain(lambda a, b: a if b != b or a > b else b),
        "arith.minnumf": _plain(lambda a, b: a if b != b or a < b else b),
        "arith.sitofp": _as_signed(lambda a: a),
        "arith.uitofp": _as_unsigned(lambda a: a),
        "arith.fptosi": _plain(_converted),
        "arith.fptoui": _plain(_converted),
        "arith.extf": _plain(lambda a: a),
        "arith.truncf": _plain(lambda a: a),
        "arith.bitcast": _bits,
        "math.rsqrt": _reciprocal_root,
        "math.fpowi": _integer_power,
        **{name: _library(function) for name, function in LIBRARY_FUNCTIONS.items()},
    }
)

# ------------------------------------------------------------------------------------ the rest

_SIGNED_COMPARISONS: Final[tuple[Compute, ...]] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
_COMPARISONS: Final[tuple[Run, ...]] = (
    *(_as_signed(compare) for compare in _SIGNED_COMPARISONS),
    *(_as_unsigned(compare) for compare in _SIGNED_COMPARISONS[2:]),
)
"""By the number of the predicate."""

_FLOAT_COMPARISONS: Final[Mapping[str, Compute]] = MappingProxyType(
    {
        "false": lambda a, b: False,
        "oeq": lambda a, b: a == b,
        "ogt": lambda a, b: a > b,
        "oge": lambda a, b: a >= b,
        "olt": lambda a, b: a < b,
        "ole": lambda a, b: a <= b,
        "one": lambda a, b: a < b or a > b,
        "ord": lambda a, b: a == a and b == b,
        "ueq": lambda a, b: not (a < b or a > b),
        "ugt": lambda a, b: not a <= b,
        "uge": lambda a, b: not a < b,
        "ult": lambda a, b: not a >= b,
        "ule": lambda a, b: not a > b,
        "une": lambda a, b: a != b,
        "uno": lambda a, b: a != a or b != b,
        "true": lambda a, b: True,
    }
)


def _compare_integers(op: Operation, values: tuple[Any, ...]) -> Number:
    assert isinstance(op, arith.CmpiOp)
    return _COMPARISONS[op.predicate.value.data](op, values)


def _compare_floats(op: Operation, values: tuple[Any, ...]) -> Number:
    assert isinstance(op, arith.CmpfOp)
    predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    return int(_FLOAT_COMPARISONS[predicate](*values))


def _constant(op: Operation, values: tuple[Any, ...]) -> Number:
    assert isinstance(op, arith.ConstantOp)
    if not isinstance(op.value, builtin.IntegerAttr | builtin.FloatAttr):
        raise unsupported(op, f"constants of type '{op.result.type}' are not supported here")
    return fitted(op.result.type, op.value.value.data)


_OPERATIONS: Final[Mapping[str, Run]] = MappingProxyType(
    {
        **_INTEGERS,
        **_FLOATS,
        "arith.constant": _constant,
        "arith.cmpi": _compare_integers,
        "arith.cmpf": _compare_floats,
        "arith.select": lambda op, values: values[1] if values[0] else values[2],
    }
)


def _operation_types() -> Iterator[type[Operation]]:
    """The operations that the table has, xDSL's and polyir's."""
    extra = (each for each in vars(affine_extra).values() if isinstance(each, type))
    for each in (*arith.Arith.operations, *math.Math.operations, *extra):
        if issubclass(each, Operation) and getattr(each, "name", None) in _OPERATIONS:
            yield each


class ScalarFunctions(InterpreterFunctions):
    """The implementations of all operations of the table."""


def _implementation(run: Run) -> Callable[..., tuple[Number]]:
    def implementation(
        functions: ScalarFunctions, interpreter: Interpreter, op: Operation, values: tuple[Any, ...]
    ) -> tuple[Number]:
        return (run(op, values),)

    return implementation


for _type in _operation_types():
    _name = f"run_{_type.name}_{_type.__name__}"
    setattr(ScalarFunctions, _name, impl(_type)(_implementation(_OPERATIONS[_type.name])))
register_impls(ScalarFunctions)
