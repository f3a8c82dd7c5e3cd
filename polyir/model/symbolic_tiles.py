"""Tiles whose sizes are arguments of the function: where they are in a schedule tree.

`polyir.dialects.mark_attributes.SymbolicTiles` says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from polyir.dialects.mark_attributes import SymbolicTiles, TileAttr
from polyir.isl_trees import mark_object, node_type
from polyir.model.order import Member, members_of
from polyir.model.tree import insert_mark


def tiles_at(node: isl.ScheduleNode) -> SymbolicTiles | None:
    """The tiles that `node` stands for, if it is such a mark."""
    if node_type(node) is not isl.schedule_node_type.mark:
        return None
    attribute = mark_object(node)
    return attribute.data if isinstance(attribute, TileAttr) else None


@dataclass(frozen=True)
class TiledLoop:
    """A loop over points that is tiled: its values, and its coincident flag."""

    member: Member
    is_coincident: bool


def tiled_loops(mark: isl.ScheduleNode) -> tuple[TiledLoop, ...]:
    """The loops that the tiles below `mark` cut, as many as there are sizes, or none at all.

    They are all members of a band, or of several directly inside each other (a mark may stand
    in between, as of a parallel loop). A band of which only some would be tiled has none.
    """
    tiles = tiles_at(mark)
    loops: list[TiledLoop] = []
    node = mark.child(0)
    while tiles is not None and len(loops) < len(tiles.sizes):
        if node_type(node) is isl.schedule_node_type.band:
            flags = map(node.band_member_get_coincident, range(node.band_n_member()))
            loops += map(TiledLoop, members_of(node), map(bool, flags))
        elif node_type(node) is not isl.schedule_node_type.mark:
            return ()
        node = node.child(0)
    return tuple(loops) if tiles is not None and len(loops) == len(tiles.sizes) else ()


def marks_of_tiles(node: isl.ScheduleNode) -> Iterator[isl.ScheduleNode]:
    """The marks of tiles of symbolic sizes from `node` down, in the order of the tree."""
    if tiles_at(node) is not None:
        yield node
    for position in range(node.n_children()):
        yield from marks_of_tiles(node.child(position))


def all_tiles(node: isl.ScheduleNode) -> Iterator[SymbolicTiles]:
    """All tiles of symbolic sizes from `node` down, in the order of the tree."""
    for mark in marks_of_tiles(node):
        tiles = tiles_at(mark)
        assert tiles is not None
        yield tiles


def replace_tiles(mark: isl.ScheduleNode, tiles: SymbolicTiles) -> isl.ScheduleNode:
    """`mark` with other tiles."""
    return with_tiles(mark.delete(), tiles)


def with_tiles(node: isl.ScheduleNode, tiles: SymbolicTiles) -> isl.ScheduleNode:
    """The mark of `tiles` above `node`, which is returned."""
    return insert_mark(node, TileAttr(tiles))
