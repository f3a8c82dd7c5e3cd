"""The targets `show` and `ashow`: systems of equations in AlphaZ's two notations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target


@dataclass(frozen=True)
class ShowTarget(Target):
    """The systems of equations of a module, with dependences as functions: `(i -> i - 1)@X`."""

    name = "show"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        _print(module, output, "show")


@dataclass(frozen=True)
class AshowTarget(Target):
    """The systems of equations of a module, in array notation: `X[i - 1]`."""

    name = "ashow"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        _print(module, output, "ashow")


def _print(module: ModuleOp, output: IO[str], form: str) -> None:
    from polyir.equations.ir import program_of
    from polyir.equations.text import Form, program_text

    output.write(program_text(program_of(module), Form(form)))
