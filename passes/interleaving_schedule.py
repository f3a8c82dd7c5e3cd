"""The pass `interleaving-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.interleaving.fusability import FusionOptions
from polyir.interleaving.point import interleaving_of_text
from polyir.interleaving.schedule import InterleavingError, InterleavingScheduler
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError


@dataclass(frozen=True)
class _Pattern:
    """The first option. Text without quotes comes in pieces, between which commas were."""

    pattern: tuple[str, ...]


@dataclass(frozen=True)
class InterleavingSchedulePass(SchedulerPass, FusionOptions, _Pattern):
    """Find the best tileable schedule in which chosen statements share loops, in a chosen order.

    `pattern` has the statements of each level: commas are between those that share its loop, `|`
    between what runs one after the other, and `/` between levels, outermost first. Below these
    levels, as many statements as possible share loops. With `rows=forward`, iterators run forward
    and the first iterations of statements that share a loop differ by at most `shift`; with
    `rows=any`, they may run backward, and may be shifted by sizes. `print-interleavings` lists
    what is legal.

    Before (`C += A B; E += C D`, each in a nest of its own):

        affine.for %i = 0 to %n {
          affine.for %j = 0 to %n {
            affine.for %k = 0 to %n {
              C[i, j] += A[i, k] * B[k, j]
        affine.for %i = 0 to %n {
          ...

    After `--interleaving-schedule=S0,S1`:

        affine.for %i = 0 to %n {
          affine.for %j = 0 to %n {
            affine.for %k = 0 to %n {
              C[i, j] += A[i, k] * B[k, j]
            affine.for %k = 0 to %n {
              E[i, k] += C[i, j] * D[j, k]
    """

    name = "interleaving-schedule"

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        scheduler = InterleavingScheduler(constraints, self)
        point = interleaving_of_text(",".join(self.pattern), scheduler.names)
        assert scop.dependences is not None
        try:
            result = scheduler.schedule(point)
        except InterleavingError as error:
            raise SchedulingError(_explained(error, scop.dependences)) from error
        return Outcome(result.schedule, done=result.notes, proved=True)


def _explained(error: InterleavingError, dependences: Dependences) -> str:
    """The reason why an interleaving is not possible, with the dependences that say so."""
    reasons = [
        f"the {each.kind.value} dependence through {each.array} from {source} to {target}"
        for source, target in error.dependences
        for each in dependences.strict
        if (each.source, each.target) == (source, target)
    ]
    return f"{error.message}: {', '.join(dict.fromkeys(reasons))}"
