"""Schedule trees with affine integer rows, and their conversion to isl's schedule trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.isl_trees import with_member_objects
from polyir.schedule.constraints import ScheduledStatement
from polyir.schedule.linear import Row
from polyir.sets.maps import universe
from polyir.sets.values import isl_value


@dataclass(frozen=True)
class AffineRow:
    """One dimension of one statement's schedule.

    `coefficients . iterators + parameters . n + constant`; `parameters` may be left empty if all
    are zero.
    """

    coefficients: Row
    constant: int
    parameters: Row = ()


Hyperplane = Mapping[int, AffineRow]
"""One schedule dimension: a row for each statement, by its position in program order."""


@dataclass(frozen=True)
class DistanceBound:
    """An upper bound `coefficients . parameters + constant` on dependence distances."""

    coefficients: Row
    constant: int

    def maximum(self, other: DistanceBound) -> DistanceBound:
        """A bound that is at least both, for parameters that are not negative."""
        pairs = zip(self.coefficients, other.coefficients, strict=True)
        return DistanceBound(tuple(map(max, pairs)), max(self.constant, other.constant))


@dataclass(frozen=True)
class BoundedHyperplane:
    """A hyperplane and the bound on the distances along it, if the scheduler minimised one."""

    hyperplane: Hyperplane
    bound: DistanceBound | None = None


@dataclass(frozen=True)
class Band:
    """Consecutive loops: any permutation of the `rows` is legal.

    `coincident[k]` says that member k has distance zero on every dependence that the nodes above
    leave uncarried, so its iterations can run in parallel. `attributes` are those of the loop of
    the first row.
    """

    rows: tuple[BoundedHyperplane, ...] = ()
    coincident: tuple[bool, ...] = ()
    attributes: LoopAttributes = ()

    @property
    def width(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def statements(self) -> tuple[int, ...]:
        """The positions of the statements of the band; none if it has no rows."""
        return tuple(self.rows[0].hyperplane) if self.rows else ()

    @property
    def hyperplanes(self) -> tuple[Hyperplane, ...]:
        """The rows without their bounds."""
        return tuple(each.hyperplane for each in self.rows)

    @property
    def bounds(self) -> tuple[DistanceBound | None, ...]:
        """The bounds of the rows."""
        return tuple(each.bound for each in self.rows)


@dataclass(frozen=True)
class LeafNode:
    """The end of a path: at most one instance of one statement is left."""


@dataclass(frozen=True)
class BandNode:
    """The loops of `band` around `child`."""

    band: Band
    child: RowTree


@dataclass(frozen=True)
class SequenceNode:
    """Children that run one after the other, each with the positions of its statements."""

    children: tuple[tuple[tuple[int, ...], RowTree], ...]


RowTree = LeafNode | BandNode | SequenceNode


@dataclass(frozen=True)
class ScheduleResult:
    """The schedule, the same as a tree of integers, and one line for every decision."""

    schedule: isl.Schedule
    tree: RowTree
    notes: tuple[str, ...]


def to_isl_schedule(
    root: RowTree, statements: Sequence[ScheduledStatement], domain: isl.UnionSet
) -> isl.Schedule:
    """The isl schedule tree of `root` over `domain`."""
    top = isl.Schedule.from_domain(domain).get_root()
    every = tuple(statement.position for statement in statements)
    return _insert(top.child(0), root, every, statements).get_schedule()


def _insert(
    place: isl.ScheduleNode,
    node: RowTree,
    active: tuple[int, ...],
    statements: Sequence[ScheduledStatement],
) -> isl.ScheduleNode:
    """Insert `node` at `place`, a leaf; the result is the inserted node, in the new tree.

    `active` are the statements whose instances reach `place`.
    """
    if isinstance(node, BandNode):
        return _insert_band(place, node, active, statements)
    if isinstance(node, SequenceNode):
        return _insert_sequence(place, node, statements)
    return place


def _insert_band(
    place: isl.ScheduleNode,
    node: BandNode,
    active: tuple[int, ...],
    statements: Sequence[ScheduledStatement],
) -> isl.ScheduleNode:
    band = node.band
    involved = [statements[position] for position in active]
    partial = partial_schedule(band.hyperplanes, involved, place.get_universe_domain().get_space())
    place = place.insert_partial_schedule(partial).band_set_permutable(1)
    for member, coincident in enumerate(band.coincident):
        place = place.band_member_set_coincident(member, int(coincident))
    if band.attributes:
        objects = [band.attributes, *(None for _ in band.rows[1:])]
        place = with_member_objects(place, objects)
    return _insert(place.child(0), node.child, active, statements).parent()


def _insert_sequence(
    place: isl.ScheduleNode, sequence: SequenceNode, statements: Sequence[ScheduledStatement]
) -> isl.ScheduleNode:
    filters = isl.UnionSetList.alloc(place.get_ctx(), len(sequence.children))
    for positions, _ in sequence.children:
        union = isl.UnionSet.empty(place.get_universe_domain().get_space())
        for position in positions:
            union = union.union(universe(statements[position].domain.get_space()))
        filters = filters.add(union)
    place = place.insert_sequence(filters)
    for index, (positions, child) in enumerate(sequence.children):
        inserted = _insert(place.child(index).child(0), child, positions, statements)
        place = inserted.parent().parent()
    return place


def partial_schedule(
    hyperplanes: Sequence[Hyperplane],
    statements: Sequence[ScheduledStatement],
    parameter_space: isl.Space,
) -> isl.MultiUnionPwAff:
    """The hyperplanes as one isl function from all `statements` to the band's dimensions."""
    context = parameter_space.get_ctx()
    parameters = parameter_space.params()
    members = isl.UnionPwAffList.alloc(context, len(hyperplanes))
    for hyperplane in hyperplanes:
        member = isl.UnionPwAff.empty(parameters)
        for statement in statements:
            row = affine_function(hyperplane[statement.position], statement.domain.get_space())
            member = member.union_add(isl.UnionPwAff.from_pw_aff(isl.PwAff.from_aff(row)))
        members = members.add(member)
    space = parameters.add_unnamed_tuple_ui(len(hyperplanes))
    return isl.MultiUnionPwAff.from_union_pw_aff_list(space, members)


def affine_function(row: AffineRow, space: isl.Space) -> isl.Aff:
    """The row as isl's function on `space`, the space of a statement's instances."""
    affine = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space))
    affine = affine.set_constant_val(isl_value(row.constant))
    for kind, entries in (
        (isl.dim_type.in_, row.coefficients),
        (isl.dim_type.param, row.parameters),
    ):
        for place, coefficient in enumerate(entries):
            if coefficient:
                affine = affine.set_coefficient_val(kind, place, isl_value(coefficient))
    return affine
