"""The proof of a schedule: its order, its copies, and all that the tree claims."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from polyir.base.diagnostics import LegalityError, ViolatedPair, errors_at, location_of
from polyir.base.limits import ResourceError, limited
from polyir.dialects.dependence import Dependences
from polyir.dialects.schedule_tree import TreeOp
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import compute_dependences
from polyir.model.scop import Scop, scop_of
from polyir.proofs.claims import FalseClaim, false_claims
from polyir.proofs.copies import require_same_program
from polyir.proofs.dependences import dependences_of
from polyir.proofs.legality import describe_violations, violations
from polyir.proofs.remembered import remember_proof
from polyir.tree.added import added_statements
from polyir.tree.addresses import TreePath


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


WHAT = "the check of the schedule"

_SEVERAL = "the schedule tree makes {} false claims:"


def require_correct_schedule(scop_op: ScopOp, pass_name: str) -> int:
    """Check the tree of a scop, and remember that it is proved; the number of dependences.

    Without dependences, the tree is the original order, and they are computed from it.

    Raises `LegalityError` with an example for each dependence that the order violates, or for a
    claim of the tree that is false, at its place; `ResourceError` if the check takes too long.
    """
    location = location_of(scop_op)
    dependences = None if scop_op.dependences is None else scop_op.dependences.data
    if dependences is None:
        dependences = dependences_of(scop_op, pass_name=pass_name)
    if dependences is None:
        raise ResourceError("without dependences, the schedule cannot be checked", location)
    scop = scop_of(scop_op)
    found = _checked(scop, dependences)
    if found:
        raise claims_refused(scop_op, found, _SEVERAL)
    remember_proof(scop_op)
    return len(dependences.ordering)


def claims_refused(scop_op: ScopOp, found: Sequence[FalseClaim], several: str) -> LegalityError:
    """The error for claims that are false, each at its place; `several` is said with their number.

    One is told in one line, more in a line each.
    """
    places = [location_of(_operation_at(scop_op, claim.path)) for claim in found]
    lines = [f"{place}: {claim.message}" for place, claim in zip(places, found, strict=True)]
    return LegalityError(_described(found, lines, several), places[0], _first_pair(found))


def require_correct(scop: Scop, dependences: Dependences) -> None:
    """As `require_correct_schedule` for the schedule of `scop`, which may be another than its IR's.

    All errors are at the place of the scop.
    """
    found = _checked(scop, dependences)
    if found:
        lines = [claim.message for claim in found]
        message = _described(found, lines, _SEVERAL)
        raise LegalityError(message, location_of(scop.op), _first_pair(found))


def _checked(scop: Scop, dependences: Dependences) -> tuple[FalseClaim, ...]:
    """The false claims of a schedule whose order is legal."""
    with errors_at(scop.op):
        return limited(WHAT, partial(false_claims_of_schedule, scop, dependences))


def _first_pair(found: Sequence[FalseClaim]) -> ViolatedPair | None:
    return next((claim.violated for claim in found if claim.violated is not None), None)


def _described(found: Sequence[FalseClaim], lines: Sequence[str], several: str) -> str:
    if len(found) == 1:
        return found[0].message
    return "\n  ".join([several.format(len(found)), *lines])


def _operation_at(scop: ScopOp, path: TreePath) -> TreeOp:
    """The operation of the node at the end of `path`: trees have one for each node but leaves."""
    node: TreeOp = scop.tree
    for position in path:
        node = node.children[position]
    return node
