"""Full tiles apart from partial ones, so that their point loops have constant bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.isl_lists import maps_of, sets_of
from polyir.model.leaves import leaves
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.tree import node_type
from polyir.transform.address import Address
from polyir.transform.members import set_loop_kinds
from polyir.transform.nests import band_from
from polyir.transform.tile import runs_over_tiles
from polyir.transform.walk import (
    BAND,
    MARK,
    below_marks,
    describe_band,
    map_children,
    require_own_instances,
    summary,
)

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
    loop: Address | None = None


def separate_full_tiles(
    schedule: isl.Schedule,
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

    Raises `LegalityError` for trees with extension or expansion nodes, and for trees that
    violate a dependence before; `OptionError` for an address of no loop.
    """
    require_own_instances(schedule, "the separation of full tiles")
    options = options or FullTileOptions()
    separator = _Separator(context, _KINDS[options.points])
    start = schedule.get_root()
    if options.loop is not None:
        start = band_from(schedule, options.loop, "the separation of full tiles")
    result = separator.visit(start).get_schedule()
    if not separator.done:
        reasons = separator.missed or ["there is no band of tile loops"]
        return Outcome(schedule, (), (f"no full tiles were separated: {summary(reasons)}",))
    require_legal(dependences, result, "the separation of full tiles")
    return Outcome(result, tuple(separator.done), tuple(separator.missed))


class _Separator:
    """Separates the full tiles of one tree and notes what it did."""

    def __init__(self, context: isl.Set, points: isl.ast_loop_type) -> None:
        self.done: list[str] = []
        self.missed: list[str] = []
        self._context = context
        self._points = points

    def visit(self, node: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tree from `node` down with its full tiles separated."""
        if node_type(node) is not BAND or not runs_over_tiles(node):
            return map_children(node, self.visit)
        points, name = below_marks(node.child(0)), describe_band(node)
        if node_type(points) is BAND and runs_over_tiles(points):
            return map_children(node, self.visit)
        if node.is_subtree_anchored():
            self.missed.append(f"AST options at or below {name} name loops around it")
            return node
        classes = full_tiles(node, self._context)
        if not classes:
            self.missed.append(f"no tile of {name} is ever full")
            return node
        kinds = f" of {len(classes)} kinds" if len(classes) > 1 else ""
        self.done.append(f"full tiles{kinds} of {name} have point loops of their own")
        return self._separate(node, classes)

    def _separate(self, tiles: isl.ScheduleNode, classes: tuple[isl.Set, ...]) -> isl.ScheduleNode:
        """`tiles` with its points apart that are in each class of full tiles."""
        points = _with_kind(tiles.child(0), self._points)
        place = points.get_prefix_schedule_union_map()
        instances = points.get_domain().intersect_params(self._context)
        rest = instances
        depth = points.get_tree_depth()
        for part in classes:
            chosen = place.intersect_range(isl.UnionSet.from_set(part)).intersect_domain(instances)
            rest = rest.subtract(chosen.domain())
            if rest.is_empty():
                # Every tile is full: the last class needs no filter.
                break
            points = points.order_before(chosen.domain().coalesce().gist(instances))
        return points.ancestor(points.get_tree_depth() - depth + 1)


_MOST_CLASSES = 4
"""How many classes of full tiles get code of their own; further ones share that of the rest."""


def full_tiles(tiles: isl.ScheduleNode, context: isl.Set) -> tuple[isl.Set, ...]:
    """`{ [o, t] }`, with the loops around: the full tiles of a band of tile loops in classes.

    Full are tiles with points, without any statement that has some points there and lacks
    others. Which points a tile could have is read from the tile loops, taken as functions of
    all points; loops within a tile that do not decide on the tile may have any bounds. The
    tiles of a class have points of the same statements.
    """
    first, depth = tiles.get_schedule_depth(), _depth_below(tiles)
    all_tiles: list[isl.Set] = []
    partial_tiles: list[isl.Set] = []
    for domain, schedule in _statements_below(tiles):
        dates = _deciding_loops(schedule, first, depth)
        present = dates.intersect_range(dates.intersect_domain(domain).range()).domain()
        missing = isl.Set.from_basic_set(domain.affine_hull()).subtract(present)
        place = dates.project_out(isl.dim_type.out, depth, dates.dim(isl.dim_type.out) - depth)
        used = place.intersect_domain(domain.intersect_params(context)).range().coalesce()
        all_tiles.append(used)
        partial_tiles.append(used.intersect(place.intersect_domain(missing).range()))
    full = reduce(isl.Set.union, all_tiles).subtract(reduce(isl.Set.union, partial_tiles))
    return _classes(full, all_tiles)[:_MOST_CLASSES]


def _classes(full: isl.Set, used: Sequence[isl.Set]) -> tuple[isl.Set, ...]:
    """`full` in parts that are each in or apart from each of the sets `used`."""
    parts = [full]
    for tiles in used:
        both = ((part.intersect(tiles), part.subtract(tiles)) for part in parts)
        parts = [part.coalesce() for split in both for part in split if not part.is_empty()]
    return tuple(part for part in parts if not part.is_empty())


def _depth_below(band: isl.ScheduleNode) -> int:
    return band.get_schedule_depth() + band.band_n_member()


def _statements_below(tiles: isl.ScheduleNode) -> Iterator[tuple[isl.Set, isl.Map]]:
    """For each leaf, each statement: its instances there, and `{ S[i] -> [all members] }`.

    The second is not restricted to the instances, as far as the tree does not do it.
    """
    for leaf in leaves(tiles):
        schedule = leaf.get_prefix_schedule_multi_union_pw_aff()
        functions = isl.UnionMap.from_multi_union_pw_aff(schedule)
        for domain in sets_of(leaf.get_domain()):
            (dates,) = maps_of(functions.intersect_domain(_universe(domain)))
            yield domain, dates


def _universe(domain: isl.Set) -> isl.UnionSet:
    return isl.UnionSet.from_set(isl.Set.universe(domain.get_space()))


def _deciding_loops(schedule: isl.Map, first: int, depth: int) -> isl.Map:
    """`schedule` without the point loops that do not decide on the tile.

    Tile loops are the members from `first` up to `depth`, point loops those from there on.
    """
    for member in reversed(range(depth, schedule.dim(isl.dim_type.out))):
        others = schedule.project_out(isl.dim_type.out, member, 1)
        points = others.project_out(isl.dim_type.out, first, depth - first)
        if points.reverse().apply_range(others).is_single_valued():
            schedule = others
    return schedule


def _with_kind(node: isl.ScheduleNode, kind: isl.ast_loop_type) -> isl.ScheduleNode:
    """`node` with this kind for all loops of the bands from it down, directly inside each other."""
    if node_type(node) is BAND:
        node = set_loop_kinds(node, (kind,) * node.band_n_member())
    elif node_type(node) is not MARK:
        return node
    return _with_kind(node.child(0), kind).parent()
