"""Tiles whose sizes are arguments of the function, as a mark of the schedule tree.

isl's schedules have no `floor(i / T)` with a parameter T. So the tile loops are no band: a mark
above a permutable band says that they are there,

    mark "tiles outset T0 T1"
      band [i, j]

and stands for the loops over the tiles of T0 x T1 points, with the band as the loops over the
points of one tile. What is legal for tiles of every size is what is legal for this tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import islpy as isl

from polyir.model.order import Member, members_of
from polyir.model.tree import node_type

Origins = Literal["outset", "box"]
"""Which tiles are visited: those that have points, or all in the rectangular hull of the points."""

_MARK = re.compile(
    r"tiles (?P<origins>outset|box)(?P<sizes>( \w+)+)"
    r"( wavefront=(?P<wavefront>\d+))?( parallel=(?P<parallel>\d+))?"
)


@dataclass(frozen=True)
class SymbolicTiles:
    """Loops over tiles: the names of their sizes, one a loop, and how they run.

    With a `wavefront` of m, the first loop runs over the sums of the positions of the tiles
    along the first m + 1 loops instead. Loop number `parallel` is run in parallel.
    """

    origins: Origins
    sizes: tuple[str, ...]
    wavefront: int = 0
    parallel: int | None = None

    def __str__(self) -> str:
        words = ["tiles", self.origins, *self.sizes]
        words += [f"wavefront={self.wavefront}"] if self.wavefront else []
        words += [f"parallel={self.parallel}"] if self.parallel is not None else []
        return " ".join(words)

    def sequential(self) -> SymbolicTiles:
        """The same tiles, none of their loops in parallel."""
        return replace(self, parallel=None)


def tiles_of_name(name: str) -> SymbolicTiles | None:
    """The tiles that a mark of that name stands for; `None` if it means something else."""
    match = _MARK.fullmatch(name)
    if match is None:
        return None
    return SymbolicTiles(
        "outset" if match["origins"] == "outset" else "box",
        tuple(match["sizes"].split()),
        int(match["wavefront"] or 0),
        None if match["parallel"] is None else int(match["parallel"]),
    )


def tiles_at(node: isl.ScheduleNode) -> SymbolicTiles | None:
    """The tiles that `node` stands for, if it is such a mark."""
    if node_type(node) is not isl.schedule_node_type.mark:
        return None
    return tiles_of_name(node.mark_get_id().get_name())


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
    return node.insert_mark(isl.Id(str(tiles)))
