"""What a file in C uses, and so has to include or define."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from polyir.target.c.expressions import (
    Call,
    Cast,
    Element,
    Expression,
    ExpressionPrinter,
    FloatLiteral,
    IntegerLiteral,
    Variable,
    is_special,
    variables_of,
    walk,
)
from polyir.target.c.helpers import HELPERS, Helper
from polyir.target.c.types import Scalar

_HEADERS: Final = MappingProxyType({"malloc": "stdlib.h", "free": "stdlib.h", "memcpy": "string.h"})


class Usage:
    """Prints expressions and types, and keeps what they need of the file."""

    def __init__(self, printer: ExpressionPrinter) -> None:
        self._printer = printer
        self._types: dict[Scalar, None] = {}
        self._functions: dict[str, None] = {}
        self._has_special_floats = False
        self._variables: dict[Variable, None] = {}

    def text(self, expression: Expression) -> str:
        """The C text of an expression that becomes part of the file."""
        for part in walk(expression):
            match part:
                case Call(function=function):
                    self._functions[function] = None
                case Cast(type=type):
                    self._types[type] = None
                case IntegerLiteral(type=type, value=value):
                    if type is Scalar.BOOL or value in (-(2**31), -(2**63)):
                        self._types[type] = None
                case FloatLiteral():
                    self._has_special_floats = self._has_special_floats or is_special(part)
                case _:
                    pass
        self.mark(*variables_of(expression))
        return self._printer.print(expression)

    def target_text(self, element: Element) -> str:
        """The text of an element that is written, which is no use of its array."""
        for index in element.indices:
            self.text(index)
        return self._printer.print(element)

    def type_name(self, type: Scalar) -> str:
        """The name of a type that is declared in the file."""
        self._types[type] = None
        return self._printer.spell(type)

    def function(self, name: str) -> str:
        """The name of a function of the C library that the file calls."""
        self._functions[name] = None
        return name

    def mark(self, *variables: Variable) -> None:
        """Say that `variables` are used."""
        self._variables.update(dict.fromkeys(variables))

    def __contains__(self, variable: object) -> bool:
        return variable in self._variables

    def helpers(self) -> list[Helper]:
        """The helpers that are called, in the order of their definition."""
        return [helper for name, helper in HELPERS.items() if name in self._functions]

    def headers(self) -> list[str]:
        """The headers that the file has to include, sorted."""
        return sorted(dict.fromkeys(self._headers()))

    def _headers(self) -> Iterator[str]:
        for type in self._types:
            if type is Scalar.BOOL:
                yield "stdbool.h"
            elif not type.is_float:
                yield "stdint.h"
        for function in self._functions:
            helper = HELPERS.get(function)
            if helper is None:
                yield _HEADERS.get(function, "math.h")
            else:
                yield from helper.headers
        if self._has_special_floats:
            yield "math.h"
