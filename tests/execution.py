"""Running a schedule tree on paper: the order in which it visits the instances."""

from __future__ import annotations

from itertools import pairwise

import islpy as isl

from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.loop_attributes import ParallelAttr
from polyir.sets.lists import maps_of
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_children
from polyir.tree.isl_border import from_text

Instance = tuple[str, tuple[int, ...]]
"""A statement's name and the values of its iterators."""


def schedule(text: str) -> Schedule:
    """A schedule from isl's text."""
    return from_text(text)


def with_parallel_loops(tree: Schedule) -> Schedule:
    """The tree without its marks; the first loop of the band below each is parallel."""

    def rewrite(node: ScheduleNode) -> ScheduleNode:
        if node.kind is Kind.MARK:
            node = node.delete()
            node = node.with_member(0, attributes=(ParallelAttr(),))
        return mapped_children(node, rewrite)

    return rewrite(tree.root).schedule


def flow(*relations: str, array: str = "A") -> Dependences:
    """Flow dependences through one array, from isl's text."""
    items = (Dependence(DependenceKind.FLOW, array, isl.Map(text)) for text in relations)
    return Dependences(value_based=False, items=tuple(items))


def execution(tree: Schedule, **parameters: int) -> list[Instance]:
    """All instances in the order in which `tree` runs them.

    Asserts that each instance has one date and no two have the same.
    """
    dated = [
        (date, instance)
        for relation in maps_of(tree.map.intersect_domain(tree.domain))
        for instance, date in pairs(relation, **parameters)
    ]
    dated.sort()
    assert all(first[0] < second[0] for first, second in pairwise(dated)), "two of one date"
    instances = [instance for _, instance in dated]
    assert len(set(instances)) == len(instances), "an instance runs twice"
    return instances


def assert_respects(order: list[Instance], dependences: Dependences, **parameters: int) -> None:
    """Assert that `order` runs the source of every dependence before its target."""
    place = {instance: position for position, instance in enumerate(order)}
    for dependence in dependences.ordering:
        for source, target in pairs(dependence.relation, **parameters):
            assert place[source] < place[(dependence.target, target)], (source, target)


def pairs(relation: isl.Map, **parameters: int) -> list[tuple[Instance, tuple[int, ...]]]:
    """All pairs of a relation from instances: the instance, and the values of the other end."""
    for name, value in parameters.items():
        position = relation.get_space().find_dim_by_name(isl.dim_type.param, name)
        if position >= 0:
            relation = relation.fix_val(isl.dim_type.param, position, isl.Val(value))
    relation = relation.project_out(isl.dim_type.param, 0, relation.dim(isl.dim_type.param))
    name = relation.get_tuple_name(isl.dim_type.in_)
    inputs, outputs = relation.dim(isl.dim_type.in_), relation.dim(isl.dim_type.out)
    found: list[tuple[Instance, tuple[int, ...]]] = []

    def add(point: isl.Point) -> None:
        values = tuple(
            int(point.get_coordinate_val(isl.dim_type.set, position).to_python())
            for position in range(inputs + outputs)
        )
        found.append(((name, values[:inputs]), values[inputs:]))

    relation.wrap().flatten().foreach_point(add)
    return found
