"""Updates that may run in any order, and the direction of the dependences between them.

A reduction is a statement `X[f] = X[f] op e` where op is associative and commutative. J. Doerfert,
K. Streit, S. Hack, Z. Benaissa, "Polly's Polyhedral Scheduling in the Presence of Reductions"
(IMPACT 2015), leaves the dependences between its instances out of what a schedule must respect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import islpy as isl

from polyir.dialects.dependence import Dependence, DependenceKind, Dependences, union_of
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind, Statement
from polyir.model.updates import Update, update_of
from polyir.sets.examples import example_of
from polyir.sets.lists import maps_of
from polyir.tree import Schedule
from polyir.tree.order import ordered_pairs


@dataclass(frozen=True)
class Updates:
    """The statements of a scop that may update an element in any order, and why others may not.

    `reasons` are about statements that read and write an element more than once, in words.
    """

    found: tuple[Update, ...]
    reasons: tuple[str, ...]


def updates_of(scop: Scop) -> Updates:
    """The statements `X[f] = X[f] op e` that update some element more than once.

    No instance reads the element that it updates for e too. What e reads of other elements that
    the statement updates depends on these updates as any read does.
    """
    found: list[Update] = []
    reasons: list[str] = []
    for statement in scop.bodies:
        arrays = updated_arrays(statement, scop.context)
        if not arrays:
            continue
        update = update_of(statement)
        reason = _refused(statement) if update is None else _read_by_itself(update)
        if update is not None and reason is None:
            found.append(update)
        else:
            reasons.append(f"{statement.name} must update {arrays[0]} in order: {reason}")
    return Updates(tuple(found), tuple(reasons))


def updated_arrays(statement: Statement, context: isl.Set) -> tuple[str, ...]:
    """The arrays of which a statement reads and writes some element in several instances."""
    reads = [each for each in statement.accesses if each.kind is AccessKind.READ]
    arrays: list[str] = []
    for write in statement.accesses:
        if write.kind is AccessKind.READ or write.array in arrays:
            continue
        same = (read for read in reads if read.array == write.array)
        elements = write.relation.intersect_params(context)
        is_read = any(not read.relation.is_disjoint(elements) for read in same)
        if is_read and not elements.is_injective():
            arrays.append(write.array)
    return tuple(arrays)


def _refused(statement: Statement) -> str:
    """Why a statement is not an update by an associative operation."""
    writes = [each for each in statement.accesses if each.kind is not AccessKind.READ]
    if len(writes) > 1:
        return "it writes other elements too"
    if not writes[0].certain:
        return "some of its instances may not update it"
    return "its value is not the old one and others, combined by one associative operation"


def _read_by_itself(update: Update) -> str | None:
    """Why an update does not commute with others: e reads the element; `None` if it does not."""
    for access in update.others:
        if access.array == update.array:
            same = access.relation.intersect(update.store.relation)
            if not same.is_empty():
                example = example_of(same)
                return f"{example.source} combines it with {example.target} itself{example.where}"
    return None


def oriented(dependences: Dependences, schedule: Schedule) -> Dependences:
    """The dependences with each pair of a reduction in the direction that a schedule gives it.

    So the schedule respects all of them, and is the order to fall back on. Pairs that it does not
    order stay as they were.
    """
    if not dependences.reductions:
        return dependences
    space = schedule.domain.get_space()
    found: list[Dependence] = []
    is_turned = False
    for array in dict.fromkeys(each.array for each in dependences.reductions):
        mine = [each for each in dependences.reductions if each.array == array]
        old = union_of(mine, space)
        turned = ordered_pairs(schedule, old.reverse())
        is_turned = is_turned or not turned.is_empty()
        if turned.is_empty():
            found += mine
        else:
            new = old.subtract(turned.reverse()).union(turned).coalesce()
            relations = sorted(maps_of(new), key=_ends)
            found += (Dependence(DependenceKind.REDUCTION, array, each) for each in relations)
    if not is_turned:
        return dependences
    items = (*dependences.strict, *found, *dependences.of_kind(DependenceKind.INPUT))
    order = schedule.map.intersect_domain(schedule.domain)
    return replace(dependences, items=items, order=order)


def _ends(relation: isl.Map) -> tuple[str, str]:
    """The names of the statements that a relation is between."""
    kinds = isl.dim_type
    return relation.get_tuple_name(kinds.in_), relation.get_tuple_name(kinds.out)
