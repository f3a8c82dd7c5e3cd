"""From the text of systems of equations to a verified module."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import InputSyntaxError, location_of
from polyir.equations.ir import module_of
from polyir.equations.text import read_program
from polyir.frontend.verification import verify_operations


def alpha_module(text: str, filename: str = "<stdin>", line_offset: int = 0) -> ModuleOp:
    """The module of the equations dialect that a text in AlphaZ's language is.

    The first line of `text` is line `line_offset + 1` of the file. Raises `PolyirError`; whether
    each value is defined once is for `polyir.equations.checks`.
    """
    module = module_of(read_program("\n" * line_offset + text, filename))
    verify_operations(module, lambda op, message: InputSyntaxError(message, location_of(op)))
    return module
