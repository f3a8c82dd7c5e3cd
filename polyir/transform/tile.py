"""Tiling of permutable bands, after Bondhugula et al., section 3.9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.leaves import schedules_below
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.steps import member_steps as member_steps
from polyir.model.tree import node_type
from polyir.transform.false_marks import without_false_marks
from polyir.transform.members import loop_kinds, schedule_of
from polyir.transform.obstacles import because
from polyir.transform.walk import (
    BAND,
    below_marks,
    coincident_flags,
    describe_band,
    factors,
    map_children,
    require_own_instances,
    set_coincident,
    summary,
    with_permutable_bands,
)


@dataclass(frozen=True)
class TileOptions:
    """How to tile.

    Member k of a band is cut into tiles of `sizes[k]`; the last size holds for all further
    members, and sizes beyond the members of a band are not used. With more `levels` than one,
    `sizes` are those of the innermost tiles, and the tiles of each level hold `ratio` tiles of
    the level inside, along every member: `sizes=32,32,8 levels=2` makes tiles of 32 x 32 x 8
    inside tiles of 256 x 256 x 64. (Levels whose sizes do not keep one ratio are made one by
    one, from the outside: a band that is tiled already is not tiled again, its point loops
    are.) Bands of fewer members than `min_width` are left alone.

    Raises `OptionError` where a size, the ratio, or a number is below 1.
    """

    sizes: tuple[int, ...] = (32,)
    levels: int = 1
    min_width: int = 2
    ratio: int = 8

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            given = ",".join(str(size) for size in self.sizes) or "none"
            raise OptionError(f"tile sizes must be 1 or more: sizes={given}")
        numbers = {"levels": self.levels, "min-width": self.min_width, "ratio": self.ratio}
        for name, number in numbers.items():
            if number < 1:
                raise OptionError(f"{name} must be 1 or more: {name}={number}")

    def sizes_by_level(self, members: int) -> tuple[tuple[int, ...], ...]:
        """The tile sizes of a band of so many members, for each level, outermost first."""
        last = self.sizes[-1]
        inner = self.sizes[:members] + (last,) * (members - len(self.sizes))
        scales = [self.ratio**level for level in reversed(range(self.levels))]
        return tuple(tuple(size * scale for size in inner) for scale in scales)


def tile(
    schedule: isl.Schedule, dependences: Dependences, options: TileOptions | None = None
) -> Outcome:
    """Tile every permutable band that is wide enough.

    A band with the members phi_k becomes, for each level, a band of tile loops, above the band
    itself, whose loops now run over the points of one tile:

        band [phi_1, phi_2]      =>      band [s_1 floor(phi_1 / s_1), s_2 floor(phi_2 / s_2)]
                                           band [phi_1, phi_2]

    Tile loops count the first point of each tile, so that they become loops with the step s_k
    and point loops keep their values. Tiles at the border are cut by the domain: no point is
    added or lost. A tile loop is coincident where its member is, since equal values are in
    equal tiles; and the tile band is permutable, since floor is monotone (op. cit., theorem 1).

    In a tree that nobody has scheduled yet, bands are merged first (`with_permutable_bands`).
    A tree without any band to tile is handed back as it is.

    Raises `LegalityError` if the result violates a dependence, which tells of a band that was
    wrongly called permutable, and for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, "tiling")
    return run_tiler(Tiler(options or TileOptions(), dependences), schedule, dependences)


def run_tiler(tiler: Tiler, schedule: isl.Schedule, dependences: Dependences) -> Outcome:
    """What `tiler` makes of `schedule`, checked; see `tile`."""
    prepared = with_permutable_bands(schedule, dependences)
    result = tiler.tile(prepared.get_root()).get_schedule()
    if not tiler.tiled:
        return Outcome(schedule, (), (tiler.explain(),))
    require_legal(dependences, result, "tiling")
    left = tuple(f"left alone: {reason}" for reason in tiler.narrow)
    missed = tuple(f"not tiled: {reason}" for reason in tiler.refused)
    return without_false_marks(Outcome(result, (*tiler.tiled, *left), missed), dependences)


def tile_sizes(band: isl.ScheduleNode) -> tuple[int, ...] | None:
    """The tile sizes of a band of tile loops right above their point loops; else `None`.

    The band is one if each member is `s floor(phi / s)` for the member `phi` of the band
    below and its own step s. A size of 1 is one too, if not all are.
    """
    if node_type(band) is not BAND:
        return None
    points = below_marks(band.child(0))
    if node_type(points) is not BAND or points.band_n_member() != band.band_n_member():
        return None
    sizes = member_steps(band)
    if all(size == 1 for size in sizes):
        return None
    domain = band.get_domain()
    tiles = band.band_get_partial_schedule().intersect_domain(domain)
    expected = tile_members(points.band_get_partial_schedule(), sizes).intersect_domain(domain)
    same = isl.UnionMap.from_multi_union_pw_aff(tiles).is_equal(
        isl.UnionMap.from_multi_union_pw_aff(expected)
    )
    return sizes if same else None


def runs_over_tiles(band: isl.ScheduleNode) -> bool:
    """Whether the loops of a band node run over tiles, of any shape, of the loops below it.

    They do if they have steps, and a point of the loops around and below is in one tile only.
    """
    if all(step == 1 for step in member_steps(band)):
        return False
    first, count = band.get_schedule_depth(), band.band_n_member()
    return all(
        _others(schedule, first, count)
        .reverse()
        .apply_range(_members(schedule, first, count))
        .is_single_valued()
        for schedule in schedules_below(band)
    )


def _others(schedule: isl.Map, first: int, count: int) -> isl.Map:
    return schedule.project_out(isl.dim_type.out, first, count)


def _members(schedule: isl.Map, first: int, count: int) -> isl.Map:
    last = first + count
    inner = schedule.project_out(isl.dim_type.out, last, schedule.dim(isl.dim_type.out) - last)
    return inner.project_out(isl.dim_type.out, 0, first)


def tile_members(members: isl.MultiUnionPwAff, sizes: tuple[int, ...]) -> isl.MultiUnionPwAff:
    """`sizes[k] * floor(phi_k / sizes[k])` for each member phi_k."""
    scales = factors(members, sizes)
    return members.scale_down_multi_val(scales).floor().scale_multi_val(scales)


class Tiler:
    """Tiles the bands of one tree and notes what it did, in the order of the tree."""

    def __init__(self, options: TileOptions, dependences: Dependences) -> None:
        self.tiled: list[str] = []
        self.refused: list[str] = []
        self.narrow: list[str] = []
        self._options = options
        self._dependences = dependences

    def tile(self, node: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tree from `node` down, tiled."""
        if node_type(node) is not BAND or runs_over_tiles(node):
            return map_children(node, self.tile)
        is_tiled = self._may_tile(node)
        node = map_children(node, self.tile)
        return self.insert_tiles(node) if is_tiled else node

    def insert_tiles(self, band: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tile loops of `band`, above it, and what is below them."""
        for sizes in reversed(self._options.sizes_by_level(band.band_n_member())):
            band = _insert_tile_band(band, sizes)
        return band

    def sizes_in_words(self, members: int) -> str | None:
        """How large the tiles of a band of so many members are; `None` if all are single points."""
        levels = self._options.sizes_by_level(members)
        if all(size == 1 for size in levels[0]):
            return None
        return " in tiles of ".join(by_sizes(level) for level in reversed(levels))

    def _may_tile(self, band: isl.ScheduleNode) -> bool:
        """Whether `band` is to be tiled; what speaks for or against it is noted."""
        members = band.band_n_member()
        sizes = self.sizes_in_words(members)
        name = describe_band(band)
        if members < self._options.min_width:
            if node_type(band.parent()) is not BAND:
                # One line for loops directly inside each other.
                self.narrow.append(f"{name} is too narrow{because(band, self._dependences)}")
        elif members > 1 and not band.band_get_permutable():
            self.refused.append(f"{name} is not permutable{because(band, self._dependences)}")
        elif band.is_subtree_anchored():
            self.refused.append(f"AST options at or below {name} name loops around it")
        elif sizes is None:
            self.refused.append(f"tiles of one point change nothing in {name}")
        else:
            self.tiled.append(f"tiled {name} by {sizes}")
            return True
        return False

    def explain(self) -> str:
        """Why nothing was tiled."""
        reasons = [*self.refused, *self.narrow] or ["there is no loop"]
        if self.refused and not any("permutable" in reason for reason in self.refused):
            return f"nothing was tiled: {summary(reasons)}"
        width = self._options.min_width
        return f"nothing was tiled: no permutable band of {width} or more: {summary(reasons)}"


def _insert_tile_band(band: isl.ScheduleNode, sizes: tuple[int, ...]) -> isl.ScheduleNode:
    """Put the band of tile loops of `band` above it, with its flags and its loop kinds.

    Loops that are unrolled are so for their points only.
    """
    flags, permutable = coincident_flags(band), band.band_get_permutable()
    kinds = loop_kinds(band)
    tiles = band.insert_partial_schedule(
        tile_members(band.band_get_partial_schedule(), sizes)
    ).band_set_permutable(int(permutable))
    for member, kind in enumerate(kinds):
        if kind is not isl.ast_loop_type.unroll:
            tiles = tiles.band_member_set_ast_loop_type(member, kind)
    return set_coincident(tiles, flags)


def insert_shaped_tiles(
    band: isl.ScheduleNode, functions: Sequence[isl.UnionPwAff], sizes: tuple[int, ...]
) -> isl.ScheduleNode:
    """Put a band of loops over the tiles that `functions` cut above `band`, without flags."""
    return band.insert_partial_schedule(tile_members(schedule_of(functions), sizes))


def by_sizes(sizes: tuple[int, ...]) -> str:
    """Tile sizes in words: `32 x 8`."""
    return " x ".join(str(size) for size in sizes)
