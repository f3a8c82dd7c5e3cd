"""Splitting of sequential loops at the one iteration where all their dependences start or end.

M. Griebl, P. Feautrier, C. Lengauer, "Index set splitting", IJPP 28 (2000), splits index sets
where the sources of dependences are apart from the targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.sets.lists import basic_maps_of, sets_of
from polyir.transform.bands import require_free, split_at
from polyir.transform.loop_attributes import settled
from polyir.transform.walk import BAND
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import Active, all_active, below, forward, still_active

WHAT = "splitting sequential loops"


def split_sequential(schedule: Schedule, dependences: Dependences) -> Outcome:
    """Split each sequential loop with one iteration from or to which all its dependences go.

    The iterations before that one have no dependences between them, and neither have those after
    it, so both parts are parallel. Which iteration it is may depend on the loops outside. With
    `path[i][j] = min(path[i][j], path[i][k] + path[k][j])`, every dependence that the loop over j
    carries starts or ends where j = k, because only there an element of column k is written:

        band [j]        =>        sequence
                                    filter { S0[k, i, j] : j < k }
                                      band [j]
                                    filter { S0[k, i, k] }
                                      band [j]
                                    filter { S0[k, i, j] : j > k }
                                      band [j]

    All flags of the result are exact. Raises `LegalityError` for AST options that name loops by
    their position.
    """
    done: list[str] = []
    changed = schedule
    while found := next(_found(changed.root, all_active(dependences.ordering)), None):
        require_free(found.band, WHAT)
        number = found.band.schedule_depth + found.member + 1
        names = name_list(statements_of(found.band))
        done.append(f"split loop {number} around {names} at one iteration: the parts are parallel")
        changed = _split(found)
    if not done:
        reason = "no sequential loop has one iteration that all of its dependences touch"
        return Outcome(schedule, (), (f"nothing was split: {reason}",), name="not-split")
    return settled(schedule, changed, dependences, WHAT, done)


@dataclass(frozen=True)
class _Crossing:
    """A member of a band, and the value of it at which all that it carries starts or ends.

    The `value` is `{ [the loops around] -> [the member] }`, and single-valued.
    """

    band: ScheduleNode
    member: int
    value: isl.Map


def _found(node: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[_Crossing]:
    """The loops to split from `node` down, the outermost first."""
    if node.kind is BAND:
        inside = actives
        for position, member in enumerate(node.band.functions_by_statement):
            carried = [
                relation for each in inside if not (relation := forward(each, member)).is_empty()
            ]
            if carried and (value := _common_value(node, position, carried)) is not None:
                yield _Crossing(node, position, value)
            inside = still_active(inside, member)
    for position, inner in enumerate(below(node, actives)):
        yield from _found(node.child(position), inner)


def _common_value(band: ScheduleNode, member: int, carried: list[isl.Map]) -> isl.Map | None:
    """`{ [the loops around] -> [the member] }`: where all pairs of `carried` start or end."""
    dates = _dates(band, member)
    common: isl.Map | None = None
    for pairs in chain.from_iterable(map(basic_maps_of, carried)):
        if pairs.is_empty():
            continue
        ends = (isl.Set.from_basic_set(each) for each in (pairs.domain(), pairs.range()))
        values = [_values(dates, each) for each in ends]
        if common is not None:
            values = [each.union(common) for each in values]
        hulls = (isl.Map.from_basic_map(each.affine_hull()) for each in values)
        common = next((each for each in hulls if each.is_single_valued()), None)
        if common is None:
            return None
    return common


def _dates(band: ScheduleNode, member: int) -> isl.UnionMap:
    """`{ S[i] -> [t] }`: the values of the loops around a member, and its own."""
    inner = split_at(band, member)
    own = isl.UnionMap.from_union_pw_aff(inner.members[0].function)
    around = inner.prefix_schedule.intersect_domain(inner.domain)
    return around.flat_range_product(own)


def _values(dates: isl.UnionMap, instances: isl.Set) -> isl.Map:
    """`{ [the loops around] -> [the member] }`: the values at instances of one statement."""
    (found,) = sets_of(dates.intersect_domain(isl.UnionSet.from_set(instances)).range())
    around = found.dim(isl.dim_type.set) - 1
    values = isl.Map.from_range(found)
    return values.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, around)


def _split(found: _Crossing) -> Schedule:
    """The tree with the iterations before the value, at it and after it apart."""
    dates = _dates(found.band, found.member)
    before = _instances(dates, found.value.apply_range(isl.Map("{ [value] -> [t] : t < value }")))
    band = split_at(found.band, found.member).order_before(before)
    return band.order_before(_instances(dates, found.value)).schedule


def _instances(dates: isl.UnionMap, values: isl.Map) -> isl.UnionSet:
    """The instances at values `{ [the loops around] -> [the member] }`."""
    around = values.dim(isl.dim_type.in_)
    flat = values.move_dims(isl.dim_type.out, 0, isl.dim_type.in_, 0, around).range()
    return dates.intersect_range(isl.UnionSet.from_set(flat)).domain().coalesce()
