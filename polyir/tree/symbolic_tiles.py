"""Tiles whose sizes are arguments of the function: where they are in a schedule tree.

`polyir.dialects.mark_attributes.SymbolicTiles` says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polyir.dialects.mark_attributes import SymbolicTiles, TileAttr
from polyir.tree import Kind, ScheduleNode
from polyir.tree.order import Member


def tiles_at(node: ScheduleNode) -> SymbolicTiles | None:
    """The tiles that `node` stands for, if it is such a mark."""
    if node.kind is not Kind.MARK:
        return None
    attribute = node.attribute
    return attribute.data if isinstance(attribute, TileAttr) else None


@dataclass(frozen=True)
class TiledLoop:
    """A loop over points that is tiled: its values, and its coincident flag."""

    member: Member
    is_coincident: bool


def tiled_loops(mark: ScheduleNode) -> tuple[TiledLoop, ...]:
    """The loops that the tiles below `mark` cut, as many as there are sizes, or none at all.

    They are all members of a band, or of several directly inside each other (a mark may stand
    in between, as of a parallel loop). A band of which only some would be tiled has none.
    """
    tiles = tiles_at(mark)
    loops: list[TiledLoop] = []
    node = mark.child(0)
    while tiles is not None and len(loops) < len(tiles.sizes):
        if node.kind is Kind.BAND:
            loops += map(TiledLoop, node.band.functions_by_statement, node.coincident)
        elif node.kind is not Kind.MARK:
            return ()
        node = node.child(0)
    return tuple(loops) if tiles is not None and len(loops) == len(tiles.sizes) else ()


def marks_of_tiles(node: ScheduleNode) -> Iterator[ScheduleNode]:
    """The marks of tiles of symbolic sizes from `node` down, in the order of the tree."""
    return (inner for inner in node.walk() if tiles_at(inner) is not None)


def all_tiles(node: ScheduleNode) -> Iterator[SymbolicTiles]:
    """All tiles of symbolic sizes from `node` down, in the order of the tree."""
    for mark in marks_of_tiles(node):
        tiles = tiles_at(mark)
        assert tiles is not None
        yield tiles


def replace_tiles(mark: ScheduleNode, tiles: SymbolicTiles) -> ScheduleNode:
    """`mark` with other tiles."""
    return with_tiles(mark.delete(), tiles)


def with_tiles(node: ScheduleNode, tiles: SymbolicTiles) -> ScheduleNode:
    """The mark of `tiles` above `node`, which is returned."""
    return node.insert_mark(TileAttr(tiles))
