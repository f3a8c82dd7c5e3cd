"""The body of a function as statements inside a C function that somebody else wrote.

The arguments of the function are expressions of that C function: names of its variables, arrays
in the form in which it declares them. Nothing is included; types have C's own names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue

from polyir.dialects.allocation_checks import ORIGINAL, AllocatedOp
from polyir.dialects.index_arrays import INSPECTOR
from polyir.target.abi import RESERVED, Scalar, scalar_type
from polyir.target.c.body import Body
from polyir.target.c.dialect import C99, Dialect
from polyir.target.c.expression_printer import Precedence
from polyir.target.c.function import Environment, function_body, translate_function
from polyir.target.c.helpers import ALIGNED_ALLOC, HELPERS, MASKED, NEEDED
from polyir.target.c.line_origins import Made, OriginBody, OriginPrinter
from polyir.target.c.printer import INDENT, Printer
from polyir.target.c.region_functions import plain_pointers
from polyir.target.c.syntax import (
    Array,
    Binary,
    CStatement,
    Declaration,
    Expression,
    Function,
    Name,
    Spelling,
    Variable,
    cast,
    scalar_of,
)
from polyir.target.c.usage import Usage
from polyir.target.errors import unsupported

if TYPE_CHECKING:
    # Few regions have functions.
    from polyir.target.c.failing_allocations import RegionFunction

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
NATIVE: Final = Dialect(
    C99.target,
    _NATIVE,
    _NATIVE,
    # The file may not include the headers of these, or have functions or macros of their names.
    functions=MappingProxyType(
        {
            "malloc": "__builtin_malloc",
            "free": "__builtin_free",
            "memcpy": "__builtin_memcpy",
            "aligned_alloc": ALIGNED_ALLOC,
        }
    ),
    has_limit_macros=False,
    has_vectors=True,
)
"""C for a file whose headers are not known."""

ORIGINAL_CODE: Final = "\0"
"""The line that stands for the statements of the region in the file."""


class NativePrinter(Printer):
    """Prints without the macros of headers."""

    def __init__(self, used: Container[Variable]) -> None:
        super().__init__(used, NATIVE)

    def original_code(self) -> str:
        return ORIGINAL_CODE

    def integer_literal(self, value: int, type: Scalar) -> tuple[str, Precedence]:
        if type is Scalar.BOOL:
            return str(value & 1), Precedence.POSTFIX
        return super().integer_literal(value, type)

    def float_literal(self, value: float, type: Scalar) -> tuple[str, Precedence]:
        if math.isfinite(value):
            return super().float_literal(value, type)
        suffix = "f" if type is Scalar.FLOAT else ""
        is_negative = math.copysign(1.0, value) < 0
        call = f'__builtin_nan{suffix}("")' if math.isnan(value) else f"__builtin_inf{suffix}()"
        return ("-" if is_negative else "") + call, Precedence.UNARY


class _CheckedPrinter(NativePrinter):
    """Prints code that ends the program if there is no memory for an array.

    But for those that are `checked`, without which the original code runs.
    """

    def __init__(self, used: Container[Variable], checked: Container[Variable]) -> None:
        super().__init__(used)
        self._checked = checked

    def allocation(self, array: Array, call: str) -> str:
        is_checked = array.variable in self._checked
        return super().allocation(array, call if is_checked else f"{NEEDED}({call})")


class _OriginPrinter(OriginPrinter, _CheckedPrinter):
    """Prints lines that know what they were made for."""


@dataclass(frozen=True)
class Form:
    """An argument in the C function: the type of its values or elements, and its text.

    `spelling` is set for memory. A pointer is only passed to functions; it has no type here.
    """

    type: Scalar
    text: str
    spelling: Spelling | None = None
    is_pointer: bool = False


@dataclass(frozen=True)
class RegionText:
    """The statements, and the helpers that must be defined before the function around them.

    Those of a region are `Line`s.
    """

    lines: tuple[str, ...]
    helpers: tuple[tuple[str, str], ...]


def region_text(
    op: func.FuncOp,
    forms: Sequence[Form],
    taken: Sequence[str],
    called: Sequence[func.FuncOp],
    mentioned: Sequence[str],
) -> RegionText:
    """The statements of the body of `op`, whose arguments have the given forms in order.

    Names made here are none of `taken`; those in whose scope the original code comes, where it is
    needed, are none of those `mentioned` in it. `helpers` are pairs of names and definitions, those
    of the functions `called` at the end. Raises `TargetError` for what has no C.
    """
    types: dict[SSAValue, Scalar] = {
        argument: form.type for argument, form in zip(op.body.block.args, forms, strict=True)
    }
    pointers = plain_pointers(op, called, types)
    names = [op.sym_name.data for op in called]
    environment = Environment({}, names, NATIVE, openmp=True, pointers=pointers)
    made: Made = {}
    body = function_body(op, replace(environment, make_body=partial(OriginBody, made)), taken)
    may_fail = bool(called) and any(
        isinstance(inner, memref.AllocOp) for each in (op, *called) for inner in each.walk()
    )
    if may_fail or any(ORIGINAL in each.attributes for each in op.body.block.ops):
        body.names.in_original = frozenset(mentioned)
    for argument, form in zip(op.body.block.args, forms, strict=True):
        variable = None
        if _is_in_memory(argument, form) and body.is_live(argument):
            form, variable = _read_once(body, argument, form)
        _bind(body, op, argument, form, variable)
    body.translate_block(op.body.block)
    statements: Sequence[CStatement] = body.statements
    functions = _functions(called, environment)
    checked = {
        body.array(memory).variable
        for each in op.walk()
        if isinstance(each, AllocatedOp)
        for memory in each.memories
    }
    if may_fail:
        # Few regions have functions.
        from polyir.target.c.failing_allocations import check_region

        region = check_region(statements, functions, body.names.fresh, partial(_replaced, made))
        statements = region.statements
        checked |= region.checked
        functions = [
            replace(each, function=function)
            for each, function in zip(functions, region.functions, strict=True)
        ]
    usage = Usage(NATIVE)
    usage.add_statements(statements)
    printer = _OriginPrinter(usage, checked)
    printer.made = made
    lines = tuple(printer.statements(statements, INDENT))
    definitions = _definitions([each.function for each in functions], usage, checked)
    texts = (*lines, *(text for _, text in definitions))
    helpers = (*_helpers(usage, texts), *definitions)
    if any(name.startswith(MASKED) for name, _ in helpers):
        lines = (*_NO_BOUNDS, *lines, f"{INDENT}#pragma GCC diagnostic pop")
    return RegionText(lines, helpers)


def _replaced(made: Made, old: CStatement, new: CStatement) -> None:
    """Remember that a statement was made for what another one was made for."""
    if id(old) in made:
        made[id(new)] = new, made[id(old)][1]


def _is_in_memory(argument: SSAValue, form: Form) -> bool:
    """Whether an argument is a number that is not simply a variable."""
    is_number = not (isinstance(argument.type, MemRefType) or form.is_pointer)
    return is_number and not form.text.isidentifier()


def _read_once(body: Body, argument: SSAValue, form: Form) -> tuple[Form, Variable]:
    """Declare a variable for a number in memory, which does not change."""
    value: Expression = Name(form.type, Variable(form.text))
    if isinstance(argument.type, IndexType) and form.type is Scalar.UINT64:
        value = cast(Scalar.INT64, value)
    type = scalar_of(value)
    variable = body.names.fresh("_".join(re.findall(r"\w+", form.text)))
    variable.declared = type if isinstance(argument.type, IndexType) else None
    body.add(Declaration(type, variable, value, is_constant=True))
    return Form(type, variable.name), variable


_NO_BOUNDS: Final = (
    f"{INDENT}// What lies beyond the end of an array has a mask that is false.",
    f"{INDENT}#pragma GCC diagnostic push",
    f'{INDENT}#pragma GCC diagnostic ignored "-Warray-bounds"',
)
"""Compilers warn where an array of known size has no element of such an address."""


def _functions(called: Sequence[func.FuncOp], environment: Environment) -> list[RegionFunction]:
    """The functions that the statements of a region call."""
    if not called:
        return []
    from polyir.target.c.failing_allocations import RegionFunction

    return [
        RegionFunction(
            replace(translate_function(each, environment), is_static=True),
            INSPECTOR in each.attributes,
        )
        for each in called
    ]


def _definitions(
    functions: Sequence[Function], usage: Usage, checked: Container[Variable]
) -> tuple[tuple[str, str], ...]:
    """The names and the definitions of functions; `usage` gets what they use."""
    for function in functions:
        usage.add_function(function)
    printer = _CheckedPrinter(usage, checked)
    return tuple((each.name, "\n".join(printer.function(each))) for each in functions)


def _helpers(usage: Usage, texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The names and the definitions of the helpers that are called, in `texts` as well."""
    helpers = usage.helpers()
    if any(f"{NEEDED}(" in text for text in texts):
        helpers.append(HELPERS[NEEDED])
    return tuple((helper.name, NATIVE.helper_text(helper.text)) for helper in helpers)


_STRING: Final = r'"[^"\n]*"'


def with_free_names(text: str, taken: Sequence[str]) -> str:
    """A function's definition in which no parameter or local variable is one of `taken`."""
    known = {*re.findall(r"\w+", text), *taken}
    # The preprocessor has words of its own, and names of headers; strings are not names.
    code = re.sub(rf"^#.*|{_STRING}", "", text, flags=re.MULTILINE)
    # Names of the compiler begin with two underscores.
    for name in dict.fromkeys(re.findall(r"\b((?!__)[A-Za-z_]\w*)\b(?!\s*\()", code)):
        if name in taken and name not in RESERVED:
            free = next(new for n in count(1) if (new := f"{name}_{n}") not in known)
            known.add(free)
            text = re.sub(rf"^(?!#).*\b{name}\b.*", partial(_renamed, name, free), text, flags=re.M)
    return text


def _renamed(name: str, free: str, line: re.Match[str]) -> str:
    """The line with another name."""
    return re.sub(rf"({_STRING})|\b{name}\b", lambda found: found[1] or free, line[0])


@dataclass(frozen=True)
class Rows:
    """Parts of rows: a `table` of pointers to them, the first and the last row, and column."""

    table: str
    first: str
    last: str
    begin: str
    end: str

    @property
    def text(self) -> str:
        """The arguments of a function that tests them."""
        size = f"sizeof **{self.table}"
        return ", ".join((self.table, self.first, self.last, self.begin, self.end, size))

    @property
    def table_ends(self) -> str:
        """A pointer to the first one of the pointers, and one past the last one."""
        return f"&{self.table}[{self.first}], &{self.table}[{self.last}] + 1"


@dataclass(frozen=True)
class RangeText:
    """A pointer to the first element of some memory, and one past its last.

    `rows` are set if pointers lead to them.
    """

    first: str
    end: str
    condition: str | None
    rows: Rows | None = None


@dataclass(frozen=True)
class ElementRange:
    """Elements of an argument: the numbers are positions among the values of a function.

    `ends` are the first and the last subscript of each dimension. Unless `condition` holds, the
    argument must not be accessed.
    """

    argument: int
    ends: tuple[tuple[int, int], ...]
    condition: int | None = None


@dataclass(frozen=True)
class RangeTexts:
    """Statements that compute the values of a function, the values, and the ranges."""

    before: RegionText
    values: tuple[str, ...]
    ranges: tuple[RangeText, ...]


def range_texts(
    op: func.FuncOp,
    forms: Sequence[Form],
    boxes: Sequence[ElementRange],
    taken: Sequence[str],
    called: Sequence[func.FuncOp] = (),
) -> RangeTexts:
    """The statements that compute what `op` returns, and pointers to the ends of boxes.

    The helpers have the functions `called` at their end.
    """
    types: dict[SSAValue, Scalar] = {
        argument: form.type for argument, form in zip(op.body.block.args, forms, strict=True)
    }
    names = [op.sym_name.data for op in called]
    plain = plain_pointers(op, called, types)
    environment = Environment({}, names, NATIVE, True, pointers=plain)
    body = function_body(op, environment, taken)
    for argument, form in zip(op.body.block.args, forms, strict=True):
        _bind(body, op, argument, form)
    end = body.translate_block(op.body.block)
    values = [_logical(body.value(each)) for each in end.operands] if end is not None else []
    usage = Usage(NATIVE)
    usage.add_statements(body.statements)
    for value in values:
        usage.add_expression(value)
    printer = NativePrinter(usage)
    texts: list[RangeText] = []
    for box in boxes:
        memory = op.body.block.args[box.argument]
        first = body.element(memory, [values[low] for low, _ in box.ends])
        last = body.element(memory, [values[high] for _, high in box.ends])
        pointers = [f"&{printer.expression(element)}" for element in (first, last)]
        condition = None if box.condition is None else printer.expression(values[box.condition])
        rows = _rows(forms[box.argument], [[values[n] for n in end] for end in box.ends], printer)
        texts.append(RangeText(pointers[0], f"{pointers[1]} + 1", condition, rows))
    lines = tuple(printer.statements(body.statements, INDENT))
    functions = [each.function for each in _functions(called, environment)]
    definitions = _definitions(functions, usage, frozenset())
    return RangeTexts(
        RegionText(lines, (*_helpers(usage, [text for _, text in definitions]), *definitions)),
        tuple(map(printer.expression, values)),
        tuple(texts),
    )


def _rows(form: Form, ends: Sequence[Sequence[Expression]], printer: NativePrinter) -> Rows | None:
    """The rows of a range; `None` if no pointers lead to them."""
    if form.spelling is None or not form.spelling.has_rows_apart:
        return None
    return Rows(form.text, *[printer.expression(each) for end in ends for each in end])


def operand_text(condition: str) -> str:
    """A text of `RangeTexts` as an operand of an operator."""
    return f"({condition})" if "||" in condition or "?" in condition else condition


def _logical(value: Expression) -> Expression:
    """A condition with `&&` and `||`, as it is written where it is tested once."""
    match value:
        case Binary(type=Scalar.BOOL, operator="&" | "|" | "&&" | "||", left=left, right=right):
            operator = 2 * value.operator[0]
            return Binary(Scalar.BOOL, operator, _logical(left), _logical(right))
        case _:
            return value


def _bind(
    body: Body, op: func.FuncOp, argument: SSAValue, form: Form, variable: Variable | None = None
) -> None:
    """Write an argument as its text, or as the variable that has its value."""
    if isinstance(argument.type, MemRefType):
        variable = Variable(form.text, spelling=form.spelling)
        body.arrays[argument] = Array(variable, form.type, (), False)
    elif form.is_pointer:
        body.bind(argument, Name(form.type, Variable(form.text)))
    elif not isinstance(argument.type, IndexType):
        type = scalar_type(argument.type, op)
        if type is not form.type:
            raise unsupported(
                op, f"argument '{form.text}' has type {form.type.value}, not {type.value}"
            )
        body.bind(argument, Name(type, variable or Variable(form.text)))
    elif form.type.width < 32 or form.type in (Scalar.INT32, Scalar.INT64):
        # C computes with it in a signed type that holds the same number.
        variable = variable or Variable(form.text, declared=form.type)
        body.bind(argument, Name(Scalar.INT64, variable))
    else:
        variable = variable or Variable(form.text)
        body.bind(argument, cast(Scalar.INT64, Name(form.type, variable)))
