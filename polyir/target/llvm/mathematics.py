"""Operations of math as operations of the llvm dialect.

What IEEE 754 defines exactly is an intrinsic function, which LLVM turns into an instruction. All
else calls the C library, marked so that LLVM does not replace one function by another: the bits of
`pow(x, 0.5)` are not those of `sqrt(x)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, IntegerType, ModuleOp, i1
from xdsl.ir import Operation, SSAValue

from polyir.target.c.operations import LIBRARY_FUNCTIONS, library_name
from polyir.target.c.types import Scalar
from polyir.target.llvm.arithmetic import compare, integer, intrinsic, select, type_suffix
from polyir.target.llvm.conversion import Conversion, convert_operations
from polyir.target.llvm.symbols import declare_function
from polyir.target.llvm.types import is_vector, refuse


def convert_math_to_llvm(module: ModuleOp) -> None:
    """Replace every operation of math, and `arith.remf`, in `module`.

    `math.ipowi` and `math.fpowi` must have been expanded. Raises `LlvmTargetError` for an
    operation, or a type, that has no form in LLVM.
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
"""The intrinsic function of each operation whose result IEEE 754 gives to the bit."""


def _exact(name: str) -> Conversion:
    def convert(op: Operation, builder: Builder) -> SSAValue:
        type = op.results[0].type
        return intrinsic(f"llvm.{name}.{type_suffix(type)}", op.operands, type, builder)

    return convert


def _library(name: str) -> Conversion:
    """A call of the function of the C library; the one for `float` ends in `f`."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        type = op.results[0].type
        if not isinstance(type, Float32Type | Float64Type):
            raise refuse(op, f"the LLVM target has no function for {op.name} on {type}")
        scalar = Scalar.FLOAT if isinstance(type, Float32Type) else Scalar.DOUBLE
        function = library_name(name, scalar)
        inputs = [operand.type for operand in op.operands]
        declare_function(op, function, inputs, type, _PURE)
        call = builder.insert(llvm.CallOp(function, *op.operands, return_type=type))
        assert call.returned is not None
        return call.returned

    return convert


_PURE: Final = ("nobuiltin", "nounwind", "readnone")


def _reciprocal_root(op: Operation, builder: Builder) -> SSAValue:
    type = op.results[0].type
    if not isinstance(type, Float32Type | Float64Type):
        raise refuse(op, f"the LLVM target has no function for {op.name} on {type}")
    root = intrinsic(f"llvm.sqrt.{type_suffix(type)}", op.operands, type, builder)
    one = builder.insert(llvm.ConstantOp(FloatAttr(1.0, type), type)).result
    return builder.insert(llvm.FDivOp(one, root)).res


def _absolute_integer(op: Operation, builder: Builder) -> SSAValue:
    """The smallest number is its own absolute value, as subtraction wraps around."""
    (value,) = op.operands
    if value.type == i1:
        return value
    if is_vector(value.type):
        raise refuse(op, f"the LLVM target has no {op.name} on vectors")
    zero = integer(0, value.type, builder)
    negated = builder.insert(llvm.SubOp(zero, value)).res
    return select(compare(value, "slt", zero, builder), negated, value, builder)


def _bit_count(name: str, takes_flag: bool) -> Conversion:
    """A count of bits; that of zero is defined (the flag says so)."""

    def convert(op: Operation, builder: Builder) -> SSAValue:
        (value,), type = op.operands, op.results[0].type
        assert isinstance(type, IntegerType)
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
"""How each operation of math is computed, by its name."""
