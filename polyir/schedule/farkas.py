"""Farkas' lemma: which affine forms are non-negative on a whole dependence.

A schedule row gives every statement S an affine form phi_S. That phi_target(q) - phi_source(p)
is non-negative for every pair (p, q) of a dependence is a condition on the coefficients of the
two forms; Farkas' lemma (paper 000, section 3.3, lemma 1) turns it into finitely many linear
constraints. isl applies the lemma and eliminates the multipliers (`Set.coefficients`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.schedule.linear import Row, dot


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
    eliminated: every form in the result is non-negative on `relation`, and where the relation
    has such variables or non-integer vertices a few more forms might be.
    """
    kinds = isl.dim_type
    parameter_count = relation.dim(kinds.param)
    source_depth, target_depth = relation.dim(kinds.in_), relation.dim(kinds.out)
    cone = relation.remove_divs().wrap().coefficients()
    order = (kinds.set, kinds.param, kinds.div, kinds.cst)
    width = 1 + parameter_count + source_depth + target_depth
    return NonNegativeForms(
        parameter_count,
        source_depth,
        target_depth,
        _rows(cone.equalities_matrix(*order), width),
        _rows(cone.inequalities_matrix(*order), width),
    )


def _rows(matrix: isl.Mat, width: int) -> tuple[Row, ...]:
    """The first `width` columns of an isl matrix; a cone has no constant column to lose."""
    return tuple(
        tuple(matrix.get_element_val(row, column).to_python() for column in range(width))
        for row in range(matrix.rows())
    )
