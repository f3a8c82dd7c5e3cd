"""The schedule trees of reductions in lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce

import islpy as isl

from polyir.dialects.mark_attributes import OneBlockAttr
from polyir.sets.lists import sets_of
from polyir.sets.maps import universe
from polyir.transform.reassociation.partial_results import Parts
from polyir.transform.reassociation.rewriting import Rewriting
from polyir.transform.tile import tile_values
from polyir.tree import (
    LEAF,
    Band,
    BandMember,
    Domain,
    Filter,
    Mark,
    Node,
    Schedule,
    SequenceNode,
)
from polyir.tree.added import finished
from polyir.tree.addresses import TreePath, node_at
from polyir.tree.nodes import restricted_to


class RewrittenTree:
    """The schedule tree of a rewriting, with the new statements."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting = rewriting
        self._reduction = rewriting.reduction
        self._around = len(self._reduction.around)
        self._first_cell = self._around + len(self._reduction.results)

    def in_order(self) -> Schedule:
        """The tree with all instances in the order that they had."""
        return self._changed(self._in_order)

    def in_lanes(self) -> Schedule:
        """The tree in which lanes and parts are parallel."""
        return self._changed(self._in_lanes)

    def _changed(self, change: Callable[[Node], Node]) -> Schedule:
        """The tree with the new statements, and with `change` in the place of the reduction."""
        return changed_at(self._reduction.schedule, self._reduction.path, self._domains, change)

    @property
    def _domains(self) -> list[isl.Set]:
        return [piece.domain for piece in self._rewriting.pieces]

    def _in_order(self, tree: Node) -> Node:
        """What stands in the place of the reduction, with its instances in their order."""
        reduction, rewriting = self._reduction, self._rewriting
        below = tree.children[0] if reduction.results else tree
        name = reduction.update.statement.name
        initial, *others = (
            filter_of_new(piece.domain, self._first_cell) for piece in rewriting.pieces
        )
        parts = [
            self._filter(reduction.before, below),
            [initial],
            self._filter((name,), below),
            others,
            self._filter(reduction.after, below),
        ]
        inside = SequenceNode(tuple(each for part in parts for each in part))
        if not reduction.results:
            return inside
        return self._with_pieces(tree, self._around).with_children([inside])

    def _in_lanes(self, tree: Node) -> Node:
        """What stands in the place of the reduction, with its lanes in parallel."""
        reduction = self._reduction
        below = tree.children[0] if reduction.results else tree
        parts = [
            self._apart(reduction.before, below),
            self._lanes_and_trees(below),
            self._apart(reduction.after, below),
        ]
        inside = _sequence([each for part in parts for each in part])
        if not reduction.results or reduction.in_block:
            return inside
        results = self._with_pieces(tree, self._around).members
        count = len(reduction.results)
        sizes = [1] * (count - 1) + [reduction.group]
        tiles = [tile_values(results[each].function, size) for each, size in enumerate(sizes)]
        return parallel_band(tiles, Mark((inside,), OneBlockAttr()))

    def _with_pieces(self, band: Node, depth: int) -> Band:
        """A band that is also around the new statements; its first loop is at `depth`."""
        return _around_others(band, depth, self._domains)

    def _filter(self, names: Sequence[str], below: Node) -> list[Filter]:
        """The filter of some of the statements that there were, if there are any."""
        if not names:
            return []
        instances = _universe_of(self._reduction.schedule, names)
        return [Filter((restricted_to(below, instances),), instances)]

    def _apart(self, names: Sequence[str], below: Node) -> list[Filter]:
        """The filter of statements beside the reduction, with the loops over results inside."""
        reduction = self._reduction
        filters = self._filter(names, below)
        if not filters or not reduction.results:
            return filters
        (node,) = filters
        band = node_at(reduction.schedule, reduction.path)
        members = [
            function.intersect_domain(node.instances)
            for function in band.functions[: len(reduction.results)]
        ]
        return [node.with_children([_merged(members, node.children[0])])]

    def _lanes_and_trees(self, below: Node) -> list[Filter]:
        """The filters of the statement and of what belongs to it."""
        rewriting, reduction = self._rewriting, self._reduction
        # The loops over parts are around.
        first = self._around if reduction.blocks == 1 else self._first_cell + 1
        blocks = [
            self._accumulation(below),
            *(filter_of_new(each.domain, first) for each in rewriting.combining),
        ]
        if reduction.results or reduction.in_block:
            return blocks
        if reduction.blocks == 1:
            return [filter_around(blocks, _one_block(blocks))]
        part = [iterator_of(each.domain, self._first_cell) for each in rewriting.of_parts]
        part.append(self._part_of_statement())
        parts = filter_around(blocks, parallel_band([united(part)], _one_block(blocks)))
        rest = [filter_of_new(each.domain, self._around) for each in rewriting.across_parts]
        return [parts, filter_around(rest, _one_block(rest))]

    def _accumulation(self, below: Node) -> Filter:
        """The filter of the lanes: each partial result is set and then updated."""
        reduction, initial = self._reduction, self._rewriting.initial
        count = initial.domain.dim(isl.dim_type.set)
        lane = Parts(reduction.lanes).of(reduction.lane.values)
        own = (*(loop.values for loop in reduction.results), lane)
        # The lane is the last iterator.
        places = (*range(self._around, self._first_cell), count - 1)
        members = [
            united((values, iterator_of(initial.domain, place)))
            for values, place in zip(own, places, strict=True)
        ]
        parts = [
            filter_of_new(initial.domain, count),
            *self._filter((reduction.update.statement.name,), below),
        ]
        return filter_around(parts, parallel_band(members, SequenceNode(tuple(parts))))

    def _part_of_statement(self) -> isl.PwAff:
        """The part of a result that an instance of the statement belongs to."""
        reduction = self._reduction
        if reduction.part is not None:
            return Parts(reduction.blocks).of(reduction.part.values)
        return Parts(reduction.blocks, reduction.lanes).of(reduction.lane.values)


def changed_at(
    schedule: Schedule,
    path: TreePath,
    domains: Sequence[isl.Set],
    change: Callable[[Node], Node],
) -> Schedule:
    """A tree with `change` in the place of the node at `path`, and new instances in `domains`.

    The first iterators of the new ones have the values of the loops around that node.
    """
    added = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, domains))
    names = reduce(isl.UnionSet.union, (universe(each.get_space()) for each in domains))

    def extended(tree: Node, path: TreePath, depth: int) -> Node:
        if not path:
            return change(tree)
        match tree:
            case Domain():
                tree = replace(tree, instances=tree.instances.union(added))
            case Filter():
                tree = replace(tree, instances=tree.instances.union(names))
            case Band():
                tree = _around_others(tree, depth, domains)
                depth += len(tree.members)
        children = list(tree.children)
        children[path[0]] = extended(children[path[0]], path[1:], depth)
        return tree.with_children(children)

    return finished(extended(schedule.tree, path, 0))


def _around_others(band: Node, depth: int, domains: Sequence[isl.Set]) -> Band:
    """A band that is also around new instances; its first loop is at `depth`."""
    assert isinstance(band, Band)
    members = (
        member.with_function(
            member.function.union_add(united(iterator_of(each, position) for each in domains))
        )
        for position, member in enumerate(band.members, depth)
    )
    return replace(band, members=tuple(members))


def _one_block(filters: Sequence[Filter]) -> Mark:
    """A mark for several filters in a sequence."""
    return Mark((_sequence(filters),), OneBlockAttr())


def _sequence(filters: Sequence[Filter]) -> Node:
    """A sequence, or what is below its only filter."""
    return filters[0].children[0] if len(filters) == 1 else SequenceNode(tuple(filters))


def filter_around(filters: Sequence[Filter], below: Node) -> Filter:
    """The filter that lets pass what several filters do."""
    return Filter((below,), reduce(isl.UnionSet.union, (each.instances for each in filters)))


def filter_of_new(domain: isl.Set, first: int) -> Filter:
    """The filter of a new statement, with a band of its iterators from `first` on."""
    count = domain.dim(isl.dim_type.set)
    functions = [united([iterator_of(domain, each)]) for each in range(first, count)]
    below = parallel_band(functions) if functions else LEAF
    return Filter((below,), universe(domain.get_space()))


def iterator_of(domain: isl.Set, position: int) -> isl.PwAff:
    """The function of one iterator."""
    return isl.PwAff.var_on_domain(domain.get_space(), isl.dim_type.set, position)


def united(functions: Iterable[isl.PwAff]) -> isl.UnionPwAff:
    """One function of the instances of different statements."""
    return reduce(isl.UnionPwAff.union_add, map(isl.UnionPwAff.from_pw_aff, functions))


def parallel_band(members: Sequence[isl.UnionPwAff], below: Node = LEAF) -> Band:
    """A band of parallel members."""
    parallel = tuple(BandMember(function, is_coincident=True) for function in members)
    return Band((below,), parallel, permutable=True)


def _merged(members: Sequence[isl.UnionPwAff], below: Node) -> Band:
    """A band of parallel members above a tree: one band with what is directly below it."""
    band = parallel_band(members, below)
    if isinstance(below, Band):
        is_free = below.options is None and not below.permutable
        if is_free or all(member.is_coincident for member in below.members):
            return replace(below, members=band.members + below.members)
    return band


def _universe_of(schedule: Schedule, names: Sequence[str]) -> isl.UnionSet:
    """All instances of some statements of a tree."""
    sets = (
        universe(each.get_space())
        for each in sets_of(schedule.domain)
        if each.get_tuple_name() in names
    )
    return reduce(isl.UnionSet.union, sets)
