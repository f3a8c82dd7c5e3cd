"""Integer geometric programs, by branch and bound and by a search, against all integers."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suites import examples

from polyir.choose.geometric_program import GeometricProgram, Posynomial, constant, variable


def total(*terms: Posynomial) -> Posynomial:
    result = Posynomial()
    for each in terms:
        result += each
    return result


X, Y = variable("x"), variable("y")

# Section 15.3.1.2.5: tiles of a stencil, their starts and facets, and facets that fit into a cache.
STENCIL = GeometricProgram(
    {"x": (1, 60), "y": (1, 80)},
    total(
        constant(4800.0),
        constant(48000.0) * variable("x", -1) * variable("y", -1),
        constant(9600.0) * variable("x", -1),
        constant(14400.0) * variable("y", -1),
    ),
    {"cache": total(X, Y) * constant(1 / 48)},
)

IMPOSSIBLE = GeometricProgram(
    {"x": (2, 9), "y": (1, 9)}, X, {"cache": total(X * Y, Y) * constant(1 / 2.5)}
)


def best(program: GeometricProgram) -> float | None:
    names = list(program.bounds)
    ranges = (range(low, high + 1) for low, high in program.bounds.values())
    points = [dict(zip(names, values, strict=True)) for values in product(*ranges)]
    values = [program.objective.value(each) for each in points if program.is_feasible(each)]
    return min(values, default=None)


def test_posynomials_are_sums_of_different_monomials() -> None:
    assert str(total(X * Y, Y * X, constant(2), constant(0))) == "2 x y + 2"
    assert str(total(X, Y) * total(X, Y)) == "1 x^2 + 2 x y + 1 y^2"
    assert (X * variable("x", -1)).value({"x": 7.0}) == 1.0
    assert X.grows
    assert not variable("x", -1).grows


def test_the_program_is_printed() -> None:
    assert str(IMPOSSIBLE).splitlines() == [
        "minimise 1 x",
        "cache: 0.4 x y + 0.4 y <= 1",
        "2 <= x <= 9",
        "1 <= y <= 9",
    ]


@pytest.mark.parametrize("by", ["branched", "searched"])
def test_the_stencil_gets_the_best_tiles(by: str) -> None:
    if by == "branched":
        pytest.importorskip("cvxpy")
    found = getattr(STENCIL, by)()
    assert STENCIL.is_feasible(found)
    assert STENCIL.objective.value(found) == best(STENCIL)
    assert getattr(IMPOSSIBLE, by)() is None


@st.composite
def programs(draw: st.DrawFn) -> GeometricProgram:
    """Programs like those of tiles: what gets less with larger sizes, and a footprint."""
    factor = st.floats(1.0, 1e6)
    names = ["x", "y", "z"][: draw(st.integers(1, 3))]
    objective = constant(draw(factor))
    footprint = Posynomial()
    for name in names:
        objective += constant(draw(factor)) * variable(name, -1.0)
        footprint += constant(draw(st.floats(0.1, 4.0))) * variable(name)
    for one, other in pairwise(names):
        objective += constant(draw(factor)) * variable(one, -1.0) * variable(other, -1.0)
        footprint += constant(draw(st.floats(0.1, 4.0))) * variable(one) * variable(other)
    bounds = {name: (1, draw(st.integers(1, 30))) for name in names}
    room = constant(1 / draw(st.floats(2.0, 500.0)))
    return GeometricProgram(bounds, objective, {"cache": footprint * room})


@pytest.mark.matrix
@given(programs())
@settings(max_examples=examples(100, 1000), deadline=None)
def test_the_search_is_nearly_as_good_as_all_integers(program: GeometricProgram) -> None:
    found, least = program.searched(), best(program)
    assert (found is None) == (least is None)
    if found is not None and least is not None:
        assert program.is_feasible(found)
        assert program.objective.value(found) <= 1.05 * least


@given(programs())
@settings(max_examples=examples(10, 100), deadline=None)
def test_branch_and_bound_finds_the_best_integers(program: GeometricProgram) -> None:
    pytest.importorskip("cvxpy")
    found, least = program.branched(), best(program)
    assert (found is None) == (least is None)
    if found is not None and least is not None:
        assert program.is_feasible(found)
        assert program.objective.value(found) <= (1 + 1e-5) * least
