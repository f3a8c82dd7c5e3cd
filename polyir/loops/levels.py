"""Bring a module down to loops: what is still equations, scops, views or inner modules."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import CollapseShapeOp, ExpandShapeOp, ReinterpretCastOp, SubviewOp

from polyir.base.inner_steps import apply_inside
from polyir.dialects.affine_extra import DelinearizeIndexOp
from polyir.dialects.scop import scops_in
from polyir.loops.versions import ask_for_threads
from polyir.universe import pass_type


def has_equations(module: ModuleOp) -> bool:
    """Whether a module has systems of equations."""
    return any(op.name.startswith("equations.") for op in module.ops)


def convert_equations(module: ModuleOp) -> None:
    """Make functions with scops of the systems of equations of a module, if there are any."""
    if has_equations(module):
        apply_inside(pass_type("equations-to-scop")(), Context(), module)


def lower_scops(ctx: Context, module: ModuleOp) -> None:
    """Lower the scops of `module`, if there are any."""
    if scops_in(module):
        apply_inside(pass_type("lower-poly")(), ctx, module)


def lower_for_target(ctx: Context, module: ModuleOp) -> None:
    """Lower the scops of `module`, and what no target has: inner modules, views, coordinates.

    Functions that ask for several threads test for them.
    """
    convert_equations(module)
    lower_scops(ctx, module)
    if any(isinstance(op, ModuleOp) for op in module.walk() if op is not module):
        from polyir.loops.modules import flatten_modules

        flatten_modules(module)
    lower_views(module)
    for op in module.ops:
        if isinstance(op, FuncOp):
            ask_for_threads(op)


def outline_kernels(ctx: Context, module: ModuleOp) -> None:
    """Make functions of the kernels of a module, for languages of devices.

    Innermost loops have versions with constant numbers of iterations then, which compilers unroll.
    """
    # The dialect gpu takes long to import, and few programs have kernels.
    launches = [op for op in module.walk() if op.name == "gpu.launch"]
    if launches:
        from polyir.loops.full_trips import separate_full_trips

        for launch in launches:
            separate_full_trips(launch)
        apply_inside(pass_type("gpu-outline")(), ctx, module)


_LOWERED = (SubviewOp, ReinterpretCastOp, CollapseShapeOp, ExpandShapeOp, DelinearizeIndexOp)


def lower_views(module: ModuleOp) -> None:
    """Lower views of arrays, and coordinates of linear indices, to accesses and arithmetic."""
    if any(isinstance(op, _LOWERED) for op in module.walk()):
        from polyir.loops.views import expand_index_operations, fold_views

        expand_index_operations(module)
        fold_views(module)
