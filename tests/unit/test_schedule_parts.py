"""The parts that schedulers are made of: linear algebra, integer programs, components, Farkas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyir.schedule.components import (
    in_program_order,
    runs,
    strongly_connected_components,
    weakly_connected_components,
)
from polyir.schedule.constraints import ScheduledStatement, equality_directions
from polyir.schedule.dependences import DependenceEdge
from polyir.schedule.farkas import non_negative_forms
from polyir.schedule.feautrier import carrying_row
from polyir.schedule.integer_program import (
    lexicographic_minimum,
    lexicographic_minimum_of_choices,
)
from polyir.schedule.linear import (
    completing_rows,
    constraint_rows,
    dot,
    orthogonal_complement,
    rank,
)
from polyir.schedule.row_problem import ObjectiveTerm, RowForm, RowProblem

WIDTH = 4
matrices = st.lists(
    st.tuples(*[st.integers(-4, 4)] * WIDTH).map(lambda row: tuple(row)), max_size=5
)


@given(matrices)
def test_orthogonal_complement_is_orthogonal_and_complete(rows: list[tuple[int, ...]]) -> None:
    complement = orthogonal_complement(rows, WIDTH)
    assert all(dot(row, other) == 0 for row in rows for other in complement)
    assert rank(rows, WIDTH) + len(complement) == WIDTH
    assert rank([*rows, *complement], WIDTH) == WIDTH


@given(matrices)
def test_completion_is_a_basis(rows: list[tuple[int, ...]]) -> None:
    completion = completing_rows(rows, WIDTH)
    assert rank([*rows, *completion], WIDTH) == WIDTH
    assert rank(rows, WIDTH) + len(completion) == WIDTH


def test_completion_of_the_paper() -> None:
    """Zinenko et al., 2017, section 4.2: B[k][j] in loops i, j, k becomes B[i][k][j]."""
    assert completing_rows([(0, 0, 1), (0, 1, 0)], 3) == ((1, 0, 0),)


def test_outer_loops_complete_a_basis() -> None:
    """The lines of B[i + k] go along k, the inner loop."""
    assert completing_rows([(1, 1)], 2) == ((1, 0),)


def test_complement_of_a_coordinate_subspace_consists_of_unit_vectors() -> None:
    assert orthogonal_complement([(0, 2, 0), (0, -1, 0)], 3) == ((1, 0, 0), (0, 0, 1))


def coordinates(point: isl.Point | None) -> tuple[int, ...] | None:
    if point is None:
        return None
    count = point.get_space().dim(isl.dim_type.set)
    return tuple(
        point.get_coordinate_val(isl.dim_type.set, each).to_python() for each in range(count)
    )


def test_lexicographic_minimum_is_integer() -> None:
    odd = isl.BasicSet("{ [x, y] : 2x >= 1 and x = 2y - 1 }")
    assert coordinates(lexicographic_minimum(odd)) == (1, 1)
    above = isl.BasicSet("{ [x, y] : y >= 2 }")
    assert coordinates(lexicographic_minimum(odd.intersect(above))) == (3, 2)
    below = isl.BasicSet("{ [x, y] : y <= 0 }")
    assert lexicographic_minimum(odd.intersect(below)) is None


def test_choices_take_the_best_alternative_of_each() -> None:
    """|x - y| >= 2 and |y - z| >= 2 with y >= 1: (0, 2, 0) comes first."""
    solutions = isl.BasicSet("{ [x, y, z] : x >= 0 and y >= 1 and z >= 0 }")
    apart = [
        tuple(isl.BasicSet(f"{{ [x, y, z] : {one} - {two} >= 2 }}") for one, two in pairs)
        for pairs in (("xy", "yx"), ("yz", "zy"))
    ]
    assert lexicographic_minimum_of_choices(solutions, apart, limit=50) == (0, 2, 0)


def test_choices_without_a_solution() -> None:
    solutions = isl.BasicSet("{ [x] : 0 <= x <= 3 }")
    beyond = [(isl.BasicSet("{ [x] : x >= 5 }"), isl.BasicSet("{ [x] : x <= -1 }"))]
    assert lexicographic_minimum_of_choices(solutions, beyond, limit=50) is None


# A row problem


def statement(domain: str) -> ScheduledStatement:
    instances = isl.Set(domain)
    return ScheduledStatement(0, "S", instances, equality_directions(instances))


SQUARE = statement("[n] -> { S[i, j] : 0 <= i, j < n }")
BACKWARDS = DependenceEdge(
    0, 0, isl.Map("[n] -> { S[i, j] -> S[i, j - 1] : 0 <= i < n and 0 < j < n }"), validity=True
)
PLUTO = (ObjectiveTerm.BOUND_SUM, ObjectiveTerm.BOUND_COEFFICIENTS, ObjectiveTerm.BOUND_CONSTANT)


@pytest.mark.parametrize(("signed", "expected"), [(False, (1, 0)), (True, (0, -1))])
def test_negative_coefficients_are_a_choice(signed: bool, expected: tuple[int, ...]) -> None:
    """A row that carries a dependence against the order of j, or else one that keeps it at 0."""
    problem = RowProblem([SQUARE], 1, RowForm(PLUTO, signed=signed, parametric=False))
    problem.add_edges([BACKWARDS])
    row = problem.solve(
        [(problem.carried([BACKWARDS]),)] if signed else problem.independence({0: ()})
    )
    assert row is not None
    assert row.hyperplane[0].coefficients == expected
    if not signed:
        assert problem.solve([(problem.carried([BACKWARDS]),)]) is None


def test_the_objective_decides() -> None:
    """With the bound on the distance first it is i + j along (1, -1), else the single loop j."""
    across = DependenceEdge(
        0,
        0,
        isl.Map("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 0 < j < n }"),
        proximity=True,
    )
    bound = RowForm(PLUTO, signed=False, parametric=False)
    size = RowForm((ObjectiveTerm.ITERATOR_SUM, *PLUTO), signed=False, parametric=False)
    found = []
    for form in (bound, size):
        problem = RowProblem([SQUARE], 1, form)
        problem.add_edges([across])
        row = problem.solve(problem.independence({0: ()}))
        assert row is not None
        assert row.bound is not None
        found.append((row.hyperplane[0].coefficients, row.bound.constant))
    assert found == [((1, 1), 0), ((1, 0), 1)]


def test_rows_are_new() -> None:
    problem = RowProblem(
        [SQUARE], 1, RowForm((ObjectiveTerm.ITERATOR_SUM,), signed=True, parametric=True)
    )
    choices = problem.independence({0: ((1, 1),)})
    row = problem.solve(choices)
    assert row is not None
    assert row.bound is None
    assert row.hyperplane[0].coefficients == (1, 0)
    assert problem.independence({0: ((1, 1), (1, 0))}) == []
    assert problem.independence({0: ((1, 1),)}, needing=2) == []


def test_strongly_connected_components_in_the_order_of_pluto() -> None:
    """atax: S1 initialises y, S2 tmp; S3 sums to tmp, S4 to y. Pluto's order is S2 S3 S1 S4."""
    edges = [(0, 3), (1, 2), (2, 2), (2, 3), (3, 3)]
    assert strongly_connected_components(range(4), edges) == ((1,), (2,), (0,), (3,))
    cycle = [(0, 1), (1, 2), (2, 1), (2, 3)]
    assert strongly_connected_components(range(4), cycle) == ((0,), (1, 2), (3,))


edge_lists = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(edge_lists)
def test_components_are_in_topological_order(edges: list[tuple[int, int]]) -> None:
    components = strongly_connected_components(range(7), edges)
    assert sorted(node for component in components for node in component) == list(range(7))
    for order in (components, in_program_order(components, edges)):
        place = {node: index for index, component in enumerate(order) for node in component}
        assert all(place[source] <= place[target] for source, target in edges)


@given(edge_lists)
def test_components_are_strongly_connected(edges: list[tuple[int, int]]) -> None:
    reaches = {(node, node) for node in range(7)} | set(edges)
    for middle in range(7):
        reaches |= {(a, c) for a, b in reaches for d, c in reaches if b == middle == d}
    components = strongly_connected_components(range(7), edges)
    together = {(a, b) for component in components for a in component for b in component}
    assert together == {(a, b) for a, b in reaches if (b, a) in reaches}


def test_weakly_connected_components_follow_the_order_of_nodes() -> None:
    assert weakly_connected_components([3, 0, 2, 1], [(0, 1), (2, 3)]) == ((3, 2), (0, 1))


def test_program_order_where_nothing_else_decides() -> None:
    assert in_program_order([(2,), (1,), (0,)], [(2, 0)]) == ((1,), (2,), (0,))


def test_runs_cut_where_the_key_changes() -> None:
    assert runs([(0,), (1,), (2, 3), (4,)], len) == (((0,), (1,)), ((2, 3),), ((4,),))


def test_farkas_gives_exactly_the_non_negative_forms() -> None:
    relation = isl.Map("[N] -> { S[i] -> T[j] : 0 <= i <= j < N }")
    forms = non_negative_forms(relation)
    # Constant, N, i, j.
    assert forms.contains((0, 0, -1, 1))
    assert forms.contains((-1, 1, 0, -1))
    assert not forms.contains((0, 0, 1, -1))
    assert not forms.contains((-1, 0, -1, 1))


def test_stencil_unions_are_split_into_uniform_dependences() -> None:
    """The octahedron of a 7-point stencil in four dimensions: seconds if it is not split."""
    bounds = " and ".join(f"0 < {name} < N" for name in ("i", "j", "k", "i'", "j'", "k'"))
    octahedron = " and ".join(
        f"{x}(i' - i) {y} (j' - j) {z} (k' - k) <= 1" for x in ("", "-") for y in "+-" for z in "+-"
    )
    relation = isl.Map(
        f"[N] -> {{ S[t,i,j,k] -> T[t,i',j',k'] : 0 <= t < N and {bounds} and {octahedron} }}"
    )
    forms = non_negative_forms(relation)
    distance_plus_one = (1, 0, 0, -1, 0, 0, 0, 1, 0, 0)
    assert forms.contains(distance_plus_one)
    assert not forms.contains((0, *distance_plus_one[1:]))


def test_a_loop_that_only_runs_forward_for_integers_is_kept() -> None:
    """The rational relaxation of this relation, as isl simplifies it, has i' = i - 1/2."""
    relation = isl.Map(
        "[N] -> { S[i, j] -> T[k, l] : l = N - 1 - j and i >= 0 and j >= i and j > 0 and "
        "N - 2 <= 2j <= N and k < N - j and 2i + 2j - N < 2k <= 2i + 2j + 2 - N }"
    )
    forms = non_negative_forms(relation)
    assert forms.contains((0, 0, -1, 0, 1, 0))
    assert not forms.contains((-1, 0, -1, 0, 1, 0))
    assert not forms.contains((0, 0, 1, 0, -1, 0))


def test_rows_of_constraints() -> None:
    large = 10**30
    polyhedron = isl.BasicSet(
        f"[n, m] -> {{ [i, j] : i = 2j + 3n - 1 and j >= m - {large} and i <= n }}"
    )
    # isl replaces j: 2j = i - 3n + 1.
    assert constraint_rows(polyhedron) == (
        [(-1, 3, 0, -1, 2)],
        [(2 * large + 1, -3, -2, 1, 0), (0, 1, 0, -1, 0)],
    )
    assert constraint_rows(isl.BasicSet("{ [] }")) == ([], [])


def test_parts_of_a_lattice_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that differ in remainders only, and those that are empty, are not conditions."""
    asked: list[int] = []
    carried = RowProblem.carried

    def counted(self: RowProblem, edges: Sequence[DependenceEdge], sign: int = 1) -> isl.BasicSet:
        asked.append(len(edges))
        return carried(self, edges, sign)

    monkeypatch.setattr(RowProblem, "carried", counted)
    parts = (
        isl.Map(f"[n] -> {{ S[i] -> S[i + 6] : 0 <= i < n and i mod 6 = {remainder} }}")
        for remainder in range(6)
    )
    edge = DependenceEdge(0, 0, reduce(isl.Map.union, parts), validity=True)
    row = carrying_row([statement("[n] -> { S[i] : 0 <= i < n + 6 }")], 1, [edge])
    assert row is not None
    assert row[0].coefficients == (1,)
    assert asked == [1]


def test_an_empty_part_is_not_carried() -> None:
    """A row of zeros would carry it, and nothing would be left to do but to add it again."""
    below = isl.BasicMap("[n] -> { S[i] -> S[j] : 0 <= i, j < n and 2i + j <= n }")
    empty = below.intersect(isl.BasicMap("[n] -> { S[i] -> S[j] : i + j > n }"))
    relations = (
        isl.Map("[n] -> { S[i] -> S[1 - i] : 0 <= i <= 1 < n }"),
        isl.Map.from_basic_map(empty),
    )
    edges = [DependenceEdge(0, 0, each, validity=True) for each in relations]
    assert carrying_row([statement("[n] -> { S[i] : 0 <= i < n }")], 1, edges) is None
