"""Distance and direction vectors of dependences.

The distance of a pair of instances in a loop is the target's position minus the source's. An
entry of a vector is written

    a number   every pair has this distance
    +          at least 1
    0+         at least 0
    -          at most -1
    0-         at most 0
    *          any distance

as in M. Wolf and M. Lam, "A loop transformation theory and an algorithm to maximize
parallelism" (1991), section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, prod

import islpy as isl

from polyir.dialects.dependence import Dependence, Dependences
from polyir.isl_lists import basic_maps_of
from polyir.isl_trees import node_type
from polyir.model.order import Active, Member, across_children, members_of
from polyir.model.scop import Scop


@dataclass(frozen=True)
class Distance:
    """The distances from `minimum` to `maximum`, where `None` stands for no bound."""

    minimum: int | None
    maximum: int | None

    @property
    def is_constant(self) -> bool:
        """Do all pairs have one distance?"""
        return self.minimum is not None and self.minimum == self.maximum

    @property
    def count(self) -> int | None:
        """How many distances there are; `None` if there is no bound."""
        if self.minimum is None or self.maximum is None:
            return None
        return self.maximum - self.minimum + 1

    @property
    def widened(self) -> Distance:
        """The distances that the notation can tell apart: a constant, or by sign."""
        if self.is_constant:
            return self
        if self.minimum is not None and self.minimum >= 0:
            return Distance(min(self.minimum, 1), None)
        if self.maximum is not None and self.maximum <= 0:
            return Distance(None, max(self.maximum, -1))
        return Distance(None, None)

    def contains(self, other: Distance) -> bool:
        """Are all distances of `other` among these?"""
        from_below = self.minimum is None or (
            other.minimum is not None and self.minimum <= other.minimum
        )
        from_above = self.maximum is None or (
            other.maximum is not None and self.maximum >= other.maximum
        )
        return from_below and from_above

    def __str__(self) -> str:
        if self.is_constant:
            return str(self.minimum)
        directions = {(1, None): "+", (0, None): "0+", (None, -1): "-", (None, 0): "0-"}
        widened = self.widened
        return directions.get((widened.minimum, widened.maximum), "*")


@dataclass(frozen=True)
class DistanceVector:
    """One distance for each of some loops, outermost first."""

    entries: tuple[Distance, ...]

    @property
    def is_constant(self) -> bool:
        """Is it a distance vector in the strict sense, every entry a number?"""
        return all(entry.is_constant for entry in self.entries)

    def covers(self, other: DistanceVector) -> bool:
        """Does the text of this vector say all that the text of `other` says?"""
        return all(
            mine.widened.contains(theirs.widened)
            for mine, theirs in zip(self.entries, other.entries, strict=True)
        )

    def __str__(self) -> str:
        return f"({','.join(str(entry) for entry in self.entries)})"


def vectors_of(relation: isl.Map, members: Sequence[Member]) -> tuple[DistanceVector, ...]:
    """Vectors that together describe `relation` in the given loops, none covered by another.

    Each basic map gives its exact distance vectors where they are few, else one direction
    vector. Without loops there are no vectors.
    """
    if not members:
        return ()
    kept: list[DistanceVector] = []
    for piece in basic_maps_of(relation):
        for vector in _vectors_of_piece(isl.Map.from_basic_map(piece), members):
            if not any(other.covers(vector) for other in kept):
                kept = [other for other in kept if not vector.covers(other)]
                kept.append(vector)
    return tuple(kept)


def common_loops(schedule: isl.Schedule, dependence: Dependence) -> tuple[Member, ...]:
    """The band members around both ends of a dependence, outermost first.

    They end at the first node that sends a source and a target different ways.
    """
    node = schedule.get_root()
    whole = Active(dependence, dependence.relation)
    members: list[Member] = []
    while True:
        match node_type(node):
            case isl.schedule_node_type.leaf | isl.schedule_node_type.expansion:
                return tuple(members)
            case isl.schedule_node_type.sequence | isl.schedule_node_type.set:
                parts = tuple(across_children(node, (whole,)))
                if len(parts) != 1 or parts[0].source_child != parts[0].target_child:
                    return tuple(members)
                node = node.get_child(parts[0].source_child)
            case isl.schedule_node_type.band:
                members += members_of(node)
                node = node.get_child(0)
            case _:
                node = node.get_child(0)


def format_dependences(scop: Scop, dependences: Dependences) -> str:
    """One line a dependence: kind, array, source -> target, vectors, relation.

    The vectors are those of the loops common to source and target in the tree in force; a
    dependence without common loops has none.
    """
    rows = [_row(scop.schedule, dependence) for dependence in dependences.items]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _row(schedule: isl.Schedule, dependence: Dependence) -> tuple[str, ...]:
    loops = common_loops(schedule, dependence)
    vectors = vectors_of(dependence.relation, loops)
    return (
        dependence.kind.value,
        dependence.array,
        f"{dependence.source} -> {dependence.target}",
        " ".join(str(vector) for vector in vectors),
        str(dependence.relation),
    )


def _vectors_of_piece(relation: isl.Map, members: Sequence[Member]) -> list[DistanceVector]:
    differences = _differences(relation, members)
    if differences.is_empty():
        return []
    entries = tuple(
        Distance(
            _finite(differences.dim_min_val(position)), _finite(differences.dim_max_val(position))
        )
        for position in range(len(members))
    )
    if prod(entry.count or inf for entry in entries) > _MOST_EXACT_VECTORS:
        return [DistanceVector(entries)]
    points: list[isl.Point] = []
    differences.foreach_point(points.append)
    rows = sorted(_coordinates(point, len(members)) for point in points)
    return [DistanceVector(tuple(Distance(value, value) for value in row)) for row in rows]


_MOST_EXACT_VECTORS = 27
"""The largest box of distances that is told point by point: a stencil in three dimensions."""


def _differences(relation: isl.Map, members: Sequence[Member]) -> isl.Set:
    """`{ [d] }`: target minus source in each member, for any parameter values."""

    def positions_of(statement: str) -> isl.Map:
        functions = (isl.Map.from_pw_aff(member[statement]) for member in members)
        return reduce(isl.Map.flat_range_product, functions)

    source = positions_of(relation.get_tuple_name(isl.dim_type.in_))
    target = positions_of(relation.get_tuple_name(isl.dim_type.out))
    differences = relation.apply_domain(source).apply_range(target).deltas()
    parameters = differences.dim(isl.dim_type.param)
    return differences.project_out(isl.dim_type.param, 0, parameters)


def _coordinates(point: isl.Point, count: int) -> list[int]:
    values = (point.get_coordinate_val(isl.dim_type.set, position) for position in range(count))
    return [int(value.to_python()) for value in values]


def _finite(value: isl.Val) -> int | None:
    return int(value.to_python()) if value.is_int() else None
