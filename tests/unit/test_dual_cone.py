"""The forms that are non-negative on a polyhedron, against isl's own elimination."""

from __future__ import annotations

from itertools import product
from random import Random

import islpy as isl

from polyir.schedule.dependences import DependenceEdge
from polyir.schedule.double_description import generators
from polyir.schedule.farkas import NonNegativeForms, dual_cone, non_negative_forms
from polyir.schedule.linear import Row, entries_of, matrix_of
from polyir.schedule.tree import AffineRow

_SET = isl.dim_type.set
_ORDER = (_SET, isl.dim_type.div, isl.dim_type.param, isl.dim_type.cst)
_COEFFICIENTS = (_SET, isl.dim_type.param, isl.dim_type.div, isl.dim_type.cst)
_FORMS = (isl.dim_type.cst, isl.dim_type.param, _SET, isl.dim_type.div)


def _polyhedron(inequalities: list[Row], width: int) -> isl.BasicSet:
    return isl.BasicSet.from_constraint_matrices(
        isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, width),
        matrix_of([], width + 1),
        matrix_of(inequalities, width + 1),
        *_ORDER,
    )


def test_the_cone_is_the_one_that_isl_eliminates() -> None:
    random = Random(5)
    compared = 0
    while compared < 60:
        width = random.randint(1, 4)
        polyhedron = _polyhedron(
            [
                tuple(random.randint(-3, 3) for _ in range(width + 1))
                for _ in range(random.randint(0, 7))
            ],
            width,
        ).remove_redundancies()
        if polyhedron.is_empty() or polyhedron.n_constraint() == 0:
            continue
        has_lines = polyhedron.equalities_matrix(*_FORMS).rows() > 0
        eliminated = polyhedron.coefficients()
        theirs = tuple(
            [row[: width + 1] for row in entries_of(matrix)]
            for matrix in (
                eliminated.equalities_matrix(*_COEFFICIENTS),
                eliminated.inequalities_matrix(*_COEFFICIENTS),
            )
        )
        cones = []
        for equalities, inequalities in (dual_cone(polyhedron), theirs):
            both = [*inequalities, *equalities, *(tuple(-x for x in row) for row in equalities)]
            cones.append(_polyhedron([(*row, 0) for row in both], width + 1))
        # isl first rounds equalities to integers, which allows a few more forms.
        assert cones[0].is_subset(cones[1])
        assert has_lines or cones[0].is_equal(cones[1])
        compared += 1


def test_a_box_has_as_many_rays_as_vertices() -> None:
    sides = [
        tuple(sign * int(column == dimension) for column in range(1, 7))
        for dimension in range(1, 7)
        for sign in (1, -1)
    ]
    constraints = [(int(min(side) < 0), *side) for side in sides]
    lines, rays = generators([], [(1, *(0,) * 6), *constraints], 7, 64) or ([], [])
    assert lines == []
    assert set(rays) == {(1, *point) for point in product((0, 1), repeat=6)}
    assert generators([], [(1, *(0,) * 6), *constraints], 7, 63) is None


def test_lines_and_equalities() -> None:
    # x = y >= 0 in a space with a third dimension z.
    lines, rays = generators([(1, -1, 0)], [(1, 0, 0)], 3, 10) or ([], [])
    assert (lines, rays) == ([(0, 0, 1)], [(1, 1, 0)])


def test_a_relation_with_very_many_forms_keeps_the_forms_of_the_loops() -> None:
    # From a region of C whose arrays have unknown sizes; isl's elimination takes minutes.
    relation = isl.Map(
        "[m, n, s9, s14, s20] -> { S4[i, j] -> S1[i', j'] : (1 + i') mod 2 = 0 and"
        " (3 + 2m + 2n + i' + 2j') mod 6 = 0 and m <= 21 and s9 >= 6 and s14 >= 6 and"
        " s20 >= -1 + m and i >= 0 and 3j <= -m + n + i and i' >= -2 + 2m - s9 and"
        " 3 - 2m + s9 + 2i <= i' <= 4 - 2m + s9 + 2i and i' <= -2 + m and 0 <= j' <= -2 + m and"
        " j' <= 2m - s14 and 2j' >= 4m - 2n - s20 + 6j - i' and"
        " -1 + 4m - 2n - s14 - i' <= 2j' < 4m - 2n - s14 + 6j - i' }"
    )
    forms = non_negative_forms(relation)
    # (constant, m, n, s9, s14, s20, i, j, i', j')
    assert forms.contains((0, 0, 0, 0, 0, 0, 1, 0, 0, 0))
    assert forms.contains((0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    assert not forms.contains((-1, 0, 0, 0, 0, 0, 1, 0, 0, 0))
    assert not forms.contains((0, 0, 0, 0, 0, 0, 0, 0, 1, -1))


def _box_of_ten(conditions: str) -> isl.Map:
    """Pairs of instances in ten loops: more vertices than are tried."""
    names = [f"i{number}" for number in range(10)]
    targets = [f"j{number}" for number in range(10)]
    bounds = " and ".join(f"0 <= {name} <= n" for name in (*names, *targets))
    return isl.Map(
        f"[n] -> {{ S[{', '.join(names)}] -> S[{', '.join(targets)}] : {bounds} and {conditions} }}"
    )


def _contains(forms: NonNegativeForms, constant: int, coefficients: dict[int, int]) -> bool:
    return forms.contains((constant, 0, *(coefficients.get(at, 0) for at in range(20))))


def test_a_relation_with_too_many_vertices_has_the_forms_of_the_loops() -> None:
    forms = non_negative_forms(_box_of_ten("i0 < j0 and i1 = j1"))
    assert not forms.has_bounds
    assert _contains(forms, 0, {0: -1, 10: 1})
    assert _contains(forms, 3, {0: -2, 10: 2, 1: 1, 11: -1})
    assert not _contains(forms, 0, {0: 1})
    assert not _contains(forms, 0, {2: -1, 12: 1})


def test_what_is_left_of_such_a_relation_has_the_forms_of_the_loops() -> None:
    first, second = (
        {0: AffineRow(tuple(int(at == loop) for at in range(10)), 0, (0,))} for loop in range(2)
    )
    relation = _box_of_ten("i0 <= j0 and (i1 < j1 or (i1 = j1 and i2 <= j2)) and i3 = j3")
    edge = DependenceEdge(0, 0, relation, validity=True)
    left = edge.uncarried_by([first])
    assert left is not None
    assert left.is_hard
    for sign in (1, -1):
        assert _contains(left.forms, 0, {0: -sign, 10: sign})
        assert _contains(left.forms, 0, {3: -sign, 13: sign})
    assert left.is_respected_by(second)
    assert not left.vanishes_on(second)
    inner = left.uncarried_by([second])
    assert inner is not None
    assert _contains(inner.forms, 0, {2: -1, 12: 1})


def test_forms_that_vanish_are_in_the_cone_with_their_negatives() -> None:
    relation = isl.Map("[n] -> { S[i, j] -> S[i, k] : 0 <= i, j, k < n and j < k }")
    forms = non_negative_forms(relation)
    found = {form for form in product((-1, 0, 1), repeat=6) if forms.vanishes(form)}
    assert found == {
        form
        for form in product((-1, 0, 1), repeat=6)
        if forms.contains(form) and forms.contains([-entry for entry in form])
    }
    assert (0, 0, 1, 0, -1, 0) in found
    assert (0, 0, 0, 1, 0, -1) not in found
