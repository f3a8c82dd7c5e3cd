"""Calls: functions of the C library without side effects, and functions that are one `return`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pycparser import c_ast
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp

from polyir.dialects.pure_functions import declare_pure
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.errors import refuse
from polyir.frontend.c.functions import CALLED, operation_of
from polyir.frontend.c.names import assigned_in, nodes_below
from polyir.frontend.c.scopes import EnumConstant, FunctionName, Scopes
from polyir.frontend.c.types import DOUBLE, FLOAT, Arithmetic, CArrayType, Pointer
from polyir.frontend.c.values import Conversions, Value

_INFINITIES = {
    "__builtin_inf": DOUBLE,
    "__builtin_huge_val": DOUBLE,
    "__builtin_inff": FLOAT,
    "__builtin_huge_valf": FLOAT,
}


@dataclass(frozen=True)
class Inlined:
    """A function that is one `return`: its parameters, and the expression that it returns."""

    name: str
    parameters: tuple[tuple[str, Arithmetic], ...]
    result: c_ast.Node
    type: Arithmetic


class Calls:
    """Resolves calls; refuses calls that may have side effects."""

    def __init__(self, builder: Builder, scopes: Scopes, module: ModuleOp) -> None:
        self._builder = builder
        self._scopes = scopes
        self._module = module
        self._entered: list[str] = []

    @contextmanager
    def entered(self, function: Inlined) -> Iterator[None]:
        """The body of `function` is translated inside the `with` block."""
        self._entered.append(function.name)
        try:
            yield
        finally:
            self._entered.pop()

    def inlined(self, node: c_ast.FuncCall) -> Inlined | None:
        """The function of a call, if it is defined in the program as one `return`."""
        meaning = self._scopes.meaning(self._name(node))
        if not isinstance(meaning, FunctionName) or meaning.definition is None:
            return None
        definition = meaning.definition
        items: list[c_ast.Node] = list(definition.body.block_items or ())
        if len(items) != 1 or not isinstance(items[0], c_ast.Return) or items[0].expr is None:
            return None
        name = self._name(node)
        parameters, result = meaning.type.parameters, meaning.type.result
        if name in self._entered or parameters is None or not isinstance(result, Arithmetic):
            return None
        if any(True for _ in assigned_in(items[0])):
            return None
        declared = definition.decl.type.args.params if parameters else ()
        pairs = []
        for parameter, type in zip(declared, parameters, strict=True):
            if not isinstance(type, Arithmetic) or parameter.name is None:
                return None
            pairs.append((parameter.name, type))
        if len(pairs) != len(node.args.exprs if node.args else ()):
            raise refuse(node, f"a call of '{name}' with the wrong number of arguments")
        known = dict(pairs)
        for part in nodes_below(items[0].expr):
            if isinstance(part, c_ast.ID) and part.name not in known:
                other = self._scopes.meaning(part.name)
                if not isinstance(other, FunctionName | EnumConstant):
                    return None
        return Inlined(name, tuple(pairs), items[0].expr, result)

    def library(
        self, node: c_ast.FuncCall, arguments: Sequence[Value], conversions: Conversions
    ) -> Value:
        """The result of a function that `check_library` has found to be one of the C library."""
        name = self._name(node)
        if name in _INFINITIES and not arguments:
            type = _INFINITIES[name]
            return Value(type, self._builder.constant(math.inf, type.ir))
        meaning = self._scopes.meaning(name)
        operation = operation_of(name)
        if not isinstance(meaning, FunctionName) or meaning.type.parameters is None:
            raise refuse(node, f"a call of '{name}', which is declared without a prototype")
        result = meaning.type.result
        types = [type for type in meaning.type.parameters if isinstance(type, Arithmetic)]
        if not isinstance(result, Arithmetic) or len(types) != len(arguments):
            raise refuse(node, f"a call of '{name}' with arguments that do not match its prototype")
        values = [
            conversions.data(conversions.convert(value, type))
            for value, type in zip(arguments, types, strict=True)
        ]
        if operation is not None:
            op = operation.create(operands=values, result_types=[result.ir])
            op.properties["fastmath"] = arith.FastMathFlagsAttr("none")
            return Value(result, self._builder.insert(op).results[0])
        declare_pure(self._module, name, [type.ir for type in types], [result.ir])
        return Value(result, self._builder.insert(func.CallOp(name, values, [result.ir])).res[0])

    def check_library(self, node: c_ast.FuncCall) -> None:
        """Refuse all calls except those of C library functions without side effects."""
        name = self._name(node)
        meaning = self._scopes.meaning(name)
        is_own = isinstance(meaning, FunctionName) and meaning.definition is not None
        is_known = name in _INFINITIES or name in CALLED or operation_of(name) is not None
        if is_own or not is_known:
            raise refuse(node, f"a call of '{name}', which may have side effects")

    def _name(self, node: c_ast.FuncCall) -> str:
        if not isinstance(node.name, c_ast.ID):
            raise refuse(node, "a call through a pointer")
        name = node.name.name
        meaning = self._scopes.meaning(name)
        if meaning is not None and not isinstance(meaning, FunctionName):
            type = getattr(meaning, "type", None)
            if isinstance(type, Pointer | CArrayType | Arithmetic):
                raise refuse(node, "a call through a pointer")
        return str(name)
