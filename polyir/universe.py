"""polyir as an xDSL plugin: its dialects, passes, targets and what `optimize` chooses, by name.

A pass is named once: pass `mark-parallel`, file `passes/mark_parallel.py`, class
`MarkParallelPass`. Nothing is imported before it is asked for, by this module either.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pkgutil import resolve_name
from typing import Final, TypeVar

from xdsl.context import Context
from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from polyir.base.diagnostics import OptionError, nearest
from polyir.base.plugins import PolyirUniverse, Registered, installed_universe

Thing = TypeVar("Thing")

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
        "split-statements",
        "poly-dependences",
        "print-dependences",
        "print-schedule",
        "print-interleavings",
        "privatize",
        "delicm",
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
        "collapse",
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


SCHEDULERS: Final = ("pluto", "feautrier", "isl", "isl-builtin", "spatial")
"""Each is a pass `NAME-schedule`."""

STRATEGIES: Final = (
    "packed-blocks",
    "register-blocks",
    "untiled-blocks",
    "blocks-of-results",
    "blocks-in-waves",
    "locality",
    "untiled-locality",
    "sweeps",
    "tiles",
    "time-tiles",
    "split",
    "private",
    "private-arrays",
    "parallel",
    "reductions",
    "partial-results",
)
"""In the order in which `optimize` tries them; those with the same scheduler are neighbours."""


def _known_processor(name: str) -> object:
    return resolve_name("polyir.choose.processors:named_processor")(name)


POLYIR_UNIVERSE = PolyirUniverse(
    all_dialects={
        "equations": partial(resolve_name, "polyir.dialects.equations:Equations"),
        "poly": partial(resolve_name, "polyir.dialects.poly:Poly"),
    },
    all_passes={name: partial(pass_type, name) for name in PASS_NAMES},
    all_targets={
        "ashow": partial(resolve_name, "polyir.equations.targets:AshowTarget"),
        "c": partial(resolve_name, "polyir.target.c.target:CTarget"),
        "cuda": partial(resolve_name, "polyir.target.gpu.target:CudaTarget"),
        "loops": partial(resolve_name, "polyir.target.levels:LoopsTarget"),
        "opencl": partial(resolve_name, "polyir.target.gpu.target:OpenclTarget"),
        "poly": partial(resolve_name, "polyir.target.levels:PolyTarget"),
        "show": partial(resolve_name, "polyir.equations.targets:ShowTarget"),
        # xDSL has a target named `llvm`, and refuses a plugin that has another one.
        "llvmir": partial(resolve_name, "polyir.target.llvm.target:PluginLlvmTarget"),
    },
    all_strategies={
        name: partial(resolve_name, f"polyir.choose.strategies:{name.replace('-', '_')}")
        for name in STRATEGIES
    },
    all_schedulers={name: partial(pass_type, f"{name}-schedule") for name in SCHEDULERS},
    all_cost_models={"roofline": partial(resolve_name, "polyir.choose.model:CostModel")},
    all_machines={
        "this": lambda: resolve_name("polyir.choose.this_machine:machine_of_system")(),
        "generic": lambda: resolve_name("polyir.choose.machine:Machine")(),
        **{
            name: partial(_known_processor, name)
            for name in (
                *("zen2", "zen3", "zen4", "zen5", "skylake-sp", "icelake-sp", "sapphire-rapids"),
                *("alder-lake", "neoverse-n1", "neoverse-v1", "neoverse-v2", "apple-m1"),
            )
        },
    },
)

MLIR_TARGET: Callable[[], type[Target]] = partial(
    resolve_name, "polyir.target.levels:PolyirMlirTarget"
)
"""In place of xDSL's target `mlir`, whose printer mlir-opt does not always understand."""

OPT_TARGETS: dict[str, Callable[[], type[Target]]] = {
    # In place of xDSL's, which only takes what is of the llvm dialect already.
    "llvm": partial(resolve_name, "polyir.target.llvm.target:PolyirLlvmTarget"),
    "mlir": MLIR_TARGET,
    "none": partial(resolve_name, "polyir.target.levels:NoTarget"),
}
"""The targets that polyir-opt and `polyir.emit` have, but no plugin of xDSL can."""


def available_targets() -> dict[str, Callable[[], type[Target]]]:
    """What a program can be printed as: xDSL's targets, polyir's, and those of other packages."""
    return {**installed().all_targets, **POLYIR_UNIVERSE.all_targets, **OPT_TARGETS}


def new_context() -> Context:
    """A context that knows xDSL's dialects, polyir's, and those of other packages."""
    context = Context()
    for name, factory in (installed().all_dialects | POLYIR_UNIVERSE.all_dialects).items():
        context.register_dialect(name, factory)
    return context


def registered_strategies() -> Registered:
    """The strategies of `optimize`: polyir's in order, then those of other packages."""
    return _own_first(POLYIR_UNIVERSE.all_strategies, installed().all_strategies)


def registered_schedulers() -> Registered:
    """The schedulers that are compared: polyir's, then those of other packages."""
    return _own_first(POLYIR_UNIVERSE.all_schedulers, installed().all_schedulers)


def registered_cost_models() -> Registered:
    """The models by which `optimize` and `tile` choose, polyir's first."""
    return _own_first(POLYIR_UNIVERSE.all_cost_models, installed().all_cost_models)


def registered_machines() -> Registered:
    """Machines that have a name, polyir's first: this one, one with all defaults, processors."""
    return _own_first(POLYIR_UNIVERSE.all_machines, installed().all_machines)


def _own_first(own: Registered, others: Registered) -> Registered:
    """Things by name; polyir's own cannot be replaced."""
    return {**own, **others, **own}


def registered(kind: str, name: str, known: Registered, wanted: type[Thing]) -> Thing:
    """What has that name; raises `OptionError` if nothing has, or what has it is something else."""
    if name not in known:
        hint = nearest(name, known) or f" (one of: {', '.join(known)})"
        raise OptionError(f"unknown {kind} '{name}'{hint}")
    return require_type(f"{kind} '{name}'", known[name](), wanted)


def require_type(what: str, given: object, wanted: type[Thing]) -> Thing:
    """What a package has given, if it is of a type; raises `OptionError` otherwise."""
    if not isinstance(given, wanted):
        raise OptionError(f"the {what} must be a {wanted.__name__}, not {given!r}")
    return given


def registered_class(kind: str, name: str, known: Registered, base: type[Thing]) -> type[Thing]:
    """The class of that name; raises `OptionError` as `registered` does."""
    found = registered(kind, name, known, type)
    if not issubclass(found, base):
        raise OptionError(f"the {kind} '{name}' must derive from {base.__name__}, not {found!r}")
    return found


@cache
def installed() -> PolyirUniverse:
    """What all installed packages have; polyir itself need not be installed."""
    return installed_universe()


if "xdsl.tools.xdsl_opt" in sys.modules:
    resolve_name("polyir.tools.xdsl_plugin:extend_xdsl_opt")()
