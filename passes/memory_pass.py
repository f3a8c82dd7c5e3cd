"""The common part of the passes that change the memory of temporaries."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, errors_at, idle, missed, remark
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import raised_scops
from polyir.proofs.dependences import dependences_of
from polyir.proofs.remembered import require_proved
from polyir.transform.expansion.temporaries import check_names
from polyir.transform.new_dependences import settle_claims


@dataclass(frozen=True)
class MemoryPass(ModulePass):
    """A pass that rewrites the accesses to temporaries, and recomputes the dependences.

    The current schedule tree is checked against the old dependences; then it becomes the original
    order for the new ones. Raises `OptionError` if
    one of `arrays` is in no scop.
    """

    arrays: tuple[str, ...] = ()

    @abstractmethod
    def rewrite(self, scop: Scop) -> Rewritten:
        """Rewrite the accesses of the operations of a scop; raises a `PolyirError` to refuse."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = raised_scops(op, self.name)
        if not scops:
            return
        if self.arrays:
            try:
                check_names(self.arrays, [scop_of(scop) for scop in scops])
            except OptionError as error:
                error.message = f"pass '{self.name}': {error.message}"
                raise
        outcomes = [(scop, self._rewritten(scop)) for scop in scops]
        reasons = [(scop, reason) for scop, outcome in outcomes for reason in outcome.missed]
        for scop, message in reasons:
            missed(self.name, message, scop, name="live-range")
        if not reasons and not any(outcome.done for _, outcome in outcomes):
            idle(self.name, self.nothing, scops[0])

    @property
    @abstractmethod
    def nothing(self) -> str:
        """Why nothing was done, if there is no reason for a particular array."""

    def _rewritten(self, op: ScopOp) -> Rewritten:
        if op.local_arrays:
            return Rewritten((), ("the scop is left as it was: it has local arrays already",))
        with errors_at(op):
            require_proved(op, self.name)
            before = scop_of(op)
            outcome = self.rewrite(before)
            if outcome.done or op.dependences is None:
                self._compute_dependences(op, before)
        for message in outcome.done:
            remark(self.name, message, op)
        return outcome

    def _compute_dependences(self, op: ScopOp, before: Scop) -> None:
        """Attach the new dependences, and make what the tree claims true under them."""
        dependences = dependences_of(op, pass_name=self.name, before=before)
        if dependences is None:
            op.dependences = None
            return
        op.dependences = DependencesAttr(dependences)
        settle_claims(op, self.name)
