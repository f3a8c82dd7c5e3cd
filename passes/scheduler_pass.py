"""What the schedulers have in common: nobody believes them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from polyir.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.schedule.problem import SchedulingError
from polyir.transform.loop_attributes import lost_attributes


@dataclass(frozen=True)
class SchedulerPass(ScopPass):
    """A pass that finds a new schedule, which is used if it respects all dependences.

    That is decided independently of how it was found. An outcome with dependences of its own
    was checked against those.
    """

    @abstractmethod
    def find(self, scop: Scop, dependences: Dependences) -> Outcome:
        """The schedule that is found; raises `SchedulingError` if there is none."""

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        try:
            outcome = self.find(scop, dependences)
            if outcome.dependences is None:
                require_legal(dependences, outcome.schedule, self.name)
        except (SchedulingError, LegalityError) as error:
            reason = f"the schedule is left as it was: {error.message}"
            return Outcome(scop.schedule, missed=(reason,))
        lost = lost_attributes(scop.schedule, outcome.schedule)
        return replace(outcome, missed=(*outcome.missed, *lost))
