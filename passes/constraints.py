"""What the scheduling passes ask of the schedulers, from a scop and its dependences."""

from __future__ import annotations

import islpy as isl

from polyir.dialects.dependence import DependenceKind, Dependences, union_of
from polyir.model.analysis import compute_dependences
from polyir.model.scop import Scop
from polyir.schedule.constraints import ScheduleConstraints


def schedule_constraints(
    scop: Scop, dependences: Dependences, *, input_dependences: bool = False
) -> ScheduleConstraints:
    """All ordering dependences as validity, coincidence and proximity.

    With `input_dependences`, reads of one element are to be near too.
    """
    space = scop.context.get_space()
    validity = union_of(dependences.ordering, space)
    proximity = validity
    if input_dependences:
        proximity = validity.union(reuse_of_reads(scop, dependences))
    names = tuple(statement.name for statement in scop.statements)
    return ScheduleConstraints(
        scop.domain, scop.context, validity, proximity, names, coincidence=validity
    )


def reuse_of_reads(scop: Scop, known: Dependences) -> isl.UnionMap:
    """The input dependences: those at hand, or computed."""
    found = known.of_kind(DependenceKind.INPUT)
    if not found:
        found = compute_dependences(scop, kinds=(DependenceKind.INPUT,)).items
    return union_of(found, scop.context.get_space())
