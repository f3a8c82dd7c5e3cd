"""Diamond tiling: tiles of a stencil of which a whole wavefront can start at once.

Bandishti, Pananilath, Bondhugula: Tiling stencil computations to maximize parallelism (SC 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.proofs.bands import Obstacle, active_at
from polyir.sets.boxes import greatest_of
from polyir.sets.lists import sets_of
from polyir.sets.values import isl_value
from polyir.transform.bands import Degrees, anchored, degrees_of_band, start_at, too_few_degrees
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.tile import insert_tiles, runs_over_tiles
from polyir.transform.walk import BAND, because, no_permutable_band, summary
from polyir.tree import BandMember, Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import LoopAddress
from polyir.tree.names import describe_band
from polyir.tree.order import Active, Member


@dataclass(frozen=True)
class DiamondOptions:
    """Tiles of `size` along every hyperplane, concurrent in `degrees` dimensions.

    With `loop`, the outermost bands from that loop on are tiled, and no others.

    Raises `OptionError` where the size is less than 2 or the degrees are less than 1.
    """

    size: int
    degrees: Degrees = "all"
    loop: LoopAddress | None = None

    def __post_init__(self) -> None:
        if self.size < 2:
            raise OptionError(f"size must be 2 or more: size={self.size}")
        if self.degrees != "all" and self.degrees < 1:
            raise OptionError(f"degrees must be 1 or more, or all: degrees={self.degrees}")


def diamond_tile(schedule: Schedule, dependences: Dependences, options: DiamondOptions) -> Outcome:
    """Tile each permutable band without parallel loops so that its tiles start concurrently.

    Let f be a loop of the band, the face from which the tiles are to start, and g_1, ..., g_m
    others of its loops, m the degrees. Tiles are cut along the other loops and, in the place
    of f, along

        h = a f - g_1 - ... - g_m

    with the least a for which h, like the g_k, goes back along no dependence; each statement
    gets the constant that this takes. Then a f = h + g_1 + ... + g_m is in the interior of the
    cone of the tiles' hyperplanes (op. cit., theorem 3): a wavefront of tiles, all those with
    one sum of positions, is parallel to the face, and has all its tiles from the first on. For
    a stencil in one dimension, of which Pluto makes the band [t, t + i]:

        band [t, t + i]    =>    band [32 floor((t - i) / 32), 32 floor((t + i) / 32)]
                                   band [t, t + i]

    Within a tile the loops keep their order, as Pluto does it too: simpler loops than h gives.
    `wavefront` then makes the tiles parallel.

    Bands with a coincident loop are already parallel and are not tiled. Raises
    `LegalityError` if the result violates a dependence, which tells of a band that was wrongly
    called permutable; `OptionError` for an
    address of no loop.
    """
    tiler = _DiamondTiler(options, dependences)
    start = start_at(schedule, dependences, options.loop, "diamond tiling")
    result = tiler.visit(start).schedule
    if not tiler.tiled:
        reasons = tiler.refused or [no_permutable_band(start.schedule, dependences)]
        return Outcome(schedule, (), (f"nothing was tiled: {summary(reasons)}",), name="not-tiled")
    what, missed = "diamond tiling", tiler.refused
    return settled(
        schedule, result, dependences, what, tiler.tiled, missed, False, name="not-tiled"
    )


class _Hyperplane(NamedTuple):
    """`multiple` times the face minus its neighbours, and a constant a statement."""

    multiple: int
    constants: Mapping[str, int]


class _DiamondTiler:
    """Tiles the bands of one tree and notes what it did."""

    def __init__(self, options: DiamondOptions, dependences: Dependences) -> None:
        self.tiled: list[str] = []
        self.refused: list[str] = []
        self._options = options
        self._dependences = dependences

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down, tiled."""
        if not self._is_candidate(node):
            return mapped_children(node, self.visit)
        tiles = self._tile(node)
        if tiles is None:
            return mapped_children(node, self.visit)
        return mapped_children(tiles.child(0), self.visit).parent()

    def _is_candidate(self, node: ScheduleNode) -> bool:
        if node.kind is not BAND or len(node.members) < 2 or runs_over_tiles(node):
            return False
        name, flags = describe_band(node), node.coincident
        if not node.permutable:
            self.refused.append(f"{name} is not permutable{because(node, self._dependences)}")
        elif any(flags):
            self.refused.append(f"loop {flags.index(True) + 1} of {name} is already parallel")
        elif node.is_subtree_anchored:
            self.refused.append(anchored(node))
        else:
            return True
        return False

    def _tile(self, band: ScheduleNode) -> ScheduleNode | None:
        members, name = band.band.functions_by_statement, describe_band(band)
        wanted = self._options.degrees
        degrees = degrees_of_band(len(members), wanted)
        if wanted != "all" and degrees < wanted:
            self.refused.append(too_few_degrees(name, degrees, wanted))
        actives = active_at(band, self._dependences)
        for face in range(len(members)):
            order = (face, *(other for other in range(len(members)) if other != face))
            sides = [members[position] for position in order[1 : degrees + 1]]
            found = concurrent_hyperplane(actives, members[face], sides)
            if found is not None:
                self.tiled.append(
                    f"tiled {name} by {self._options.size}: tiles along loop {face + 1} start "
                    f"concurrently in {degrees} dimension{'s' if degrees > 1 else ''}"
                )
                return self._insert(band, order, degrees, found)
        because = _obstacle(actives, members)
        self.refused.append(f"tiles of {name} cannot start concurrently along any loop{because}")
        return None

    def _insert(
        self, band: ScheduleNode, order: Sequence[int], degrees: int, found: _Hyperplane
    ) -> ScheduleNode:
        members = [band.members[position] for position in order]
        sides = [member.function for member in members[1 : degrees + 1]]
        multiple = members[0].function.scale_val(isl_value(found.multiple))
        diagonal = reduce(isl.UnionPwAff.sub, sides, multiple)
        diagonal = diagonal.add(_constants(band, found.constants))
        # The loops along the sides are cut; the one along the diagonal is a combination.
        blocks = [BandMember(diagonal)]
        points = list(band.loop_attributes)
        for position, member in zip(order[1:], members[1:], strict=True):
            outer, points[position] = cut(member.attributes)
            blocks.append(BandMember(member.function, attributes=outer))
        sizes = (self._options.size,) * len(members)
        return insert_tiles(band.with_loop_attributes(points), blocks, sizes, permutable=True)


def concurrent_hyperplane(
    actives: Sequence[Active], face: Member, sides: Sequence[Member]
) -> _Hyperplane | None:
    """The least multiple of `face` that stays legal when all `sides` are subtracted from it.

    `None` if there is none; exact for dependences with bounded distances, otherwise multiples
    up to 64 are tried.
    """
    moves = [_moves(active, face, sides) for active in actives]
    names = tuple(dict.fromkeys(face))
    high = max([_STEEPEST, *(len(names) * _greatest(move.set) for move in moves)])
    best = _constants_for(names, moves, high)
    if best is None:
        return None
    low = 0
    while high - low > 1:
        # The distances along the face are not negative: with one multiple all larger ones hold.
        middle = (low + high) // 2
        constants = _constants_for(names, moves, middle)
        if constants is None:
            low = middle
        else:
            high, best = middle, constants
    return _Hyperplane(high, best)


_STEEPEST = 64
"""The least bound on the multiple of a face."""


class _Moves(NamedTuple):
    """`{ [x, y] }`: the distances of a dependence along the face, and along all sides."""

    source: str
    target: str
    set: isl.Set


def _moves(active: Active, face: Member, sides: Sequence[Member]) -> _Moves:
    def positions(name: str) -> isl.Map:
        total = reduce(isl.PwAff.add, (side[name] for side in sides))
        return isl.Map.from_pw_aff(face[name]).flat_range_product(isl.Map.from_pw_aff(total))

    source, target = active.dependence.source, active.dependence.target
    relation = active.relation.apply_domain(positions(source)).apply_range(positions(target))
    moves = relation.deltas()
    return _Moves(
        source, target, moves.project_out(isl.dim_type.param, 0, moves.dim(isl.dim_type.param))
    )


def _greatest(moves: isl.Set) -> int:
    """The greatest distance along the sides; 0 if there is no bound."""
    return greatest_of(moves, 1) or 0


def _constants_for(
    names: Sequence[str], moves: Sequence[_Moves], multiple: int
) -> dict[str, int] | None:
    """The least constants, none negative, that keep the hyperplane from going back.

    They are longest paths: a dependence from S to T whose distance is w at least without the
    constants c asks for c_T >= c_S - w. `None` where there are none.
    """
    distance = isl.Aff(f"{{ [x, y] -> [({multiple}x - y)] }}")
    edges: list[tuple[str, str, int]] = []
    for move in moves:
        least = move.set.min_val(distance)
        if not least.is_int():
            return None
        edges.append((move.source, move.target, -int(least.to_python())))
    constants = dict.fromkeys(names, 0)
    for _ in range(len(names) + 1):
        before = dict(constants)
        for source, target, least_difference in edges:
            wanted = constants[source] + least_difference
            constants[target] = max(constants[target], wanted)
        if constants == before:
            return constants
    return None


def _constants(band: ScheduleNode, constants: Mapping[str, int]) -> isl.UnionPwAff:
    """The function that is `constants[S]` for the instances of S that reach `band`."""
    parts = [
        isl.UnionPwAff.val_on_domain(
            isl.UnionSet.from_set(instances), isl_value(constants[instances.get_tuple_name()])
        )
        for instances in sets_of(band.universe_domain)
    ]
    return reduce(isl.UnionPwAff.union_add, parts)


def _obstacle(actives: Sequence[Active], members: Sequence[Member]) -> str:
    """The first dependence that runs along the face if that is the first loop."""
    for active in actives:
        source, target = active.dependence.source, active.dependence.target
        same = members[0][source].eq_map(members[0][target])
        relation = active.relation.intersect(same)
        if not relation.is_empty():
            return f": {Obstacle(active.dependence, relation, members)}"
    return ""
