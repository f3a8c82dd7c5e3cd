"""The common part of the scheduling passes: every schedule is checked before it is used."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from polyir.base.diagnostics import LegalityError, PolyirError, missed
from polyir.dialects.dependence import Dependences
from polyir.model.analysis import DataflowError, compute_dependences
from polyir.model.live_ranges import require_same_values
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.proofs.bands import annotate_bands
from polyir.proofs.legality import require_legal
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.scop_constraints import live_range_constraints, schedule_constraints
from polyir.transform.loop_attributes import lost_attributes
from polyir.universe import registered_class, registered_schedulers


@dataclass(frozen=True)
class SchedulerPass(ScopPass):
    """A pass that finds a new schedule, which is used if it respects all dependences.

    The check does not depend on how the schedule was found.

    The options of a scheduler are declared once, in the frozen dataclass that its function takes.
    The pass of the scheduler derives from it, and passes itself to the function.
    """

    @property
    def counts_input_dependences(self) -> bool:
        """Whether two reads of the same element should be near each other."""
        return False

    @abstractmethod
    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        """The schedule that is found; raises `SchedulingError` if there is none.

        Its order is checked. It is `proved` if its flags are known to be true.
        """

    def constraints_of(self, scop: Scop, dependences: Dependences) -> ScheduleConstraints:
        """The relations that the scheduler gets."""
        return schedule_constraints(
            scop, dependences, input_dependences=self.counts_input_dependences
        )

    def checked(self, scop: Scop, dependences: Dependences, found: Outcome) -> Outcome:
        """The outcome for the schedule that was found; raises `LegalityError` if it is illegal."""
        require_legal(dependences, found.schedule, self.name)
        if not dependences.reductions:
            return found
        # Schedulers may take a loop that carries nothing strict for a parallel one.
        schedule = annotate_bands(found.schedule, dependences)
        return replace(found, schedule=schedule, proved=True)

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        if scop.op.local_arrays:
            reason = "the schedule is left as it was: 'promote' must run after scheduling"
            return Outcome(scop.schedule, missed=(reason,), proved=True, name="local-array")
        try:
            found = self.find(self.constraints_of(scop, dependences), scop)
            outcome = self.checked(scop, dependences, found)
        except (SchedulingError, LegalityError, DataflowError) as error:
            reason = f"the schedule is left as it was: {error.message}"
            return Outcome(scop.schedule, missed=(reason,), proved=True, name=error.name)
        lost = lost_attributes(scop.schedule, outcome.schedule)
        return replace(outcome, missed=(*outcome.missed, *lost))


@dataclass(frozen=True)
class LiveRangePass(SchedulerPass):
    """A scheduler's pass with the option `live-range-reordering`.

    The reordered schedule breaks false dependences of the original order. It is legal if every
    read gets the value that it got before; the scop's dependences become those of the new order.
    """

    live_range_reordering: bool = False

    def constraints_of(self, scop: Scop, dependences: Dependences) -> ScheduleConstraints:
        if not self.live_range_reordering:
            return super().constraints_of(scop, dependences)
        return live_range_constraints(
            scop, dependences, input_dependences=self.counts_input_dependences
        )

    def checked(self, scop: Scop, dependences: Dependences, found: Outcome) -> Outcome:
        if not self.live_range_reordering:
            return super().checked(scop, dependences, found)
        require_same_values(scop, found.schedule, self.name)
        now = compute_dependences(scop, schedule=found.schedule)
        schedule = annotate_bands(found.schedule, now)
        return replace(found, schedule=schedule, dependences=now, proved=True)


def schedulers(user: str) -> dict[str, SchedulerPass]:
    """All registered schedulers by name, with their default options.

    One of another package that cannot be loaded is left out, with a remark of `user`.
    """
    found: dict[str, SchedulerPass] = {}
    known = registered_schedulers()
    for name in known:
        try:
            base = SchedulerPass
            found[name] = registered_class("scheduler", name, known, base)()  # type: ignore[type-abstract]
        except PolyirError as error:
            missed(user, error.message, once=True, name="no-strategy")
    return found
