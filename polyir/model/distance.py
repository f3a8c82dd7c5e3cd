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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.dialects.dependence import Dependence, Dependences
from polyir.isl_lists import basic_maps_of
from polyir.model.order import Active, Member, across_children, members_of
from polyir.model.scop import Scop
from polyir.model.tree import node_type


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


def vector_of(relation: isl.Map, members: Iterable[Member]) -> DistanceVector:
    """The one vector that describes all pairs of `relation` (not empty) in the given loops."""
    return DistanceVector(tuple(_distance(relation, member) for member in members))


def vectors_of(relation: isl.Map, members: Sequence[Member]) -> tuple[DistanceVector, ...]:
    """Vectors that together describe `relation`: one a basic map, none covered by another."""
    pieces = [isl.Map.from_basic_map(piece) for piece in basic_maps_of(relation)]
    found = dict.fromkeys(vector_of(piece, members) for piece in pieces if not piece.is_empty())
    kept: list[DistanceVector] = []
    for vector in found:
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
    vectors = vectors_of(dependence.relation, loops) if loops else ()
    return (
        dependence.kind.value,
        dependence.array,
        f"{dependence.source} -> {dependence.target}",
        " ".join(str(vector) for vector in vectors),
        str(dependence.relation),
    )


def _distance(relation: isl.Map, member: Member) -> Distance:
    source = isl.Map.from_pw_aff(member[relation.get_tuple_name(isl.dim_type.in_)])
    target = isl.Map.from_pw_aff(member[relation.get_tuple_name(isl.dim_type.out)])
    differences = relation.apply_domain(source).apply_range(target).deltas()
    differences = differences.project_out(
        isl.dim_type.param, 0, differences.dim(isl.dim_type.param)
    )
    return Distance(
        _finite(differences.dim_min_val(0)),
        _finite(differences.dim_max_val(0)),
    )


def _finite(value: isl.Val) -> int | None:
    return int(value.to_python()) if value.is_int() else None
