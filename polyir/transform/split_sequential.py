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
from polyir.isl_trees import node_type
from polyir.model.order import Active, all_active, below, forward, members_of, still_active
from polyir.model.outcome import Outcome
from polyir.sets.lists import basic_maps_of, sets_of
from polyir.transform.bands import require_free, split_at
from polyir.transform.loop_attributes import settled
from polyir.transform.walk import BAND, name_list, require_own_instances, statements_of

WHAT = "splitting sequential loops"


def split_sequential(schedule: isl.Schedule, dependences: Dependences) -> Outcome:
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
    their position, and for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, WHAT)
    done: list[str] = []
    changed = schedule
    while found := next(_found(changed.get_root(), all_active(dependences.ordering)), None):
        require_free(found.band, WHAT)
        number = found.band.get_schedule_depth() + found.member + 1
        names = name_list(statements_of(found.band))
        done.append(f"split loop {number} around {names} at one iteration: the parts are parallel")
        changed = _split(found)
    if not done:
        reason = "no sequential loop has one iteration that all of its dependences touch"
        return Outcome(schedule, (), (f"nothing was split: {reason}",))
    return settled(schedule, changed, dependences, WHAT, done)


@dataclass(frozen=True)
class _Crossing:
    """A member of a band, and the value of it at which all that it carries starts or ends.

    The `value` is `{ [the loops around] -> [the member] }`, and single-valued.
    """

    band: isl.ScheduleNode
    member: int
    value: isl.Map


def _found(node: isl.ScheduleNode, actives: tuple[Active, ...]) -> Iterator[_Crossing]:
    """The loops to split from `node` down, the outermost first."""
    if node_type(node) is BAND:
        inside = actives
        for position, member in enumerate(members_of(node)):
            carried = [
                relation for each in inside if not (relation := forward(each, member)).is_empty()
            ]
            if carried and (value := _common_value(node, position, carried)) is not None:
                yield _Crossing(node, position, value)
            inside = still_active(inside, member)
    for position, inner in enumerate(below(node, actives)):
        yield from _found(node.get_child(position), inner)


def _common_value(band: isl.ScheduleNode, member: int, carried: list[isl.Map]) -> isl.Map | None:
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


def _dates(band: isl.ScheduleNode, member: int) -> isl.UnionMap:
    """`{ S[i] -> [t] }`: the values of the loops around a member, and its own."""
    inner = split_at(band, member)
    own = isl.UnionMap.from_union_pw_aff(inner.band_get_partial_schedule().get_at(0))
    around = inner.get_prefix_schedule_union_map().intersect_domain(inner.get_domain())
    return around.flat_range_product(own)


def _values(dates: isl.UnionMap, instances: isl.Set) -> isl.Map:
    """`{ [the loops around] -> [the member] }`: the values at instances of one statement."""
    (found,) = sets_of(dates.intersect_domain(isl.UnionSet.from_set(instances)).range())
    around = found.dim(isl.dim_type.set) - 1
    values = isl.Map.from_range(found)
    return values.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, around)


def _split(found: _Crossing) -> isl.Schedule:
    """The tree with the iterations before the value, at it and after it apart."""
    dates = _dates(found.band, found.member)
    before = _instances(dates, found.value.apply_range(isl.Map("{ [value] -> [t] : t < value }")))
    band = split_at(found.band, found.member).order_before(before)
    return band.order_before(_instances(dates, found.value)).get_schedule()


def _instances(dates: isl.UnionMap, values: isl.Map) -> isl.UnionSet:
    """The instances at values `{ [the loops around] -> [the member] }`."""
    around = values.dim(isl.dim_type.in_)
    flat = values.move_dims(isl.dim_type.out, 0, isl.dim_type.in_, 0, around).range()
    return dates.intersect_range(isl.UnionSet.from_set(flat)).domain().coalesce()
