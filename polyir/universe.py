"""polyir as an xDSL plugin: its dialect, passes and targets under their names.

A pass is named once: pass `mark-parallel`, file `passes/mark_parallel.py`, class
`MarkParallelPass`. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

PASS_NAMES = (
    "poly-raise",
    "poly-dependences",
    "print-dependences",
    "print-schedule",
    "privatize",
    "expand",
    "pluto-schedule",
    "apply-schedule",
    "feautrier-schedule",
    "isl-schedule",
    "isl-builtin-schedule",
    "spatial-schedule",
    "compare-schedules",
    "tile",
    "diamond-tile",
    "intra-tile-order",
    "wavefront",
    "full-tile-separation",
    "fuse",
    "distribute",
    "interchange",
    "skew",
    "shift",
    "reverse",
    "scale",
    "strip-mine",
    "split",
    "unroll",
    "unroll-jam",
    "mark-parallel",
    "annotate-loop",
    "contract",
    "check-schedule",
    "plot-domain",
    "plot-schedule",
    "dot",
    "lower-poly",
    "convert-parallel-to-omp",
    "convert-affine-to-scf",
    "convert-memref-to-pointers",
    "convert-parallel-to-tasks",
    "convert-index-to-i64",
    "convert-math-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",
    "lower-to-llvm",
)
"""The passes in the order in which a pipeline usually has them."""


def _poly() -> Dialect:
    from polyir.dialects.poly import Poly

    return Poly


def pass_type(name: str) -> type[ModulePass]:
    """The pass class of that name; raises `KeyError` for a name that is not polyir's."""
    if name not in PASS_NAMES:
        raise KeyError(name)
    module = import_module(f"polyir.passes.{name.replace('-', '_')}")
    class_name = "".join(word.capitalize() for word in name.split("-")) + "Pass"
    found: type[ModulePass] = getattr(module, class_name)
    return found


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """xDSL's passes and polyir's, by name."""
    return XDSL_UNIVERSE.all_passes | POLYIR_UNIVERSE.all_passes


def _pass_factory(name: str) -> Callable[[], type[ModulePass]]:
    return lambda: pass_type(name)


def _c_target() -> type[Target]:
    from polyir.targets import PolyirCTarget

    return PolyirCTarget


def _loops_target() -> type[Target]:
    from polyir.targets import LoopsTarget

    return LoopsTarget


def _llvm_target() -> type[Target]:
    from polyir.targets import PluginLlvmTarget

    return PluginLlvmTarget


def _poly_target() -> type[Target]:
    from polyir.targets import PolyTarget

    return PolyTarget


POLYIR_UNIVERSE = Universe(
    all_dialects={"poly": _poly},
    all_passes={name: _pass_factory(name) for name in PASS_NAMES},
    # xDSL has a target named `llvm`, and refuses a plugin that has another one: hence `llvmir`.
    # polyir-opt calls it `llvm` too.
    all_targets={
        "c": _c_target,
        "loops": _loops_target,
        "poly": _poly_target,
        "llvmir": _llvm_target,
    },
)


def new_context() -> Context:
    """A context that knows xDSL's and polyir's dialects."""
    context = Context()
    for universe in (XDSL_UNIVERSE, POLYIR_UNIVERSE):
        for name, factory in universe.all_dialects.items():
            context.register_dialect(name, factory)
    return context
