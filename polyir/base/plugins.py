"""What other packages bring, by the entry points of xDSL: passes, strategies, machines and more."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Final, TypeVar

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from polyir.base.diagnostics import PolyirError, named, print_diagnostic

ENTRY_POINTS: Final = "xdsl.universe"
"""The group of the entry points."""

Loaded = TypeVar("Loaded")

Registered = Mapping[str, Callable[[], object]]
"""Things by name, each with a function that loads it."""


class PolyirUniverse(Universe):
    """What a package brings by name: what any `Universe` of xDSL has, and what `optimize` chooses.

    Each value is a function that gives the thing, and is called when that is used:

    - a strategy is a function from a `polyir.choose.strategies.Situation` to a `Strategy`, or to
      `None` where there is nothing to try;
    - a scheduler is a class that derives from `polyir.passes.scheduler_pass.SchedulerPass`;
    - a cost model is a class that derives from `polyir.choose.model.CostModel`;
    - a machine is a `polyir.choose.machine.Machine`.
    """

    all_strategies: dict[str, Callable[[], object]]
    all_schedulers: dict[str, Callable[[], object]]
    all_cost_models: dict[str, Callable[[], object]]
    all_machines: dict[str, Callable[[], object]]

    def __init__(
        self,
        *,
        all_dialects: dict[str, Callable[[], Dialect]] | None = None,
        all_passes: dict[str, Callable[[], type[ModulePass]]] | None = None,
        all_targets: dict[str, Callable[[], type[Target]]] | None = None,
        all_strategies: Registered | None = None,
        all_schedulers: Registered | None = None,
        all_cost_models: Registered | None = None,
        all_machines: Registered | None = None,
    ) -> None:
        super().__init__(
            all_dialects=all_dialects or {},
            all_passes=all_passes or {},
            all_targets=all_targets or {},
        )
        self.all_strategies = dict(all_strategies or {})
        self.all_schedulers = dict(all_schedulers or {})
        self.all_cost_models = dict(all_cost_models or {})
        self.all_machines = dict(all_machines or {})


def installed_universe() -> PolyirUniverse:
    """What all installed packages have, that of xDSL among them.

    A package that cannot be loaded is left out, with a warning: its mistake must not end the work
    of others. Of two things with one name, the one in the entry point that is first by name is
    taken, and the other one is left out with a warning. What a package has is loaded when it is
    used; `PolyirError` says then why it cannot be.
    """
    found = PolyirUniverse()
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name):
        try:
            universe = point.load()
        except Exception as error:
            _warn(f"{_package(point)} cannot be loaded: {_explained(error)}")
            continue
        if not isinstance(universe, Universe):
            _warn(
                f"{_package(point)} is left out: its entry point '{point.value}' must be a "
                f"xdsl.universe.Universe, not {type(universe).__name__}"
            )
            continue
        _add("dialect", universe.all_dialects, found.all_dialects, point)
        _add("pass", universe.all_passes, found.all_passes, point)
        _add("target", universe.all_targets, found.all_targets, point)
        if isinstance(universe, PolyirUniverse):
            _add("strategy", universe.all_strategies, found.all_strategies, point)
            _add("scheduler", universe.all_schedulers, found.all_schedulers, point)
            _add("cost model", universe.all_cost_models, found.all_cost_models, point)
            _add("machine", universe.all_machines, found.all_machines, point)
    return found


def package_of(module: str) -> str:
    """The package that a module is installed by, in words."""
    top = module.partition(".")[0]
    for point in entry_points(group=ENTRY_POINTS):
        if point.module.partition(".")[0] == top and point.dist is not None:
            return _package(point)
    return f"the module '{module}'"


def _package(point: EntryPoint) -> str:
    if point.dist is None:
        return f"the module '{point.module}'"
    return f"the package {point.dist.name} {point.dist.version}"


def _add(
    kind: str,
    factories: Mapping[str, Callable[[], Loaded]],
    found: dict[str, Callable[[], Loaded]],
    point: EntryPoint,
) -> None:
    # Reading what a package is called takes as long as a small module: only messages do it.
    is_own = point.module.startswith(("xdsl.", "polyir."))
    for name, factory in factories.items():
        if name in found:
            _warn(f"the {kind} '{name}' of {_package(point)} is left out: there is one already")
        else:
            found[name] = factory if is_own else partial(_loaded, kind, name, point, factory)


def _loaded(kind: str, name: str, point: EntryPoint, factory: Callable[[], Loaded]) -> Loaded:
    try:
        return factory()
    except DiagnosticException:
        raise
    except Exception as error:
        what = f"the {kind} '{name}' of {_package(point)}"
        raise PolyirError(f"{what} cannot be loaded: {_explained(error)}", name="plugin") from error


def _explained(error: Exception) -> str:
    """An error in the code of a package, with its traceback there."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, TypeError) and "non-frozen dataclass" in str(error):
        text += " (a pass must be declared with '@dataclass(frozen=True)')"
    frames = traceback.extract_tb(error.__traceback__)
    while frames and ("importlib" in frames[0].filename or frames[0].filename == __file__):
        del frames[0]
    trace = "".join(traceback.StackSummary.from_list(frames).format()).rstrip()
    return f"{text}\n{trace}" if trace else text


def _warn(message: str) -> None:
    print_diagnostic(named(f"warning: {message}", "plugin"))
