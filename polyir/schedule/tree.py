"""What schedulers find: bands and sequences of affine integer rows, and the tree of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.schedule.constraints import ScheduledStatement
from polyir.schedule.linear import Row
from polyir.sets.maps import universe
from polyir.sets.values import isl_value
from polyir.tree import LEAF, Band, BandMember, Domain, Filter, Node, Schedule, nodes


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
class RowBand:
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

    band: RowBand
    child: RowTree


@dataclass(frozen=True)
class SequenceNode:
    """Children that run one after the other, each with the positions of its statements."""

    children: tuple[tuple[tuple[int, ...], RowTree], ...]


RowTree = LeafNode | BandNode | SequenceNode


@dataclass(frozen=True)
class ScheduleResult:
    """The schedule, the same as a tree of integers, and one line for every decision."""

    schedule: Schedule
    tree: RowTree
    notes: tuple[str, ...]


def schedule_of_rows(
    root: RowTree, statements: Sequence[ScheduledStatement], domain: isl.UnionSet
) -> Schedule:
    """The schedule tree of `root` over `domain`."""
    every = tuple(statement.position for statement in statements)
    return Schedule(Domain((_node(root, every, statements, domain.get_space()),), domain))


def _node(
    node: RowTree,
    active: tuple[int, ...],
    statements: Sequence[ScheduledStatement],
    space: isl.Space,
) -> Node:
    """The node for the statements `active`, whose instances reach it."""
    match node:
        case BandNode(band=band):
            below = _node(node.child, active, statements, space)
            functions = functions_of(band.hyperplanes, [statements[n] for n in active], space)
            members = tuple(map(BandMember, functions, map(bool, band.coincident)))
            if band.attributes:
                members = (replace(members[0], attributes=band.attributes), *members[1:])
            return Band((below,), members, permutable=True)
        case SequenceNode(children=children):
            filters: list[Filter] = []
            for positions, child in children:
                spaces = [statements[position].domain.get_space() for position in positions]
                instances = reduce(isl.UnionSet.union, map(universe, spaces))
                filters.append(Filter((_node(child, positions, statements, space),), instances))
            return nodes.SequenceNode(tuple(filters))
        case _:
            return LEAF


def functions_of(
    hyperplanes: Sequence[Hyperplane],
    statements: Sequence[ScheduledStatement],
    parameter_space: isl.Space,
) -> list[isl.UnionPwAff]:
    """The hyperplanes as isl's functions from all `statements`."""
    functions: list[isl.UnionPwAff] = []
    for hyperplane in hyperplanes:
        function = isl.UnionPwAff.empty(parameter_space.params())
        for statement in statements:
            row = affine_function(hyperplane[statement.position], statement.domain.get_space())
            function = function.union_add(isl.UnionPwAff.from_pw_aff(isl.PwAff.from_aff(row)))
        functions.append(function)
    return functions


def affine_function(row: AffineRow, space: isl.Space) -> isl.Aff:
    """The row as isl's function on `space`, the space of a statement's instances."""
    affine = isl.Aff.zero_on_domain(space)
    affine = affine.set_constant_val(isl_value(row.constant))
    for kind, entries in (
        (isl.dim_type.in_, row.coefficients),
        (isl.dim_type.param, row.parameters),
    ):
        for place, coefficient in enumerate(entries):
            if coefficient:
                affine = affine.set_coefficient_val(kind, place, isl_value(coefficient))
    return affine
