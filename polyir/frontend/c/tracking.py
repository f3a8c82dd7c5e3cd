"""Which variables of a region may be tracked, and what they are after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pycparser import c_ast
from xdsl.dialects import func
from xdsl.ir import SSAValue

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.live import is_read_outside, may_run_again
from polyir.frontend.c.names import RegionNames, key_of, nodes_below
from polyir.frontend.c.values import difference
from polyir.frontend.c.variables import NotTrackedError, OutsideVariable, Variables
from polyir.model.index_expressions import IndexExpression


@dataclass(frozen=True)
class FinalValues:
    """The values that variables get after a region.

    `function` has the arguments of the region's function, and returns one for each of `targets`,
    which are beginnings of assignments: `pos =`, or `p +=`.
    """

    targets: tuple[str, ...]
    function: func.FuncOp


def trackable_names(statements: Sequence[c_ast.Node], names: RegionNames) -> frozenset[str]:
    """The variables that statements set and step without reading memory or calling functions.

    Counters of loops in the sense of `names` are not among them.
    """
    found: dict[str, bool] = {}
    for node in (inner for statement in statements for inner in nodes_below(statement)):
        match node:
            case c_ast.Assignment(op=operator, lvalue=c_ast.ID(name=name), rvalue=value):
                is_simple = operator in ("=", "+=", "-=") and not _reads_memory(value)
                found[name] = found.get(name, True) and is_simple
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
                found.setdefault(name, True)
            case c_ast.UnaryOp(op="&", expr=inner) if (key := key_of(inner)) is not None:
                found[key[0]] = False
    return frozenset(name for name, is_simple in found.items() if is_simple) - names.counted


def _reads_memory(node: c_ast.Node) -> bool:
    return any(
        isinstance(inner, c_ast.ArrayRef | c_ast.FuncCall)
        or (isinstance(inner, c_ast.UnaryOp) and inner.op == "*")
        for inner in nodes_below(node)
    )


def needed_after(
    builder: Builder,
    variables: Variables,
    function: c_ast.FuncDef,
    statements: Sequence[c_ast.Node],
) -> dict[str, SSAValue]:
    """What tracked variables from outside a region are after it, as values at its entry.

    They are by the beginning of an assignment to the variable. What nobody reads is left out.
    Raises `NotTrackedError` if a value is not known, or depends on more than parameters.
    """
    found: dict[str, SSAValue] = {}
    for name, outside in variables.from_outside.items():
        start, end = outside.start, outside.variable.value
        if start is not None and end is not None and difference(start, end) == IndexExpression():
            continue
        if not _is_needed(outside, variables, function, statements):
            continue
        if end is None or end.index is None or not builder.is_parametric(end.index):
            raise NotTrackedError(name)
        found[outside.target] = builder.index_value(end.index)
    return found


def _is_needed(
    outside: OutsideVariable,
    variables: Variables,
    function: c_ast.FuncDef,
    statements: Sequence[c_ast.Node],
) -> bool:
    is_local = variables.scopes.is_local(outside.name)
    if not is_local or is_read_outside(outside.name, function, statements):
        return True
    start = None if outside.start is None else outside.start.index
    is_used = start is not None and (start.value is None or start.value.first_use is not None)
    return is_used and may_run_again(function, statements)
