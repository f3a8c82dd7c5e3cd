"""The schedule trees of reductions in lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import cast

import islpy as isl

from polyir.dialects.mark_attributes import OneBlockAttr
from polyir.isl_trees import BandMembers, TreeNode, band_schedule, build_tree, describe_tree
from polyir.sets.lists import sets_of
from polyir.sets.maps import universe
from polyir.sets.values import isl_value
from polyir.transform.address import TreePath, node_at
from polyir.transform.reassociation.rewriting import Piece, Rewriting
from polyir.transform.tile import tile_values

Member = list[isl.PwAff]
"""The functions of one member of a band."""


class RewrittenTree:
    """The schedule tree of a rewriting, with the new statements."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting = rewriting
        self._reduction = rewriting.reduction
        self._around = len(self._reduction.around)
        self._first_cell = self._around + len(self._reduction.results)

    def in_order(self) -> isl.Schedule:
        """The tree with all instances in the order that they had."""
        return self._changed(self._in_order)

    def in_lanes(self) -> isl.Schedule:
        """The tree in which lanes and parts are parallel."""
        return self._changed(self._in_lanes)

    def _changed(self, change: Callable[[TreeNode], TreeNode]) -> isl.Schedule:
        """The tree with the new statements, and with `change` in the place of the reduction."""
        return changed_at(self._reduction.schedule, self._reduction.path, self._domains, change)

    @property
    def _domains(self) -> list[isl.Set]:
        return [piece.domain for piece in self._rewriting.pieces]

    def _in_order(self, tree: TreeNode) -> TreeNode:
        """What stands in the place of the reduction, with its instances in their order."""
        reduction, rewriting = self._reduction, self._rewriting
        below = tree.children if reduction.results else (tree,)
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
        inside = TreeNode("sequence", None, tuple(each for part in parts for each in part))
        if not reduction.results:
            return inside
        return replace(tree, content=self._with_pieces(tree, self._around), children=(inside,))

    def _in_lanes(self, tree: TreeNode) -> TreeNode:
        """What stands in the place of the reduction, with its lanes in parallel."""
        reduction = self._reduction
        below = tree.children if reduction.results else (tree,)
        parts = [
            self._apart(reduction.before, below),
            self._lanes_and_trees(below),
            self._apart(reduction.after, below),
        ]
        inside = _sequence([each for part in parts for each in part])
        if not reduction.results or reduction.in_block:
            return inside
        results = self._with_pieces(tree, self._around).schedule
        count = len(reduction.results)
        sizes = [1] * (count - 1) + [reduction.group]
        tiles = [tile_values(results.get_at(each), size) for each, size in enumerate(sizes)]
        return parallel_band(tiles, (TreeNode("mark", OneBlockAttr(), (inside,)),))

    def _with_pieces(self, band: TreeNode, depth: int) -> BandMembers:
        """A band that is also around the new statements; its first loop is at `depth`."""
        return _around_others(band, depth, self._domains)

    def _filter(self, names: Sequence[str], below: tuple[TreeNode, ...]) -> list[TreeNode]:
        """The filter of some of the statements that there were, if there are any."""
        if not names:
            return []
        universe = _universe_of(self._reduction.schedule, names)
        return [TreeNode("filter", universe, _restricted(below, names))]

    def _apart(self, names: Sequence[str], below: tuple[TreeNode, ...]) -> list[TreeNode]:
        """The filter of statements beside the reduction, with the loops over results inside."""
        reduction = self._reduction
        filters = self._filter(names, below)
        if not filters or not reduction.results:
            return filters
        (node,) = filters
        band = node_at(reduction.schedule, reduction.path)
        instances = cast(isl.UnionSet, node.content)
        schedule = band.band_get_partial_schedule().intersect_domain(instances)
        members = [schedule.get_at(position) for position in range(len(reduction.results))]
        return [replace(node, children=(_merged(members, node.children),))]

    def _lanes_and_trees(self, below: tuple[TreeNode, ...]) -> list[TreeNode]:
        """The filters of the statement and of what belongs to it."""
        rewriting, reduction = self._rewriting, self._reduction
        # The loops over parts are around.
        first = self._around if reduction.blocks == 1 else self._first_cell + 1
        combining = (*rewriting.steps, rewriting.result)
        blocks = [
            self._accumulation(below),
            *(filter_of_new(each.domain, first) for each in combining),
        ]
        if reduction.results or reduction.in_block:
            return blocks
        if reduction.blocks == 1:
            return [_filter_around(blocks, _one_block(blocks))]
        part = [iterator_of(each.domain, self._first_cell) for each in rewriting.of_parts]
        part.append(self._part_of_statement())
        parts = _filter_around(blocks, parallel_band([united(part)], (_one_block(blocks),)))
        rest = [filter_of_new(each.domain, self._around) for each in rewriting.across_parts]
        return [parts, _filter_around(rest, _one_block(rest))]

    def _accumulation(self, below: tuple[TreeNode, ...]) -> TreeNode:
        """The filter of the lanes: each partial result is set and then updated."""
        reduction, initial = self._reduction, self._rewriting.initial
        name = reduction.update.statement.name
        statement = _universe_of(reduction.schedule, (name,))
        own = _universe((initial,))
        count = initial.domain.dim(isl.dim_type.set)
        members = [
            [loop.values, iterator_of(initial.domain, position)]
            for position, loop in enumerate(reduction.results, self._around)
        ]
        lane = reduction.lane.values.mod_val(isl_value(reduction.lanes))
        members.append([lane, iterator_of(initial.domain, count - 1)])
        reduced = TreeNode("filter", statement, _restricted(below, (name,)))
        sequence = TreeNode("sequence", None, (TreeNode("filter", own, ()), reduced))
        band = parallel_band([united(each) for each in members], (sequence,))
        return TreeNode("filter", own.union(statement), (band,))

    def _part_of_statement(self) -> isl.PwAff:
        """The part of a result that an instance of the statement belongs to."""
        reduction = self._reduction
        if reduction.part is not None:
            return reduction.part.values.mod_val(isl_value(reduction.blocks))
        rounds = reduction.lane.values.scale_down_val(isl_value(reduction.lanes)).floor()
        return rounds.mod_val(isl_value(reduction.blocks))


def changed_at(
    schedule: isl.Schedule,
    path: TreePath,
    domains: Sequence[isl.Set],
    change: Callable[[TreeNode], TreeNode],
) -> isl.Schedule:
    """A tree with `change` in the place of the node at `path`, and new instances in `domains`.

    The first iterators of the new ones have the values of the loops around that node.
    """
    added = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, domains))
    names = reduce(isl.UnionSet.union, (universe(each.get_space()) for each in domains))

    def extended(tree: TreeNode, path: TreePath, depth: int) -> TreeNode:
        if not path:
            return change(tree)
        content = tree.content
        match content:
            case isl.UnionSet():
                content = content.union(added if tree.kind == "domain" else names)
            case BandMembers():
                content = _around_others(tree, depth, domains)
                depth += len(content.objects)
        children = list(tree.children)
        children[path[0]] = extended(children[path[0]], path[1:], depth)
        return replace(tree, content=content, children=tuple(children))

    return build_tree(extended(describe_tree(schedule), path, 0))


def _around_others(band: TreeNode, depth: int, domains: Sequence[isl.Set]) -> BandMembers:
    """A band that is also around new instances; its first loop is at `depth`."""
    content = band.content
    assert isinstance(content, BandMembers)
    functions = [
        [iterator_of(domain, depth + member) for domain in domains]
        for member in range(len(content.objects))
    ]
    return replace(content, schedule=with_functions(content.schedule, functions))


def _one_block(filters: Sequence[TreeNode]) -> TreeNode:
    """A mark for several filters in a sequence."""
    return TreeNode("mark", OneBlockAttr(), (_sequence(filters),))


def _sequence(filters: Sequence[TreeNode]) -> TreeNode:
    """A sequence, or what is below its only filter."""
    if len(filters) == 1 and filters[0].children:
        return filters[0].children[0]
    return TreeNode("sequence", None, tuple(filters))


def _filter_around(filters: Sequence[TreeNode], below: TreeNode) -> TreeNode:
    """The filter that lets pass what several filters do."""
    instances = (cast(isl.UnionSet, each.content) for each in filters)
    return TreeNode("filter", reduce(isl.UnionSet.union, instances), (below,))


def filter_of_new(domain: isl.Set, first: int) -> TreeNode:
    """The filter of a new statement, with a band of its iterators from `first` on."""
    count = domain.dim(isl.dim_type.set)
    functions = [united([iterator_of(domain, each)]) for each in range(first, count)]
    below = (parallel_band(functions),) if functions else ()
    return TreeNode("filter", universe(domain.get_space()), below)


def iterator_of(domain: isl.Set, position: int) -> isl.PwAff:
    """The function of one iterator."""
    local = isl.LocalSpace.from_space(domain.get_space())
    return isl.PwAff.from_aff(isl.Aff.var_on_domain(local, isl.dim_type.set, position))


def _pieces(function: isl.UnionPwAff) -> Member:
    """The functions of a member, one for each statement."""
    functions = function.get_pw_aff_list()
    return [functions.get_at(position) for position in range(functions.n_pw_aff())]


def united(member: Iterable[isl.PwAff]) -> isl.UnionPwAff:
    """A member with functions of different statements."""
    return reduce(isl.UnionPwAff.union_add, map(isl.UnionPwAff.from_pw_aff, member))


def with_functions(
    schedule: isl.MultiUnionPwAff, functions: Sequence[Member]
) -> isl.MultiUnionPwAff:
    """A partial schedule with more functions in each member."""
    members = [
        schedule.get_at(position).union_add(united(each)) for position, each in enumerate(functions)
    ]
    return band_schedule(members)


def parallel_band(
    members: Sequence[isl.UnionPwAff], children: tuple[TreeNode, ...] = ()
) -> TreeNode:
    """A band of parallel members."""
    flags = (True,) * len(members)
    objects = (None,) * len(members)
    options = isl.UnionSet("{ }")
    return TreeNode(
        "band", BandMembers(band_schedule(members), objects, True, flags, options), children
    )


def _merged(members: Sequence[isl.UnionPwAff], below: tuple[TreeNode, ...]) -> TreeNode:
    """A band of parallel members above a tree: one band with what is directly below it."""
    flags = (True,) * len(members)
    if len(below) == 1 and isinstance(below[0].content, BandMembers):
        inner = below[0].content
        own = [inner.schedule.get_at(each) for each in range(len(inner.coincident))]
        if (inner.options.is_empty() and not inner.permutable) or all(inner.coincident):
            content = replace(
                inner,
                schedule=band_schedule([*members, *own]),
                objects=((None,) * len(members)) + inner.objects,
                coincident=flags + inner.coincident,
            )
            return replace(below[0], content=content)
    return parallel_band(members, below)


def _universe(pieces: Sequence[Piece]) -> isl.UnionSet:
    """All instances of new statements."""
    return reduce(isl.UnionSet.union, (universe(piece.domain.get_space()) for piece in pieces))


def _universe_of(schedule: isl.Schedule, names: Sequence[str]) -> isl.UnionSet:
    """All instances of some statements of a tree."""
    sets = (
        universe(each.get_space())
        for each in sets_of(schedule.get_domain())
        if each.get_tuple_name() in names
    )
    return reduce(isl.UnionSet.union, sets)


def _restricted(trees: Sequence[TreeNode], names: Sequence[str]) -> tuple[TreeNode, ...]:
    """Trees with some of their statements only."""
    return tuple(each for tree in trees for each in _only(tree, names))


def _only(tree: TreeNode, names: Sequence[str]) -> tuple[TreeNode, ...]:
    """A tree with some of its statements only; what is below it, if it is not needed."""
    content = tree.content
    match content:
        case isl.UnionSet():
            kept = [each for each in sets_of(content) if each.get_tuple_name() in names]
            if not kept:
                return ()
            content = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, kept))
        case BandMembers():
            members = [
                united(
                    function
                    for function in _pieces(content.schedule.get_at(position))
                    if function.get_domain_space().get_tuple_name(isl.dim_type.set) in names
                )
                for position in range(len(content.coincident))
            ]
            content = replace(content, schedule=band_schedule(members))
    children = _restricted(tree.children, names)
    if tree.kind in ("sequence", "set") and len(children) == 1:
        return children[0].children
    return (replace(tree, content=content, children=children),)
