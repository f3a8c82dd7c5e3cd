"""Random small programs through the schedulers but Pluto's, whatever the policy."""

from __future__ import annotations

from typing import Literal, get_args

import pytest
from affine_nests import programs
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_programs import Program, poly_text
from loop_programs import programs as programs_with_arrays
from poly_text import poly_module, scops_of
from schedule_checks import bands, is_coincident, is_permutable, is_total_order, violations
from small_programs import Loop, Statement, constraints_of
from suites import examples

from polyir.choose.sizes import VALUE_REGISTERS
from polyir.model.analysis import compute_dependences
from polyir.model.live_ranges import require_same_values
from polyir.schedule.clusters import ClusterFusion
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.feautrier import FeautrierOptions, feautrier_schedule
from polyir.schedule.isl_builtin import isl_builtin_schedule
from polyir.schedule.isl_style import IslOptions, isl_style_schedule
from polyir.schedule.scop_constraints import live_range_constraints, schedule_constraints
from polyir.schedule.spatial.reuse import reuse_groups
from polyir.schedule.spatial.scheduler import SpatialOptions, spatial_schedule
from polyir.tree import Schedule

Nests = tuple[Loop | Statement, ...]
bounded = settings(max_examples=examples(6, 20), deadline=None, derandomize=True)


def constraints_for(program: Nests, *, input_dependences: bool = False) -> ScheduleConstraints:
    return constraints_of("N", "N >= 3", *program, input_dependences=input_dependences)


def check(constraints: ScheduleConstraints, schedule: Schedule) -> None:
    assert violations(constraints, schedule).is_empty()
    assert is_total_order(constraints, schedule)
    assert schedule.domain.is_equal(constraints.domain)
    for band in bands(schedule):
        assert is_permutable(constraints, band)
        for member in range(len(band.members)):
            flag = band.members[member].is_coincident
            assert flag <= is_coincident(constraints, band, member)


@pytest.mark.parametrize("serialize", [False, True])
@bounded
@given(program=programs())
def test_feautrier(serialize: bool, program: Nests) -> None:
    constraints = constraints_for(program)
    check(constraints, feautrier_schedule(constraints, FeautrierOptions(serialize)).schedule)


@pytest.mark.parametrize("outer_coincidence", [False, True])
@pytest.mark.parametrize("fusion", get_args(ClusterFusion))
@bounded
@given(program=programs(), input_dependences=st.booleans())
def test_isl_style(
    fusion: ClusterFusion, outer_coincidence: bool, program: Nests, input_dependences: bool
) -> None:
    constraints = constraints_for(program, input_dependences=input_dependences)
    options = IslOptions(fusion, outer_coincidence)
    check(constraints, isl_style_schedule(constraints, options).schedule)


@bounded
@given(program=programs())
def test_isl_builtin(program: Nests) -> None:
    constraints = constraints_for(program)
    try:
        schedule = isl_builtin_schedule(constraints)
    except SchedulingError:
        # isl gives up on some dependence cycles that the other schedulers take.
        return
    check(constraints, schedule)


@pytest.mark.parametrize("fusion", get_args(ClusterFusion))
@bounded
@given(program=programs_with_arrays())
def test_reordered_live_ranges_keep_all_values(fusion: ClusterFusion, program: Program) -> None:
    (scop,) = scops_of(poly_module(poly_text(program)))
    constraints = live_range_constraints(scop, compute_dependences(scop))
    schedule = isl_style_schedule(constraints, IslOptions(fusion)).schedule
    require_same_values(scop, schedule, "live-range reordering")


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize("fusion", get_args(ClusterFusion))
@bounded
@given(program=programs_with_arrays(), register_limit=st.sampled_from((0, None)))
def test_spatial(
    target: Literal["cpu", "gpu"],
    fusion: ClusterFusion,
    program: Program,
    register_limit: int | None,
) -> None:
    (scop,) = scops_of(poly_module(poly_text(program)))
    constraints = schedule_constraints(scop, compute_dependences(scop), input_dependences=True)
    options = SpatialOptions(
        target=target, line_size=4, fusion=fusion, register_limit=register_limit
    )
    schedule = spatial_schedule(
        constraints, reuse_groups(scop, 4), options, VALUE_REGISTERS
    ).schedule
    check(constraints, schedule)


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@bounded
@given(program=programs_with_arrays())
def test_spatial_with_reordered_live_ranges(
    target: Literal["cpu", "gpu"], program: Program
) -> None:
    (scop,) = scops_of(poly_module(poly_text(program)))
    constraints = live_range_constraints(scop, compute_dependences(scop), input_dependences=True)
    schedule = spatial_schedule(
        constraints,
        reuse_groups(scop, 4),
        SpatialOptions(target=target, line_size=4),
        VALUE_REGISTERS,
    ).schedule
    require_same_values(scop, schedule, "live-range reordering")
