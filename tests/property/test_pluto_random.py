"""Random small programs: every schedule is legal and every flag true, whatever the policy."""

from __future__ import annotations

from typing import get_args

import pytest
from affine_nests import programs
from hypothesis import given, settings
from hypothesis import strategies as st
from schedule_checks import bands, is_coincident, is_permutable, is_total_order, violations
from small_programs import Loop, Statement, constraints_of
from suites import examples

from polyir.schedule.pluto import PlutoFusion, PlutoOptions, pluto_schedule


@pytest.mark.parametrize("fuse", get_args(PlutoFusion))
@settings(max_examples=examples(10, 30), deadline=None)
@given(program=programs(), input_dependences=st.booleans())
def test_schedules_are_legal(
    fuse: PlutoFusion, program: tuple[Loop | Statement, ...], input_dependences: bool
) -> None:
    problem = constraints_of("N", "N >= 3", *program, input_dependences=input_dependences)
    schedule = pluto_schedule(problem, PlutoOptions(fuse)).schedule
    assert violations(problem, schedule).is_empty()
    assert is_total_order(problem, schedule)
    assert schedule.domain.is_equal(problem.domain)
    for band in bands(schedule):
        assert is_permutable(problem, band)
        for member in range(len(band.members)):
            flag = band.members[member].is_coincident
            assert flag == is_coincident(problem, band, member)
