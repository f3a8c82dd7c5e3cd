"""Tiling of permutable bands, after Bondhugula et al., section 3.9."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.tree import node_type
from polyir.transform.walk import (
    BAND,
    below_marks,
    coincident_flags,
    describe_band,
    factors,
    map_children,
    set_coincident,
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

    Raises `OptionError` for bad options, `LegalityError` if the result violates a dependence,
    which tells of a band that was wrongly called permutable.
    """
    tiler = _Tiler(options or TileOptions())
    result = tiler.tile(schedule.get_root()).get_schedule()
    require_legal(dependences, result, "tiling")
    return tiler.outcome(result)


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


def member_steps(band: isl.ScheduleNode) -> tuple[int, ...]:
    """The step of each member: the largest s such that its values differ by multiples of s.

    It is read from the values that the member takes on all instances; 1 where there is no
    larger one, or one value only.
    """
    schedule = band.band_get_partial_schedule().intersect_domain(band.get_domain())
    values = isl.UnionMap.from_multi_union_pw_aff(schedule).range()
    if values.is_empty():
        return (1,) * band.band_n_member()
    steps = isl.Set.from_union_set(values)
    return tuple(
        max(1, steps.get_stride(member).to_python()) for member in range(band.band_n_member())
    )


def tile_members(members: isl.MultiUnionPwAff, sizes: tuple[int, ...]) -> isl.MultiUnionPwAff:
    """`sizes[k] * floor(phi_k / sizes[k])` for each member phi_k."""
    scales = factors(members, sizes)
    return members.scale_down_multi_val(scales).floor().scale_multi_val(scales)


class _Tiler:
    """Tiles the bands of one tree and notes what it did."""

    def __init__(self, options: TileOptions) -> None:
        self._options = options
        self._tiled: list[str] = []
        self._refused: list[str] = []
        self._narrow: list[str] = []
        self._already = 0

    def tile(self, node: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tree from `node` down, tiled."""
        if node_type(node) is not BAND:
            return map_children(node, self.tile)
        if tile_sizes(node) is not None:
            self._already += 1
            return map_children(node, self.tile)
        return self._tile_band(node)

    def _tile_band(self, band: isl.ScheduleNode) -> isl.ScheduleNode:
        """`band`, or the tile band in its place, with all that is below it tiled."""
        reason = self._obstacle(band)
        band = map_children(band, self.tile)
        if reason is not None:
            return band
        for sizes in reversed(self._options.sizes_by_level(band.band_n_member())):
            band = _insert_tile_band(band, sizes)
        return band

    def _obstacle(self, band: isl.ScheduleNode) -> str | None:
        """Why `band` is not tiled, noted for the outcome; `None`, and noted too, if it is."""
        members = band.band_n_member()
        sizes = self._options.sizes_by_level(members)
        name = describe_band(band)
        if members < self._options.min_width:
            reason = f"{name} is narrower than {self._options.min_width}"
            self._narrow.append(reason)
        elif not band.band_get_permutable() and members > 1:
            reason = f"{name} is not permutable"
            self._refused.append(reason)
        elif band.is_subtree_anchored():
            reason = f"what is below {name} depends on its position"
            self._refused.append(reason)
        elif all(size == 1 for size in sizes[0]):
            reason = f"tiles of one point change nothing in {name}"
            self._refused.append(reason)
        else:
            levels = " in tiles of ".join(_by(level) for level in reversed(sizes))
            self._tiled.append(f"tiled {name} by {levels}")
            return None
        return reason

    def outcome(self, schedule: isl.Schedule) -> Outcome:
        """The result, with what was done and what was not in the order of the tree."""
        if self._tiled:
            left = tuple(f"left alone: {reason}" for reason in self._narrow)
            missed = tuple(f"not tiled: {reason}" for reason in self._refused)
            return Outcome(schedule, (*self._tiled, *left), missed)
        width = self._options.min_width
        reasons = self._refused or self._narrow or ["there is no band"]
        message = f"nothing was tiled: no permutable band of {width} or more; {'; '.join(reasons)}"
        return Outcome(schedule, (), (message,))


def _insert_tile_band(band: isl.ScheduleNode, sizes: tuple[int, ...]) -> isl.ScheduleNode:
    """Put the band of tile loops of `band` above it, with its flags and its loop kinds.

    Loops that are unrolled are so for their points only.
    """
    flags, permutable = coincident_flags(band), band.band_get_permutable()
    kinds = [
        isl.ast_loop_type(band.band_member_get_ast_loop_type(member))
        for member in range(band.band_n_member())
    ]
    tiles = band.insert_partial_schedule(
        tile_members(band.band_get_partial_schedule(), sizes)
    ).band_set_permutable(int(permutable))
    for member, kind in enumerate(kinds):
        if kind is not isl.ast_loop_type.unroll:
            tiles = tiles.band_member_set_ast_loop_type(member, kind)
    return set_coincident(tiles, flags)


def _by(sizes: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in sizes)
