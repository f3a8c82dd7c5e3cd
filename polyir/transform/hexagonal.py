"""Hybrid hexagonal/classical tiling: tiles of a stencil of which a whole wave can start at once.

Grosser, Cohen, Holewinski, Sadayappan, Verdoolaege: Hybrid hexagonal/classical tiling for GPUs
(CGO 2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil
from typing import NamedTuple

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.isl_lists import sets_of
from polyir.isl_trees import mapped_children, node_type
from polyir.model.bands import Obstacle, active_at
from polyir.model.order import Active, Member, forward, members_of
from polyir.model.outcome import Outcome
from polyir.transform.address import LoopAddress
from polyir.transform.bands import LoopMember, anchored, insert_band, loop_members, start_at
from polyir.transform.hexagons import Hexagons
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.tile import by_sizes, runs_over_tiles, tile_values
from polyir.transform.walk import (
    BAND,
    name_list,
    require_own_instances,
    statements_of,
    summary,
)


@dataclass(frozen=True)
class HexagonalOptions:
    """Hexagons of 2 `height` time steps and `width` points in the first and last of them.

    Along the second dimension of space, tiles have the first of `sizes`, and so on; the last size
    holds for all further dimensions. With `loop`, the time loop, only the nest of that loop is
    tiled.

    Raises `OptionError` where a number is less than 1.
    """

    height: int = 4
    width: int = 32
    sizes: tuple[int, ...] = (32,)
    loop: LoopAddress | None = None

    def __post_init__(self) -> None:
        for name, number in (("height", self.height), ("width", self.width)):
            if number < 1:
                raise OptionError(f"{name} must be 1 or more: {name}={number}")
        if not self.sizes or min(self.sizes) < 1:
            given = ",".join(str(size) for size in self.sizes) or "none"
            raise OptionError(f"tile sizes must be 1 or more: sizes={given}")


def hexagonal_tile(
    schedule: isl.Schedule, dependences: Dependences, options: HexagonalOptions | None = None
) -> Outcome:
    """Tile nests of a time loop and loops in space by hexagons and parallelograms.

    The nest is a permutable band, or a loop and the bands directly inside it; its first loop t is
    time. Time steps are finer than iterations of t where statements in one iteration depend on
    each other: a statement S runs in the time step `multiple` t + `constants[S]`, so that every
    dependence takes one time step or more (`TimeSteps`). The hexagons are in the plane of these
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
    is below the nest. Raises `LegalityError` if the result violates a dependence, and for trees
    with extension or expansion nodes; `OptionError` for an address of no loop.
    """
    require_own_instances(schedule, "hexagonal tiling")
    tiler = _HexagonalTiler(options or HexagonalOptions(), dependences)
    start = start_at(schedule, dependences, tiler.options.loop, "hexagonal tiling")
    result = tiler.visit(start).get_schedule()
    if not tiler.tiled:
        reasons = tiler.refused or ["there is no nest of a time loop and a loop in space"]
        return Outcome(schedule, (), (f"nothing was tiled: {summary(reasons)}",))
    what, missed = "hexagonal tiling", tiler.refused
    return settled(schedule, result, dependences, what, tiler.tiled, missed)


class NoHexagonsError(Exception):
    """Why a nest cannot be tiled by hexagons, in words."""


class TimeSteps(NamedTuple):
    """Statement S runs in the time step `multiple` t + `constants[S]` in iteration t of a loop."""

    multiple: int
    constants: Mapping[str, int]

    def of(self, time: Member) -> Member:
        """The time steps of the instances, where `time` is the loop."""
        scale = isl.Val(self.multiple)
        return {
            name: function.scale_val(scale).add_constant_val(isl.Val(self.constants[name]))
            for name, function in time.items()
        }


class Slopes(NamedTuple):
    """The least and the greatest distance along a loop for each time step that it takes."""

    low: Fraction
    high: Fraction

    @property
    def middle(self) -> Fraction:
        """How fast the middle of what an instance depends on moves along the loop."""
        return (self.low + self.high) / 2


class _Nest(NamedTuple):
    """The loops of `bands` bands that are directly inside each other."""

    bands: int
    loops: tuple[LoopMember, ...]
    members: tuple[Member, ...]
    name: str


def _nest_from(band: isl.ScheduleNode) -> _Nest:
    """A band of several loops, or a loop and the bands directly inside it."""
    bands = [band]
    while band.band_n_member() == 1 and node_type(bands[-1].child(0)) is BAND:
        bands.append(bands[-1].child(0))
    loops = tuple(loop for each in bands for loop in loop_members(each))
    members = tuple(member for each in bands for member in members_of(each))
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

    def visit(self, node: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tree from `node` down, tiled."""
        if node_type(node) is not BAND or runs_over_tiles(node):
            return mapped_children(node, self.visit)
        nest = _nest_from(node)
        if len(nest.loops) < 2:
            return mapped_children(node, self.visit)
        try:
            return self._tile(node, nest)
        except NoHexagonsError as error:
            self.refused.append(str(error))
            return mapped_children(node, self.visit)

    def _tile(self, band: isl.ScheduleNode, nest: _Nest) -> isl.ScheduleNode:
        if band.is_subtree_anchored():
            raise NoHexagonsError(anchored(band))
        actives = active_at(band, self._dependences)
        steps = time_steps(actives, nest.members, nest.name)
        time = steps.of(nest.members[0])
        slopes = (_slopes(actives, time, nest, loop) for loop in range(1, len(nest.loops)))
        tiling = _Tiling(nest, steps, tuple(slopes), self.options)
        least = tiling.hexagons.least_width
        if self.options.width < least:
            raise NoHexagonsError(
                f"hexagons of width {self.options.width} are too narrow for {nest.name}: with "
                f"height={self.options.height}, the width must be {least} or more"
            )
        self.tiled.append(tiling.in_words())
        return tiling.inserted(band)


_ZERO = Fraction(0)


def time_steps(actives: Sequence[Active], members: Sequence[Member], name: str) -> TimeSteps:
    """The coarsest time steps along the first member with which each dependence takes one or more.

    Dependences between instances that all members place at the same time need not take any. The
    constants are longest paths: a dependence from S to T with the least distance d along the
    first member asks for c_T >= c_S + 1 - multiple d.

    Raises `NoHexagonsError` for the nest `name` if the first member carries no dependence, and if
    dependences within one of its iterations are cyclic.
    """
    first = members[0]
    if all(forward(active, first).is_empty() for active in actives):
        raise NoHexagonsError(f"loop 1 of {name} carries no dependence, so it is not a time loop")
    edges = [edge for active in actives for edge in _edges(active, members)]
    for multiple in range(1, len(first) + 1):
        constants = _longest_paths(first, edges, multiple)
        if constants is not None:
            return TimeSteps(multiple, constants)
    obstacle = _cyclic(edges, members)
    raise NoHexagonsError(
        f"{name} cannot run in time steps of independent instances: within an iteration of loop 1, "
        f"{obstacle}"
    )


class _Edge(NamedTuple):
    """Pairs of a dependence that take `steps` time steps or more; `distance` is their least one."""

    active: Active
    distance: int
    steps: int

    @property
    def source(self) -> str:
        return self.active.dependence.source

    @property
    def target(self) -> str:
        return self.active.dependence.target


def _edges(active: Active, members: Sequence[Member]) -> list[_Edge]:
    source, target = active.dependence.source, active.dependence.target
    equal = (member[source].eq_map(member[target]) for member in members)
    same = reduce(isl.Map.intersect, equal, active.relation)
    apart = active.relation.subtract(same)
    edges: list[_Edge] = []
    if not same.is_empty():
        edges.append(_Edge(replace(active, relation=same), 0, 0))
    if not apart.is_empty():
        moved = replace(active, relation=apart)
        least = _distances(moved, members[:1]).min_val(isl.Aff("{ [d] -> [d] }"))
        edges.append(_Edge(moved, int(least.to_python()), 1))
    return edges


def _distances(active: Active, members: Sequence[Member]) -> isl.Set:
    """`{ [d_1, ...] }`: the distances of the pairs along the members, for all parameters."""

    def positions(name: str) -> isl.Map:
        maps = (isl.Map.from_pw_aff(member[name]) for member in members)
        return reduce(isl.Map.flat_range_product, maps)

    source, target = active.dependence.source, active.dependence.target
    moves = active.relation.apply_domain(positions(source)).apply_range(positions(target)).deltas()
    return moves.project_out(isl.dim_type.param, 0, moves.dim(isl.dim_type.param))


def _longest_paths(
    names: Iterable[str], edges: Sequence[_Edge], multiple: int
) -> dict[str, int] | None:
    """The least constants, none negative, that do what `edges` ask for; `None` if nothing does."""
    constants = dict.fromkeys(names, 0)
    for _ in range(len(constants) + 1):
        before = dict(constants)
        for edge in edges:
            wanted = constants[edge.source] + edge.steps - multiple * edge.distance
            constants[edge.target] = max(constants[edge.target], wanted)
        if constants == before:
            return constants
    return None


def _cyclic(edges: Sequence[_Edge], members: Sequence[Member]) -> Obstacle:
    """A dependence within an iteration of the first member that is part of a cycle of these."""
    within = [edge for edge in edges if edge.distance == 0]
    for edge in within:
        reached = {edge.target}
        for _ in within:
            reached |= {other.target for other in within if other.source in reached}
        if edge.steps and edge.source in reached:
            same = members[0][edge.source].eq_map(members[0][edge.target])
            relation = edge.active.relation.intersect(same)
            return Obstacle(edge.active.dependence, relation, members)
    raise AssertionError("there are time steps unless dependences in an iteration are cyclic")


def _slopes(actives: Sequence[Active], time: Member, nest: _Nest, loop: int) -> Slopes:
    """The exact slopes along a loop; raises `NoHexagonsError` if there are none."""
    lows: list[Fraction] = []
    highs: list[Fraction] = []
    for active in actives:
        moves = _distances(active, (time, nest.members[loop])).subtract(isl.Set("{ [0, 0] }"))
        if moves.is_empty():
            continue
        low, high = _least_multiple(moves, 1), _least_multiple(moves, -1)
        if low is None or high is None:
            obstacle = Obstacle(active.dependence, active.relation, nest.members)
            raise NoHexagonsError(
                f"{nest.name} is not a stencil: no multiple of the distance in time bounds the "
                f"distance along loop {loop + 1}: {obstacle}"
            )
        lows.append(-low)
        highs.append(high)
    return Slopes(min(lows), max(highs))


def _least_multiple(moves: isl.Set, sign: int) -> Fraction | None:
    """The least c such that c dt + `sign` dx >= 0 for all (dt, dx) of `moves`; all dt are positive.

    `None` if there is none. It is a bound of a slice of the cone of coefficients of all constraints
    that `moves` satisfy.
    """
    cone = moves.remove_divs().coefficients().flatten()
    slice_ = cone.fix_val(isl.dim_type.set, 0, isl.Val(0)).fix_val(
        isl.dim_type.set, 2, isl.Val(sign)
    )
    if slice_.is_empty():
        return None
    multiples = slice_.project_out(isl.dim_type.set, 2, 1).project_out(isl.dim_type.set, 0, 1)
    found: list[Fraction] = []
    for constraint in multiples.get_constraints():
        factor = int(constraint.get_coefficient_val(isl.dim_type.set, 0).to_python())
        if factor:
            found.append(Fraction(-int(constraint.get_constant_val().to_python()), factor))
    return max(found)


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

    def inserted(self, band: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tiles and their points in the place of the nest that begins with `band`."""
        filters = self._filters(band)
        node = band
        for _ in range(self.nest.bands):
            node = node.delete()
        time, *space = self.nest.loops
        node = insert_band(node, self._points(space))
        if filters.n_union_set() > 1:
            node = node.insert_sequence(filters)
        node = insert_band(node, [replace(time, kind=isl.ast_loop_type.atomic)])
        if self.sizes:
            node = insert_band(node, self._tiles(space))
        for function in (self.hexagons.position(), self.hexagons.wave()):
            values = _union(_composed(function, self._plane))
            node = insert_band(node, [LoopMember(values, kind=isl.ast_loop_type.atomic)])
        return node

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

    def _filters(self, band: isl.ScheduleNode) -> isl.UnionSetList:
        """The statements of each time step of an iteration, the first ones first."""
        levels: dict[int, isl.UnionSet] = {}
        for instances in sets_of(band.get_universe_domain()):
            level = self.steps.constants[instances.get_tuple_name()]
            known = levels.get(level, isl.UnionSet("{ }"))
            levels[level] = known.union(isl.UnionSet.from_set(instances))
        filters = isl.UnionSetList.alloc(isl.DEFAULT_CONTEXT, len(levels))
        return reduce(isl.UnionSetList.add, (levels[level] for level in sorted(levels)), filters)

    def _points(self, space: Sequence[LoopMember]) -> list[LoopMember]:
        """The loops over the points of a time step, which move with time as little as may be."""
        points: list[LoopMember] = []
        numbers = range(1, len(self.nest.members))
        for number, loop, slopes in zip(numbers, space, self.slopes, strict=True):
            middle = slopes.middle
            still = isl.PwAff(
                f"{{ [t, x] -> [x + floor(({-middle.numerator}*t)/{middle.denominator})] }}"
            )
            values = _composed(still, (self._time, self.nest.members[number]))
            _, inner = cut(loop.attributes)
            points.append(replace(loop, function=_union(values), attributes=inner))
        return points

    def _tiles(self, space: Sequence[LoopMember]) -> list[LoopMember]:
        """The loops over parallelograms: along x - low t, from where its middle is in the wave."""
        flat = isl.MultiAff("{ [t, s, x] -> [t, s] }")
        wave = self.hexagons.wave().pullback_multi_aff(flat)
        tiles: list[LoopMember] = []
        numbers = range(2, len(self.nest.members))
        for number, loop, slopes, size in zip(
            numbers, space[1:], self.slopes[1:], self.sizes, strict=True
        ):
            low, speed = slopes.low, slopes.middle - slopes.low
            skewed = isl.PwAff(
                f"{{ [t, s, x] -> [({low.denominator}*x - {low.numerator}*t)/{low.denominator}] }}"
            )
            start = wave.scale_val(isl.Val(str(speed * self.options.height))).floor()
            values = _composed(skewed.sub(start), (*self._plane, self.nest.members[number]))
            outer, _ = cut(loop.attributes)
            tiles.append(LoopMember(tile_values(_union(values), size), attributes=outer))
        return tiles


def _composed(function: isl.PwAff, arguments: Sequence[Member]) -> Member:
    """The member that is `function` of other members."""

    def values(name: str) -> isl.PwMultiAff:
        parts = (isl.PwMultiAff.from_pw_aff(argument[name]) for argument in arguments)
        return reduce(isl.PwMultiAff.flat_range_product, parts)

    return {name: function.pullback_pw_multi_aff(values(name)).coalesce() for name in arguments[0]}


def _union(member: Member) -> isl.UnionPwAff:
    return reduce(isl.UnionPwAff.union_add, map(isl.UnionPwAff.from_pw_aff, member.values()))
