"""Dependences that are new, for a tree that is known to be legal or is checked against them."""

from __future__ import annotations

from functools import partial

from polyir.base.diagnostics import PolyirError, location_of
from polyir.base.limits import limited
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import Outcome, replace_tree, report_outcome
from polyir.model.prepared_updates import prepare_updates
from polyir.model.scop import Scop, scop_of
from polyir.proofs.dependences import attach_dependences, dependences_of
from polyir.proofs.remembered import makes_claims, remember_proof
from polyir.tree import Schedule


def find_reductions(scop: ScopOp, pass_name: str) -> None:
    """Give a scop dependences of the kind `reduction`, if it has none, of the order it is in.

    Raises `PolyirError` if they exceed the limits, and those that it had are of other statements.
    """
    known = scop.dependences
    if known is not None and known.data.reductions:
        return
    prepare_updates(scop)
    dependences = dependences_of(scop, pass_name=pass_name, reassociate=True)
    if dependences is not None:
        attach_dependences(scop, dependences)
    elif scop.dependences is None:
        raise PolyirError(
            "the dependences of its updates take too long", location_of(scop), name="too-complex"
        )


def settle_claims(scop_op: ScopOp, pass_name: str) -> None:
    """Make all that a tree claims true under dependences that are new.

    They were computed from the tree, which was proved legal before, and is so now. What is taken
    off is reported.
    """
    if makes_claims(scop_op):
        scop = scop_of(scop_op)
        compute = partial(_settled_claims, scop, pass_name)
        outcome = limited("the check of what the schedule tree claims", compute)
        if outcome is not None:
            report_outcome(pass_name, outcome, scop_op, "live-range")
            replace_tree(scop_op, outcome)
    remember_proof(scop_op)


def use_new_tree(
    scop_op: ScopOp, schedule: Schedule, pass_name: str, what: str, reassociate: bool
) -> None:
    """Give a scop another tree after its statements were rewritten in the order of the one it has.

    Its dependences are computed anew from that order (`dependences_of`), and the new tree is
    checked against them. Without them, the scop keeps its tree.
    """
    from polyir.transform.loop_attributes import settled

    dependences = dependences_of(
        scop_op, pass_name=pass_name, is_bounded=False, reassociate=reassociate
    )
    scop_op.dependences = None if dependences is None else DependencesAttr(dependences)
    if dependences is None:
        return
    compute = partial(settled, scop_of(scop_op).schedule, schedule, dependences, what)
    outcome = limited(f"the check of the {what}", compute)
    report_outcome(pass_name, outcome, scop_op, "live-range")
    replace_tree(scop_op, outcome)
    remember_proof(scop_op)


def _settled_claims(scop: Scop, what: str) -> Outcome | None:
    """The tree with what is true; `None` if that is all that it claims."""
    from polyir.proofs.claims import false_claims
    from polyir.transform.loop_attributes import settled

    dependences = scop.dependences
    assert dependences is not None
    if not false_claims(scop.schedule, dependences, scop.context):
        return None
    return settled(scop.schedule, scop.schedule, dependences, what)
