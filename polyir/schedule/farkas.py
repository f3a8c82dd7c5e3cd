"""Farkas' lemma: which affine forms are non-negative on a whole dependence.

A schedule row gives every statement S an affine form phi_S. That phi_target(q) - phi_source(p)
is non-negative for every pair (p, q) of a dependence is a condition on the coefficients of the
two forms; Farkas' lemma (paper 000, section 3.3, lemma 1) turns it into finitely many linear
constraints (`dual_cone`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.isl_lists import basic_maps_of
from polyir.schedule.dual_cone import dual_cone
from polyir.schedule.linear import Row, dot
from polyir.schedule.matrices import entries_of, matrix_of


@dataclass(frozen=True)
class NonNegativeForms:
    """The cone of affine forms that are non-negative on a relation.

    A form has the coefficients (constant, parameters, source iterators, target iterators), in
    this order. It is in the cone if its product with every row of `equalities` is zero and with
    every row of `inequalities` is not negative.
    """

    parameter_count: int
    source_depth: int
    target_depth: int
    equalities: tuple[Row, ...]
    inequalities: tuple[Row, ...]

    def contains(self, form: Sequence[int]) -> bool:
        """Whether `form` is non-negative on the relation."""
        return all(dot(row, form) == 0 for row in self.equalities) and all(
            dot(row, form) >= 0 for row in self.inequalities
        )


def non_negative_forms(relation: isl.Map) -> NonNegativeForms:
    """The affine forms over source, target and parameters that are non-negative on `relation`.

    The rational relaxation of `relation` is used, with its existentially quantified variables
    eliminated. So every form in the result is non-negative on `relation`; where the relation has
    such variables or non-integer vertices, a few more forms might be. The forms that the
    original loops would give, i'_k - i_k, are never lost.
    """
    forms = _forms_of(relation)
    lost = [
        piece
        for piece in basic_maps_of(relation)
        for form in _forward_forms(piece)
        if not forms.contains(form)
    ]
    if not lost:
        return forms
    each = [_forms_of_refined(piece) for piece in basic_maps_of(relation)]
    return replace(
        forms,
        equalities=tuple(row for part in each for row in part.equalities),
        inequalities=tuple(row for part in each for row in part.inequalities),
    )


def _forms_of(relation: isl.Map) -> NonNegativeForms:
    kinds = isl.dim_type
    pieces = basic_maps_of(_without_many_faced_pieces(relation.remove_divs()))
    cones = [dual_cone(piece.remove_redundancies().wrap()) for piece in pieces]
    return NonNegativeForms(
        relation.dim(kinds.param),
        relation.dim(kinds.in_),
        relation.dim(kinds.out),
        tuple(dict.fromkeys(row for equalities, _ in cones for row in equalities)),
        tuple(dict.fromkeys(row for _, inequalities in cones for row in inequalities)),
    )


def _forward_forms(piece: isl.BasicMap) -> list[Row]:
    """The forms i'_k - i_k that are non-negative on all integer points of `piece`."""
    kinds = isl.dim_type
    parameter_count, depth = piece.dim(kinds.param), piece.dim(kinds.in_)
    local_space = isl.LocalSpace.from_space(piece.get_space())
    forms: list[Row] = []
    for iterator in range(min(depth, piece.dim(kinds.out))):
        backward = (
            isl.Constraint.alloc_inequality(local_space)
            .set_coefficient_val(kinds.in_, iterator, 1)
            .set_coefficient_val(kinds.out, iterator, -1)
            .set_constant_val(-1)
        )
        violated = isl.BasicMap.universe(piece.get_space()).add_constraint(backward)
        if piece.intersect(violated).is_empty():
            form = [0] * (1 + parameter_count + depth + piece.dim(kinds.out))
            form[1 + parameter_count + iterator] = -1
            form[1 + parameter_count + depth + iterator] = 1
            forms.append(tuple(form))
    return forms


REFINEMENT = 1 << 10
"""How many times finer than the integers is the grid on which isl may tighten constraints."""


def _forms_of_refined(piece: isl.BasicMap) -> NonNegativeForms:
    """As `_forms_of`, with the forms i'_k - i_k that hold for the integer points of `piece`.

    The rational relaxation of, say, 2i' > 2i - 2 allows i' = i - 1/2, so that i' >= i is to be
    said. But isl drops a constraint that is redundant for integers alone. Multiplied by
    `REFINEMENT`, the points of the relaxation lie on a grid where it is not redundant.
    """
    kinds = isl.dim_type
    order = (kinds.param, kinds.in_, kinds.out, kinds.div, kinds.cst)
    relaxed = piece.remove_divs()
    equalities, inequalities = (
        relaxed.equalities_matrix(*order),
        relaxed.inequalities_matrix(*order),
    )
    width = inequalities.cols()
    forward = [(*form[1:], 0) for form in _forward_forms(piece)]
    refined = isl.BasicMap.from_constraint_matrices(
        relaxed.get_space(),
        matrix_of(_refined(entries_of(equalities)), width),
        matrix_of(_refined([*entries_of(inequalities), *forward]), width),
        *order,
    )
    forms = _forms_of(isl.Map.from_basic_map(refined))
    return replace(
        forms,
        equalities=tuple((row[0] * REFINEMENT, *row[1:]) for row in forms.equalities),
        inequalities=tuple((row[0] * REFINEMENT, *row[1:]) for row in forms.inequalities),
    )


def _refined(rows: Sequence[Row]) -> list[Row]:
    """`rows`, whose last entry is the constant, for points times `REFINEMENT`."""
    return [(*row[:-1], REFINEMENT * row[-1]) for row in rows]


def _without_many_faced_pieces(relation: isl.Map) -> isl.Map:
    """The same relation, with the pieces that have more faces than a box split where possible.

    Eliminating the multipliers of many faces is slow. Such pieces mostly come from stencils: a
    convex union of a few uniform dependences, for each of which elimination is trivial.
    """
    kinds = isl.dim_type
    if relation.dim(kinds.in_) != relation.dim(kinds.out):
        return relation
    result = isl.Map.empty(relation.get_space())
    for each in basic_maps_of(relation):
        piece = each.remove_redundancies()
        parts = _uniform_parts(piece) if _has_more_faces_than_a_box(piece) else None
        result = result.union(isl.Map.from_basic_map(piece) if parts is None else parts)
    return result


def _has_more_faces_than_a_box(piece: isl.BasicMap) -> bool:
    """Whether `piece` has more inequalities than two bounds for each free dimension."""
    kinds = isl.dim_type
    order = (kinds.in_, kinds.out, kinds.param, kinds.div, kinds.cst)
    equality_count = piece.equalities_matrix(*order).rows()
    dimensions = sum(piece.dim(kind) for kind in (kinds.in_, kinds.out, kinds.param))
    return piece.inequalities_matrix(*order).rows() > 2 * (dimensions - equality_count)


UNIFORM_PARTS_LIMIT = 64
"""Up to how many uniform dependences a relation is split into."""

UNIFORM_PARTS_BOX_LIMIT = 4096
"""How large a box of distance vectors is searched for them."""


def _uniform_parts(piece: isl.BasicMap) -> isl.Map | None:
    """`piece` as a union of uniform dependences, `None` if these are too many or not finite."""
    kinds = isl.dim_type
    unnamed = isl.Map.from_basic_map(piece).reset_tuple_id(kinds.in_).reset_tuple_id(kinds.out)
    distances = unnamed.deltas().project_out_all_params()
    if distances.is_empty() or not distances.is_bounded():
        return None
    box_size = 1
    for iterator in range(distances.dim(kinds.set)):
        extent = distances.dim_max_val(iterator).sub(distances.dim_min_val(iterator))
        box_size *= extent.to_python() + 1
    if box_size > UNIFORM_PARTS_BOX_LIMIT:
        return None
    points: list[isl.Point] = []
    distances.foreach_point(points.append)
    return _split(piece, points) if len(points) <= UNIFORM_PARTS_LIMIT else None


def _split(piece: isl.BasicMap, distances: Sequence[isl.Point]) -> isl.Map:
    kinds = isl.dim_type
    result = isl.Map.empty(piece.get_space())
    local_space = isl.LocalSpace.from_space(piece.get_space())
    for distance in distances:
        part = piece
        for iterator in range(piece.dim(kinds.in_)):
            equality = (
                isl.Constraint.alloc_equality(local_space)
                .set_coefficient_val(kinds.in_, iterator, 1)
                .set_coefficient_val(kinds.out, iterator, -1)
                .set_constant_val(distance.get_coordinate_val(kinds.set, iterator))
            )
            part = part.add_constraint(equality)
        result = result.union(isl.Map.from_basic_map(part))
    return result
