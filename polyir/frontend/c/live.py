"""Whether a variable is read outside a region before it is set again."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from polyir.frontend.c.names import names_set_first, nodes_below


def is_read_outside(name: str, function: c_ast.FuncDef, region: Sequence[c_ast.Node]) -> bool:
    """Whether `function` may read `name` outside `region` with the value that the region leaves.

    The counter of a loop that sets it first is not read, nor is a variable that is only assigned.
    """
    return _Reads(name, region).found_in(function.body)


def may_run_again(function: c_ast.FuncDef, region: Sequence[c_ast.Node]) -> bool:
    """Whether `function` may execute `region` twice in one call."""
    inside = {id(statement): None for statement in region}
    return any(
        isinstance(node, c_ast.Label)
        or (
            isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)
            and any(id(inner) in inside for inner in nodes_below(node) if inner is not node)
        )
        for node in nodes_below(function.body)
    )


class _Reads:
    def __init__(self, name: str, region: Sequence[c_ast.Node]) -> None:
        self._name = name
        self._region = {id(statement): None for statement in region}

    def found_in(self, node: c_ast.Node) -> bool:
        """Whether something below `node` reads the variable."""
        if id(node) in self._region:
            return False
        match node:
            case c_ast.ID():
                return bool(node.name == self._name)
            case c_ast.StructRef():
                return self.found_in(node.name)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)) if name == self._name:
                return self.found_in(node.rvalue)
            case c_ast.For() if self._name in names_set_first(node) and not (
                self._holds_region(node)
            ):
                return self.found_in(node.init)
            case _:
                return any(self.found_in(child) for child in node)

    def _holds_region(self, node: c_ast.Node) -> bool:
        return any(id(inner) in self._region for inner in nodes_below(node))
