"""Point loops of their own for the statements of a tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.proofs.bands import active_at, merge_below
from polyir.sets.lists import sets_of, union_set
from polyir.transform.bands import replace_band
from polyir.transform.tile import is_within_tiles, runs_over_tiles
from polyir.transform.walk import MARK
from polyir.tree import Kind, ScheduleNode
from polyir.tree.order import Active, across_children, below, still_active

SEQUENCE = Kind.SEQUENCE
FILTER = Kind.FILTER


@dataclass(frozen=True)
class PointDistribution:
    """How the parts below a band can have loops of their own: the loops that stay common.

    `common` are members of the band, which come first then; `order` are the children of the
    sequence below, in an order in which each can do all of its iterations of the other loops.
    """

    common: tuple[int, ...]
    order: tuple[int, ...]

    def apply(
        self,
        band: ScheduleNode,
        dependences: Dependences,
        visit: Callable[[ScheduleNode], ScheduleNode],
    ) -> ScheduleNode:
        """`band` as the common loops around a sequence; a node in it that is not above `band`.

        `visit` rewrites the other loops, of each part. isl makes one sequence of two that are right
        inside each other, so that a sequence around `band` takes in the parts where no loop is
        common.
        """
        members = band.members
        others = [each for place, each in enumerate(members) if place not in self.common]
        band = replace_band(band, [*(members[place] for place in self.common), *others], True)
        inner = band.split(len(self.common)).child(0) if self.common else band
        filters = [inner.child(0).child(place).filter for place in self.order]
        for instances in filters[:-1]:
            inner = inner.order_before(instances)
        last = inner.parent().child_position
        sequence = inner.parent().parent()
        first = last - len(filters) + 1
        actives = below(sequence, active_at(sequence, dependences))

        def visit_part(part: ScheduleNode, place: int) -> ScheduleNode:
            return visit(merge_below(part.child(0), actives[place]))

        return rewritten(sequence, range(first, last + 1), visit_part).child(first)


def rewritten(
    node: ScheduleNode,
    places: Iterable[int],
    visit: Callable[[ScheduleNode, int], ScheduleNode],
) -> ScheduleNode:
    """`node` with the children at `places`, in order, rewritten by `visit`.

    Of a sequence, a child may become several: `visit` gets each child with its place before, and
    returns any node of what the child has become.
    """
    depth, added = node.tree_depth, 0
    for place in places:
        count = node.n_children
        inner = visit(node.child(place + added), place)
        node = inner.ancestor(inner.tree_depth - depth)
        added += node.n_children - count
    return node


def distribution(band: ScheduleNode, dependences: Dependences) -> PointDistribution | None:
    """How to distribute the point loops of a permutable band over the parts of a sequence.

    As few loops as possible stay common, the outermost ones of equally few:

        band [k, i, j]            band [k]
          sequence                  sequence
            filter S0        =>       filter S1
            filter S1                   band [i, j]
                                      filter S0
                                        band [i, j]

    A part can be before another one if no dependence goes back, directly or by way of others, in
    an iteration of the common loops. `None` for bands that are not within tiles, that are not
    right above a sequence, and where all loops must stay common.
    """
    sequence = band.child(0)
    if not band.permutable or sequence.kind is not SEQUENCE:
        return None
    # Full and partial tiles may be apart.
    between = (MARK, FILTER, SEQUENCE)
    if not is_within_tiles(band, between) or runs_over_tiles(band) or _has_empty_part(sequence):
        return None
    members = band.band.functions_by_statement
    actives = active_at(band, dependences)
    for count in range(len(members)):
        for common in combinations(range(len(members)), count):
            inner: tuple[Active, ...] = actives
            for place in common:
                inner = still_active(inner, members[place])
            order = _order(sequence, inner)
            if order is not None:
                return PointDistribution(common, order)
    return None


def distribution_inside(
    band: ScheduleNode, dependences: Dependences, common: tuple[int, ...]
) -> PointDistribution | None:
    """How the parts of a sequence right below `band` can have loops of their own inside others.

    `None` if dependences between them go round inside an iteration of the `common` loops, and for
    bands whose loops must stay in their order.
    """
    sequence = band.child(0)
    is_movable = band.permutable or len(band.members) == 1
    if not is_movable or _has_empty_part(sequence):
        return None
    inner: tuple[Active, ...] = active_at(band, dependences)
    members = band.band.functions_by_statement
    for place in common:
        inner = still_active(inner, members[place])
    order = _order(sequence, inner)
    return None if order is None else PointDistribution(common, order)


def _has_empty_part(sequence: ScheduleNode) -> bool:
    """Whether a child has no instances: isl leaves some where it takes a sequence apart."""
    parts = (sequence.child(place).child(0) for place in range(sequence.n_children))
    return any(part.domain.is_empty() for part in parts)


def untangled(band: ScheduleNode, dependences: Dependences) -> isl.UnionSet | None:
    """The instances of the tiles in which no part of `band` depends on a later one.

    `band` is right above a sequence, within tiles. There, no loop of a tile must stay common.
    `None` if that is so in no tile, or in all. Tiles are found on rational points: a tile may be
    missing.
    """
    place = band.prefix_schedule.intersect_domain(band.domain)
    places: list[isl.Set] = []
    for part in across_children(band.child(0), active_at(band, dependences)):
        if part.source_child > part.target_child:
            sources = isl.UnionSet.from_set(part.active.relation.domain())
            places += sets_of(place.intersect_domain(sources).range())
    outlines = [_outline(tiles) for tiles in places]
    for number in reversed(range(len(places))):
        others = outlines[:number] + outlines[number + 1 :]
        if others and places[number].is_subset(reduce(isl.Set.union, others)):
            del outlines[number]
            del places[number]
    tangled = union_set(outlines, band.domain.get_space()).coalesce()
    inside = place.intersect_range(tangled).domain()
    outside = band.domain.subtract(inside).coalesce()
    return None if inside.is_empty() or outside.is_empty() else outside.gist(band.domain)


def _outline(tiles: isl.Set) -> isl.Set:
    """A convex set around `tiles`, without conditions on remainders or parameters.

    What the border of a domain leaves out there is small, and would make many pieces.
    """
    outline = isl.Set.from_basic_set(tiles.remove_divs().simple_hull())
    parameter = isl.dim_type.param
    return outline.drop_constraints_involving_dims(parameter, 0, outline.dim(parameter))


def _order(sequence: ScheduleNode, actives: Sequence[Active]) -> tuple[int, ...] | None:
    """The children of a sequence, each after those that it depends on; `None` for cycles."""
    sources: dict[int, set[int]] = {place: set() for place in range(sequence.n_children)}
    for part in across_children(sequence, actives):
        if part.source_child != part.target_child:
            sources[part.target_child].add(part.source_child)
    order: list[int] = []
    while len(order) < len(sources):
        ready = [
            place for place in sources if place not in order and sources[place].issubset(order)
        ]
        if not ready:
            return None
        order.append(ready[0])
    return tuple(order)
