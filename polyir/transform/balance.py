"""Parallel loops whose iterations do unequal work."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Literal

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.loop_attributes import DynamicAttr, ParallelAttr
from polyir.model.outcome import Outcome
from polyir.model.statements import Statement
from polyir.model.tree_loops import leaves, loop_steps
from polyir.sets.boxes import are_apart, greatest_of, most_values
from polyir.sets.lists import maps_of
from polyir.transform.walk import BAND
from polyir.tree import ScheduleNode, mapped_children
from polyir.tree.names import name_list, statements_of

Distribution = Literal["static", "balanced"]
"""How threads share the iterations of a parallel loop: in equal numbers, or so that all are busy.

`balanced` changes loops with unequal iterations only, for others pay for it.
"""

DYNAMIC = DynamicAttr()

LARGE_STEP = 64
"""From here on a loop over tiles has few iterations, and each takes long: threads wait for one that
has a whole tile while another has the rest of one.
"""


FEW = 1024
"""Iterations that hardly count beside those of a loop whose extent is a parameter."""


def with_dynamic_loops(outcome: Outcome, statements: Iterable[Statement] = ()) -> Outcome:
    """Let threads take iterations one by one in parallel loops that are not balanced.

        [[#poly.parallel]]    =>    [[#poly.parallel, #poly.dynamic]]

    Loops over tiles of symbolic sizes are left as they are.
    """
    done: list[str] = []
    uneven = frozenset(each.name for each in statements if each.has_loops)

    def visit(node: ScheduleNode) -> ScheduleNode:
        if node.kind is not BAND:
            return mapped_children(node, visit)
        loops = list(node.loop_attributes)
        for member, attributes in enumerate(loops):
            if not (ParallelAttr() in attributes and DYNAMIC not in attributes):
                continue
            # What isl does not find out in time is taken to be balanced.
            balanced = within_operations(
                budgets.UNEQUAL_WORK, partial(is_balanced, node, member, uneven)
            )
            if balanced is False:
                loops[member] = (*attributes, DYNAMIC)
                number = node.schedule_depth + member + 1
                names = name_list(statements_of(node))
                done.append(f"the iterations of loop {number} around {names} do unequal work")
        return mapped_children(node.with_loop_attributes(loops), visit)

    result = visit(outcome.schedule.root).schedule
    return replace(outcome, schedule=result, done=(*outcome.done, *done))


def is_balanced(band: ScheduleNode, member: int, uneven: Collection[str] = ()) -> bool:
    """Whether each loop inside a member of `band` runs about as often in all its iterations.

    It does if the numbers of its iterations differ by less than `FEW`, whatever the parameters
    are; without parameters, by less than the step of the member. So the loops inside a
    rectangular tile do, although there are fewer iterations at a border, and those in a triangle
    do not. Where the step is `LARGE_STEP` or more, the numbers must be equal. Bounds are taken from
    a rational hull of the iterations.

    Instances of statements that are `uneven` take any time. Where iterations have many of them,
    these are taken not to add up to the same; a few are too short to be shared one by one.
    """
    depth, step = band.schedule_depth + member, loop_steps(band)[member]
    for leaf in leaves(band):
        dates = leaf.prefix_schedule.intersect_domain(leaf.domain)
        for schedule in maps_of(dates):
            values = schedule.range()
            is_uneven = schedule.get_tuple_name(isl.dim_type.in_) in uneven
            if is_uneven and _has_many(isl.Set.from_basic_set(values.simple_hull()), depth):
                return False
            # Without strides isl is faster, but sees a last tile that is not there.
            values = values if step >= LARGE_STEP else values.remove_divs()
            iterations = isl.Set.from_basic_set(values.simple_hull())
            for inner in range(depth + 1, iterations.dim(isl.dim_type.set)):
                if not _has_even_extent(iterations, depth, inner, step):
                    return False
    return True


def _has_many(iterations: isl.Set, depth: int) -> bool:
    """Whether a loop inside dimension `depth` may have many iterations."""
    inside = isl.Map.from_range(iterations.reset_tuple_id())
    inside = inside.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, depth + 1)
    distances = inside.reverse().apply_range(inside).deltas()
    most = (greatest_of(distances, place) for place in range(distances.dim(isl.dim_type.set)))
    return any(each is None or each >= LARGE_STEP for each in most)


def _has_even_extent(iterations: isl.Set, depth: int, inner: int, step: int) -> bool:
    """Whether dimension `inner` has about as many values for all values of the one at `depth`.

    Those before `depth` are fixed, all others may have any values.
    """
    kind, parameter = isl.dim_type.set, isl.dim_type.param
    iterations = iterations.project_out(kind, inner + 1, iterations.dim(kind) - inner - 1)
    iterations = iterations.project_out(kind, depth + 1, inner - depth - 1)
    if are_apart(iterations, depth, depth + 1):
        return True
    if step < LARGE_STEP:
        # Tiles have few points in each dimension: mostly, that is all there is to know.
        inner_loop = isl.Map.from_range(iterations)
        most = most_values(inner_loop.move_dims(isl.dim_type.in_, 0, kind, 0, depth + 1))
        if most is not None and most <= (FEW if _has_parameters(iterations) else step):
            return True
    own = iterations.dim(parameter)
    # isl wants names of parameters.
    for position in range(depth + 1):
        iterations = iterations.set_dim_name(kind, position, f"polyir_outer_{position}")
    at = iterations.move_dims(parameter, own, kind, 0, depth + 1)
    if not at.dim_is_bounded(kind, 0):
        # The hull, without strides, may have no bound where the iterations have one.
        return False
    extents = isl.Set.from_pw_aff(at.dim_max(0).sub(at.dim_min(0)))
    extents = extents.project_out(parameter, own + depth, 1)
    if not extents.dim_is_bounded(kind, 0):
        return False
    differences = isl.Set.from_pw_aff(extents.dim_max(0).sub(extents.dim_min(0)))
    differences = differences.project_out(parameter, 0, own + depth)
    if not differences.is_bounded():
        return False
    most = differences.max_val(_first(differences)).to_python()
    if step >= LARGE_STEP:
        return most == 0
    return bool(most < (FEW if _has_parameters(iterations) else step))


def _has_parameters(iterations: isl.Set) -> bool:
    parameter = isl.dim_type.param
    return bool(iterations.involves_dims(parameter, 0, iterations.dim(parameter)))


def _first(values: isl.Set) -> isl.Aff:
    """`{ [x] -> [x] }`."""
    return isl.Aff.var_on_domain(values.get_space(), isl.dim_type.set, 0)
