"""Hybrid hexagonal/classical tiling: tiles of a stencil of which a whole wave can start at once.

Grosser, Cohen, Holewinski, Sadayappan, Verdoolaege: Hybrid hexagonal/classical tiling for GPUs
(CGO 2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil
from typing import NamedTuple

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.proofs.bands import active_at
from polyir.sets.lists import sets_of
from polyir.transform.bands import anchored, start_at
from polyir.transform.hexagons import Hexagons
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.stencils import NoStencilError, Slopes, TimeSteps, slopes_along, time_steps
from polyir.transform.tile import by_sizes, runs_over_tiles, tile_values
from polyir.transform.walk import BAND, summary
from polyir.tree import BandMember, Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import LoopAddress
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import Member


@dataclass(frozen=True)
class HexagonalOptions:
    """Hexagons of 2 `height` time steps and `width` points in the first and last of them.

    Along the second dimension of space, tiles have the first of `sizes`, and so on; the last size
    holds for all further dimensions. With `loop`, the time loop, only the nest of that loop is
    tiled.

    Raises `OptionError` where a number is less than 1.
    """

    height: int
    width: int
    sizes: tuple[int, ...]
    loop: LoopAddress | None = None

    def __post_init__(self) -> None:
        for name, number in (("height", self.height), ("width", self.width)):
            if number < 1:
                raise OptionError(f"{name} must be 1 or more: {name}={number}")
        if not self.sizes or min(self.sizes) < 1:
            given = ",".join(str(size) for size in self.sizes) or "none"
            raise OptionError(f"tile sizes must be 1 or more: sizes={given}")


def hexagonal_tile(
    schedule: Schedule, dependences: Dependences, options: HexagonalOptions
) -> Outcome:
    """Tile nests of a time loop and loops in space by hexagons and parallelograms.

    The nest is a permutable band, or a loop and the bands directly inside it; its first loop t is
    time. Time steps are finer than iterations of t where statements in one iteration depend on
    each other: a statement S runs in the time step `multiple` t + `constants[S]`, so that every
    dependence takes one time step or more (`time_steps`). The hexagons are in the plane of these
    time steps and of the second loop, with the slopes of the exact cone of dependences; the other
    loops are skewed, until no dependence goes back along them, and cut into tiles of constant
    size:

        band [t, i, j]    =>    band [wave]
          sequence                band [hexagon]                       coincident
            S0                      band [tiles along j]
            S1                        band [t]
                                        sequence
                                          filter S0
                                            band [i, j]                coincident
                                          filter S1
                                            band [i, j]                coincident

    The waves run one after the other; they are the two phases of each time tile in turn
    (`Hexagons`). The hexagons of a wave are parallel. In a tile, all points of a time step are
    parallel. Skewed loops become loops over points that do not move with time, where that is
    possible, and tiles begin at the same points in every hexagon of a wave.

    A dependence between instances that all loops of the nest run at the same time is left to what
    is below the nest. Raises `LegalityError` if the result violates a dependence; `OptionError` for
    an address of no loop.
    """
    tiler = _HexagonalTiler(options, dependences)
    start = start_at(schedule, dependences, tiler.options.loop, "hexagonal tiling")
    result = tiler.visit(start).schedule
    if not tiler.tiled:
        reasons = tiler.refused or ["there is no nest of a time loop and a loop in space"]
        return Outcome(schedule, (), (f"nothing was tiled: {summary(reasons)}",), name="not-tiled")
    what, missed = "hexagonal tiling", tiler.refused
    return settled(schedule, result, dependences, what, tiler.tiled, missed, name="not-tiled")


class _Nest(NamedTuple):
    """The loops of `bands` bands that are directly inside each other."""

    bands: int
    loops: tuple[BandMember, ...]
    members: tuple[Member, ...]
    name: str


def _nest_from(band: ScheduleNode) -> _Nest:
    """A band of several loops, or a loop and the bands directly inside it."""
    bands = [band]
    while len(band.members) == 1 and (bands[-1].child(0)).kind is BAND:
        bands.append(bands[-1].child(0))
    loops = tuple(loop for each in bands for loop in each.members)
    members = tuple(member for each in bands for member in each.band.functions_by_statement)
    kind = "band" if len(bands) == 1 else "nest"
    name = f"the {kind} of {len(loops)} over {name_list(statements_of(band))}"
    return _Nest(len(bands), loops, members, name)


class _HexagonalTiler:
    """Tiles the nests of one tree and notes what it did."""

    def __init__(self, options: HexagonalOptions, dependences: Dependences) -> None:
        self.tiled: list[str] = []
        self.refused: list[str] = []
        self.options = options
        self._dependences = dependences

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down, tiled."""
        if node.kind is not BAND or runs_over_tiles(node):
            return mapped_children(node, self.visit)
        nest = _nest_from(node)
        if len(nest.loops) < 2:
            if node.child(0).has(BAND):
                self.refused.append(
                    f"{nest.name} has separate nests inside (a scheduler, such as pluto-schedule, "
                    "makes one nest of those of a stencil)"
                )
            return mapped_children(node, self.visit)
        try:
            return self._tile(node, nest)
        except NoStencilError as error:
            self.refused.append(str(error))
            return mapped_children(node, self.visit)

    def _tile(self, band: ScheduleNode, nest: _Nest) -> ScheduleNode:
        if band.is_subtree_anchored:
            raise NoStencilError(anchored(band))
        actives = active_at(band, self._dependences)
        steps = time_steps(actives, nest.members, nest.name)
        time = steps.of(nest.members[0])
        slopes = [
            slopes_along(actives, time, nest.members, position, nest.name)
            for position in range(1, len(nest.members))
        ]
        low, high = slopes[0]
        if low == high:
            raise NoStencilError(
                f"{nest.name} needs no hexagons: every dependence has a distance of {low} along "
                "loop 2 for each time step, so tiles along that slope are independent"
            )
        tiling = _Tiling(nest, steps, tuple(slopes), self.options)
        least = tiling.hexagons.least_width
        if self.options.width < least:
            raise NoStencilError(
                f"hexagons of width {self.options.width} are too narrow for {nest.name}: with "
                f"height={self.options.height}, the width must be {least} or more"
            )
        self.tiled.append(tiling.in_words())
        return tiling.inserted(band)


_ZERO = Fraction(0)


@dataclass(frozen=True)
class _Tiling:
    """A nest that is to be tiled, and how; `slopes` are those of all loops but the first."""

    nest: _Nest
    steps: TimeSteps
    slopes: tuple[Slopes, ...]
    options: HexagonalOptions

    @property
    def hexagons(self) -> Hexagons:
        """The hexagons, in a plane where points lean as little as an integer allows."""
        low, high = (slope - self._lean for slope in self.slopes[0])
        return Hexagons(self.options.height, self.options.width, min(low, _ZERO), max(high, _ZERO))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the tiles along the third and all further loops."""
        given, wanted = self.options.sizes, len(self.nest.loops) - 2
        return given[:wanted] + given[-1:] * (wanted - len(given))

    def in_words(self) -> str:
        """What is done, as a remark."""
        rest = f" and tiles of {by_sizes(self.sizes)} along the other loops" if self.sizes else ""
        steps = self.steps.multiple
        fine = f"; an iteration of loop 1 has {steps} time steps" if steps > 1 else ""
        return (
            f"tiled {self.nest.name}: hexagons of height {self.options.height} and width "
            f"{self.options.width} along loops 1 and 2{rest}{fine}"
        )

    def inserted(self, band: ScheduleNode) -> ScheduleNode:
        """The tiles and their points in the place of the nest that begins with `band`."""
        filters = self._filters(band)
        parts = [cut(loop.attributes) for loop in self.nest.loops]
        points = [
            replace(loop, function=_union(values), attributes=inner)
            for loop, values, (_, inner) in zip(self.nest.loops, self._points(), parts, strict=True)
        ]
        tiles = [
            BandMember(values, attributes=outer)
            for values, (outer, _) in zip(self._tiles(), parts, strict=True)
        ]
        node = band
        for _ in range(self.nest.bands):
            node = node.delete()
        node = node.insert_band(points[1:])
        if len(filters) > 1:
            node = node.insert_sequence(filters)
        node = node.insert_band([_atomic(points[0])])
        if len(tiles) > 2:
            node = node.insert_band(tiles[2:])
        node = node.insert_band([_atomic(tiles[1])])
        return node.insert_band([_atomic(tiles[0])])

    @property
    def _time(self) -> Member:
        return self.steps.of(self.nest.members[0])

    @property
    def _lean(self) -> int:
        return ceil(self.slopes[0].middle - Fraction(1, 2))

    @property
    def _plane(self) -> tuple[Member, Member]:
        """The time steps, and points along the second loop, which are in the hexagons."""
        leaning = isl.PwAff(f"{{ [t, x] -> [x - {self._lean}*t] }}")
        return self._time, _composed(leaning, (self._time, self.nest.members[1]))

    def _filters(self, band: ScheduleNode) -> list[isl.UnionSet]:
        """The statements of each time step of an iteration, the first ones first."""
        levels: dict[int, isl.UnionSet] = {}
        for instances in sets_of(band.universe_domain):
            level = self.steps.constants[instances.get_tuple_name()]
            known = levels.get(level, isl.UnionSet("{ }"))
            levels[level] = known.union(isl.UnionSet.from_set(instances))
        return [levels[level] for level in sorted(levels)]

    def _points(self) -> Iterator[Member]:
        """The loops over the points of a tile: time, and others that move with it hardly or not."""
        time, *space = self.nest.members
        yield time
        for member, slopes in zip(space, self.slopes, strict=True):
            speed = slopes.middle
            still = f"x + floor(({-speed.numerator}*t)/{speed.denominator})"
            yield _composed(isl.PwAff(f"{{ [t, x] -> [{still}] }}"), (self._time, member))

    def _tiles(self) -> Iterator[isl.UnionPwAff]:
        """The waves, the hexagons of a wave, and the parallelograms along all other loops.

        These are cut along x - low t, counted from where the middle of the cone of dependences has
        moved to at the start of the wave.
        """
        wave = self.hexagons.wave()
        yield _union(_composed(wave, self._plane))
        yield _union(_composed(self.hexagons.position(), self._plane))
        wave = wave.pullback_multi_aff(isl.MultiAff("{ [t, s, x] -> [t, s] }"))
        space = zip(self.nest.members[2:], self.slopes[1:], self.sizes, strict=True)
        for member, (low, high), size in space:
            skewed = f"({low.denominator}*x - {low.numerator}*t)/{low.denominator}"
            speed = (high - low) / 2
            start = wave.scale_val(isl.Val(str(speed * self.options.height))).floor()
            distance = isl.PwAff(f"{{ [t, s, x] -> [{skewed}] }}").sub(start)
            yield tile_values(_union(_composed(distance, (*self._plane, member))), size)


def _atomic(loop: BandMember) -> BandMember:
    """A loop that isl must not split, which would repeat all that is inside."""
    return replace(loop, kind=isl.ast_loop_type.atomic)


def _composed(function: isl.PwAff, arguments: Sequence[Member]) -> Member:
    """The member that is `function` of other members."""

    def values(name: str) -> isl.PwMultiAff:
        parts = (isl.PwMultiAff.from_pw_aff(argument[name]) for argument in arguments)
        return reduce(isl.PwMultiAff.flat_range_product, parts)

    return {name: function.pullback_pw_multi_aff(values(name)).coalesce() for name in arguments[0]}


def _union(member: Member) -> isl.UnionPwAff:
    return reduce(isl.UnionPwAff.union_add, map(isl.UnionPwAff.from_pw_aff, member.values()))
