"""Schedule trees with affine integer rows, and their conversion to isl's schedule trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.isl_trees import with_member_objects
from polyir.schedule.linear import Row
from polyir.schedule.problem import ScheduledStatement


@dataclass(frozen=True)
class AffineRow:
    """One dimension of one statement's schedule.

    `coefficients . iterators + parameters . n + constant`; `parameters` may be left empty where
    all are zero.
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
class Leaf:
    """The end of a path: at most one instance of one statement is left."""


@dataclass(frozen=True)
class Band:
    """Consecutive loops: any permutation of the `hyperplanes` is legal.

    `coincident[k]` says that member k has distance zero on every dependence that the nodes above
    leave uncarried, so that its iterations can run in parallel; `bounds[k]` bounds the distances
    along it of what is to be near. `attributes` are those of the first member.
    """

    hyperplanes: tuple[Hyperplane, ...]
    coincident: tuple[bool, ...]
    bounds: tuple[DistanceBound, ...]
    child: Node
    attributes: LoopAttributes = ()


@dataclass(frozen=True)
class Order:
    """A scalar dimension: the children run one after the other.

    Each child comes with the positions of its statements.
    """

    children: tuple[tuple[tuple[int, ...], Node], ...]


Node = Leaf | Band | Order


@dataclass(frozen=True)
class ScheduleResult:
    """The schedule, the same as plain integers, and one line for every decision."""

    schedule: isl.Schedule
    tree: Node
    notes: tuple[str, ...]


def to_isl_schedule(
    root: Node, statements: Sequence[ScheduledStatement], domain: isl.UnionSet
) -> isl.Schedule:
    """The isl schedule tree of `root` over `domain`."""
    top = isl.Schedule.from_domain(domain).get_root()
    every = tuple(statement.position for statement in statements)
    return _insert(top.child(0), root, every, statements).get_schedule()


def _insert(
    place: isl.ScheduleNode,
    node: Node,
    active: tuple[int, ...],
    statements: Sequence[ScheduledStatement],
) -> isl.ScheduleNode:
    """Insert `node` at `place`, a leaf; the result is the inserted node, in the new tree.

    `active` are the statements whose instances reach `place`.
    """
    if isinstance(node, Band):
        return _insert_band(place, node, active, statements)
    if isinstance(node, Order):
        return _insert_sequence(place, node, statements)
    return place


def _insert_band(
    place: isl.ScheduleNode,
    band: Band,
    active: tuple[int, ...],
    statements: Sequence[ScheduledStatement],
) -> isl.ScheduleNode:
    involved = [statements[position] for position in active]
    partial = partial_schedule(band.hyperplanes, involved, place.get_universe_domain().get_space())
    place = place.insert_partial_schedule(partial).band_set_permutable(1)
    for member, coincident in enumerate(band.coincident):
        place = place.band_member_set_coincident(member, int(coincident))
    if band.attributes:
        objects = [band.attributes, *(None for _ in band.hyperplanes[1:])]
        place = with_member_objects(place, objects)
    return _insert(place.child(0), band.child, active, statements).parent()


def _insert_sequence(
    place: isl.ScheduleNode, sequence: Order, statements: Sequence[ScheduledStatement]
) -> isl.ScheduleNode:
    filters = isl.UnionSetList.alloc(place.get_ctx(), len(sequence.children))
    for positions, _ in sequence.children:
        union = isl.UnionSet.empty(place.get_universe_domain().get_space())
        for position in positions:
            space = statements[position].domain.get_space()
            union = union.union(isl.UnionSet.from_set(isl.Set.universe(space)))
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
            affine = affine_function(hyperplane[statement.position], statement)
            member = member.union_add(isl.UnionPwAff.from_pw_aff(isl.PwAff.from_aff(affine)))
        members = members.add(member)
    space = parameters.add_unnamed_tuple_ui(len(hyperplanes))
    return isl.MultiUnionPwAff.from_union_pw_aff_list(space, members)


def affine_function(row: AffineRow, statement: ScheduledStatement) -> isl.Aff:
    """The row as isl's function from the instances of `statement`."""
    return affine_function_on(row, statement.domain.get_space())


def affine_function_on(row: AffineRow, space: isl.Space) -> isl.Aff:
    """The row as isl's function from `space`."""
    affine = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space))
    affine = affine.set_constant_val(row.constant)
    for kind, entries in (
        (isl.dim_type.in_, row.coefficients),
        (isl.dim_type.param, row.parameters),
    ):
        for place, coefficient in enumerate(entries):
            if coefficient:
                affine = affine.set_coefficient_val(kind, place, coefficient)
    return affine
