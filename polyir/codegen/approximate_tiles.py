"""Loops over tiles that are generated from the tiles alone, some of which may be empty.

Which tiles have points is hard to say exactly: the tiles are the integer projection of the points,
and for the wavefronts of four tiled loops, isl takes minutes. Their rational projection is found
by Fourier-Motzkin elimination in no time. It has all tiles with points, and some without, for which
the loops over points run zero times. Ancourt and Irigoin, Scanning Polyhedra with DO Loops (PPoPP
1991), generate tile loops from the rational projection for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import islpy as isl

from polyir.model.tree_loops import iterates_over_tiles, member_functions
from polyir.sets.lists import maps_of
from polyir.tree import BandMember, Domain, Expansion, Kind, Schedule, ScheduleNode

TILE = "Tile"
"""The name of the tuple of a tile: the values of the loops over tiles."""


def with_approximate_tiles(schedule: Schedule, context: isl.Set) -> Schedule | None:
    """`schedule` with its outermost loops over tiles in terms of tiles, not of instances.

        domain S[i, j]                        domain Tile[a, b], all that may have instances
          band [floor(i / 32), ...]    =>       band [a, b]
            band [i, j]                           expansion Tile[a, b] -> S[i, j]
                                                    band [i, j]

    `None` if the tree does not begin with loops over tiles, or adds instances itself.
    """
    root = schedule.root
    if not root.every(lambda node: node.kind not in (Kind.CONTEXT, Kind.GUARD)):
        return None
    chain = _loops_over_tiles(root.child(0))
    if not chain:
        return None
    return _with_chain(schedule, chain, _tiles, context)


def with_loops_over(schedule: Schedule, values: isl.Set) -> Schedule:
    """`schedule` with its outermost loops over all of `values`: some may have no instances.

        domain S[i, j]          domain Tile[a, b] in `values`
          band [i + j, j]   =>    band [a, b]
                                    expansion Tile[a, b] -> S[i, j]

    The tree must begin with bands of as many members as `values` has dimensions, and must have no
    AST options that name loops, nor add instances itself.
    """
    chain: list[ScheduleNode] = []
    node, left = schedule.root.child(0), values.dim(isl.dim_type.set)
    while left:
        chain.append(node)
        if node.kind is Kind.BAND:
            left -= len(node.members)
        node = node.child(0)
    named = values.set_tuple_name(TILE)
    return _with_chain(
        schedule, chain, lambda _: named, isl.Set.universe(values.get_space().params())
    )


def _with_chain(
    schedule: Schedule,
    chain: list[ScheduleNode],
    tiles: Callable[[isl.UnionMap], isl.Set],
    context: isl.Set,
) -> Schedule:
    """The tree with its outermost nodes, `chain`, over tiles, and an expansion below them."""
    points = node = schedule.root.child(0)
    for _ in chain:
        points, node = points.delete(), node.child(0)
    tile_of = isl.UnionMap.empty(schedule.domain.get_space())
    prefix = node.prefix_schedule.intersect_domain(schedule.domain)
    for relation in maps_of(prefix.intersect_params(context)):
        named = relation.set_tuple_name(isl.dim_type.out, TILE)
        tile_of = tile_of.union(isl.UnionMap.from_map(named))
    contraction = isl.UnionPwMultiAff.from_union_map(tile_of)
    return _over(chain, tiles(tile_of), Expansion((points.node,), contraction, tile_of.reverse()))


def _loops_over_tiles(node: ScheduleNode) -> list[ScheduleNode]:
    """The bands over tiles from `node` down, and the marks above each of them."""
    chain: list[ScheduleNode] = []
    marks: list[ScheduleNode] = []
    while True:
        kind = node.kind
        if kind is Kind.MARK:
            marks.append(node)
        elif kind is Kind.BAND and _is_over_tiles(node):
            chain += [*marks, node]
            marks = []
        else:
            return chain
        node = node.child(0)


def _is_over_tiles(band: ScheduleNode) -> bool:
    return not band.is_subtree_anchored and all(
        band.members[member].kind is isl.ast_loop_type.atomic
        and all(map(iterates_over_tiles, member_functions(band, member)))
        for member in range(len(band.members))
    )


def _tiles(tile_of: isl.UnionMap) -> isl.Set:
    """One polyhedron of all tiles that have instances, and of more."""
    parts = (
        isl.Set.from_basic_set(relation.range().remove_divs().simple_hull())
        for relation in maps_of(tile_of)
    )
    return isl.Set.from_basic_set(reduce(isl.Set.union, parts).simple_hull())


def _over(chain: list[ScheduleNode], tiles: isl.Set, points: Expansion) -> Schedule:
    """Atomic loops over `tiles` with the marks of `chain`, and the `points` below them."""
    node = Schedule(Domain((points,), isl.UnionSet.from_set(tiles))).root.child(0)
    space = isl.LocalSpace.from_space(tiles.get_space())
    depth = 0
    for each in chain:
        if each.kind is Kind.MARK:
            node = node.insert_mark(each.attribute).child(0)
            continue
        members = range(depth, depth + len(each.members))
        functions = (isl.Aff.var_on_domain(space, isl.dim_type.set, number) for number in members)
        loops = (isl.UnionPwAff.from_pw_aff(isl.PwAff.from_aff(own)) for own in functions)
        atomic = isl.ast_loop_type.atomic
        node = node.insert_band([BandMember(loop, kind=atomic) for loop in loops])
        node, depth = node.child(0), members.stop
    return node.schedule
