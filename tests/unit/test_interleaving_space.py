"""The space of statement interleavings, and its linear form."""

from __future__ import annotations

import islpy as isl
import pytest
from interleavings import interleavings

from polyir.base.diagnostics import OptionError
from polyir.interleaving import linear_form
from polyir.interleaving.linear_form import Condition, Variable
from polyir.interleaving.point import Interleaving, interleaving_of_text
from polyir.interleaving.preorders import Restrictions
from polyir.interleaving.space import InterleavingSpace

RESTRICTED = InterleavingSpace(4).restricted(
    1, Restrictions(frozenset({frozenset({0, 1, 2})}), frozenset({(1, 0), (3, 2)}))
)


@pytest.mark.parametrize(("count", "points"), list(enumerate((1, 3, 13, 75, 541, 4683), 1)))
def test_counts_of_the_paper(count: int, points: int) -> None:
    space = InterleavingSpace(count)
    assert space.size() == points
    assert len(set(space.points())) == points


@pytest.mark.parametrize(("count", "depth"), [(2, 2), (2, 3), (3, 2)])
def test_levels_refine_each_other(count: int, depth: int) -> None:
    space = InterleavingSpace(count, depth)
    assert sorted(each.levels for each in space.points()) == sorted(
        each.levels for each in interleavings(count, depth)
    )
    assert space.size() == len(list(interleavings(count, depth)))


@pytest.mark.parametrize(
    "space", [InterleavingSpace(3), InterleavingSpace(2, 3), InterleavingSpace(3, 2), RESTRICTED]
)
def test_the_linear_form_has_each_point_once(space: InterleavingSpace) -> None:
    form = space.linear_form
    found: list[Interleaving] = []

    def add(point: isl.Point) -> None:
        values = (
            point.get_coordinate_val(isl.dim_type.set, place).to_python()
            for place in range(len(form.open_variables))
        )
        found.append(form.point(dict(zip(form.open_variables, values, strict=True))))

    isl.Set.from_basic_set(form.as_set()).foreach_point(add)
    assert sorted(each.levels for each in found) == sorted(each.levels for each in space.points())


def test_known_values_leave_a_smaller_form() -> None:
    free, restricted = InterleavingSpace(4).linear_form, RESTRICTED.linear_form
    assert len(free.open_variables) == 12
    assert len(restricted.open_variables) < 12
    assert len(restricted.conditions) < len(free.conditions)


def test_the_form_of_an_empty_space_is_empty() -> None:
    space = InterleavingSpace(2).restricted(
        1, Restrictions(frozenset({frozenset({0, 1})}), frozenset({(0, 1), (1, 0)}))
    )
    assert space.size() == 0
    assert space.linear_form.as_set().is_empty()
    assert space.best({}) is None


def together(level: int, first: int, second: int) -> Variable:
    return Variable(level, first, second, together=True)


WEIGHTS = {together(1, 0, 1): 3, together(1, 2, 3): 2, together(1, 0, 2): 4, together(1, 1, 3): -1}


def weight(point: Interleaving) -> int:
    values = RESTRICTED.linear_form.values(point)
    return sum(WEIGHTS.get(each, 0) for each in values)


@pytest.mark.parametrize("solver", ["isl", "highs"])
def test_best_is_the_best_of_all_points(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if solver == "highs":
        pytest.importorskip("highspy")
        monkeypatch.setattr(linear_form, "MOST_FOR_ISL", 0)
    best = RESTRICTED.best(WEIGHTS)
    assert best in set(RESTRICTED.points())
    assert weight(best) == max(map(weight, RESTRICTED.points())) == 6


def test_conditions_restrict_all_that_is_asked() -> None:
    fused = [together(1, first, second) for first, second in ((0, 1), (0, 2), (1, 2))]
    space = InterleavingSpace(3, conditions=(Condition(dict.fromkeys(fused, 1), -1),))
    points = list(space.points())
    assert space.size() == len(points) == 7
    assert all(len(point.levels[0]) < 3 for point in points)
    assert Interleaving((((0,), (1,), (2,)),)) not in space
    assert space.best(dict.fromkeys(fused, -1)) in points


def test_a_sample_has_different_points_of_the_space() -> None:
    space = InterleavingSpace(9)
    sample = space.sample(50, seed=1)
    assert len(set(sample)) == 50
    assert all(each in space for each in sample)
    assert sample == space.sample(50, seed=1) != space.sample(50, seed=2)


def test_each_point_is_equally_likely() -> None:
    counts: dict[Interleaving, int] = {}
    for seed in range(2600):
        (point,) = InterleavingSpace(3, 2).sample(1, seed)
        counts[point] = counts.get(point, 0) + 1
    assert len(counts) == 37
    # 70 are expected of each; 120 would be six standard deviations away.
    assert max(counts.values()) < 120
    assert min(counts.values()) > 25


NAMES = ("S0", "S1", "S2")


@pytest.mark.parametrize("text", ["S0,S1|S2", "S2|S0|S1", "S0,S1,S2 / S1|S0,S2 / S1|S0|S2"])
def test_text_round_trip(text: str) -> None:
    assert interleaving_of_text(text, NAMES).text(NAMES) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("S0,S1", "a level lacks S2"),
        ("S0,S1|S1,S2", "a level has S1 more than once"),
        ("S0,S1|S3", "there is no statement 'S3' in S0, S1, S2"),
        ("S0|S1,S2/S0,S1|S2", "a level divides blocks of the level above it"),
        ("S0|S1,S2/S1|S0|S2", "a level divides blocks of the level above it"),
    ],
)
def test_text_that_is_no_interleaving(text: str, reason: str) -> None:
    with pytest.raises(OptionError, match=f"pattern=.*: {reason}"):
        interleaving_of_text(text, NAMES)
