"""Passes with one mistake each, in a package of somebody else's."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from polyir.base.plugins import PolyirUniverse
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.tree import Schedule


class OddError(Exception):
    """An exception that pickle cannot make anew."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} in {where}")


@dataclass(frozen=True)
class FaultyPass(ScopPass):
    """A pass on schedules with a mistake."""

    name = "faulty"

    mistake: str = ""

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        root = scop.schedule.root
        match self.mistake:
            case "exception":
                raise ValueError("my own mistake")
            case "odd-exception":
                raise OddError("a mistake", "faulty")
            case "isl":
                isl.UnionSet("{")
            case "assertion":
                assert scop is None
            case "none":
                return None  # type: ignore[return-value]
            case "node":
                return Outcome(root.child(0))  # type: ignore[arg-type]
            case "fewer":
                half = isl.UnionSet("{ S0[i, j] : 0 <= i < 3 }")
                return Outcome(scop.schedule.within(half))
            case "more":
                return Outcome(Schedule.from_domain(isl.UnionSet("{ S0[i, j]; S9[] }")))
            case "text":
                return Outcome(scop.schedule, done="it is done")  # type: ignore[arg-type]
            case "one-of-several" if len(scop.arrays) > 1:
                raise KeyError("B")
        return Outcome(scop.schedule, done=("nothing was changed",))


@dataclass(frozen=True)
class FaultyModulePass(ModulePass):
    """A pass on modules with a mistake."""

    name = "faulty-module"

    mistake: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.mistake == "exception":
            raise RuntimeError("of a whole module")
        # What `invalid` leaves has no terminator.
        for function in op.ops:
            if isinstance(function, FuncOp):
                last = function.body.block.last_op
                assert last is not None
                last.detach()


def _missing() -> type[ModulePass]:
    raise ModuleNotFoundError("No module named 'missing'", name="missing")


def _not_frozen() -> type[ModulePass]:
    @dataclass
    class NotFrozenPass(ScopPass):  # type: ignore[misc]
        name = "not-frozen"

    return NotFrozenPass


UNIVERSE = Universe(
    all_passes={
        "faulty": lambda: FaultyPass,
        "faulty-module": lambda: FaultyModulePass,
        "missing": _missing,
        "not-frozen": _not_frozen,
    }
)

SAME_NAME = Universe(all_passes={"tile": lambda: FaultyPass})

CHOICES = PolyirUniverse(
    all_strategies={"missing": _missing, "number": lambda: lambda given: 3},
    all_schedulers={"no-scheduler": lambda: FaultyPass},
    all_cost_models={"no-model": lambda: FaultyPass},
    all_machines={"no-machine": lambda: 3, "this": lambda: 3},
)

NO_UNIVERSE = {"faulty": FaultyPass}
