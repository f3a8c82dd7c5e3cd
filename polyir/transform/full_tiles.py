"""Full tiles apart from partial ones, so that their point loops have constant bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.tree_loops import leaves
from polyir.sets.lists import basic_sets_of, maps_of, sets_of
from polyir.sets.maps import universe
from polyir.transform.bands import anchored, band_from
from polyir.transform.loop_attributes import settled
from polyir.transform.tile import runs_over_tiles
from polyir.transform.walk import BAND, MARK, below_marks, summary
from polyir.tree import Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import LoopAddress
from polyir.tree.names import describe_band

LoopKind = Literal["atomic", "default", "separate"]
"""isl's loop kinds: one loop with guards inside, isl's choice, loops without guards."""

_KINDS: dict[LoopKind, isl.ast_loop_type] = {
    "atomic": isl.ast_loop_type.atomic,
    "default": isl.ast_loop_type.default,
    "separate": isl.ast_loop_type.separate,
}


@dataclass(frozen=True)
class FullTileOptions:
    """The kind of the point loops, and the loop from which on tiles are separated, or all."""

    points: LoopKind = "default"
    loop: LoopAddress | None = None


def separate_full_tiles(
    schedule: Schedule,
    dependences: Dependences,
    context: isl.Set,
    options: FullTileOptions | None = None,
) -> Outcome:
    """Give the full tiles of each innermost band of tile loops point loops of their own.

    A tile is full if the statements with points in it have all points there that a tile can
    have. Its point loops then need no minimum, maximum, or guard:

        band [ti, tj]    =>    band [ti, tj]
          band [i, j]            sequence
                                   filter: the points of full tiles
                                     band [i, j]
                                   filter: the points of all others
                                     band [i, j]

    All points of a tile are in one filter, so that their order stays as it is, and the tile
    loops, parallel or not, stay too. Full tiles with different statements in them are told
    apart, so that a guard does not come back for a statement. The point loops are of the kind
    `options.points`, which matters to partial tiles. Compare isl's `isolate` option, which does
    the same for one convex set of tiles: Grosser, Verdoolaege, Cohen: "Polyhedral AST generation
    is more than scanning polyhedra" (TOPLAS 2015), section 5.

    Raises `LegalityError` for trees that violate a dependence before; `OptionError` for an address
    of no loop.
    """
    options = options or FullTileOptions()
    separator = _Separator(context, _KINDS[options.points])
    start = schedule.root
    if options.loop is not None:
        start = band_from(schedule, options.loop, "the separation of full tiles")
    result = separator.visit(start).schedule
    if not separator.done:
        reasons = separator.missed or ["there is no band of tile loops"]
        return Outcome(
            schedule, (), (f"no full tiles were separated: {summary(reasons)}",), name="not-tiled"
        )
    what, done, missed = "the separation of full tiles", separator.done, separator.missed
    return settled(schedule, result, dependences, what, done, missed, exact_flags=False)


class _Separator:
    """Separates the full tiles of one tree and notes what it did."""

    def __init__(self, context: isl.Set, points: isl.ast_loop_type) -> None:
        self.done: list[str] = []
        self.missed: list[str] = []
        self._context = context
        self._points = points

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down with its full tiles separated."""
        if node.kind is not BAND or not runs_over_tiles(node):
            return mapped_children(node, self.visit)
        points, name = below_marks(node.child(0)), describe_band(node)
        if points.kind is BAND and runs_over_tiles(points):
            return mapped_children(node, self.visit)
        if node.is_subtree_anchored:
            self.missed.append(anchored(node))
            return node
        classes = full_tiles(node, self._context)
        if not classes:
            self.missed.append(f"{name} has no full tiles")
            return node
        kinds = f" of {len(classes)} kinds" if len(classes) > 1 else ""
        self.done.append(f"separated full tiles{kinds} of {name} from partial tiles")
        return self._separate(node, classes)

    def _separate(self, tiles: ScheduleNode, classes: tuple[isl.Set, ...]) -> ScheduleNode:
        """`tiles` with its points apart that are in each class of full tiles."""
        points = _with_kind(tiles.child(0), self._points)
        place = points.prefix_schedule
        instances = points.domain.intersect_params(self._context)
        rest = instances
        depth = points.tree_depth
        for part in classes:
            chosen = place.intersect_range(isl.UnionSet.from_set(part)).intersect_domain(instances)
            rest = rest.subtract(chosen.domain())
            if rest.is_empty():
                # Every tile is full: the last class needs no filter.
                break
            points = points.order_before(chosen.domain().coalesce().gist(instances))
        return points.ancestor(points.tree_depth - depth + 1)


_MOST_CLASSES = 4
"""How many classes of full tiles get code of their own; further ones share that of the rest."""


def full_tiles(tiles: ScheduleNode, context: isl.Set) -> tuple[isl.Set, ...]:
    """`{ [o, t] }`, with the loops around: the full tiles of a band of tile loops in classes.

    Full are tiles with points, without any statement that has some points there and lacks
    others. Which points a tile could have is read from the tile loops, taken as functions of
    all points; loops within a tile that do not decide on the tile may have any bounds. The
    tiles of a class have points of the same statements.

    What a tile touches is decided on its rational points. So a tile that the border of a
    domain cuts between two integer points may be missing here, which costs a little speed;
    exact projections of diamonds would cost isl minutes, and their loops many guards.
    """
    first, depth = tiles.schedule_depth, tiles.schedule_depth + len(tiles.members)
    all_tiles: list[isl.Set] = []
    partial_tiles: list[isl.Set] = []
    for domain, schedule in _statements_below(tiles):
        point_loops = schedule.dim(isl.dim_type.out) - depth
        place = schedule.project_out(isl.dim_type.out, depth, point_loops)
        missing = _missing(domain, _deciding_loops(schedule, place, first))
        domain = domain.intersect_params(context)
        used = _touched(place, domain).intersect(_lattice(place, domain))
        all_tiles.append(used.coalesce())
        partial_tiles.append(used.intersect(_touched(place, missing)).coalesce())
    full = reduce(isl.Set.union, all_tiles).subtract(reduce(isl.Set.union, partial_tiles))
    return _classes(full.coalesce(), all_tiles)[:_MOST_CLASSES]


def _missing(domain: isl.Set, points: isl.Map) -> isl.Set:
    """What is not in `domain`, nor at one date with a part of it, but in its affine hull."""
    present = points.intersect_range(points.intersect_domain(domain).range()).domain().coalesce()
    hull = isl.Set.from_basic_set(domain.affine_hull())
    pieces = basic_sets_of(present)
    if len(pieces) != 1 or present.involves_locals():
        return hull.subtract(present)
    # Face by face, so that each part says no more than what is beyond its face.
    faces = [each for each in pieces[0].get_constraints() if not each.is_equality()]
    beyond = [isl.Set.from_basic_set(isl.BasicSet.from_constraint(each.negate())) for each in faces]
    return reduce(isl.Set.union, beyond, isl.Set.empty(hull.get_space())).intersect(hull)


def _touched(place: isl.Map, instances: isl.Set) -> isl.Set:
    """The places with a rational point of `instances`, among others that are not places."""
    return place.intersect_domain(instances).range().remove_divs()


def _lattice(place: isl.Map, instances: isl.Set) -> isl.Set:
    """All that has the strides of the places of `instances`."""
    return isl.Set.from_basic_set(place.intersect_domain(instances).range().affine_hull())


def _classes(full: isl.Set, used: Sequence[isl.Set]) -> tuple[isl.Set, ...]:
    """`full` in parts that are each in or apart from each of the sets `used`."""
    parts = [full]
    for tiles in used:
        both = ((part.intersect(tiles), part.subtract(tiles)) for part in parts)
        parts = [part.coalesce() for split in both for part in split if not part.is_empty()]
    return tuple(part for part in parts if not part.is_empty())


def _statements_below(tiles: ScheduleNode) -> Iterator[tuple[isl.Set, isl.Map]]:
    """For each leaf, each statement: its instances there, and `{ S[i] -> [all members] }`.

    The second is not restricted to the instances, as far as the tree does not do it.
    """
    for leaf in leaves(tiles):
        schedule = leaf.prefix_functions
        functions = isl.UnionMap.from_multi_union_pw_aff(schedule)
        for domain in sets_of(leaf.domain):
            (dates,) = maps_of(functions.intersect_domain(universe(domain.get_space())))
            yield domain, dates


def _deciding_loops(schedule: isl.Map, place: isl.Map, first: int) -> isl.Map:
    """`schedule` without the tile loops, and without all others that do not decide on the tile.

    `place` are the loops around and the tile loops, these from `first` on. Left out are loops
    around that the point loops decide on, as those over wavefronts of tiles, and point loops.
    """
    kind = isl.dim_type.out
    inner = schedule.dim(kind) - place.dim(kind)
    points = schedule.project_out(kind, first, place.dim(kind) - first)
    # Those around go first: a point loop that decides on a wavefront decides on its tiles.
    points = _without_idle(points, place, range(first))
    return _without_idle(points, place, range(points.dim(kind) - inner, points.dim(kind)))


def _without_idle(loops: isl.Map, place: isl.Map, members: range) -> isl.Map:
    """`loops` without those of `members` without which the others decide on `place` too."""
    for member in reversed(members):
        others = loops.project_out(isl.dim_type.out, member, 1)
        if others.reverse().apply_range(place).is_single_valued():
            loops = others
    return loops


def _with_kind(node: ScheduleNode, kind: isl.ast_loop_type) -> ScheduleNode:
    """`node` with this kind for all loops of the bands from it down, directly inside each other."""
    if node.kind is BAND:
        for member in range(len(node.members)):
            node = node.with_member(member, kind=kind)
    elif node.kind is not MARK:
        return node
    return _with_kind(node.child(0), kind).parent()
