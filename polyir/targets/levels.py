"""Targets that print MLIR, and the target `none`, which prints nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from polyir.passes.prerequisites import lower_scops, raised_scops
from polyir.target.mlir import print_module


@dataclass(frozen=True)
class PolyTarget(Target):
    """The polyhedral level: affine functions are raised, if no pass did it yet."""

    name = "poly"

    generic: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raised_scops(ctx, module)
        print_module(module, output, self.generic)


@dataclass(frozen=True)
class LoopsTarget(Target):
    """Loops in MLIR's dialects: what is still poly is lowered."""

    name = "loops"

    generic: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower_scops(ctx, module)
        print_module(module, output, self.generic)


@dataclass(frozen=True)
class NoTarget(Target):
    """Nothing: for passes that are run for what they print."""

    name = "none"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        return
