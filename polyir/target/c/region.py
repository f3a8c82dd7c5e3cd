"""The body of a function as statements inside a C function that somebody else wrote.

The arguments of the function are expressions of that C function: names of its variables, arrays
in the form in which it declares them. Nothing is included; types have C's own names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.target.c.body import Array, Body
from polyir.target.c.expressions import (
    ExpressionPrinter,
    Name,
    Precedence,
    Spelling,
    Variable,
    cast,
)
from polyir.target.c.function import Environment, emit_operation
from polyir.target.c.names import NameTable
from polyir.target.c.statements import Writer
from polyir.target.c.types import Scalar, refuse, scalar_type
from polyir.target.c.usage import Usage

_NATIVE: Final = MappingProxyType(
    {
        Scalar.BOOL: "_Bool",
        Scalar.INT8: "signed char",
        Scalar.INT16: "short",
        Scalar.INT32: "int",
        Scalar.INT64: "long",
        Scalar.UINT8: "unsigned char",
        Scalar.UINT16: "unsigned short",
        Scalar.UINT32: "unsigned int",
        Scalar.UINT64: "unsigned long",
        Scalar.FLOAT: "float",
        Scalar.DOUBLE: "double",
    }
)
_TYPE_WORDS: Final = MappingProxyType({type.value: name for type, name in _NATIVE.items()})
_TYPE_PATTERN: Final = re.compile(r"\b(?:u?int\d+_t|bool)\b")


class NativePrinter(ExpressionPrinter):
    """Expressions for a file whose headers are not known."""

    def spell(self, type: Scalar) -> str:
        return _NATIVE[type]

    def integer_literal(self, value: int, type: Scalar) -> tuple[str, Precedence]:
        if type is Scalar.BOOL:
            return str(value & 1), Precedence.POSTFIX
        if value in (-(2**31), -(2**63)):
            suffix = "L" if value == -(2**63) else ""
            return f"-{-value - 1}{suffix} - 1", Precedence.ADDITIVE
        return super().integer_literal(value, type)

    def float_literal(self, value: float, type: Scalar) -> tuple[str, Precedence]:
        if math.isfinite(value):
            return super().float_literal(value, type)
        suffix = "f" if type is Scalar.FLOAT else ""
        is_negative = math.copysign(1.0, value) < 0
        call = f'__builtin_nan{suffix}("")' if math.isnan(value) else f"__builtin_inf{suffix}()"
        return ("-" if is_negative else "") + call, Precedence.UNARY


@dataclass(frozen=True)
class Form:
    """An argument in the C function: the type of its values or elements, and its text.

    `spelling` is set for memory.
    """

    type: Scalar
    text: str
    spelling: Spelling | None = None


@dataclass(frozen=True)
class RegionText:
    """The statements, and definitions that have to stand before the function around them.

    `used` are the texts of the arguments that the statements use.
    """

    lines: tuple[str, ...]
    helpers: tuple[tuple[str, str], ...]
    used: tuple[str, ...]


def region_text(
    op: func.FuncOp, forms: Sequence[Form], taken: Sequence[str], openmp: bool = True
) -> RegionText:
    """The statements of the body of `op`, whose arguments have the given forms in order.

    Names made here are none of `taken`. `helpers` are pairs of names and definitions. Raises
    `CTargetError` for what has no C.
    """
    usage = Usage(NativePrinter())
    environment = Environment({}, (), usage, openmp)

    def emit(body: Body, inner: Operation) -> None:
        emit_operation(body, inner, environment)

    body = Body(NameTable(taken), usage, emit, openmp)
    variables = [
        _bind(body, op, argument, form)
        for argument, form in zip(op.body.block.args, forms, strict=True)
    ]
    body.count_uses(op.body.block)
    body.emit_block(op.body.block)
    writer: Writer = body.writer
    lines = tuple(writer.render(usage))
    helpers = tuple((helper.name, _native(helper.text)) for helper in usage.helpers())
    used = tuple(variable.name for variable in variables if variable in usage)
    return RegionText(lines, helpers, used)


def _native(text: str) -> str:
    """A helper's definition with C's own names for the types."""
    return _TYPE_PATTERN.sub(lambda match: _TYPE_WORDS[match[0]], text)


def _bind(body: Body, op: func.FuncOp, argument: SSAValue, form: Form) -> Variable:
    """Let an argument stand for its text; returns what stands for it in expressions."""
    if isinstance(argument.type, MemRefType):
        variable = Variable(form.text, spelling=form.spelling)
        body.arrays[argument] = Array(variable, form.type, (), False)
        return variable
    if not isinstance(argument.type, IndexType):
        variable = Variable(form.text)
        type = scalar_type(argument.type, op)
        if type is not form.type:
            raise refuse(op, f"the argument '{form.text}' is of type {form.type.value}")
        body.bind(argument, Name(type, variable))
        return variable
    promoted = form.type.width < 32 or form.type in (Scalar.INT32, Scalar.INT64)
    if promoted:
        # C computes with it in a signed type that holds the same number.
        variable = Variable(form.text, declared=form.type)
        body.bind(argument, Name(Scalar.INT64, variable))
    else:
        variable = Variable(form.text)
        body.bind(argument, cast(Scalar.INT64, Name(form.type, variable)))
    return variable
