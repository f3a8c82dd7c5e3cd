"""Trees without extension and expansion nodes, from trees with them.

An extension node becomes a mark with `AddedBelow`, and what it adds is known from the domain down:

    domain { S[i] }                          domain { S[i]; C[t, x] }
      band [S: 8 floor(i/8)]                   band [S: 8 floor(i/8); C: t]
        extension { [t] -> C[t, x] : ... }       mark AddedBelow({C})
          sequence                                 sequence
            filter { C[t, x] }            <=>        filter { C[t, x] }
            filter { S[i] }                          filter { S[i] }

An expansion node is left out: above it, the instances below stand for those that it contracts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import islpy as isl

from polyir.sets.lists import maps_of
from polyir.tree.nodes import (
    AddedBelow,
    Band,
    BandMember,
    Domain,
    Expansion,
    Extension,
    Filter,
    Kind,
    Mark,
    Node,
)
from polyir.tree.schedule import Schedule


def finished(root: Node) -> Schedule:
    """The tree of a domain node that may have extension and expansion nodes below it."""
    if any(isinstance(node, Expansion) for node in root.walk()):
        root, _ = _without_expansions(root)
    if any(isinstance(node, Extension) for node in root.walk()):
        root, _ = _without_extensions(root, 0)
    assert isinstance(root, Domain)
    return Schedule(root)


def once_each(statement: isl.Set) -> isl.Map:
    """`{ [t] -> S[t] }`: what an extension node says that adds S[t] in each iteration t."""
    return statement.identity().reset_tuple_id(isl.dim_type.in_)


def added_statements(schedule: Schedule) -> frozenset[str]:
    """The statements that extension nodes of a tree add."""
    names: set[str] = set()
    for node in schedule.tree.walk():
        if isinstance(node, Mark) and isinstance(node.attribute, AddedBelow):
            names |= node.attribute.statements
    return frozenset(names)


def _without_expansions(node: Node) -> tuple[Node, tuple[Expansion, ...]]:
    """The node without expansion nodes from it down, and those."""
    below = [_without_expansions(child) for child in node.children]
    inside = tuple(each for _, found in below for each in found)
    changed: Node = node.with_children(child for child, _ in below)
    match changed:
        case Expansion():
            return changed.children[0], (changed, *inside)
        case Domain():
            instances = reduce(_expanded, inside, changed.instances)
            return replace(changed, instances=instances), ()
        case Filter():
            return replace(changed, instances=reduce(_expanded, inside, changed.instances)), inside
        case Band():
            members = (
                member.with_function(reduce(_of_expanded, inside, member.function))
                for member in changed.members
            )
            return replace(changed, members=tuple(members)), inside
        case _:
            return changed, inside


def _expanded(instances: isl.UnionSet, by: Expansion) -> isl.UnionSet:
    """`instances` with those below `by` in the place of those that it contracts to."""
    contracted = by.expansion.domain().universe()
    return instances.subtract(contracted).union(instances.intersect(contracted).apply(by.expansion))


def _of_expanded(function: isl.UnionPwAff, by: Expansion) -> isl.UnionPwAff:
    """`function` of the instances below `by` in the place of those that it contracts to."""
    others = function.subtract_domain(by.expansion.domain().universe())
    return others.union_add(function.pullback_union_pw_multi_aff(by.contraction))


@dataclass(frozen=True)
class _AddedStatement:
    """The instances that extension nodes add, and the loops around: `{ C[x] -> [t] }`."""

    iterations: isl.Map

    @cached_property
    def instances(self) -> isl.Set:
        """What is added."""
        return self.iterations.domain()

    @cached_property
    def loops(self) -> isl.PwMultiAff:
        """The iterations as functions, which are said for all of C, not for the instances only.

        isl does not see that a constraint is there twice, and works for each.
        """
        # Mostly the loops are iterators of C, which isl need not find out piece by piece.
        hull = isl.Map.from_basic_map(self.iterations.affine_hull())
        loops = isl.PwMultiAff.from_map(hull if hull.is_single_valued() else self.iterations)
        return loops.gist(self.instances)

    def union(self, other: _AddedStatement, depth: int) -> _AddedStatement:
        """What is added in two children of a node, with the `depth` loops around both."""
        one, another = (
            each.iterations.project_out(
                isl.dim_type.out, depth, each.iterations.dim(isl.dim_type.out) - depth
            )
            for each in (self, other)
        )
        return _AddedStatement(one.union(another))


_Added = Mapping[str, _AddedStatement]


def _without_extensions(node: Node, depth: int) -> tuple[Node, _Added]:
    """The node without extension nodes from it down, and what those add.

    `depth` is the schedule depth of the node.
    """
    inner = depth + (len(node.members) if isinstance(node, Band) else 0)
    below = [_without_extensions(child, inner) for child in node.children]
    added: dict[str, _AddedStatement] = {}
    for _, inside in below:
        for name, each in inside.items():
            added[name] = each if name not in added else added[name].union(each, inner)
    children = _with_instances_of_parts(below)
    match node:
        case Extension():
            parts = maps_of(node.relation)
            own = {part.get_tuple_name(isl.dim_type.out): part for part in parts}
            added |= {name: _AddedStatement(part.reverse()) for name, part in own.items()}
            return Mark(children, AddedBelow(frozenset(own))), added
        case _ if not added:
            return node, added
        case Domain() | Filter():
            whole = node.kind is Kind.FILTER
            instances = _with_instances(node.instances, added, whole)
            return replace(node, children=children, instances=instances), added
        case Band():
            members = _with_added(node.members, added, depth)
            return replace(node, children=children, members=members), added
        case _:
            return node.with_children(children), added


def _with_instances(instances: isl.UnionSet, added: _Added, whole: bool) -> isl.UnionSet:
    """`instances` and what is added, or the `whole` statements of that."""
    others = [
        isl.Set.universe(each.instances.get_space()) if whole else each.instances
        for each in added.values()
    ]
    return reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, others), instances)


def _with_instances_of_parts(below: list[tuple[Node, _Added]]) -> tuple[Node, ...]:
    """The children of a node, each of which lets pass what is added in it.

    Splitting a loop splits what is added in it: several children add instances of a statement.
    Where only one does, its filter needs no condition.
    """
    names = [name for _, added in below for name in added]
    children: list[Node] = []
    for child, added in below:
        for name, each in added.items():
            if names.count(name) > 1:
                assert isinstance(child, Filter)
                part = isl.UnionSet.from_set(each.instances)
                instances = child.instances.subtract(part.universe()).union(part)
                child = replace(child, instances=instances)
        children.append(child)
    return tuple(children)


def _with_added(
    members: tuple[BandMember, ...], added: _Added, depth: int
) -> tuple[BandMember, ...]:
    """The members of a band at `depth`, for what extension nodes inside add too."""
    found: list[BandMember] = []
    for position, member in enumerate(members):
        function = member.function
        for each in added.values():
            values = isl.UnionPwAff.from_pw_aff(each.loops.get_at(depth + position))
            function = function.union_add(values)
        found.append(member.with_function(function))
    return tuple(found)
