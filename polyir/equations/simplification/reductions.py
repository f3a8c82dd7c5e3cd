"""One reduction, and the linear spaces that decide how it may be simplified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from math import lcm

import islpy as isl

from polyir.equations.simplification.bodies import (
    forms_of,
    forms_of_affine,
    forms_of_function,
    leaves,
)
from polyir.equations.simplification.complexity import degree
from polyir.equations.simplification.lattices import hermite, is_zero_on, kernel
from polyir.equations.system import Dependence, Expression, Reduce, Restrict, Variable
from polyir.schedule.linear import Row, constraint_rows, dot, primitive
from polyir.sets.hulls import simplified
from polyir.sets.values import isl_value

MOST_SUBSETS = 500
"""How many sets of facets are tried for the directions in which they lie."""


@dataclass(frozen=True)
class Reduction:
    """`X[x]` is `operator` over `value[z]` for the points `z` of `domain` that map to `x`.

    `X` has a value where `domain` has such a point. `value` is that of a branch of
    `polyir.equations.simplification.bodies`, so that it means something at points around `domain`
    if they are a vector of the reuse space away from it. `owner` maps the points to the results of
    the reduction of which this one computes a part: often its own.
    """

    operator: str
    is_external: bool
    projection: isl.MultiAff
    domain: isl.Set
    value: Expression
    owner: isl.MultiAff

    @cached_property
    def key(self) -> str:
        """Equal for equal reductions."""
        own = (self.operator, self.is_external, self.projection, self.domain, self.value)
        parts = (*own, self.owner)
        return sha256(repr(parts).encode()).hexdigest()

    @property
    def dimensions(self) -> int:
        """Of the space of `domain`."""
        return int(self.projection.dim(isl.dim_type.in_))

    @cached_property
    def results(self) -> isl.Set:
        """The points at which there is a result."""
        return self.image(self.domain)

    @cached_property
    def degree(self) -> int:
        """Of the number of points of `domain`."""
        return degree(self.domain)

    @cached_property
    def least_degree(self) -> int:
        """No equations have a lower one: there are so many results, and values of each variable."""
        found = degree(self.results)
        for leaf in leaves(self.value):
            if isinstance(leaf, Variable):
                found = max(found, self.degree)
            elif isinstance(leaf, Dependence) and isinstance(leaf.operand, Variable):
                used = self.domain.apply(isl.Map.from_multi_aff(leaf.function))
                found = max(found, degree(used))
        return found

    def image(self, points: isl.Set) -> isl.Set:
        """The results to which points of the space of `domain` contribute."""
        return simplified(points.apply(isl.Map.from_multi_aff(self.projection)))

    def contributing(self, results: isl.Set) -> isl.Set:
        """The points of the space of `domain` that map to one of `results`."""
        return results.preimage_multi_aff(self.projection)

    def on(self, domain: isl.Set) -> Reduction:
        """The same over other points."""
        return replace(self, domain=simplified(domain))

    def as_expression(self) -> Expression:
        """The reduction as it is written in a system."""
        body = Restrict(self.value, self.domain)
        return Reduce(body, self.operator, self.projection, self.is_external)

    @cached_property
    def hull_forms(self) -> tuple[Row, ...]:
        """Forms that are zero on all directions in which `domain` extends."""
        return hull_forms(self.domain)

    @cached_property
    def reuse(self) -> tuple[Row, ...]:
        """The reuse space in `domain`: along its vectors the value is the same."""
        forms = (*forms_of(self.value, self.dimensions), *self.hull_forms)
        return kernel(forms, self.dimensions)

    @cached_property
    def accumulation(self) -> tuple[Row, ...]:
        """The accumulation space in `domain`: along its vectors the result is the same."""
        forms = (*forms_of_function(self.projection), *self.hull_forms)
        return kernel(forms, self.dimensions)

    @cached_property
    def shared(self) -> tuple[Row, ...]:
        """The vectors in both spaces: along them equal values contribute to the same result."""
        forms = (*forms_of(self.value, self.dimensions), *forms_of_function(self.projection))
        return kernel((*forms, *self.hull_forms), self.dimensions)

    @cached_property
    def normals(self) -> tuple[Row, ...]:
        """Normals of the facets of `domain`, without those that only bound parameters."""
        return facet_normals(self.domain)

    def moves(self, direction: Row) -> Row | None:
        """How far each result moves if the points do by `direction`; `None` if that differs."""
        return _changes(self.projection, direction)

    def owner_moves(self, direction: Row) -> Row | None:
        """How far each point's owner moves if the points do; `None` if that differs."""
        return _changes(self.owner, direction)

    def directions(self) -> list[Row]:
        """Vectors of the reuse space, outside of the accumulation space, that are worth a try.

        What is left to compute along a vector follows from the facets of the domain that move
        along it, and to which side. Of the finitely many classes of vectors for which these are
        the same (Gautam and Rajopadhye, section 5), the edges of the arrangement of the facets
        suffice: each other class has an edge in its closure, along which fewer facets move. The
        shortest vector of each, with which the domain meets itself, comes first.
        """
        forms = forms_of_function(self.projection)
        found: dict[Row, None] = {}
        for edge in edges(self.reuse, self.normals):
            if is_zero_on(forms, edge):
                continue
            for vector in (edge, tuple(-entry for entry in edge)):
                meeting = self._meeting(vector)
                if meeting is not None:
                    found[meeting] = None
        return sorted(found, key=lambda vector: (sum(map(abs, vector)), [-x for x in vector]))

    def _meeting(self, direction: Row) -> Row | None:
        """The least multiple of a vector by which the lattices of the domain move into themselves.

        All results move alike. There may be no such multiple.
        """
        hulls = [isl.Set.from_basic_set(piece.affine_hull()) for piece in _pieces(self.domain)]
        strides = lcm(*(_stride(piece) for piece in _pieces(self.domain)))
        rows = [self.projection.get_at(k) for k in range(self.projection.dim(isl.dim_type.out))]
        strides = lcm(strides, *(int(row.get_denominator_val().to_python()) for row in rows))
        for factor in range(1, strides + 1):
            vector = tuple(factor * entry for entry in direction)
            if (
                strides % factor == 0
                and self.moves(vector) is not None
                and all(hull.is_equal(translated(hull, vector)) for hull in hulls)
            ):
                return vector
        return None


def translated(points: isl.Set, vector: Row) -> isl.Set:
    """The points, each moved by a vector."""
    return points.preimage_multi_aff(shift(points.get_space(), [-entry for entry in vector]))


def shift(space: isl.Space, vector: Row | list[int]) -> isl.MultiAff:
    """`{ [z] -> [z + vector] }` on a space of points."""
    function = isl.MultiAff.identity(space.map_from_set())
    for place, entry in enumerate(vector):
        moved = function.get_at(place).add_constant_val(isl_value(entry))
        function = function.set_at(place, moved)
    return function


def linear_function(space: isl.Space, rows: tuple[Row, ...]) -> isl.MultiAff:
    """The linear function of the points of a space with the given rows."""
    target = space.map_from_set().domain().from_domain().add_dims(isl.dim_type.out, len(rows))
    function = isl.MultiAff.zero(target)
    for place, row in enumerate(rows):
        affine = isl.Aff.zero_on_domain(space)
        for index, entry in enumerate(row):
            affine = affine.set_coefficient_val(isl.dim_type.in_, index, isl_value(entry))
        function = function.set_at(place, affine)
    return function


def names_of(space: isl.Space) -> list[str | None]:
    """The names of the indices of points."""
    return [
        space.get_dim_name(isl.dim_type.set, place) for place in range(space.dim(isl.dim_type.set))
    ]


def with_names(function: isl.MultiAff, names: list[str | None]) -> isl.MultiAff:
    """The function with names for the indices of its values, which are for readers only."""
    for place, name in enumerate(names):
        if name is not None:
            function = function.set_dim_name(isl.dim_type.out, place, name)
    return function


def hull_forms(domain: isl.Set) -> tuple[Row, ...]:
    """Forms that are zero on all directions in which a set extends, in Hermite normal form."""
    hull = domain.compute_divs().affine_hull().remove_divs()
    dimensions = hull.dim(isl.dim_type.set)
    equalities, _ = constraint_rows(hull)
    return hermite([row[len(row) - dimensions :] for row in equalities])


def facet_normals(domain: isl.Set) -> tuple[Row, ...]:
    """Primitive normals of the facets of the parts of a set; one of a vector and its negative."""
    found: dict[Row, None] = {}
    dimensions = domain.dim(isl.dim_type.set)
    for piece in _pieces(domain):
        _, inequalities = constraint_rows(piece.remove_divs().remove_redundancies())
        for row in inequalities:
            normal = primitive(row[len(row) - dimensions :])
            if any(normal):
                found[max(normal, tuple(-entry for entry in normal))] = None
    return tuple(sorted(found, reverse=True))


def edges(space: tuple[Row, ...], normals: tuple[Row, ...]) -> Iterator[Row]:
    """The lines of a space in which hyperplanes through the origin meet: one vector of each.

    `normals` are those of the hyperplanes. Where too few of them bound the space, its basis counts
    as well.
    """
    count = len(space)
    if not count:
        return
    inside = {primitive([dot(normal, vector) for vector in space]): None for normal in normals}
    lines = [row for row in inside if any(row)]
    seen = set()
    for chosen in list(combinations(lines, count - 1))[:MOST_SUBSETS]:
        found = kernel(chosen, count)
        if len(found) == 1 and found[0] not in seen:
            seen.add(found[0])
            yield primitive(_combined(found[0], space))
    if not seen:
        yield from space


def _combined(factors: Row, vectors: tuple[Row, ...]) -> Row:
    width = len(vectors[0])
    return tuple(
        sum(factor * vector[place] for factor, vector in zip(factors, vectors, strict=True))
        for place in range(width)
    )


def _pieces(domain: isl.Set) -> list[isl.BasicSet]:
    return list(domain.compute_divs().get_basic_sets())


def _stride(piece: isl.BasicSet) -> int:
    """A common multiple of the strides of a part."""
    denominators = [1]
    for place in range(piece.dim(isl.dim_type.div)):
        denominator = piece.get_div(place).get_denominator_val()
        denominators.append(int(denominator.to_python()))
    return lcm(*denominators)


def _changes(function: isl.MultiAff, direction: Row) -> Row | None:
    count = function.dim(isl.dim_type.out)
    changes = [_change(function.get_at(place), direction) for place in range(count)]
    known = tuple(change for change in changes if change is not None)
    return known if len(known) == count else None


def _change(function: isl.Aff, direction: Row) -> int | None:
    """The change of an affine function along a vector; `None` if it is not the same everywhere."""
    for place in range(function.dim(isl.dim_type.div)):
        used = not function.get_coefficient_val(isl.dim_type.div, place).is_zero()
        if used and not is_zero_on(forms_of_affine(function.get_div(place)), direction):
            return None
    total = isl.Val(0)
    for place, entry in enumerate(direction):
        coefficient = function.get_coefficient_val(isl.dim_type.in_, place)
        total = total.add(coefficient.mul(isl_value(entry)))
    return int(total.to_python()) if total.is_int() else None
