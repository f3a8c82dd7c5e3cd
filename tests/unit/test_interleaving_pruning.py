"""The legal interleavings, against all interleavings that have a schedule."""

from __future__ import annotations

import pytest
from beyond_kernels import ALL_KERNELS
from interleavings import constraints_of_kernel, interleavings
from schedule_checks import is_total_order, violations
from small_programs import constraints_of, loop, statement
from suites import examples, in_turn, rarely
from test_pluto_expected import (
    FOUR_INDEX_TRANSFORM,
    GAUSS_SEIDEL,
    IMPERFECT_JACOBI,
    IMPERFECT_JACOBI_2D,
    LU,
    TRANSPOSED_SUM,
    matrix_matrix,
    matrix_vector,
    stencil,
)

from polyir.interleaving.fusability import FusionOptions
from polyir.interleaving.of_schedule import interleaving_of_schedule
from polyir.interleaving.point import Interleaving
from polyir.interleaving.schedule import InterleavingError, InterleavingScheduler
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.pluto import PlutoFusion, PlutoOptions, pluto_schedule

MOST_STATEMENTS = examples(5, 6)
SLOW = ("four-index", "deriche", "3mm", "correlation", "lbm-d2q9")
"""Six statements have 4683 interleavings."""

EXAMPLES = {
    "transposed-sum": TRANSPOSED_SUM,
    "jacobi": IMPERFECT_JACOBI,
    "jacobi-2d": IMPERFECT_JACOBI_2D,
    "lu": LU,
    "gauss-seidel": GAUSS_SEIDEL,
    "vectors": tuple(
        matrix_vector(name, result, matrix, vector)
        for name, result, matrix, vector in ("RxAb", "SyBx", "TzCy", "UwDz")
    ),
    "products": (
        matrix_matrix("R", "C", "A", "B"),
        matrix_matrix("S", "F", "D", "E"),
        matrix_matrix("T", "G", "C", "F"),
    ),
    "stencils": tuple(map(stencil, range(1, 6))),
    "four-index": FOUR_INDEX_TRANSFORM,
    "reversed": (
        loop("i", "0 <= i < N", statement("R", "x[i]", "a[i]")),
        loop("i", "0 <= i < N", statement("S", "y[i]", "x[N - 1 - i]")),
        loop("i", "0 <= i < N", statement("T", "z[i]", "y[i]; x[i]")),
    ),
    "without-loop": (
        loop("i", "0 <= i < N", statement("R", "x[i]", "a[i]")),
        statement("S", "s[]", "x[0]"),
        loop("i", "0 <= i < N", statement("T", "y[i]", "s[]")),
        loop("i", "0 <= i < N", statement("U", "z[i]", "a[i]")),
    ),
}


def example(name: str) -> ScheduleConstraints:
    program = EXAMPLES[name]
    parameters = "T, N" if "jacobi" in name else "N"
    context = " and ".join(f"{each.strip()} >= 4" for each in parameters.split(","))
    return constraints_of(parameters, context, *program)


def brute_force(
    scheduler: InterleavingScheduler, problem: ScheduleConstraints
) -> set[Interleaving]:
    """The interleavings for which there is a schedule, which is checked."""
    legal: set[Interleaving] = set()
    for point in interleavings(len(scheduler.names), 1):
        try:
            schedule = scheduler.schedule(point).schedule
        except InterleavingError:
            continue
        legal.add(point)
        assert violations(problem, schedule).is_empty()
        assert is_total_order(problem, schedule)
        assert interleaving_of_schedule(schedule, scheduler.names, 1) == point
    return legal


@pytest.mark.parametrize("name", [rarely(each) if each in SLOW else each for each in EXAMPLES])
def test_examples_have_exactly_the_legal_interleavings(name: str) -> None:
    spaces = []
    for rows in ("forward", "any"):
        problem = example(name)
        scheduler = InterleavingScheduler(problem, FusionOptions(rows=rows))
        spaces.append(set(scheduler.legal_space.points()))
        assert spaces[-1] == brute_force(scheduler, problem)
    if name != "reversed":
        assert spaces[0] == spaces[1]
    else:
        assert spaces[0] < spaces[1]


@pytest.mark.parametrize("name", [rarely(each) if each in SLOW else each for each in ALL_KERNELS])
def test_kernels_have_exactly_the_legal_interleavings(name: str) -> None:
    problem = constraints_of_kernel(name)
    scheduler = InterleavingScheduler(problem)
    space = scheduler.legal_space
    general = InterleavingScheduler(problem, FusionOptions(rows="any"))
    assert general.legal_space.size() == space.size()
    if len(scheduler.names) <= MOST_STATEMENTS:
        legal = brute_force(scheduler, problem)
        assert set(space.points()) == set(general.legal_space.points()) == legal


@pytest.mark.parametrize(("name", "fuse"), in_turn(ALL_KERNELS, ["none", "smart", "max"], 3))
def test_the_schedules_of_other_schedulers_are_points(name: str, fuse: PlutoFusion) -> None:
    problem = constraints_of_kernel(name)
    scheduler = InterleavingScheduler(problem)
    schedule = pluto_schedule(problem, PlutoOptions(fuse)).schedule
    point = interleaving_of_schedule(schedule, scheduler.names, 1)
    if (name, fuse) == ("durbin", "max"):
        # Statements without loops run in the first iteration of one.
        assert point is None
    else:
        assert point in scheduler.legal_space
