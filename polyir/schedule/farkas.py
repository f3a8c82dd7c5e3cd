"""Farkas' lemma: the affine forms that are non-negative on all pairs of a dependence.

A schedule row gives every statement S an affine form phi_S. That phi_target(q) - phi_source(p) is
non-negative for every pair (p, q) of a dependence is a condition on the coefficients of the two
forms. Farkas' lemma turns it into finitely many linear constraints: a form is non-negative on a
polyhedron exactly if it is a combination of the polyhedron's constraints with non-negative
multipliers. See Bondhugula et al., "Affine Transformations for Communication Minimal
Parallelization and Locality Optimization of Arbitrarily Nested Loop Sequences", 2007, section 3.3,
lemma 1. There, the multipliers are then eliminated; here, the constraints come from the vertices
and rays of the polyhedron, which is the same cone and much faster found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial, reduce

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.schedule.double_description import generators
from polyir.schedule.linear import Row, constraint_rows, dot, matrix_of
from polyir.sets.lists import basic_maps_of, parameters_of


@dataclass(frozen=True)
class NonNegativeForms:
    """The cone of the affine forms that are non-negative on a relation.

    A form has the coefficients (constant, parameters, source iterators, target iterators), in
    this order. It is in the cone if its product with every row of `equalities` is zero and its
    product with every row of `inequalities` is not negative. Without `has_bounds`, those that bound
    a distance from above are missing.
    """

    parameter_count: int
    source_depth: int
    target_depth: int
    equalities: tuple[Row, ...]
    inequalities: tuple[Row, ...]
    has_bounds: bool = True

    def contains(self, form: Sequence[int]) -> bool:
        """Whether `form` is non-negative on the relation."""
        return all(dot(row, form) == 0 for row in self.equalities) and all(
            dot(row, form) >= 0 for row in self.inequalities
        )

    def vanishes(self, form: Sequence[int]) -> bool:
        """Whether `form` is zero on the relation: it and its negative are in the cone."""
        return not any(dot(row, form) for row in self.inequalities) and not any(
            dot(row, form) for row in self.equalities
        )

    @property
    def width(self) -> int:
        """The number of coefficients of a form."""
        return 1 + self.parameter_count + self.source_depth + self.target_depth

    @cached_property
    def equality_matrix(self) -> isl.Mat:
        """`equalities` as a matrix."""
        return matrix_of(self.equalities, self.width)

    @cached_property
    def inequality_matrix(self) -> isl.Mat:
        """`inequalities` as a matrix."""
        return matrix_of(self.inequalities, self.width)


def non_negative_forms(relation: isl.Map) -> NonNegativeForms:
    """The affine forms over source, target and parameters that are non-negative on `relation`.

    The rational relaxation of `relation` is used, with its existentially quantified variables
    eliminated. So every form in the result is non-negative on `relation`, and where the relation
    has such variables or non-integer vertices, some non-negative forms may be missing. The forms
    i'_k - i_k, which the original loops give, are never lost. Where the relation is too hard, it is
    replaced by a polyhedron around it, and by one with no other forms if that does not help.
    """
    return _forms_over(relation, tuple(parameters_of(relation.get_space())))


# Edges with other flags, and those of later clusters and bands, have the same relations. Relations
# can be equal with other parameters, in another order, which forms have coefficients for.
@lru_cache(1024)
def _forms_over(relation: isl.Map, parameters: tuple[str, ...]) -> NonNegativeForms:
    forms = within_operations(budgets.FARKAS_FORMS, partial(_all_forms, relation))
    if forms is not None:
        return forms
    hull = isl.Map.from_basic_map(relation.remove_divs().simple_hull())
    forms = _forms_of(hull)
    if forms is not None and all(map(forms.contains, _forward_forms(relation))):
        return forms
    return forms_of_loops(relation)


MOST_POLYHEDRA = 128
"""How many polyhedra a relation may be the union of."""

MOST_INEQUALITIES = 2048
"""How many inequalities the forms of one relation may have. Kernels have up to 150."""


def _all_forms(relation: isl.Map) -> NonNegativeForms | None:
    """The forms, with those of the loops; `None` if the relation is too hard."""
    pieces = basic_maps_of(relation)
    if len(pieces) > MOST_POLYHEDRA:
        return None
    # To coalesce them all takes longer than to see that one is too hard.
    if len(pieces) > 1 and _forms_of(isl.Map.from_basic_map(pieces[0].remove_divs())) is None:
        return None
    forms = _forms_of(relation.remove_divs().coalesce())
    if forms is None:
        return None
    forward = (_forward_forms(isl.Map.from_basic_map(piece)) for piece in pieces)
    if all(forms.contains(form) for piece in forward for form in piece):
        return forms
    refined: list[NonNegativeForms] = []
    for piece in pieces:
        part = _forms_of_refined(piece)
        if part is None:
            return None
        refined.append(part)
    return replace(
        forms,
        equalities=tuple(row for part in refined for row in part.equalities),
        inequalities=tuple(row for part in refined for row in part.inequalities),
    )


def _forms_of(relation: isl.Map) -> NonNegativeForms | None:
    """The forms by the rational relaxation; `None` if a part is too hard, or there are too many."""
    cones: list[Cone] = []
    for piece in basic_maps_of(relation):
        cone = dual_cone(piece.remove_redundancies().wrap())
        if cone is None:
            return None
        cones.append(cone)
        if sum(len(inequalities) for _, inequalities in cones) > MOST_INEQUALITIES:
            return None
    return _forms_with(relation, cones)


def _forms_with(relation: isl.Map, cones: Sequence[Cone]) -> NonNegativeForms:
    kinds = isl.dim_type
    return NonNegativeForms(
        relation.dim(kinds.param),
        relation.dim(kinds.in_),
        relation.dim(kinds.out),
        tuple(dict.fromkeys(row for equalities, _ in cones for row in equalities)),
        tuple(dict.fromkeys(row for _, inequalities in cones for row in inequalities)),
    )


def _forward_forms(relation: isl.Map) -> list[Row]:
    """The forms i'_k - i_k that are non-negative on all integer points of `relation`."""
    kinds = isl.dim_type
    parameter_count, depth = relation.dim(kinds.param), relation.dim(kinds.in_)
    local_space = isl.LocalSpace.from_space(relation.get_space())
    forms: list[Row] = []
    for iterator in range(min(depth, relation.dim(kinds.out))):
        backward = (
            isl.Constraint.alloc_inequality(local_space)
            .set_coefficient_val(kinds.in_, iterator, 1)
            .set_coefficient_val(kinds.out, iterator, -1)
            .set_constant_val(-1)
        )
        violated = isl.BasicMap.universe(relation.get_space()).add_constraint(backward)
        if relation.is_disjoint(isl.Map.from_basic_map(violated)):
            form = [0] * (1 + parameter_count + depth + relation.dim(kinds.out))
            form[1 + parameter_count + iterator] = -1
            form[1 + parameter_count + depth + iterator] = 1
            forms.append(tuple(form))
    return forms


def forms_of_loops(relation: isl.Map) -> NonNegativeForms:
    """The sums of non-negative multiples of 1 and of the forms i'_k - i_k that are non-negative.

    With them, the forms that are zero by equalities of all polyhedra of `relation`.
    """
    equalities = _common_equalities(relation)
    width = 1 + relation.wrap().dim(isl.dim_type.all)
    cone = _cone_of(equalities, _forward_forms(relation), width)
    assert cone is not None, "so few inequalities have few rays"
    return replace(_forms_with(relation, [cone]), has_bounds=False)


def _common_equalities(relation: isl.Map) -> list[Row]:
    """The equalities that follow from those of each polyhedron of `relation`.

    isl's affine hull would also look for those that only the integer points satisfy, which takes
    a hundred times as long.
    """
    kinds = isl.dim_type
    order = (kinds.param, kinds.set, kinds.div, kinds.cst)
    spaces: list[isl.Set] = []
    for piece in basic_maps_of(relation):
        known = piece.drop_constraints_involving_dims(kinds.div, 0, piece.dim(kinds.div))
        points = known.remove_divs().wrap()
        equalities = points.equalities_matrix(*order)
        space = isl.BasicSet.from_constraint_matrices(
            points.get_space(), equalities, matrix_of([], equalities.cols()), *order
        )
        spaces.append(isl.Set.from_basic_set(space))
    hull = reduce(isl.Set.union, spaces).affine_hull()
    return constraint_rows(hull)[0]


REFINEMENT = 1 << 10
"""How many times finer than the integers is the grid on which isl may tighten constraints."""


def _forms_of_refined(piece: isl.BasicMap) -> NonNegativeForms | None:
    """As `_forms_of`, with the forms i'_k - i_k that hold for the integer points of `piece`.

    The rational relaxation of, say, 2i' > 2i - 2 allows i' = i - 1/2, so the constraint i' >= i
    has to be added. But isl drops a constraint that is redundant for integers alone. With all
    points multiplied by `REFINEMENT`, the relaxation's points lie on a grid where the constraint
    is not redundant.
    """
    kinds = isl.dim_type
    relaxed = piece.remove_divs()
    equalities, inequalities = constraint_rows(relaxed.wrap())
    forward = _forward_forms(isl.Map.from_basic_map(piece))
    width = 1 + sum(relaxed.dim(kind) for kind in (kinds.param, kinds.in_, kinds.out))
    refined = isl.BasicMap.from_constraint_matrices(
        relaxed.get_space(),
        matrix_of(_refined(equalities), width),
        matrix_of(_refined([*inequalities, *forward]), width),
        *(kinds.cst, kinds.param, kinds.in_, kinds.out, kinds.div),
    )
    forms = _forms_of(isl.Map.from_basic_map(refined))
    return forms and replace(
        forms,
        equalities=tuple((row[0] * REFINEMENT, *row[1:]) for row in forms.equalities),
        inequalities=tuple((row[0] * REFINEMENT, *row[1:]) for row in forms.inequalities),
    )


def _refined(rows: Sequence[Row]) -> list[Row]:
    """`rows`, whose first entry is the constant, for points multiplied by `REFINEMENT`."""
    return [(REFINEMENT * row[0], *row[1:]) for row in rows]


# The forms of one polyhedron

MOST_RAYS = 512
"""How many vertices and rays a polyhedron may have: as many as a box of nine dimensions. Those of
kernels have up to 14; with twice as many, finding them takes eight times as long."""

Cone = tuple[Sequence[Row], Sequence[Row]]
"""Equalities and inequalities on the coefficients (constant, parameters, dimensions) of a form."""


def dual_cone(polyhedron: isl.BasicSet) -> Cone | None:
    """The affine forms that are non-negative on `polyhedron`, `None` if they are too hard to find.

    A form is non-negative on all of a polyhedron exactly if it is on each of its vertices and rays
    and zero on its lines: these are the constraints without multipliers.

    `polyhedron` has no local variables and no redundant constraints, and some rational point. If
    it has more than `MOST_RAYS` vertices and rays, the result is the cone of the polyhedron without
    the constraints on parameters alone, which make many vertices and seldom matter.
    """
    # The same dependences are met again for each loop of a nest that is not permutable.
    known = str(polyhedron)
    if known not in _cones:
        kinds = isl.dim_type
        cone = _cone(polyhedron)
        if cone is None and polyhedron.dim(kinds.param):
            dimensions = polyhedron.dim(kinds.set)
            cone = _cone(polyhedron.drop_constraints_not_involving_dims(kinds.set, 0, dimensions))
        _cones[known] = cone
        if len(_cones) > MOST_CONES:
            del _cones[next(iter(_cones))]
    return _cones[known]


MOST_CONES = 1000
"""How many cones are remembered."""

_cones: dict[str, Cone | None] = {}


def _cone(polyhedron: isl.BasicSet) -> Cone | None:
    """The cone of all non-negative forms, `None` if there are too many vertices and rays."""
    equalities, inequalities = constraint_rows(polyhedron)
    return _cone_of(equalities, inequalities, 1 + polyhedron.dim(isl.dim_type.all))


def _cone_of(equalities: Sequence[Row], inequalities: Sequence[Row], width: int) -> Cone | None:
    # The constant is the coefficient of a dimension that is positive.
    positive = (1, *(0,) * (width - 1))
    return generators(equalities, [positive, *inequalities], width, MOST_RAYS)
