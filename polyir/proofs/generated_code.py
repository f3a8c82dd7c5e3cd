"""Whether the AST that isl generates does what the schedule tree says.

isl has been seen to lose instances of strided statements, to generate statements of the same date
in the wrong order, and to shift the iterations of strided statements. Both checks are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations_with_replacement, starmap, takewhile

import islpy as isl

from polyir.sets.lists import maps_by_statement, maps_of
from polyir.tree import Kind, Schedule, ScheduleNode

MOST_REMEMBERED = 256
"""How many relations are kept: many nodes of an AST execute the same two statements, and each node
is compared with all others."""


@dataclass(frozen=True, eq=False)
class GeneratedLoop:
    """A loop of generated code, which iterates over the values of a schedule depth.

    Each object is a loop of its own, also those of equal depths.
    """

    depth: int


@dataclass(frozen=True)
class GeneratedInstance:
    """A place in generated code that executes instances of a statement.

    `loops` are the loops around it. `date` is `{ S[i] -> [c] }`: the instances that are executed
    there, and their values of the loops; loops that isl left out, as they run once, have one, too.
    """

    loops: tuple[GeneratedLoop, ...]
    date: isl.Map


def executes_each_once(
    generated: Iterable[GeneratedInstance], schedule: Schedule, context: isl.Set
) -> bool:
    """Whether generated code executes each instance of a tree once, and no others, in a context."""
    executed = [
        isl.UnionSet.from_set(each.date.domain()).intersect_params(context) for each in generated
    ]
    if executes_just_its_domain(schedule):
        needed = possible = schedule.domain
    else:
        needed, possible = _executed_by(schedule.root)
    return is_partition(executed, needed.intersect_params(context), possible)


def executes_just_its_domain(schedule: Schedule) -> bool:
    """Whether no node of the tree adds or removes instances."""
    others = (Kind.CONTEXT, Kind.GUARD, Kind.EXPANSION)
    return not any(map(schedule.root.has, others))


def is_partition(
    parts: Sequence[isl.UnionSet], needed: isl.UnionSet, possible: isl.UnionSet
) -> bool:
    """Whether the parts are disjoint, have all that is `needed`, and only what is `possible`."""
    union = isl.UnionSet.empty(needed.get_space())
    for part in parts:
        if not union.is_disjoint(part):
            return False
        union = union.union(part)
    return bool(needed.is_subset(union) and union.is_subset(possible))


def _executed_by(
    node: ScheduleNode,
    contexts: tuple[isl.Set, ...] = (),
    guards: tuple[isl.Set, ...] = (),
) -> tuple[isl.UnionSet, isl.UnionSet]:
    """The instances that the tree from `node` down must execute, and those that it may.

    `contexts` and `guards` around it are conditions on the outer loops, `{ [t] }`. A guard is a
    test. A context is believed: where it does not hold, anything may happen.
    """
    match node.kind:
        case Kind.CONTEXT:
            contexts = (*contexts, node.condition)
        case Kind.GUARD:
            guards = (*guards, node.condition)
        case Kind.LEAF:
            possible = _where(guards, node, node.domain)
            return _where(contexts, node, possible), possible
    below = [_executed_by(child, contexts, guards) for child in node.children()]
    needed, possible = (reduce(isl.UnionSet.union, parts) for parts in zip(*below, strict=True))
    return needed, possible


def _where(
    conditions: Sequence[isl.Set], leaf: ScheduleNode, instances: isl.UnionSet
) -> isl.UnionSet:
    """The instances at a leaf for which conditions on the outer loops hold."""
    for condition in conditions:
        depth = condition.dim(isl.dim_type.set)
        holds = isl.UnionSet.empty(instances.get_space())
        for dates in maps_of(leaf.prefix_schedule):
            holds = holds.union(_outer(dates, depth).intersect_range(condition).domain())
        instances = instances.intersect(holds)
    return instances


def is_in_order(
    generated: Iterable[GeneratedInstance], schedule: Schedule, times: isl.UnionMap
) -> bool:
    """Whether generated code executes instances in the order of their `times`, `{ S[i] -> [t] }`.

    `generated` is in the order of the code, which was generated from `schedule`.
    """
    by_statement = maps_by_statement(times)
    places = list(_places(schedule.root, ()))
    nodes: list[_Node] = []
    for each in generated:
        name = each.date.get_tuple_name(isl.dim_type.in_)
        depths = enumerate(loop.depth for loop in each.loops)
        known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], depths))
        place = next((it for it in places if it.has(_outer(each.date, known), name)), None)
        nodes.append(_Node(each.loops, known, each.date, place, by_statement[name]))
    return all(starmap(_are_in_order, combinations_with_replacement(nodes, 2)))


@dataclass(frozen=True)
class _Place:
    """A leaf of a schedule tree: `members` are those of the bands around it, `{ S[i] -> [c] }`.

    `branches` are the schedule depths of the sequences around it, and the children taken there.
    """

    members: dict[str, isl.Map]
    branches: tuple[tuple[int, int], ...]

    def has(self, date: isl.Map, statement: str) -> bool:
        """Whether the outer loops of a node iterate over the members here."""
        members = self.members.get(statement)
        if members is None or date.dim(isl.dim_type.out) > members.dim(isl.dim_type.out):
            return False
        return bool(date.is_subset(_outer(members, date.dim(isl.dim_type.out))))

    def shares(self, count: int, other: _Place) -> bool:
        """Whether so many outer members belong to bands around both leaves."""
        pairs = zip(self.branches, other.branches, strict=False)
        return all(mine == theirs or mine[0] >= count for mine, theirs in pairs)

    def precedes(self, count: int, other: _Place) -> bool:
        """Whether a sequence right below so many outer members, all shared, says so."""
        pairs = zip(self.branches, other.branches, strict=False)
        parting = next((pair for pair in pairs if pair[0] != pair[1]), None)
        if parting is None:
            return False
        (depth, mine), (_, theirs) = parting
        return depth == count and mine < theirs


def _places(node: ScheduleNode, branches: tuple[tuple[int, int], ...]) -> Iterator[_Place]:
    kind = node.kind
    if kind is Kind.LEAF:
        members = maps_of(node.prefix_schedule)
        yield _Place({each.get_tuple_name(isl.dim_type.in_): each for each in members}, branches)
    is_sequence = kind in (Kind.SEQUENCE, Kind.SET)
    for position in range(node.n_children):
        here = ((node.schedule_depth, position),) if is_sequence else ()
        yield from _places(node.child(position), (*branches, *here))


@dataclass(frozen=True)
class _Node:
    """An instance node, the loops around it, and how many of them are those of the outer members.

    `place` is the leaf with these members; `None` if there is none, as isl has shifted the loops.
    """

    loops: tuple[GeneratedLoop, ...]
    known: int
    date: isl.Map
    place: _Place | None
    times: isl.Map


def _are_in_order(first: _Node, second: _Node) -> bool:
    """Whether the instances of two nodes, or of one, are executed in the order of their times.

    Loops count up. Where the loops that the nodes have in common iterate over the same members,
    only instances in one iteration of them may be in the wrong order.
    """
    pairs = zip(first.loops, second.loops, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
    regular = False
    if first.place is not None and second.place is not None:
        shared = first.place.shares(common, second.place)
        regular = shared and common <= min(first.known, second.known)
        if regular and (first is second or first.place.precedes(common, second.place)):
            return True
    before, after = (_outer(node.date, common) for node in (first, second))
    later = _later(first.times, second.times)
    if regular:
        return bool(before.apply_range(after.reverse()).intersect(later).is_empty())
    if first is second:
        return bool(before.lex_lt_map(after).intersect(later).is_empty())
    earlier = _later(second.times, first.times).reverse()
    return bool(
        before.lex_le_map(after).intersect(later).is_empty()
        and before.lex_gt_map(after).intersect(earlier).is_empty()
    )


@lru_cache(MOST_REMEMBERED)
def _later(first: isl.Map, second: isl.Map) -> isl.Map:
    """The pairs of instances of which the first has the later time."""
    return first.lex_gt_map(second)


@lru_cache(MOST_REMEMBERED)
def _outer(dates: isl.Map, count: int) -> isl.Map:
    """`{ S[i] -> [c] }` for so many outer loops."""
    inner = dates.dim(isl.dim_type.out) - count
    return dates.project_out(isl.dim_type.out, count, inner)
