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

from polyir.isl_trees import node_type
from polyir.model.tree_loops import iterates_over_tiles, member_functions
from polyir.sets.lists import maps_of

TILE = "Tile"
"""The name of the tuple of a tile: the values of the loops over tiles."""


def with_approximate_tiles(schedule: isl.Schedule, context: isl.Set) -> isl.Schedule | None:
    """`schedule` with its outermost loops over tiles in terms of tiles, not of instances.

        domain S[i, j]                        domain Tile[a, b], all that may have instances
          band [floor(i / 32), ...]    =>       band [a, b]
            band [i, j]                           expansion Tile[a, b] -> S[i, j]
                                                    band [i, j]

    `None` if the tree does not begin with loops over tiles, or adds instances itself.
    """
    root = schedule.get_root()
    others = ("extension", "expansion", "context", "guard")
    kinds = {isl.schedule_node_type[kind] for kind in others}
    if not root.every_descendant(lambda node: node_type(node) not in kinds):
        return None
    chain = _loops_over_tiles(root.child(0))
    if not chain:
        return None
    return _with_chain(schedule, chain, _tiles, context)


def with_loops_over(schedule: isl.Schedule, values: isl.Set) -> isl.Schedule:
    """`schedule` with its outermost loops over all of `values`: some may have no instances.

        domain S[i, j]          domain Tile[a, b] in `values`
          band [i + j, j]   =>    band [a, b]
                                    expansion Tile[a, b] -> S[i, j]

    The tree must begin with bands of as many members as `values` has dimensions, and must have no
    AST options that name loops, nor add instances itself.
    """
    chain: list[isl.ScheduleNode] = []
    node, left = schedule.get_root().child(0), values.dim(isl.dim_type.set)
    while left:
        chain.append(node)
        if node_type(node) is isl.schedule_node_type.band:
            left -= node.band_n_member()
        node = node.child(0)
    named = values.set_tuple_name(TILE)
    return _with_chain(
        schedule, chain, lambda _: named, isl.Set.universe(values.get_space().params())
    )


def _with_chain(
    schedule: isl.Schedule,
    chain: list[isl.ScheduleNode],
    tiles: Callable[[isl.UnionMap], isl.Set],
    context: isl.Set,
) -> isl.Schedule:
    """The tree with its outermost nodes, `chain`, over tiles, and an expansion below them."""
    points = node = schedule.get_root().child(0)
    for _ in chain:
        points, node = points.delete(), node.child(0)
    tile_of = isl.UnionMap.empty(schedule.get_domain().get_space())
    prefix = node.get_prefix_schedule_union_map().intersect_domain(schedule.get_domain())
    for relation in maps_of(prefix.intersect_params(context)):
        named = relation.set_tuple_name(isl.dim_type.out, TILE)
        tile_of = tile_of.union(isl.UnionMap.from_map(named))
    contraction = isl.UnionPwMultiAff.from_union_map(tile_of)
    return _over(chain, tiles(tile_of)).expand(contraction, points.get_schedule())


def _loops_over_tiles(node: isl.ScheduleNode) -> list[isl.ScheduleNode]:
    """The bands over tiles from `node` down, and the marks above each of them."""
    chain: list[isl.ScheduleNode] = []
    marks: list[isl.ScheduleNode] = []
    while True:
        kind = node_type(node)
        if kind is isl.schedule_node_type.mark:
            marks.append(node)
        elif kind is isl.schedule_node_type.band and _is_over_tiles(node):
            chain += [*marks, node]
            marks = []
        else:
            return chain
        node = node.child(0)


def _is_over_tiles(band: isl.ScheduleNode) -> bool:
    return not band.is_subtree_anchored() and all(
        isl.ast_loop_type(band.band_member_get_ast_loop_type(member)) is isl.ast_loop_type.atomic
        and all(map(iterates_over_tiles, member_functions(band, member)))
        for member in range(band.band_n_member())
    )


def _tiles(tile_of: isl.UnionMap) -> isl.Set:
    """One polyhedron of all tiles that have instances, and of more."""
    parts = (
        isl.Set.from_basic_set(relation.range().remove_divs().simple_hull())
        for relation in maps_of(tile_of)
    )
    return isl.Set.from_basic_set(reduce(isl.Set.union, parts).simple_hull())


def _over(chain: list[isl.ScheduleNode], tiles: isl.Set) -> isl.Schedule:
    """Atomic loops over `tiles` with the marks of `chain`."""
    node = isl.Schedule.from_domain(isl.UnionSet.from_set(tiles)).get_root().child(0)
    count = tiles.dim(isl.dim_type.set)
    names = ", ".join(f"d{position}" for position in range(count))
    depth = 0
    for each in chain:
        if node_type(each) is isl.schedule_node_type.mark:
            node = node.insert_mark(each.mark_get_id()).child(0)
            continue
        members = range(depth, depth + each.band_n_member())
        functions = (f"{{ {TILE}[{names}] -> [(d{position})] }}" for position in members)
        node = node.insert_partial_schedule(isl.MultiUnionPwAff(f"[{', '.join(functions)}]"))
        for member in range(len(members)):
            node = node.band_member_set_ast_loop_type(member, isl.ast_loop_type.atomic)
        node, depth = node.child(0), members.stop
    return node.get_schedule()
