"""What is done to a copy of a function, as steps of the program that the function is in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region

from polyir.base.inner_steps import inner_step, programs_are_shown


@contextmanager
def shown_step(name: str, function: FuncOp, copy: FuncOp) -> Iterator[None]:
    """Let what is done to `copy` inside the `with` block be a step of the program of `function`.

    If programs are shown, the function then has the body of the copy.
    """
    program = function.get_toplevel_object()
    if not programs_are_shown() or not isinstance(program, ModuleOp):
        yield
        return
    with inner_step(name, program):
        yield
        give_body(function, copy.body.clone())


def give_body(function: FuncOp, body: Region) -> None:
    """Let a function have another body; the one that it has is erased."""
    function.detach_region(function.body).erase()
    function.add_region(body)
