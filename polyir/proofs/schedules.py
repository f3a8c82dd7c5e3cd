"""The proof of a schedule: its order, its copies, and all that the tree claims."""

from __future__ import annotations

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.model.analysis import compute_dependences
from polyir.model.scop import Scop
from polyir.proofs.claims import FalseClaim, false_claims
from polyir.proofs.copies import require_same_program
from polyir.proofs.legality import describe_violations, violations
from polyir.tree.added import added_statements


def false_claims_of_schedule(scop: Scop, dependences: Dependences) -> tuple[FalseClaim, ...]:
    """What the tree of a scop claims and is not true, in the order of the tree.

    Raises `LegalityError` with an example of each dependence that the order violates, and if the
    scop has copies, for a read that finds another value than without them.
    """
    found = violations(dependences, scop.schedule)
    if found:
        count = len(dependences.ordering)
        message = describe_violations(found, count, "the schedule")
        raise LegalityError(message, violated=found[0].pair)
    if scop.op.local_arrays or added_statements(scop.schedule):
        require_same_program(scop)
        # The copies must be known to run as often and in the order that is claimed.
        has_reductions = bool(dependences.reductions)
        dependences = compute_dependences(scop, is_bounded=False, reassociate=has_reductions)
    return false_claims(scop.schedule, dependences, scop.context)
