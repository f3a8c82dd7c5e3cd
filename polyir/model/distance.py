"""Distance and direction vectors of dependences.

The distance of a pair of instances in a loop is the target's position minus the source's. An
entry of a vector is written

    3             every pair has this distance
    1..7          from 1 to 7
    1..7 step 2   1, 3, 5 or 7
    2..   ..-2    at least 2; at most -2
    + 0+ - 0-     at least 1, at least 0, at most -1, at most 0
    *             any distance
    1 mod 4       any distance that is 1 modulo 4

with signs as in M. Wolf and M. Lam, "A loop transformation theory and an algorithm to maximize
parallelism" (1991), section 2. The far end of a range of more than 27 distances is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import inf, prod

import islpy as isl

from polyir.dialects.dependence import Dependence
from polyir.sets.boxes import ends_of
from polyir.sets.lists import basic_maps_of
from polyir.sets.maps import coordinate
from polyir.tree import Kind, Schedule
from polyir.tree.order import Active, Member, across_children

_MOST_WRITTEN_OUT = 27
"""The largest box of distances that is told point by point: a stencil in three dimensions."""


@dataclass(frozen=True)
class Distance:
    """The distances from `minimum` to `maximum`, where `None` stands for no bound.

    All are `residue` modulo `step`.
    """

    minimum: int | None
    maximum: int | None
    step: int = 1
    residue: int = 0

    @property
    def is_constant(self) -> bool:
        """Do all pairs have one distance?"""
        return self.minimum is not None and self.minimum == self.maximum

    @property
    def count(self) -> int | None:
        """How many distances there are; `None` if there is no bound."""
        if self.minimum is None or self.maximum is None:
            return None
        return (self.maximum - self.minimum) // self.step + 1

    @property
    def widened(self) -> Distance:
        """The distances that the text says: many of them have but one end, the one near zero."""
        if (self.count or inf) <= _MOST_WRITTEN_OUT:
            return self
        if self.minimum is not None and self.minimum >= 0:
            return replace(self, maximum=None)
        if self.maximum is not None and self.maximum <= 0:
            return replace(self, minimum=None)
        return replace(self, minimum=None, maximum=None)

    def contains(self, other: Distance) -> bool:
        """Are all distances of `other` among these?"""
        from_below = self.minimum is None or (
            other.minimum is not None and self.minimum <= other.minimum
        )
        from_above = self.maximum is None or (
            other.maximum is not None and self.maximum >= other.maximum
        )
        step, residue = (0, other.minimum) if other.is_constant else (other.step, other.residue)
        assert residue is not None
        in_step = step % self.step == 0 and (residue - self.residue) % self.step == 0
        return from_below and from_above and in_step

    def __str__(self) -> str:
        if self.is_constant:
            return str(self.minimum)
        said = self.widened
        low = "" if said.minimum is None else str(said.minimum)
        high = "" if said.maximum is None else str(said.maximum)
        if self.step == 1:
            signs = {("1", ""): "+", ("0", ""): "0+", ("", "-1"): "-", ("", "0"): "0-"}
            return {("", ""): "*", **signs}.get((low, high), f"{low}..{high}")
        if not low and not high:
            return f"{self.residue} mod {self.step}"
        return f"{low}..{high} step {self.step}"


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

    Each basic map gives its exact distance vectors where they are few, else one vector of ranges.
    Of more than three vectors, those that only differ in one entry and are evenly spaced there
    become one. Without loops there are no vectors.
    """
    if not members:
        return ()
    kept: list[DistanceVector] = []
    for piece in basic_maps_of(relation):
        for vector in _vectors_of_piece(isl.Map.from_basic_map(piece), members):
            if not any(other.covers(vector) for other in kept):
                kept = [other for other in kept if not vector.covers(other)]
                kept.append(vector)
    for position in reversed(range(len(members))):
        if len(kept) > _LONGEST_LIST:
            kept = _merged(kept, position)
    return tuple(kept)


_LONGEST_LIST = 3
"""So many vectors are easier to read as a list than as a range."""


def _merged(vectors: Sequence[DistanceVector], position: int) -> list[DistanceVector]:
    """The vectors, those that are evenly spaced in the entry at `position` as one.

    Each such vector stands in the place of the first that it replaces.
    """
    groups: dict[tuple[Distance, ...], list[int]] = {}
    for vector in vectors:
        entry = vector.entries[position]
        if entry.is_constant and entry.minimum is not None:
            groups.setdefault(_others(vector, position), []).append(entry.minimum)
    ranges = {others: _ranges(sorted(values)) for others, values in groups.items()}
    merged: list[DistanceVector] = []
    for vector in vectors:
        entry, others = vector.entries[position], _others(vector, position)
        if entry.is_constant:
            entry = next(each for each in ranges[others] if each.contains(entry))
        after = DistanceVector((*others[:position], entry, *others[position:]))
        if after not in merged:
            merged.append(after)
    return merged


def _others(vector: DistanceVector, position: int) -> tuple[Distance, ...]:
    return vector.entries[:position] + vector.entries[position + 1 :]


def _ranges(values: Sequence[int]) -> list[Distance]:
    """Sorted distances as ranges of at least three, and numbers."""
    ranges: list[Distance] = []
    start = 0
    while start < len(values):
        end = start + 1
        step = values[end] - values[start] if end < len(values) else 1
        while end < len(values) and values[end] - values[end - 1] == step:
            end += 1
        if end - start < _LONGEST_LIST:
            ranges.append(Distance(values[start], values[start]))
            start += 1
        else:
            ranges.append(Distance(values[start], values[end - 1], step, values[start] % step))
            start = end
    return ranges


def common_loops(schedule: Schedule, dependence: Dependence) -> tuple[Member, ...]:
    """The band members around both ends of a dependence, outermost first.

    They end at the first node that sends a source and a target different ways.
    """
    node = schedule.root
    whole = Active(dependence, dependence.relation)
    members: list[Member] = []
    while True:
        match node.kind:
            case Kind.LEAF:
                return tuple(members)
            case Kind.SEQUENCE | Kind.SET:
                parts = tuple(across_children(node, (whole,)))
                if len(parts) != 1 or parts[0].source_child != parts[0].target_child:
                    return tuple(members)
                node = node.child(parts[0].source_child)
            case Kind.BAND:
                members += node.band.functions_by_statement
                node = node.child(0)
            case _:
                node = node.child(0)


def _vectors_of_piece(relation: isl.Map, members: Sequence[Member]) -> list[DistanceVector]:
    differences = distances_along(relation, members)
    if differences.is_empty():
        return []
    entries = tuple(_distance(differences, position) for position in range(len(members)))
    if prod(entry.count or inf for entry in entries) > _MOST_WRITTEN_OUT:
        return [DistanceVector(entries)]
    points: list[isl.Point] = []
    differences.foreach_point(points.append)
    rows = sorted(_coordinates(point, len(members)) for point in points)
    return [DistanceVector(tuple(Distance(value, value) for value in row)) for row in rows]


def _distance(differences: isl.Set, position: int) -> Distance:
    """The range of one entry, with its step."""
    minimum, maximum = ends_of(differences, position)
    if minimum is not None and minimum == maximum:
        return Distance(minimum, maximum)
    info = coordinate(differences, position).get_stride_info(0)
    step = int(info.get_stride().to_python())
    offset = int(info.get_offset().get_constant_val().to_python())
    return Distance(minimum, maximum, step, offset % step)


def distances_along(relation: isl.Map, members: Sequence[Member]) -> isl.Set:
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
