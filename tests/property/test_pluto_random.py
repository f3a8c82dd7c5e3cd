"""Random small programs: every schedule is legal and every flag true, whatever the policy."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schedule_checks import bands, is_coincident, is_permutable, is_total_order, violations
from small_programs import Loop, Statement, loop, problem_of, statement

from polyir.schedule.pluto import Fusion, PlutoOptions, pluto_schedule

CONDITIONS = ("0 <= {0} < N", "1 <= {0} < N - 1", "{1} <= {0} < N", "0 <= {0} < {1}")


def subscripts(iterators: tuple[str, ...]) -> st.SearchStrategy[str]:
    if not iterators:
        return st.sampled_from(["0", "1", "N - 1"])
    one = st.sampled_from(iterators)
    shifted = st.builds("{} + {}".format, one, st.integers(-2, 2))
    reversed_ = st.builds("N - 1 - {}".format, one)
    summed = st.builds("{} + {}".format, one, one)
    return st.one_of(shifted, shifted, reversed_, summed, st.just("0"))


def accesses(iterators: tuple[str, ...]) -> st.SearchStrategy[str]:
    vector = st.builds("a[{}]".format, subscripts(iterators))
    matrix = st.builds("b[{}, {}]".format, subscripts(iterators), subscripts(iterators))
    return st.one_of(vector, vector, matrix, st.just("s[]"))


@st.composite
def bodies(
    draw: st.DrawFn, iterators: tuple[str, ...], names: list[str]
) -> tuple[Loop | Statement, ...]:
    """One or two loops or statements; statement names are taken from the end of `names`."""
    body: list[Loop | Statement] = []
    for _ in range(draw(st.integers(1, 2))):
        if not names:
            break
        if len(iterators) < 3 and draw(st.booleans()):
            body.append(draw(loops(iterators, names)))
        else:
            reads = draw(st.lists(accesses(iterators), max_size=2))
            body.append(statement(names.pop(), draw(accesses(iterators)), "; ".join(reads)))
    return tuple(body)


@st.composite
def loops(draw: st.DrawFn, iterators: tuple[str, ...], names: list[str]) -> Loop:
    iterator = f"i{len(iterators)}"
    known = CONDITIONS if iterators else CONDITIONS[:2]
    condition = draw(st.sampled_from(known)).format(iterator, *iterators[-1:])
    return loop(iterator, condition, *draw(bodies((*iterators, iterator), names)))


@st.composite
def programs(draw: st.DrawFn) -> tuple[Loop | Statement, ...]:
    names = [f"S{number}" for number in reversed(range(4))]
    return (draw(loops((), names)), *draw(bodies((), names)))


@pytest.mark.parametrize("fuse", list(Fusion))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs(), input_dependences=st.booleans())
def test_schedules_are_legal(
    fuse: Fusion, program: tuple[Loop | Statement, ...], input_dependences: bool
) -> None:
    problem = problem_of("N", "N >= 3", *program, input_dependences=input_dependences)
    schedule = pluto_schedule(problem, PlutoOptions(fuse)).schedule
    assert violations(problem, schedule).is_empty()
    assert is_total_order(problem, schedule)
    assert schedule.get_domain().is_equal(problem.domain)
    for band in bands(schedule):
        assert is_permutable(problem, band)
        for member in range(band.band_n_member()):
            flag = band.band_member_get_coincident(member)
            assert flag == is_coincident(problem, band, member)
