"""The reductions of a scop, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.scop import Scop
from polyir.proofs.legality import require_legal
from polyir.transform.gpu.device import Device
from polyir.transform.reassociation.partial_results import NoReductionError
from polyir.transform.reassociation.plan import (
    ReassociateOptions,
    ReductionPlan,
    find_reduction,
)
from polyir.transform.reassociation.rewriting import Rewriting, plan_rewriting
from polyir.transform.reassociation.tree import RewrittenTree


@dataclass(frozen=True)
class Search:
    """The first reduction that was found, if any, and the statements that were looked at.

    `reasons` say why statements that look like reductions are left as they are.
    """

    rewriting: Rewriting | None
    seen: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def done(self) -> str:
        """What is done, in words."""
        assert self.rewriting is not None
        return describe(self.rewriting.reduction)


def next_reduction(
    scop: Scop,
    dependences: Dependences,
    options: ReassociateOptions,
    device: Device,
    seen: Sequence[str],
) -> Search:
    """The first statement that can be computed in lanes, apart from those already seen."""
    looked_at = list(seen)
    reasons: list[str] = []
    for body in scop.bodies:
        if body.name in looked_at or (options.names and body.name not in options.names):
            continue
        looked_at.append(body.name)
        try:
            reduction = find_reduction(scop, dependences, body.name, options, device)
            if reduction is not None:
                rewriting = plan_rewriting(scop, reduction)
                _require_order(scop, dependences, rewriting)
                new = tuple(piece.name for piece in rewriting.pieces)
                return Search(rewriting, (*looked_at, *new), tuple(reasons))
            if options.names:
                reasons.append(f"{body.name} is left as it is: it is not a reduction")
        except NoReductionError as error:
            reasons.append(f"{body.name} is left as it is: {error}")
    return Search(None, tuple(looked_at), tuple(reasons))


def _require_order(scop: Scop, dependences: Dependences, rewriting: Rewriting) -> None:
    """Raise `LegalityError` if giving the reduction its own loops violates a dependence."""
    apart = RewrittenTree(rewriting).in_order().within(scop.domain)
    require_legal(dependences, apart, "loops of its own for a reduction")


def describe(reduction: ReductionPlan) -> str:
    """A reduction and how it is computed, in words."""
    update = reduction.update
    name, array = update.combiner.name, update.array
    start = f"{update.statement.name}: "
    if reduction.results:
        together = reduction.group if not reduction.in_block else 1
        groups = f", {together} at a time" if together > 1 else ""
        return f"{start}each {name} in {array} is computed in {reduction.lanes} lanes{groups}"
    parts = f"{reduction.blocks} parts of " if reduction.blocks > 1 else ""
    return f"{start}the {name} in {array} is computed in {parts}{reduction.lanes} lanes"
