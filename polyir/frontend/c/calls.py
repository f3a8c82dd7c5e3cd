"""Calls of functions without side effects.

A function that is one `return` of its parameters is inlined. Any other is an operation, whose
result depends on its operands alone: what it reads besides them does not change in the region.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pycparser import c_ast
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from polyir.dialects.pure_functions import declare_pure
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.effects import Functions, Reads
from polyir.frontend.c.errors import NotModelledError, refuse_call
from polyir.frontend.c.functions import BIT_COUNTS, INFINITIES, operation_of
from polyir.frontend.c.names import assigned_in, nodes_below
from polyir.frontend.c.scopes import EnumConstant, FunctionName, Scopes
from polyir.frontend.c.types import INT, Arithmetic, CArrayType, CType, Pointer


@dataclass(frozen=True)
class Inlined:
    """A function that is one `return`, perhaps after variables that it needs.

    It has its parameters, these variables with what they are set to, and the result.
    """

    name: str
    parameters: tuple[tuple[str, Arithmetic], ...]
    variables: tuple[tuple[str, Arithmetic, c_ast.Node], ...]
    result: c_ast.Node
    type: Arithmetic


@dataclass(frozen=True)
class Callee:
    """A function that a call names: the types of its parameters and of its result."""

    name: str
    parameters: tuple[CType, ...]
    result: Arithmetic
    is_library: bool


@dataclass(frozen=True)
class CallRead:
    """A call of `function`, which reads memory; `pointers` are its arguments that lead to some."""

    node: c_ast.FuncCall
    function: str
    reads: Reads
    pointers: tuple[tuple[c_ast.Node, CType], ...]


class Calls:
    """Resolves calls; refuses calls that may have side effects."""

    def __init__(
        self, builder: Builder, scopes: Scopes, module: ModuleOp, functions: Functions
    ) -> None:
        self.reads: list[CallRead] = []
        """What the calls read that were translated to operations."""
        self._builder = builder
        self._scopes = scopes
        self._module = module
        self._functions = functions
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
        """The function of a call, if it is defined in the program and has this form."""
        meaning = self._scopes.meaning(self._name(node))
        if not isinstance(meaning, FunctionName) or meaning.definition is None:
            return None
        definition = meaning.definition
        *before, last = definition.body.block_items or (None,)
        variables = self._variables(before)
        if variables is None or not isinstance(last, c_ast.Return) or last.expr is None:
            return None
        name = self._name(node)
        parameters, result = meaning.type.parameters, meaning.type.result
        if name in self._entered or parameters is None or not isinstance(result, Arithmetic):
            return None
        if any(True for _ in assigned_in(definition.body)):
            return None
        declared = definition.decl.type.args.params if parameters else ()
        pairs = []
        for parameter, type in zip(declared, parameters, strict=True):
            if not isinstance(type, Arithmetic) or parameter.name is None:
                return None
            pairs.append((parameter.name, type))
        if len(pairs) != len(node.args.exprs if node.args else ()):
            raise refuse_call(node, f"a call of '{name}' with the wrong number of arguments")
        known = {*dict(pairs), *(each[0] for each in variables)}
        for part in nodes_below(definition.body):
            if isinstance(part, c_ast.ID) and part.name not in known:
                other = self._scopes.meaning(part.name)
                if not isinstance(other, FunctionName | EnumConstant):
                    return None
        return Inlined(name, tuple(pairs), variables, last.expr, result)

    def _variables(
        self, items: Sequence[c_ast.Node]
    ) -> tuple[tuple[str, Arithmetic, c_ast.Node], ...] | None:
        """Variables that statements declare and set; `None` if they do anything else."""
        found: list[tuple[str, Arithmetic, c_ast.Node]] = []
        for item in items:
            if not isinstance(item, c_ast.Decl) or item.init is None or item.storage:
                return None
            type = self._scopes.type_of(item.type)
            if not isinstance(type, Arithmetic) or "volatile" in (item.quals or ()):
                return None
            found.append((item.name, type, item.init))
        return tuple(found)

    def is_library(self, node: c_ast.FuncCall) -> bool:
        """Whether a call is one of a function of the C library."""
        name = self._name(node)
        meaning = self._scopes.meaning(name)
        is_declared = isinstance(meaning, FunctionName) and meaning.type.parameters is not None
        return is_declared and name not in self._functions.definitions

    def is_safe(self, node: c_ast.FuncCall) -> bool:
        """Whether a call, its arguments aside, may be evaluated although C would not."""
        inlined = self.inlined(node)
        simple = (c_ast.ID, c_ast.Constant, c_ast.TernaryOp, c_ast.BinaryOp)
        if inlined is None:
            return False
        parts = (inlined.result, *(initial for _, _, initial in inlined.variables))
        return all(
            isinstance(node, simple) and getattr(node, "op", "") not in ("/", "%")
            for part in parts
            for node in nodes_below(part)
        )

    def callee(self, node: c_ast.FuncCall) -> Callee:
        """The function of a call that becomes an operation; raises `NotModelledError`."""
        name = self._name(node)
        reads = self._functions.reads(name)
        if isinstance(reads, NotModelledError):
            why = "" if reads.location is None else f": {reads.message} ({reads.location})"
            raise refuse_call(node, f"a call of '{name}', which may have side effects{why}")
        arguments: Sequence[c_ast.Node] = node.args.exprs if node.args is not None else ()
        if name in INFINITIES and not arguments:
            return Callee(name, (), INFINITIES[name], is_library=True)
        if name in BIT_COUNTS and len(arguments) == 1:
            return Callee(name, (BIT_COUNTS[name],), INT, is_library=True)
        meaning = self._scopes.meaning(name)
        if not isinstance(meaning, FunctionName) or meaning.type.parameters is None:
            raise refuse_call(node, f"a call of '{name}', which is declared without a prototype")
        result = meaning.type.result
        types = tuple(_adjusted(type) for type in meaning.type.parameters)
        is_simple = all(isinstance(type, Arithmetic | Pointer) for type in types)
        if not isinstance(result, Arithmetic) or not is_simple or len(types) != len(arguments):
            raise refuse_call(
                node, f"a call of '{name}' with arguments that do not match its prototype"
            )
        pairs = zip(arguments, types, strict=True)
        pointers = tuple((item, type) for item, type in pairs if isinstance(type, Pointer))
        if reads != Reads():
            self.reads.append(CallRead(node, name, reads, pointers))
        return Callee(name, types, result, name not in self._functions.definitions)

    def operation(self, callee: Callee, operands: Sequence[SSAValue]) -> SSAValue:
        """The result of a call."""
        name, result = callee.name, callee.result
        if name in INFINITIES and not operands:
            return self._builder.constant(math.inf, result.ir)
        operation = operation_of(name) if callee.is_library else None
        if operation is not None:
            op = operation.create(operands=operands, result_types=[result.ir])
            op.properties["fastmath"] = arith.FastMathFlagsAttr("none")
            return self._builder.insert(op).results[0]
        declare_pure(self._module, name, [value.type for value in operands], [result.ir])
        call = func.CallOp(name, operands, [result.ir])
        # Elsewhere it may not be executed at all, and must not be if it divides by zero.
        is_certain = self._builder.is_certain
        inserted = (
            self._builder.insert_invariant(call) if is_certain else self._builder.insert(call)
        )
        return inserted.res[0]

    def _name(self, node: c_ast.FuncCall) -> str:
        if not isinstance(node.name, c_ast.ID):
            raise refuse_call(node, "a call through a pointer")
        name = node.name.name
        meaning = self._scopes.meaning(name)
        if meaning is not None and not isinstance(meaning, FunctionName):
            type = getattr(meaning, "type", None)
            if isinstance(type, Pointer | CArrayType | Arithmetic):
                raise refuse_call(node, "a call through a pointer")
        return str(name)


def _adjusted(type: CType) -> CType:
    """The type of a parameter; an array is a pointer."""
    return Pointer(type.element) if isinstance(type, CArrayType) else type
