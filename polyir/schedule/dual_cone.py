"""The affine forms that are non-negative on a polyhedron: Farkas' lemma, one multiplier at a time.

isl's `BasicSet.coefficients` eliminates all multipliers in one go and keeps what becomes
redundant on the way, which takes minutes where a polyhedron has a few faces more than a simplex.
isl's bound on operations does not notice.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.schedule.linear import Row
from polyir.schedule.matrices import entries_of, matrix_of

EASY_MULTIPLIERS = 3
"""Up to how many multipliers isl eliminates at once; beyond, its time explodes."""


GROWTH_LIMIT = 200
"""How many constraints the elimination of one multiplier may add."""

Cone = tuple[Sequence[Row], Sequence[Row]]
"""Equalities and inequalities on the coefficients (constant, parameters, dimensions) of a form."""


def dual_cone(polyhedron: isl.BasicSet) -> Cone:
    """The affine forms that are non-negative on `polyhedron`, or some of them if these are hard.

    `polyhedron` has no local variables and no redundant constraints, and some rational point.
    Where the cone has too many facets, it is that of a larger polyhedron: constraints on
    parameters alone make many vertices and seldom matter, other inequalities go after them.
    """
    kinds = isl.dim_type
    cone = _cone(polyhedron)
    if cone is None:
        cone = _cone(
            polyhedron.drop_constraints_not_involving_dims(kinds.set, 0, polyhedron.dim(kinds.set))
        )
    return cone or _without_inequalities(polyhedron)


def _cone(polyhedron: isl.BasicSet) -> Cone | None:
    """The cone of all non-negative forms, `None` if it has too many facets."""
    kinds = isl.dim_type
    order = (kinds.cst, kinds.param, kinds.set, kinds.div)
    lines = entries_of(polyhedron.equalities_matrix(*order))
    rays = entries_of(polyhedron.inequalities_matrix(*order))
    width = 1 + polyhedron.dim(kinds.param) + polyhedron.dim(kinds.set)
    if len(rays) + 1 + len(lines) - width <= EASY_MULTIPLIERS:
        return _at_once(polyhedron, width)
    positive = (1, *(0,) * (width - 1))
    return _generated([positive, *rays], lines, width)


def _without_inequalities(polyhedron: isl.BasicSet) -> Cone:
    """The cone of the forms that are a constant, and not negative, on the affine hull."""
    hull = polyhedron.affine_hull()
    return _at_once(hull, 1 + hull.dim(isl.dim_type.param) + hull.dim(isl.dim_type.set))


def _at_once(polyhedron: isl.BasicSet, width: int) -> Cone:
    kinds = isl.dim_type
    order = (kinds.set, kinds.param, kinds.div, kinds.cst)
    cone = polyhedron.coefficients()
    equalities = entries_of(cone.equalities_matrix(*order))
    inequalities = entries_of(cone.inequalities_matrix(*order))
    # A cone has no constant column to lose.
    return [row[:width] for row in equalities], [row[:width] for row in inequalities]


def _generated(rays: Sequence[Row], lines: Sequence[Row], width: int) -> Cone | None:
    """The constraints of the cone of all sums of `lines` and non-negative multiples of `rays`.

    By Farkas' lemma the forms in question are those sums of the polyhedron's constraints. The
    space has a dimension for each coefficient and one for each multiplier; Fourier-Motzkin
    elimination of a multiplier at a time is exact, for a cone has a rational point only where it
    has an integer one. `None` where that meets `GROWTH_LIMIT`.
    """
    kinds = isl.dim_type
    generators = [*rays, *lines]
    whole = width + len(generators)
    sums = [
        (
            *(-int(position == column) for position in range(width)),
            *(generator[column] for generator in generators),
            0,
        )
        for column in range(width)
    ]
    signs = [
        tuple(int(position == width + ray) for position in range(whole + 1))
        for ray in range(len(rays))
    ]
    cone = isl.BasicSet.from_constraint_matrices(
        isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, whole),
        matrix_of(sums, whole + 1),
        matrix_of(signs, whole + 1),
        *_COLUMNS,
    )
    # What isl adds to say that a multiplier is an integer goes at once.
    cone = cone.eliminate(kinds.set, width + len(rays), len(lines)).remove_divs()
    left = list(range(width, width + len(rays)))
    while left:
        multiplier, growth = _cheapest(cone, left)
        if growth > GROWTH_LIMIT:
            return None
        left.remove(multiplier)
        cone = cone.eliminate(kinds.set, multiplier, 1).remove_divs()
        if growth > 0:
            cone = cone.remove_redundancies()
    cone = cone.project_out(kinds.set, width, len(generators)).remove_redundancies()
    equalities = entries_of(cone.equalities_matrix(*_COLUMNS))
    inequalities = entries_of(cone.inequalities_matrix(*_COLUMNS))
    return [row[:-1] for row in equalities], [row[:-1] for row in inequalities]


_COLUMNS = (isl.dim_type.set, isl.dim_type.div, isl.dim_type.param, isl.dim_type.cst)


def _cheapest(cone: isl.BasicSet, multipliers: Sequence[int]) -> tuple[int, int]:
    """The multiplier whose elimination leaves the fewest constraints, and how many it adds."""
    equalities = entries_of(cone.equalities_matrix(*_COLUMNS))
    inequalities = entries_of(cone.inequalities_matrix(*_COLUMNS))

    def growth(multiplier: int) -> int:
        if any(row[multiplier] for row in equalities):
            return -1
        lower = sum(row[multiplier] > 0 for row in inequalities)
        upper = sum(row[multiplier] < 0 for row in inequalities)
        return lower * upper - lower - upper

    return min(((each, growth(each)) for each in multipliers), key=lambda pair: pair[1])
