"""What the syntax tree of a file uses: variables, types, functions, and so headers and helpers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from polyir.target.abi import Scalar
from polyir.target.c.dialect import C99, Dialect
from polyir.target.c.helpers import HELPERS, MESSAGE_STEM, Helper
from polyir.target.c.syntax import (
    Address,
    Allocation,
    Array,
    ArrayArgument,
    ArrayView,
    Assign,
    AtomicUpdate,
    Break,
    Call,
    CallStatement,
    Cast,
    Compound,
    Continue,
    Copy,
    CStatement,
    Declaration,
    Element,
    Expression,
    ExpressionStatement,
    ExtensionStatement,
    FloatLiteral,
    For,
    Free,
    Function,
    GlobalArray,
    If,
    IntegerLiteral,
    LocalArray,
    Name,
    OriginalCode,
    PartView,
    Pragma,
    Return,
    RowView,
    Succeeds,
    Variable,
    VectorExpression,
    While,
    walk,
)
from polyir.target.c.types import CType

_HEADERS: Final = MappingProxyType({"malloc": "stdlib.h", "free": "stdlib.h", "memcpy": "string.h"})


class Usage:
    """Collects what functions and statements use, in a language of the C family.

    A local array that is only written to is not used, as C compilers see it: it is `in written`.
    """

    def __init__(self, dialect: Dialect = C99) -> None:
        self._dialect = dialect
        self._variables: dict[Variable, None] = {}
        self._written: dict[Variable, None] = {}
        self._types: dict[Scalar, None] = {}
        self._functions: dict[str, None] = {}
        self._vector_helpers: dict[str, Helper] = {}
        self._uses_math_macros = False

    def __contains__(self, variable: object) -> bool:
        """Whether a variable is used."""
        return variable in self._variables

    def is_mentioned(self, variable: Variable) -> bool:
        """Whether a variable is used or written to."""
        return variable in self._variables or variable in self._written

    def has_type(self, type: Scalar) -> bool:
        """Whether a type is named."""
        return type in self._types

    def helpers(self) -> list[Helper]:
        """The helpers that are called, in the order of their definition."""
        called = [helper for name, helper in HELPERS.items() if name in self._functions]
        vectors = sorted(self._vector_helpers.values(), key=lambda helper: not helper.is_type)
        return [
            *(helper for helper in called if helper.name not in self._dialect.declared),
            *vectors,
        ]

    def headers(self) -> list[str]:
        """The headers that the file has to include, sorted."""
        return sorted(dict.fromkeys(self._headers()))

    def _headers(self) -> Iterator[str]:
        for type in self._types:
            if type is Scalar.BOOL:
                yield "stdbool.h"
            elif not type.is_float:
                yield "stdint.h"
        for vector_helper in self._vector_helpers.values():
            yield from vector_helper.headers
        for function in self._functions:
            helper = HELPERS.get(function)
            if helper is None:
                yield _HEADERS.get(function, "math.h")
            else:
                yield from helper.headers
        if self._uses_math_macros:
            yield "math.h"

    def add_function(self, function: Function) -> None:
        """Add a function: its parameters are declared, not used."""
        if function.result is not None:
            self.add_type(function.result)
        for parameter in function.parameters:
            if isinstance(parameter, ArrayArgument):
                self.add_type(parameter.array.element)
            else:
                self.add_type(parameter.type)
        self.add_statements(function.body or ())

    def add_global(self, definition: GlobalArray) -> None:
        """Add a global, which is declared, not used."""
        self._add_array_declaration(definition.array)
        for value in definition.values:
            self.add_expression(value)

    def add_type(self, type: CType) -> None:
        if isinstance(type, Scalar):
            self._types[type] = None
            return
        # Few programs have vectors.
        from polyir.target.c.vector_helpers import typedef

        self._add_helper(typedef(type))

    def _add_helper(self, helper: Helper) -> None:
        """Add what a helper needs, and the helper."""
        for needed in helper.needs:
            self._add_helper(needed)
        for type in helper.types:
            self._types[type] = None
        self._functions.update(dict.fromkeys(helper.calls))
        self._vector_helpers.setdefault(helper.name, helper)

    def _add_message_helper(self, function: str) -> None:
        # Few programs have messages.
        from polyir.target.c.message_helpers import MESSAGE_HELPERS

        self._add_helper(MESSAGE_HELPERS[function])

    def add_expression(self, expression: Expression) -> None:
        for part in walk(expression):
            match part:
                case Name(variable=variable) | Element(array=variable):
                    self._variables[variable] = None
                case VectorExpression():
                    from polyir.target.c.vector_syntax import helpers_of

                    for helper in helpers_of(part):
                        self._add_helper(helper)
                case Call(function=function) if function.startswith(MESSAGE_STEM):
                    self._add_message_helper(function)
                case Call(function=function):
                    self._functions[self._dialect.functions.get(function, function)] = None
                case Succeeds(call=call):
                    self._add_statement(call)
                case Cast(type=type):
                    self.add_type(type)
                case IntegerLiteral(type=type, value=value):
                    if type is Scalar.BOOL or value in (-(2**31), -(2**63)):
                        self.add_type(type)
                case FloatLiteral():
                    self._uses_math_macros = self._uses_math_macros or part.needs_macro
                case _:
                    pass

    def add_statements(self, statements: Sequence[CStatement]) -> None:
        for statement in statements:
            self._add_statement(statement)

    def _add_statement(self, statement: CStatement) -> None:
        match statement:
            case Declaration(type=type, value=value):
                self.add_type(type)
                if value is not None:
                    self.add_expression(value)
            case LocalArray(array=array, value=value):
                self._add_array_declaration(array)
                if value is not None:
                    self.add_expression(value)
            case Allocation(array=array, alignment=alignment):
                self._add_array_declaration(array)
                function = "malloc" if alignment is None else "aligned_alloc"
                function = self._dialect.functions.get(function, function)
                if function.startswith(MESSAGE_STEM):
                    self._add_message_helper(function)
                else:
                    self._functions[function] = None
            case RowView(array=array, pointer=pointer):
                self.add_type(array.element)
                self._variables[pointer] = None
                for extent in array.extents[1:]:
                    self.add_expression(extent)
            case ArrayView(array=array, start=start, offset=offset):
                self.add_type(array.element)
                self._variables[start.variable] = None
                for extent in (offset, *array.extents[1:]):
                    self.add_expression(extent)
            case PartView(array=array, part=part):
                self._add_array_declaration(array)
                self.add_expression(part)
            case Free(array=array):
                self._variables[array.variable] = None
                self._functions["free"] = None
            case Copy(target=target, source=source):
                self._variables[target.variable] = None
                self._variables[source.variable] = None
                self._add_array_declaration(source)
                self._functions["memcpy"] = None
            case AtomicUpdate(target=target, value=value):
                self._add_target(target)
                self.add_type(target.type.unsigned)
                self.add_expression(value)
            case Assign(target=target, value=value):
                self._add_target(target)
                self.add_expression(value)
            case CallStatement(function=function, arguments=arguments, type=result):
                if function in HELPERS:
                    self._functions[function] = None
                elif function.startswith(MESSAGE_STEM):
                    self._add_message_helper(function)
                if result is not None:
                    self.add_type(result)
                for argument in arguments:
                    if isinstance(argument, Address):
                        self._variables[argument.variable] = None
                    else:
                        self.add_expression(argument)
            case Return(value=value) | ExpressionStatement(value=value):
                self.add_expression(value)
            case _:
                self._add_structured(statement)

    def _add_structured(self, statement: CStatement) -> None:
        match statement:
            case For(type=type, lower=lower, upper=upper, step=step, body=body, pragmas=pragmas):
                self.add_type(type)
                for expression in (lower, upper, step):
                    self.add_expression(expression)
                self._add_pragmas(pragmas)
                self.add_statements(body)
            case While(condition=condition, body=body):
                self.add_expression(condition)
                self.add_statements(body)
            case Break() | Continue() | OriginalCode():
                pass
            case ExtensionStatement():
                for operand in statement.operands():
                    self.add_expression(operand)
                self._variables.update(dict.fromkeys(statement.variables()))
            case If(condition=condition, then=then, otherwise=otherwise):
                self.add_expression(condition)
                self.add_statements(then)
                self.add_statements(otherwise)
            case Compound(body=body, pragmas=pragmas):
                self._add_pragmas(pragmas)
                self.add_statements(body)
            case _:
                raise TypeError(f"unknown statement {statement!r}")

    def _add_pragmas(self, pragmas: Sequence[Pragma]) -> None:
        for pragma in pragmas:
            for operand in pragma.operands:
                self.add_expression(operand)

    def _add_target(self, target: Expression) -> None:
        match target:
            case Element(array=array, indices=indices, is_pointer=False):
                self._written[array] = None
                for index in indices:
                    self.add_expression(index)
            case Name(variable=variable):
                self._written[variable] = None
            case _:
                self.add_expression(target)

    def _add_array_declaration(self, array: Array) -> None:
        self.add_type(array.element)
        for extent in array.extents:
            self.add_expression(extent)
