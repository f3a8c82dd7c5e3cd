"""What Pouchet et al. (2011) say about two programs."""

from __future__ import annotations

import pytest
from schedule_checks import bands, is_permutable, is_total_order, violations
from small_programs import constraints_of
from test_pluto_expected import matrix_matrix, matrix_vector

from polyir.interleaving.fusability import FusionOptions
from polyir.interleaving.of_schedule import interleaving_of_schedule
from polyir.interleaving.point import interleaving_of_text
from polyir.interleaving.schedule import InterleavingError, InterleavingScheduler

FIRST, SECOND, THIRD = range(3)

CHAIN = constraints_of(
    "N",
    "N >= 2",
    matrix_vector("R", "x", "A", "b"),
    matrix_vector("S", "y", "B", "x"),
    matrix_vector("T", "z", "C", "y"),
)

PRODUCTS = constraints_of(
    "N",
    "N >= 2",
    matrix_matrix("R", "C", "A", "B"),
    matrix_matrix("S", "F", "D", "E"),
    matrix_matrix("T", "G", "C", "F"),
)


@pytest.mark.parametrize("rows", ["forward", "any"])
def test_fusability_is_not_transitive(rows: str) -> None:
    outermost = InterleavingScheduler(CHAIN, FusionOptions(rows=rows)).outermost
    assert outermost.can_share((0, 1))
    assert outermost.can_share((1, 2))
    assert not outermost.can_share((0, 1, 2))


def test_fusing_the_chain_takes_an_interchange() -> None:
    outermost = InterleavingScheduler(CHAIN).outermost
    assert outermost.permutations(0, 1) == {(FIRST, SECOND)}
    assert outermost.permutations(1, 2) == {(FIRST, SECOND)}
    assert not list(outermost.common_permutations((0, 1, 2)))


def test_permutations_of_figure_1() -> None:
    outermost = InterleavingScheduler(PRODUCTS).outermost
    assert outermost.permutations(0, 1) == {
        (one, two) for one in (FIRST, SECOND, THIRD) for two in (FIRST, SECOND, THIRD)
    }
    assert outermost.permutations(0, 2) == {(FIRST, FIRST), (SECOND, THIRD)}
    assert outermost.permutations(1, 2) == {(FIRST, THIRD), (SECOND, SECOND)}
    assert list(outermost.common_permutations((0, 1, 2))) == [{0: SECOND, 1: FIRST, 2: THIRD}]


@pytest.mark.parametrize(
    "pattern",
    [
        "R,S,T",
        "R|S,T",
        "R|S|T",
        "R,S,T / R|S,T",
        "R,S,T / R,S|T",
        "R,T|S / R,T|S",
        "S|R,T / S|R,T",
        "R,S,T / R|S|T",
    ],
)
def test_versions_of_figure_3_are_points(pattern: str) -> None:
    scheduler = InterleavingScheduler(PRODUCTS)
    point = interleaving_of_text(pattern, scheduler.names)
    if pattern.startswith("R,T|S"):
        with pytest.raises(InterleavingError, match="T must not run before S"):
            scheduler.schedule(point)
        return
    schedule = scheduler.schedule(point).schedule
    assert violations(PRODUCTS, schedule).is_empty()
    assert is_total_order(PRODUCTS, schedule)
    assert all(is_permutable(PRODUCTS, band) for band in bands(schedule))
    found = interleaving_of_schedule(schedule, scheduler.names, len(point.levels))
    assert found == point


def test_the_refusal_names_the_smallest_set_and_its_dependences() -> None:
    scheduler = InterleavingScheduler(CHAIN)
    with pytest.raises(InterleavingError) as refused:
        scheduler.schedule(interleaving_of_text("R,S,T", scheduler.names))
    assert refused.value.message == "R, S, T cannot share a loop"
    assert set(refused.value.dependences) == {("R", "S"), ("S", "T")}
