"""A first order for the statements of a system, which has none.

The scheduler is Feautrier's, which takes any dependences. A statement on a lattice, or on several
that are not the same, is scheduled on the coordinates of the lattice where that gives fewer
sequential loops: Gautam and Rajopadhye, "Computations on Iteration Spaces" (in The Compiler Design
Handbook, 2007), section 15.2.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import lcm, prod
from typing import Final

import islpy as isl

from polyir.base import budgets
from polyir.base.diagnostics import PolyirError
from polyir.base.limits import within_operations
from polyir.equations.statements import Computations
from polyir.schedule.components import strongly_connected_components
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.feautrier import FeautrierOptions, feautrier_schedule
from polyir.schedule.tree import BandNode, Hyperplane, LeafNode, RowTree, ScheduleResult
from polyir.sets.lists import basic_sets_of, maps_of, union_set
from polyir.sets.values import isl_value
from polyir.tree import Schedule

MOST_CLASSES: Final = 36
"""Into how many parts a statement is divided at most."""


MOST_PARTS: Final = 64
"""Into how many statements a system is divided at most, where it has an order without that. isl
counts the operations of each step for itself, and pairs of statements have many steps."""


def first_schedule(computations: Computations, context: isl.Set) -> tuple[Computations, Schedule]:
    """Statements that are those given, or parts of them, and a schedule that keeps their order.

    Raises `PolyirError`, with the variables that need each other, if none is found.
    """
    best, found = computations, _found(computations, context)
    for divide in (_by_remainders, _by_convex_parts):
        if found is not None and not (divide is _by_remainders and _sequential(found.tree)):
            continue
        parts = divide(computations)
        if parts:
            divided = computations.split(parts)
            if found is not None and len(divided.statements) > MOST_PARTS:
                continue
            other = _found(divided, context)
            if other is not None and (
                found is None or _sequential(other.tree) < _sequential(found.tree)
            ):
                best, found = divided, other
    if found is None:
        raise _no_schedule(computations, context)
    return best, found.schedule


def _found(computations: Computations, context: isl.Set) -> ScheduleResult | None:
    domain = union_set((each.domain for each in computations.statements), context.get_space())
    order = computations.order
    names = tuple(each.name for each in computations.statements)
    constraints = ScheduleConstraints(domain, context, order, order, names, order)

    def compute() -> ScheduleResult | None:
        try:
            return feautrier_schedule(constraints, FeautrierOptions(late=True))
        except SchedulingError:
            return None

    return within_operations(budgets.EQUATION_SCHEDULE, compute)


def _sequential(tree: RowTree) -> int:
    """How many sequential loops are nested at most; a constant number of steps is not a loop."""
    match tree:
        case LeafNode():
            return 0
        case BandNode(band=band, child=child):
            rows = zip(band.hyperplanes, band.coincident, strict=True)
            own = sum(not parallel and _is_loop(row) for row, parallel in rows)
            return own + _sequential(child)
        case _:
            return max(_sequential(child) for _, child in tree.children)


def _is_loop(row: Hyperplane) -> bool:
    return any(any(each.coefficients) for each in row.values())


def _cycles(computations: Computations) -> list[tuple[int, ...]]:
    """The statements, by position, of which each one needs itself, or others that need it."""
    position = {each.name: place for place, each in enumerate(computations.statements)}
    pairs = [
        (position[each.get_tuple_name(isl.dim_type.in_)], position[each.get_tuple_name(OUT)])
        for each in maps_of(computations.order)
    ]
    components = strongly_connected_components(range(len(position)), pairs)
    return [each for each in components if len(each) > 1 or (each[0], each[0]) in pairs]


OUT: Final = isl.dim_type.out


def _by_remainders(computations: Computations) -> dict[str, Sequence[isl.Set]]:
    """Parts of the statements in cycles: their indices have the same remainders by its strides."""
    parts: dict[str, Sequence[isl.Set]] = {}
    for component in _cycles(computations):
        for place in component:
            statement = computations.statements[place]
            found = _remainder_classes(statement.domain)
            if len(found) > 1:
                parts[statement.name] = found
    return parts


def _remainder_classes(domain: isl.Set) -> list[isl.Set]:
    """The parts of a set in which each index has one remainder by the strides that it has."""
    strides = _strides(domain)
    if not 1 < prod(strides) <= MOST_CLASSES:
        return []
    local = domain.get_space()
    classes = []
    for remainders in product(*(range(stride) for stride in strides)):
        part = domain
        for place, (stride, remainder) in enumerate(zip(strides, remainders, strict=True)):
            index = isl.Aff.var_on_domain(local, isl.dim_type.set, place)
            value = index.mod_val(isl_value(stride)).add_constant_val(isl_value(-remainder))
            part = part.intersect(isl.PwAff.from_aff(value).zero_set())
        if not part.is_empty():
            classes.append(part.coalesce())
    return classes


def _strides(domain: isl.Set) -> list[int]:
    """For each index, the least number by which its remainder decides what the divisions say."""
    count = domain.dim(isl.dim_type.set)
    strides = [1] * count
    for part in basic_sets_of(domain.compute_divs()):
        local = part.get_local_space()
        for number in range(local.dim(isl.dim_type.div)):
            for place, denominator in _denominators(local.get_div(number)).items():
                strides[place] = lcm(strides[place], denominator)
    return strides


def _denominators(division: isl.Aff) -> dict[int, int]:
    """The indices in a division, with the numbers by which they are divided."""
    denominator = int(division.get_denominator_val().to_python())
    found: dict[int, int] = {}
    for place in range(division.dim(isl.dim_type.in_)):
        if not division.get_coefficient_val(isl.dim_type.in_, place).is_zero():
            found[place] = denominator
    for number in range(division.dim(isl.dim_type.div)):
        if not division.get_coefficient_val(isl.dim_type.div, number).is_zero():
            for place, inner in _denominators(division.get_div(number)).items():
                found[place] = lcm(found.get(place, 1), inner * denominator)
    return found


def _by_convex_parts(computations: Computations) -> dict[str, Sequence[isl.Set]]:
    """Parts of the statements in cycles: disjoint ones, each given by one set of constraints."""
    parts: dict[str, Sequence[isl.Set]] = {}
    for component in _cycles(computations):
        for place in component:
            statement = computations.statements[place]
            pieces = basic_sets_of(statement.domain.make_disjoint())
            if 1 < len(pieces) <= MOST_CLASSES:
                parts[statement.name] = [isl.Set.from_basic_set(each) for each in pieces]
    return parts


def _no_schedule(computations: Computations, context: isl.Set) -> PolyirError:
    for component in _cycles(computations):
        statements = tuple(computations.statements[place] for place in component)
        names = union_set((each.domain for each in statements), context.get_space())
        order = computations.order.intersect_domain(names).intersect_range(names)
        if _found(Computations(statements, order), context) is None:
            variables = list(dict.fromkeys(each.variable for each in statements))
            if len(variables) == 1:
                message = f"'{variables[0]}' needs itself, and no order"
            else:
                listed = ", ".join(f"'{each}'" for each in variables[:-1])
                message = f"{listed} and '{variables[-1]}' need each other, and no order"
            return PolyirError(f"{message} by affine functions is found", name="no-schedule")
    return PolyirError("no order by affine functions is found", name="no-schedule")
