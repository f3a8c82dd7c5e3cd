"""The loops of a schedule tree: the leaves that they end in, the schedules there, the steps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import islpy as isl

from polyir.sets.hulls import simplified
from polyir.sets.lists import functions_of, maps_of, sets_of
from polyir.sets.maps import coordinate
from polyir.tree import Kind, ScheduleNode, asked_once


def leaves(node: ScheduleNode) -> Iterator[ScheduleNode]:
    """The leaves from `node` down, in order."""
    return (inner for inner in node.walk() if inner.kind is Kind.LEAF)


def schedules_below(node: ScheduleNode) -> Iterator[isl.Map]:
    """For each leaf below `node`, each statement there: `{ S[i] -> [all members around] }`."""
    members = node.prefix_schedule.intersect_domain(node.domain)
    yield from _schedules_at_leaves(node, members)


def _schedules_at_leaves(node: ScheduleNode, outer: isl.UnionMap) -> Iterator[isl.Map]:
    """As `schedules_below`, with the `outer` members around `node`."""
    kind = node.kind
    if kind is Kind.LEAF:
        yield from maps_of(outer)
        return
    if kind is Kind.BAND:
        outer = outer.flat_range_product(node.band.partial_schedule_map)
    elif kind is Kind.FILTER:
        outer = outer.intersect_domain(node.filter)
    for position in range(node.n_children):
        child = node.child(position)
        yield from _schedules_at_leaves(child, outer)


@asked_once
def iterations_at(node: ScheduleNode) -> isl.UnionMap:
    """`{ S[i] -> [t] }`: the iterations of the loops around `node` that run the instances below.

    Of few constraints, and without the divisions of tiles: in a tile, these are iterations.
    """
    return simplified(node.prefix_schedule.intersect_domain(node.domain))


def isolates_iterations(band: ScheduleNode) -> bool:
    """Whether an option of a band sets iterations apart: it names values of the loops around."""
    options = sets_of(band.options)
    return any(option.get_tuple_name() == "isolate" for option in options)


@asked_once
def member_steps(band: ScheduleNode) -> tuple[int, ...]:
    """The step of each member: the largest s such that its values differ by multiples of s.

    It is read from the values that the member takes on all instances; 1 where there is no
    larger one, or one value only.
    """
    schedule = band.band.partial_schedule.intersect_domain(band.domain)
    values = isl.UnionMap.from_multi_union_pw_aff(schedule).range()
    if values.is_empty():
        return (1,) * len(band.members)
    all_values = isl.Set.from_union_set(values)
    return tuple(_step(all_values, member) for member in range(len(band.members)))


def _step(values: isl.Set, member: int) -> int:
    """The step of one dimension, whatever the others are.

    Where two dimensions depend on each other, isl gives each the step for a value of the other.
    """
    if max(1, values.get_stride(member).to_python()) == 1:
        return 1
    return max(1, coordinate(values, member).get_stride(0).to_python())


def loop_steps(band: ScheduleNode) -> tuple[int, ...]:
    """The step of each member's loop: as `member_steps` where all loops around it have one value.

    [i], [j] for i + j even    =>    1, 2
    """
    outer = band.prefix_schedule.intersect_domain(band.domain)
    dates = outer.flat_range_product(band.band.partial_schedule_map).range()
    if dates.is_empty():
        return (1,) * len(band.members)
    values = isl.Set.from_union_set(dates)
    steps: list[int] = []
    for depth in range(band.schedule_depth, values.dim(isl.dim_type.set)):
        inner = values.dim(isl.dim_type.set) - depth - 1
        here = values.project_out(isl.dim_type.set, depth + 1, inner)
        steps.append(max(1, here.get_stride(depth).to_python()))
    return tuple(steps)


def member_functions(band: ScheduleNode, member: int) -> tuple[isl.PwAff, ...]:
    """The functions of the iterators that a band member has, one per statement."""
    return functions_of(band.members[member].function)


def iterates_over_tiles(function: isl.PwAff) -> bool:
    """Whether `function` is a sum of integer divisions, as for loops over tiles."""
    return all(_is_sum_of_divisions(piece) for _, piece in function.get_pieces())


def numbers_tiles(function: isl.PwAff) -> bool:
    """Whether `function` may be the number of a tile: no iterator changes it with every step.

    So it is for floor(i/32) and for t + floor((i - 3t)/12), but not for i + floor(t/2).
    """
    slopes = [slope for _, piece in function.get_pieces() for slope in _slopes(piece)]
    return any(slopes) and all(abs(slope) < 1 for slope in slopes)


def _slopes(expression: isl.Aff) -> list[Fraction]:
    """How much `expression` changes with each iterator, without rounding."""
    slopes = [
        Fraction(expression.get_coefficient_val(isl.dim_type.in_, position).to_str())
        for position in range(expression.dim(isl.dim_type.in_))
    ]
    for position in range(expression.dim(isl.dim_type.div)):
        factor = Fraction(expression.get_coefficient_val(isl.dim_type.div, position).to_str())
        if factor:
            inner = _slopes(expression.get_div(position))
            slopes = [outer + factor * own for outer, own in zip(slopes, inner, strict=True)]
    return slopes


def _is_sum_of_divisions(expression: isl.Aff) -> bool:
    kinds = tuple(kind for kind, _ in variables_of(expression))
    return bool(kinds) and all(kind == isl.dim_type.div for kind in kinds)


def variables_of(expression: isl.Aff) -> tuple[tuple[isl.dim_type, int], ...]:
    """The parameters, iterators and divisions in `expression`: their types and positions."""
    return tuple(
        (kind, position)
        for kind in (isl.dim_type.param, isl.dim_type.in_, isl.dim_type.div)
        for position in range(expression.dim(kind))
        if not expression.get_coefficient_val(kind, position).is_zero()
    )
