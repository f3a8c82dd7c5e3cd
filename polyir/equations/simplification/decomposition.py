"""A reduction as one over the results of another.

The accumulation space may be left in two steps: `projection = outer . inner`. Which inner spaces
are worth a try follows from the facets of the domain (Gautam and Rajopadhye, "Simplifying
Reductions", POPL 2006, section 6): along a vector of the reuse space, a facet whose normal is zero
on the inner space moves with the inner results, so that nothing has to be taken back there. These
spaces need not be spanned by axes: a diagonal i + j = constant is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import islpy as isl

from polyir.equations.rewriting import moved
from polyir.equations.simplification.bodies import forms_of
from polyir.equations.simplification.lattices import is_zero_on, kernel, quotient
from polyir.equations.simplification.reductions import (
    MOST_SUBSETS,
    Reduction,
    linear_function,
    names_of,
    with_names,
)
from polyir.equations.system import Expression, Operation, Variable
from polyir.schedule.linear import Row, dot, primitive
from polyir.sets.lists import parameters_of

Space = tuple[Row, ...]

_LETTERS: Final = (*"pqrstuvwxyz", *(f"i{count}" for count in range(100)))


@dataclass(frozen=True)
class Nest:
    """`outer` reduces values in which the variable `name` stands for the results of `inner`."""

    name: str
    inner: Reduction
    outer: Reduction


def nested(reduction: Reduction, space: Space) -> Nest:
    """First a reduction along `space`, a part of the accumulation space, then one of results."""
    return _nested(reduction, space, reduction.value, None)


def distributed(reduction: Reduction, space: Space, operator: str) -> Nest | None:
    """The same, where factors of the value that are constant along `space` are left to `outer`.

    `operator` distributes over that of the reduction. There is no such nest unless some factors
    are constant and others are not.
    """
    factors = flattened(reduction.value, operator)
    constant = [each for each in factors if _is_constant(each, reduction.dimensions, space)]
    others = [each for each in factors if not _is_constant(each, reduction.dimensions, space)]
    if not constant or not others:
        return None
    value = others[0] if len(others) == 1 else Operation(tuple(others), operator)
    return _nested(reduction, space, value, Operation(tuple(constant), operator))


def flattened(value: Expression, operator: str) -> list[Expression]:
    """The operands of an operator, also those of operands with that operator."""
    if isinstance(value, Operation) and value.operator == operator and not value.is_external:
        return [part for each in value.parts for part in flattened(each, operator)]
    return [value]


def inner_spaces(reduction: Reduction) -> list[Space]:
    """Spaces in the accumulation space, neither zero nor all of it, that are worth a try."""
    dimensions = reduction.dimensions
    units = kernel((), dimensions)
    whole = reduction.accumulation
    return _flats(whole, (*reduction.normals, *units), dimensions)


def factor_spaces(reduction: Reduction, operator: str) -> list[Space]:
    """Spaces in the accumulation space along which some factors of the value are constant."""
    dimensions = reduction.dimensions
    factors = flattened(reduction.value, operator)
    kernels = [forms_of(each, dimensions) for each in factors]
    outside = _outside(reduction.accumulation, dimensions)
    found: dict[Space, None] = {}
    for count in range(1, len(factors)):
        for chosen in list(combinations(kernels, count))[:MOST_SUBSETS]:
            forms = [form for each in chosen for form in each]
            space = kernel((*forms, *outside), dimensions)
            if space:
                found[space] = None
    return list(found)


def _flats(whole: Space, normals: tuple[Row, ...], dimensions: int) -> list[Space]:
    """The intersections of a space with hyperplanes: large ones first."""
    outside = _outside(whole, dimensions)
    distinct = {primitive([dot(normal, vector) for vector in whole]): normal for normal in normals}
    useful = [normal for row, normal in distinct.items() if any(row)]
    found: dict[Space, None] = {}
    for count in range(1, len(whole)):
        for chosen in list(combinations(useful, count))[:MOST_SUBSETS]:
            space = kernel((*chosen, *outside), dimensions)
            if space:
                found[space] = None
    return sorted(found, key=lambda space: (-len(space), space))


def _outside(space: Space, dimensions: int) -> Space:
    """Forms that are zero on a space, and on nothing else."""
    return kernel(space, dimensions)


def _is_constant(value: Expression, dimensions: int, space: Space) -> bool:
    forms = forms_of(value, dimensions)
    return all(is_zero_on(forms, vector) for vector in space)


def _nested(
    reduction: Reduction, space: Space, value: Expression, constant: Operation | None
) -> Nest:
    rows, section = quotient_of(reduction, space)
    points = reduction.domain.get_space()
    modulo = with_names(linear_function(points, rows), names_of(section.get_domain_space()))
    inner = replace(reduction, projection=modulo, value=value)
    name = f"result {inner.key}"
    result: Expression = Variable(name)
    if constant is not None:
        factors = (*(moved(each, section) for each in constant.parts), result)
        result = Operation(factors, constant.operator)
    outer = replace(
        reduction,
        projection=reduction.projection.pullback_multi_aff(section),
        owner=reduction.owner.pullback_multi_aff(section),
        domain=inner.results,
        value=result,
    )
    return Nest(name, inner, outer)


def quotient_of(reduction: Reduction, space: Space) -> tuple[Space, isl.MultiAff]:
    """Coordinates of the reduction's points modulo a space, and a point for each of them."""
    rows, vectors = quotient(space, reduction.dimensions)
    points = reduction.domain.get_space()
    few = points.drop_dims(isl.dim_type.set, 0, reduction.dimensions)
    few = few.add_dims(isl.dim_type.set, len(rows))
    for place, name in enumerate(_new_names(points, rows)):
        few = few.set_dim_name(isl.dim_type.set, place, name)
    transposed = tuple(
        tuple(vector[place] for vector in vectors) for place in range(reduction.dimensions)
    )
    return rows, linear_function(few, transposed)


def _new_names(points: isl.Space, rows: Space) -> list[str]:
    """A coordinate that is an index keeps its name; others have names that nothing else has."""
    names = names_of(points)
    taken = {*names, *parameters_of(points)}
    free = (name for name in _LETTERS if name not in taken)
    found = []
    for row in rows:
        is_index = sum(map(abs, row)) == max(row) == 1
        name = names[row.index(1)] if is_index else None
        found.append(next(free) if name is None else name)
    return found
