"""Variables that are declared around a region, but matter only in it.

    double s;
    #pragma scop
    for (i = 0; i < n; i++) {
      s = 0.0;
      ...
    }
    #pragma endscop

A local variable that the region writes before it reads, and that nothing reads after it, might as
well be declared in the region: then passes may give each iteration its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pycparser import c_ast
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.live import is_read_outside
from polyir.frontend.c.names import key_of, nodes_below
from polyir.frontend.c.places import SourceArgument, SourceArray
from polyir.frontend.c.scopes import Scopes
from polyir.model.definite_writes import is_written_first


def make_own(
    builder: Builder,
    described: dict[SSAValue, SourceArgument],
    scopes: Scopes,
    function: c_ast.FuncDef,
    region: Sequence[c_ast.Node],
) -> None:
    """Replace the arguments of a region's function that are such variables by local memory.

    `described` are the arguments, of which these are removed.
    """
    addressed = frozenset(_addressed(region))
    for argument, source in tuple(described.items()):
        if not isinstance(source, SourceArray) or source.origin.pointer is not None:
            continue
        name = source.origin.root
        is_element = any(isinstance(part, int) for part in source.parts)
        if is_element or name in addressed or not scopes.is_local(name):
            continue
        if is_read_outside(name, function, region):
            continue
        if is_written_first(builder.entry, argument):
            _replace(builder, argument)
            del described[argument]


def _addressed(region: Sequence[c_ast.Node]) -> Iterator[str]:
    """The variables of which a region takes the address."""
    for statement in region:
        for node in nodes_below(statement):
            if isinstance(node, c_ast.UnaryOp) and node.op == "&":
                key = key_of(node.expr)
                if key is not None:
                    yield key[0]


def _replace(builder: Builder, argument: SSAValue) -> None:
    assert isinstance(argument.type, MemRefType)
    cell = memref.AllocaOp.get(argument.type.element_type, shape=())
    builder.insert_at_entry(cell)
    cell.memref.name_hint = argument.name_hint
    argument.replace_all_uses_with(cell.memref)
