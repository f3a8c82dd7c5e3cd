"""Tiling with sizes that are arguments of the function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.symbolic_tiles import Origins, SymbolicTiles, with_tiles
from polyir.transform.address import Address, Directory
from polyir.transform.loop_members import listed, require_free, settled
from polyir.transform.tile import TileOptions, Tiler, run_tiler
from polyir.transform.walk import require_own_instances


@dataclass(frozen=True)
class SymbolicTileOptions:
    """How to tile: which tiles are visited, the narrowest band that is tiled, or the loops.

    `sizes` are names for the sizes, as many as a band could need.
    """

    sizes: Sequence[str]
    origins: Origins = "outset"
    min_width: int = 2
    loops: tuple[Address, ...] = ()


def tile_symbolically(
    schedule: isl.Schedule, dependences: Dependences, options: SymbolicTileOptions
) -> Outcome:
    """Tile every permutable band that is wide enough, or the given loops, in symbolic sizes.

    A mark above a band stands for the loops over its tiles (`polyir.model.symbolic_tiles`):

        band [i, j]     =>     mark "tiles outset T0 T1"
                                 band [i, j]

    The loop k of each band is cut by size k. The tiles are legal for sizes of 1 and more, since
    that is what a permutable band is: no loop goes back along a dependence. Bands are looked for
    as by `tile`. Loops that are given must be members of one band, next to each other; they
    need not be called permutable.

    Raises `LegalityError` if tiles of some sizes violate a dependence, and for trees with
    extension or expansion nodes; `OptionError` for addresses of no loop, and of loops that are
    not next to each other in one band.
    """
    require_own_instances(schedule, "tiling")
    if options.loops:
        return _tile_loops(schedule, dependences, options)
    return run_tiler(_SymbolicTiler(options, dependences), schedule, dependences)


class _SymbolicTiler(Tiler):
    """Puts marks above the bands of one tree."""

    def __init__(self, options: SymbolicTileOptions, dependences: Dependences) -> None:
        super().__init__(TileOptions(min_width=options.min_width), dependences)
        self._symbolic = options

    def insert_tiles(self, band: isl.ScheduleNode) -> isl.ScheduleNode:
        return _with_mark(band, self._symbolic)

    def sizes_in_words(self, members: int) -> str | None:
        return " x ".join(self._symbolic.sizes[:members])


def _with_mark(band: isl.ScheduleNode, options: SymbolicTileOptions) -> isl.ScheduleNode:
    """The mark right above `band`: tiles around it, by a mark or a band, hold the new ones."""
    sizes = tuple(options.sizes[: band.band_n_member()])
    return with_tiles(band, SymbolicTiles(options.origins, sizes))


def _tile_loops(
    schedule: isl.Schedule, dependences: Dependences, options: SymbolicTileOptions
) -> Outcome:
    directory = Directory(schedule)
    loops = [directory.loop(address) for address in options.loops]
    first, last = loops[0], loops[-1]
    wanted = [(first.place.path, first.member + offset) for offset in range(len(loops))]
    shown = listed(options.loops)
    if [(loop.place.path, loop.member) for loop in loops] != wanted:
        raise OptionError(
            f"{shown} are not next to each other in one band, as symbolic tile sizes need it"
        )
    require_free(first.band, f"tiling {shown}")
    band = first.band
    if last.member + 1 < band.band_n_member():
        band = band.band_split(last.member + 1)
    if first.member > 0:
        band = band.band_split(first.member).child(0)
    changed = _with_mark(band, options).get_schedule()
    sizes = " x ".join(options.sizes[: len(loops)])
    return settled(schedule, changed, dependences, f"tiling {shown}", f"tiled {shown} by {sizes}")
