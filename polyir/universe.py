"""polyir as an xDSL plugin: its dialect, passes and targets under their names.

A pass is named once: pass `mark-parallel`, file `passes/mark_parallel.py`, class
`MarkParallelPass`. Nothing is imported before it is asked for, by this module either.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pkgutil import resolve_name
from typing import Final

from xdsl.context import Context
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from polyir.base.plugins import installed_universe

PASSES_BY_TOPIC: Final = {
    "equations": (
        "scop-to-equations",
        "check-equations",
        "inline-systems",
        "normalize-equations",
        "substitute",
        "split-union-into-case",
        "change-of-basis",
        "hoist-reduction",
        "permutation-case-reduce",
        "decompose-reduction",
        "factor-out-of-reduction",
        "detect-scans",
        "simplify-reductions",
        "equations-to-scop",
    ),
    "index arrays": (
        "check-indices",
        "inspect-wavefronts",
        "irregular-reductions",
        "runtime-test",
        "reorder-data",
        "reorder-iterations",
        "sparse-tile",
    ),
    "from loops to schedule trees": (
        "poly-raise",
        "poly-dependences",
        "print-dependences",
        "print-schedule",
        "print-interleavings",
        "privatize",
        "expand",
    ),
    "schedulers": (
        "pluto-schedule",
        "apply-schedule",
        "feautrier-schedule",
        "isl-schedule",
        "isl-builtin-schedule",
        "spatial-schedule",
        "interleaving-schedule",
        "compare-schedules",
        "optimize",
    ),
    "transformations of a schedule tree": (
        "tile",
        "tile-shape",
        "tile-symbolic",
        "diamond-tile",
        "hexagonal-tile",
        "intra-tile-order",
        "wavefront",
        "distribute-memory",
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
        "split-sequential",
        "unroll",
        "unroll-jam",
        "register-tile",
        "mark-parallel",
        "annotate-loop",
    ),
    "memory and reductions": (
        "contract",
        "allocate-memory",
        "allocate-processors",
        "promote",
        "promote-private",
        "privatize-reductions",
        "reassociate",
    ),
    "GPUs": (
        "map-to-gpu",
        "gpu-kernels",
        "gpu-tile",
        "gpu-map",
        "gpu-promote",
        "gpu-synchronise",
        "check-gpu",
    ),
    "checks and pictures": (
        "check-schedule",
        "plot-domain",
        "plot-schedule",
        "dot",
    ),
    "from schedule trees to loops, and on loops": (
        "lower-poly",
        "split-loops",
        "vectorize",
        "pack",
        "scalar-replacement",
        "gpu-outline",
    ),
    "lowering to LLVM": (
        "convert-parallel-to-omp",
        "convert-affine-to-scf",
        "convert-memref-to-pointers",
        "convert-parallel-to-tasks",
        "convert-index-to-i64",
        "convert-vector-to-llvm",
        "convert-math-to-llvm",
        "convert-arith-to-llvm",
        "convert-cf-to-llvm",
        "convert-func-to-llvm",
        "lower-to-llvm",
    ),
}
"""The passes by what they are for, in the order in which a pipeline usually has them."""

PASS_NAMES: Final = tuple(name for names in PASSES_BY_TOPIC.values() for name in names)

PASSES_ON_INDEX_ARRAYS: Final = PASSES_BY_TOPIC["index arrays"]
"""Passes that take loops as they are: a pipeline that begins with one of them raises nothing."""


def pass_type(name: str) -> type[ModulePass]:
    """The pass class of that name; raises `KeyError` for a name that is not polyir's."""
    if name not in PASS_NAMES:
        raise KeyError(name)
    class_name = "".join(word.capitalize() for word in name.split("-")) + "Pass"
    found: type[ModulePass] = resolve_name(f"polyir.passes.{name.replace('-', '_')}:{class_name}")
    return found


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """xDSL's passes, polyir's, and those of other packages, by name."""
    return installed().all_passes | POLYIR_UNIVERSE.all_passes


POLYIR_UNIVERSE = Universe(
    all_dialects={
        "equations": partial(resolve_name, "polyir.dialects.equations:Equations"),
        "poly": partial(resolve_name, "polyir.dialects.poly:Poly"),
    },
    all_passes={name: partial(pass_type, name) for name in PASS_NAMES},
    all_targets={
        "ashow": partial(resolve_name, "polyir.targets.equations:AshowTarget"),
        "c": partial(resolve_name, "polyir.targets.c:CTarget"),
        "cuda": partial(resolve_name, "polyir.targets.gpu:CudaTarget"),
        "loops": partial(resolve_name, "polyir.targets.levels:LoopsTarget"),
        "opencl": partial(resolve_name, "polyir.targets.gpu:OpenclTarget"),
        "poly": partial(resolve_name, "polyir.targets.levels:PolyTarget"),
        "show": partial(resolve_name, "polyir.targets.equations:ShowTarget"),
        # xDSL has a target named `llvm`, and refuses a plugin that has another one.
        "llvmir": partial(resolve_name, "polyir.targets.llvm:PluginLlvmTarget"),
    },
)

MLIR_TARGET: Callable[[], type[Target]] = partial(
    resolve_name, "polyir.targets.levels:PolyirMlirTarget"
)
"""In place of xDSL's target `mlir`, whose printer mlir-opt does not always understand."""

OPT_TARGETS: dict[str, Callable[[], type[Target]]] = {
    # In place of xDSL's, which only takes what is of the llvm dialect already.
    "llvm": partial(resolve_name, "polyir.targets.llvm:PolyirLlvmTarget"),
    "mlir": MLIR_TARGET,
    "none": partial(resolve_name, "polyir.targets.levels:NoTarget"),
}
"""The targets that polyir-opt has in addition."""


def new_context() -> Context:
    """A context that knows xDSL's dialects, polyir's, and those of other packages."""
    context = Context()
    for name, factory in (installed().all_dialects | POLYIR_UNIVERSE.all_dialects).items():
        context.register_dialect(name, factory)
    return context


@cache
def installed() -> Universe:
    """What all installed packages have; polyir itself need not be installed."""
    return installed_universe()


if "xdsl.tools.xdsl_opt" in sys.modules:
    resolve_name("polyir.tools.xdsl_plugin:extend_xdsl_opt")()
