"""Errors about C that polyir does not model."""

from __future__ import annotations

from functools import partial

from pycparser import c_ast

from polyir.base.diagnostics import InputSyntaxError, PolyirError, SourceLocation


class NotModelledError(PolyirError):
    """A construct of C that affine IR cannot express; its region does not change."""

    name = "not-modelled"


class NoEffectError(NotModelledError):
    """Statements without a loop that writes to memory: there is nothing to transform."""

    name = "nothing-to-do"


class PragmaError(InputSyntaxError):
    """A pragma of polyir that is not well-formed, or names what does not exist."""

    name = "polyir-pragma"


def location_of_node(node: c_ast.Node | None) -> SourceLocation | None:
    """The location of a node in its source file."""
    coordinate = getattr(node, "coord", None)
    if coordinate is None or coordinate.line is None:
        return None
    return SourceLocation(str(coordinate.file), int(coordinate.line), int(coordinate.column or 1))


def refuse(node: c_ast.Node | None, message: str, *, name: str = "") -> NotModelledError:
    """The error that `message` makes at `node`; `name` is that of the kind of diagnostic."""
    return NotModelledError(message, location_of_node(node), name=name)


refuse_call = partial(refuse, name="call")
