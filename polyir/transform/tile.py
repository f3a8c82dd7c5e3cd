"""Tiling of permutable bands, after Bondhugula et al., section 3.9."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.model.outcome import Outcome
from polyir.model.tree_loops import (
    member_functions,
    member_steps,
    numbers_tiles,
    schedules_below,
)
from polyir.sets.values import isl_value
from polyir.transform.bands import anchored, listed, require_free, split_at, with_attributes_at
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.walk import BAND, MARK, because, summary, with_permutable_bands
from polyir.tree import BandMember, Kind, Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import Directory, Loop, LoopAddress, node_at
from polyir.tree.names import describe_band, name_list, names_in, statements_of

Levels = tuple[tuple[int, ...], ...]
"""The tile sizes of the loops of a band, for each level, outermost first; none for no tiles."""

LevelsOfBand = Callable[[int], tuple[Levels, str]]
"""Tile sizes for a band, and why; by its number, as bands come from the root of the tree down."""


@dataclass(frozen=True)
class TileOptions:
    """How to tile.

    Member k of a band is cut into tiles of `sizes[k]`; the last size holds for all further
    members, and sizes beyond the members of a band are not used. With more `levels` than one,
    `sizes` are those of the innermost tiles, and the tiles of each level hold `ratio` tiles of
    the level inside, along every member: `sizes=32,32,8 levels=2` makes tiles of 32 x 32 x 8
    inside tiles of 256 x 256 x 64. (Levels whose sizes do not keep one ratio are made one by
    one, from the outside: a band that is tiled already is not tiled again, its point loops
    are.) Bands of fewer members than `min_width` are left alone. If `loops` are named, these are
    tiled, in one band, and nothing else.

    Raises `OptionError` where a size, the ratio, or a number is below 1.
    """

    sizes: tuple[int, ...]
    levels: int = 1
    min_width: int = 2
    ratio: int = 1
    loops: tuple[LoopAddress, ...] = ()

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            given = ",".join(str(size) for size in self.sizes) or "none"
            raise OptionError(f"tile sizes must be 1 or more: sizes={given}")
        numbers = {"levels": self.levels, "min-width": self.min_width, "ratio": self.ratio}
        for name, number in numbers.items():
            if number < 1:
                raise OptionError(f"{name} must be 1 or more: {name}={number}")

    def sizes_by_level(self, members: int) -> Levels:
        """The tile sizes of a band of so many members, for each level, outermost first."""
        last = self.sizes[-1]
        inner = self.sizes[:members] + (last,) * (members - len(self.sizes))
        scales = [self.ratio**level for level in reversed(range(self.levels))]
        return tuple(tuple(size * scale for size in inner) for scale in scales)


def tile(
    schedule: Schedule,
    dependences: Dependences,
    options: TileOptions,
    choose: LevelsOfBand | None = None,
) -> Outcome:
    """Tile every permutable band that is wide enough, or the loops that are named.

    A band with the members phi_k becomes, for each level, a band of tile loops, above the band
    itself, whose loops now run over the points of one tile:

        band [phi_1, phi_2]      =>      band [s_1 floor(phi_1 / s_1), s_2 floor(phi_2 / s_2)]
                                           band [phi_1, phi_2]

    Tile loops count the first point of each tile, so that they become loops with the step s_k
    and point loops keep their values. Tiles at the border are cut by the domain: no point is
    added or lost. A tile loop is coincident where its member is, since equal values are in
    equal tiles; and the tile band is permutable, since floor is monotone (op. cit., theorem 1).

    In a tree that nobody has scheduled yet, bands are merged first (`with_permutable_bands`).
    A tree without a band to tile is returned unchanged. With `choose`, it gives the sizes of each
    band that may be tiled, instead of `options`; it numbers the bands of the tree after merging.

    Loops that are named need not be permutable, nor in one band. Their tile loops, in the order
    of `options.loops`, go right above the outermost of them; with the first and the last loop of
    three:

        band [i]             =>      band [s_1 floor(i / s_1), s_2 floor(k / s_2)]
          band [j, k]                  band [i]
                                         band [j, k]

    Raises `LegalityError` if the result violates a dependence; `OptionError` for addresses of no
    loop, and for loops that are not nested or that do not run all that the outermost one runs.
    """
    if options.loops:
        return _tile_loops(schedule, dependences, options)
    return run_tiler(Tiler(options, dependences, choose), schedule, dependences)


def run_tiler(tiler: Tiler, schedule: Schedule, dependences: Dependences) -> Outcome:
    """What `tiler` makes of `schedule`, checked; see `tile`."""
    prepared = with_permutable_bands(schedule, dependences)
    result = tiler.tile(prepared.root).schedule
    if not tiler.tiled:
        return Outcome(schedule, (), (tiler.explain(),), name="not-tiled")
    left = tuple(f"not tiled: {reason}" for reason in tiler.narrow)
    missed = tuple(f"not tiled: {reason}" for reason in tiler.refused)
    done = (*tiler.tiled, *left)
    return settled(schedule, result, dependences, "tiling", done, missed, False, name="not-tiled")


def runs_over_tiles(band: ScheduleNode) -> bool:
    """Whether the loops of a band node run over tiles, of any shape, of the loops below it.

    They do if they have steps or are numbers of tiles, and a point of the loops around and below is
    in one tile only.
    """
    members = range(len(band.members))
    are_numbers = all(all(map(numbers_tiles, member_functions(band, member))) for member in members)
    if not are_numbers and all(step == 1 for step in member_steps(band)):
        return False
    first, count = band.schedule_depth, len(band.members)
    return all(
        schedule.project_out(isl.dim_type.out, first, count)
        .reverse()
        .apply_range(_members(schedule, first, count))
        .is_single_valued()
        for schedule in schedules_below(band)
    )


def is_within_tiles(band: ScheduleNode, between: Sequence[Kind] = (MARK,)) -> bool:
    """Whether a band is inside a band of loops over tiles, with only such nodes `between`."""
    node = band.parent()
    while node.kind in between:
        node = node.parent()
    return node.kind is BAND and runs_over_tiles(node)


def _members(schedule: isl.Map, first: int, count: int) -> isl.Map:
    last = first + count
    inner = schedule.project_out(isl.dim_type.out, last, schedule.dim(isl.dim_type.out) - last)
    return inner.project_out(isl.dim_type.out, 0, first)


def tile_values(values: isl.UnionPwAff, size: int) -> isl.UnionPwAff:
    """`size * floor(values / size)`: the first value of the tile that a value is in."""
    scale = isl_value(size)
    return values.scale_down_val(scale).floor().scale_val(scale)


_DEFAULT = isl.ast_loop_type.default


class Tiler:
    """Tiles the bands of one tree and notes what it did, in the order of the tree."""

    def __init__(
        self,
        options: TileOptions,
        dependences: Dependences,
        choose: LevelsOfBand | None = None,
    ) -> None:
        self.tiled: list[str] = []
        self.refused: list[str] = []
        self.narrow: list[str] = []
        self._options = options
        self._dependences = dependences
        self._choose = choose
        self._bands = 0

    def tile(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down, tiled."""
        if node.kind is not BAND:
            return mapped_children(node, self.tile)
        number, self._bands = self._bands, self._bands + 1
        levels = () if runs_over_tiles(node) else self._levels(node, number)
        node = mapped_children(node, self.tile)
        return self.insert_tiles(node, levels) if levels else node

    def insert_tiles(self, band: ScheduleNode, levels: Levels) -> ScheduleNode:
        """The tile loops of `band`, above it, and what is below them."""
        for sizes in reversed(levels):
            blocks: list[BandMember] = []
            points: list[LoopAttributes] = []
            for member in band.members:
                outer, inner = cut(member.attributes)
                # Loops that are unrolled are so for their points only.
                kind = _DEFAULT if member.kind is isl.ast_loop_type.unroll else member.kind
                blocks.append(replace(member, kind=kind, attributes=outer))
                points.append(inner)
            permutable = band.permutable
            band = insert_tiles(band.with_loop_attributes(points), blocks, sizes, permutable)
        return band

    def in_words(self, levels: Levels) -> str:
        """How large tiles are."""
        return " in tiles of ".join(by_sizes(level) for level in reversed(levels))

    def _levels(self, band: ScheduleNode, number: int) -> Levels:
        """The sizes of the tiles of `band`; what speaks for or against any is noted."""
        members = len(band.members)
        name = describe_band(band)
        if members < self._options.min_width:
            if band.parent().kind is not BAND:
                # One line for loops directly inside each other.
                self.narrow.append(f"{name} has too few loops{because(band, self._dependences)}")
        elif members > 1 and not band.permutable:
            self.refused.append(f"{name} is not permutable{because(band, self._dependences)}")
        elif band.is_subtree_anchored:
            self.refused.append(anchored(band))
        elif self._choose is not None:
            levels, why = self._choose(number)
            (self.tiled if levels else self.narrow).append(f"{name}: {why}")
            return levels
        elif not any(size > 1 for size in self._options.sizes_by_level(members)[0]):
            self.refused.append(f"tiles of a single point would not change {name}")
        else:
            levels = self._options.sizes_by_level(members)
            self.tiled.append(f"tiled {name} by {self.in_words(levels)}")
            return levels
        return ()

    def explain(self) -> str:
        """Why nothing was tiled."""
        reasons = [*self.refused, *self.narrow] or ["there is no loop"]
        if self._choose is not None:
            return f"nothing was tiled: {summary(reasons)}"
        if self.refused and not any("permutable" in reason for reason in self.refused):
            return f"nothing was tiled: {summary(reasons)}"
        width = self._options.min_width
        return f"nothing was tiled: no permutable band of {width} or more: {summary(reasons)}"


def insert_tiles(
    node: ScheduleNode,
    loops: Sequence[BandMember],
    sizes: tuple[int, ...],
    permutable: bool = False,
) -> ScheduleNode:
    """Put a band of loops over the tiles that cut `loops` above `node`.

    The tile loops have the flags, kinds and attributes of `loops`. Returned is their band.
    """
    pairs = zip(loops, sizes, strict=True)
    tiles = [loop.with_function(tile_values(loop.function, size)) for loop, size in pairs]
    return node.insert_band(tiles, permutable)


def by_sizes(sizes: tuple[int, ...]) -> str:
    """Tile sizes in words: `32 x 8`."""
    return " x ".join(str(size) for size in sizes)


def _tile_loops(schedule: Schedule, dependences: Dependences, options: TileOptions) -> Outcome:
    """Tile the loops that are named; all flags of the result are exact."""
    addresses = options.loops
    directory = Directory(schedule)
    loops = [directory.loop(address) for address in addresses]
    outermost = _outermost(loops)
    require_free(outermost.band, f"tiling {listed(addresses)}")
    blocks: list[BandMember] = []
    points = schedule
    for loop in loops:
        member = _member(loop, outermost)
        outer, inner = cut(member.attributes)
        points = with_attributes_at(points, loop.place, inner)
        blocks.append(BandMember(member.function, attributes=outer))
    node = split_at(node_at(points, outermost.place.path), outermost.member)
    levels = options.sizes_by_level(len(loops))
    for sizes in reversed(levels):
        node = insert_tiles(node, blocks, sizes)
    shown = " in tiles of ".join(by_sizes(sizes) for sizes in reversed(levels))
    what = f"tiling {listed(addresses)}"
    done = f"tiled {listed(addresses)} by {shown}"
    return settled(schedule, node.schedule, dependences, what, [done])


def _outermost(loops: Sequence[Loop]) -> Loop:
    """The loop around all others; raises `OptionError` if there is none, or for one twice."""
    for position, loop in enumerate(loops):
        for other in loops[:position]:
            if loop.place == other.place:
                raise OptionError(f"{other} and {loop} are the same loop")
            if not (loop.place.is_around(other.place) or other.place.is_around(loop.place)):
                raise OptionError(f"{other} and {loop} are not nested")
    return min(loops, key=lambda loop: (len(loop.place.path), loop.member))


def _member(loop: Loop, outermost: Loop) -> BandMember:
    """The member that `loop` is; raises `OptionError` if it does not run all of `outermost`."""
    inside, around = loop.band.domain, outermost.band.domain
    if not around.is_subset(inside):
        missing = name_list(names_in(around.subtract(inside)))
        raise OptionError(
            f"{outermost} and {loop} are not perfectly nested: {outermost} contains "
            f"{name_list(statements_of(outermost.band))}, but {loop} does not contain {missing} "
            "(see distribute)",
            name="not-perfectly-nested",
        )
    return loop.band.members[loop.member]
