"""Interleavings of random restrictions and of random programs, against brute force."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from interleavings import interleavings, total_preorders
from suites import examples

from polyir.interleaving.point import Interleaving
from polyir.interleaving.preorders import Restrictions
from polyir.interleaving.pruning import smallest_refused
from polyir.interleaving.space import InterleavingSpace


@st.composite
def restrictions(draw: st.DrawFn, count: int) -> Restrictions:
    one = st.integers(0, count - 1)
    sets = st.frozensets(one, min_size=2)
    pairs = st.tuples(one, one).filter(lambda pair: pair[0] != pair[1])
    return Restrictions(
        draw(st.frozensets(sets, max_size=3)), draw(st.frozensets(pairs, max_size=4))
    )


@st.composite
def spaces(draw: st.DrawFn) -> InterleavingSpace:
    count, depth = draw(st.sampled_from([(2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 2)]))
    levels = tuple(draw(restrictions(count)) for _ in range(draw(st.integers(0, depth))))
    return InterleavingSpace(count, depth, levels)


def is_allowed(space: InterleavingSpace, point: Interleaving) -> bool:
    above = dict.fromkeys(range(space.count), 0)
    for each, level in zip(space.all_restrictions, point.levels, strict=True):
        place = {name: number for number, block in enumerate(level) for name in block}
        if any(len({place[name] for name in group}) == 1 for group in each.apart):
            return False
        pairs = [pair for pair in each.never_before if above[pair[0]] == above[pair[1]]]
        if any(place[first] < place[second] for first, second in pairs):
            return False
        above = place
    return True


@given(spaces(), st.integers(0, 1000))
@settings(max_examples=examples(100, 1000), deadline=None)
def test_a_space_has_each_interleaving_once_and_nothing_else(
    space: InterleavingSpace, seed: int
) -> None:
    points = list(space.points())
    everything = set(interleavings(space.count, space.depth))
    assert len(set(points)) == len(points) == space.size()
    assert set(points) == {each for each in everything if is_allowed(space, each)}
    assert all((each in space) == (each in set(points)) for each in everything)
    sample = space.sample(3, seed)
    assert len(set(sample)) == len(sample) == min(3, len(points))
    assert set(sample) <= set(points)


@given(spaces())
@settings(max_examples=examples(100, 1000), deadline=None)
def test_the_linear_form_has_the_same_points(space: InterleavingSpace) -> None:
    form = space.linear_form
    for point in interleavings(space.count, space.depth):
        assert (point in form) == (point in space)
        assert point not in form or form.point(form.values(point)) == point


@given(st.sets(st.frozensets(st.integers(0, 5), min_size=2), max_size=6))
@settings(max_examples=examples(200, 2000), deadline=None)
def test_the_smallest_refused_sets_are_found(refused: set[frozenset[int]]) -> None:
    known: list[frozenset[int]] = []

    def is_accepted(group: frozenset[int]) -> bool:
        is_refused = any(each <= group for each in refused)
        assert not any(each <= group for each in known)
        if is_refused:
            known.append(group)
        return not is_refused

    found = smallest_refused(6, is_accepted)
    assert found == {each for each in refused if not any(other < each for other in refused)}


def test_total_preorders_are_listed_once() -> None:
    listed = list(total_preorders(5))
    assert len(listed) == len(set(listed)) == 541
