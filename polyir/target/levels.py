"""Targets that print MLIR, and the target `none`, which prints nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.targets.mlir import MLIRTarget
from xdsl.utils.target import Target

from polyir.base.inner_steps import apply_inside
from polyir.base.walks import outermost
from polyir.dialects.scop import KEEPS_LOOPS, scops_in
from polyir.loops.levels import convert_equations, lower_scops
from polyir.model.iteration_arrays import hoist_stack_arrays
from polyir.target.mlir import MlirPrinter, print_module
from polyir.universe import pass_type


@dataclass(frozen=True)
class PolyTarget(Target):
    """The polyhedral level: affine functions are raised, if no pass did it yet."""

    name = "poly"

    generic: bool = False
    locations: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        convert_equations(module)
        functions = outermost(module, FuncOp)
        is_distributed = any(KEEPS_LOOPS in each.attributes for each in scops_in(module))
        if not is_distributed and not all(map(scops_in, functions)):
            apply_inside(pass_type("poly-raise")(), ctx, module)
        print_module(module, output, self.generic, self.locations)


@dataclass(frozen=True)
class LoopsTarget(Target):
    """Loops in MLIR's dialects, for MLIR's own passes: what is still poly is lowered."""

    name = "loops"

    generic: bool = False
    locations: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower_scops(ctx, module)
        hoist_stack_arrays(module)
        print_module(module, output, self.generic, self.locations)


@dataclass(frozen=True)
class PolyirMlirTarget(MLIRTarget):
    """The module as it is; with xDSL's options, but in a form that mlir-opt reads."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.syntax_highlight:
            super().emit(ctx, module, output)
            return
        printer = MlirPrinter(
            stream=output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        printer.print_string("\n")


@dataclass(frozen=True)
class NoTarget(Target):
    """Nothing: for passes that are run for what they print."""

    name = "none"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        return
