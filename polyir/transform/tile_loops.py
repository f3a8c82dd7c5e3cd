"""Tiling of loops by address, whatever bands they are in."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.transform.address import Address, Directory, Loop
from polyir.transform.loop_members import listed, require_free, settled
from polyir.transform.members import functions_of
from polyir.transform.tile import TileOptions, by_sizes, insert_shaped_tiles
from polyir.transform.walk import name_list, names_in, require_own_instances, statements_of


def tile_loops(
    schedule: isl.Schedule,
    dependences: Dependences,
    addresses: Sequence[Address],
    options: TileOptions,
) -> Outcome:
    """Tile the given loops of one nest, and those only.

    A band of tile loops, in the order of `addresses`, goes right above the outermost of them;
    with the first and the last loop of three, tiles of s_1 x s_2:

        band [i]             =>      band [s_1 floor(i / s_1), s_2 floor(k / s_2)]
          band [j, k]                  band [i]
                                         band [j, k]

    The bands need not be called permutable. All flags of the result are exact.

    Raises `OptionError` for addresses of no loop, for loops that are not nested or that do not
    run all that the outermost one runs; `LegalityError` if the tiles violate a dependence, and
    for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, "tiling")
    directory = Directory(schedule)
    loops = [directory.loop(address) for address in addresses]
    outermost = _outermost(loops)
    require_free(outermost.band, f"tiling {listed(addresses)}")
    functions = [_function(loop, outermost) for loop in loops]
    node = outermost.band
    if outermost.member > 0:
        node = node.band_split(outermost.member).child(0)
    levels = options.sizes_by_level(len(functions))
    for sizes in reversed(levels):
        node = insert_shaped_tiles(node, functions, sizes)
    shown = " in tiles of ".join(by_sizes(sizes) for sizes in reversed(levels))
    done = f"tiled {listed(addresses)} by {shown}"
    return settled(schedule, node.get_schedule(), dependences, f"tiling {listed(addresses)}", done)


def _outermost(loops: Sequence[Loop]) -> Loop:
    """The loop around all others; raises `OptionError` if there is none, or for one twice."""
    for position, loop in enumerate(loops):
        for other in loops[:position]:
            if loop.place == other.place:
                raise OptionError(f"{other} and {loop} are one loop")
            if not (loop.place.is_around(other.place) or other.place.is_around(loop.place)):
                raise OptionError(f"{other} and {loop} are not nested")
    return min(loops, key=lambda loop: (len(loop.place.path), loop.member))


def _function(loop: Loop, outermost: Loop) -> isl.UnionPwAff:
    """The values of `loop`; raises `OptionError` if some that `outermost` runs have none."""
    function = functions_of(loop.band)[loop.member]
    inside, around = loop.band.get_domain(), outermost.band.get_domain()
    if not around.is_subset(inside):
        missing = name_list(names_in(around.subtract(inside)))
        raise OptionError(
            f"{loop} does not run {missing}, which {outermost} runs: {outermost} runs "
            f"{name_list(statements_of(outermost.band))} (see distribute)"
        )
    return function
