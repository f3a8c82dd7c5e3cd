"""The dependences of a scop, computed from the order that it has: its tree respects them."""

from __future__ import annotations

from functools import partial
from weakref import WeakSet

from polyir.base.diagnostics import missed
from polyir.base.limits import CrashError, limited
from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import ORDERING_KINDS, DataflowError, compute_dependences
from polyir.model.scop import Scop, scop_of
from polyir.proofs.remembered import makes_claims, remember_proof

_too_hard: WeakSet[ScopOp] = WeakSet()
"""Scops whose dependences take isl too many operations: no other pass tries it again."""


def analysed(scop: ScopOp) -> bool:
    """Compute the dependences of a scop in its original order; whether that was possible."""
    if scop in _too_hard:
        return False
    dependences = dependences_of(scop)
    if dependences is not None:
        attach_dependences(scop, dependences)
    return dependences is not None


def attach_dependences(scop: ScopOp, dependences: Dependences) -> None:
    """Give a scop the dependences that were computed from its tree, which respects them."""
    scop.dependences = DependencesAttr(dependences)
    if not makes_claims(scop):
        remember_proof(scop)


def dependences_of(
    scop: ScopOp,
    value_based: bool = True,
    kinds: tuple[DependenceKind, ...] = ORDERING_KINDS,
    pass_name: str = "poly-dependences",
    is_bounded: bool = True,
    before: Scop | None = None,
    reassociate: bool | None = None,
) -> Dependences | None:
    """The dependences of a scop, computed within the time limit.

    With `reassociate`, updates of an element may run in any order; if nothing is said, they may if
    that is so of the dependences that the scop has.

    Those of arrays that the scop accesses as `before` are taken from there.

    If value-based ones take isl too many operations, where that `is_bounded`, memory-based ones
    are computed instead: they are more, but far cheaper. `None` if these take too many, too. Both
    cases are reported as missed.
    """
    known = before.dependences.items if before and before.dependences else ()
    if reassociate is None:
        reassociate = scop.dependences is not None and bool(scop.dependences.data.reductions)
    for is_value_based in (True, False) if value_based else (False,):
        base = "value-based" if is_value_based else "memory-based"
        compute = partial(
            compute_dependences,
            scop_of(scop),
            is_value_based,
            kinds,
            is_bounded=is_bounded,
            before=before,
            reassociate=reassociate,
        )
        try:
            return limited(f"the analysis of {base} dependences", compute, known=known)
        except (CrashError, DataflowError) as error:
            instead = "memory-based ones are used" if is_value_based else "the scop is left alone"
            missed(pass_name, f"{error.message}: {instead}", scop, once=True, name="too-complex")
            if not is_value_based:
                _too_hard.add(scop)
    return None
