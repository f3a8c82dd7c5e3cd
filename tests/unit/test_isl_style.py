"""Roles of relations, live ranges, isl's options, and problems without statements."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest
from schedule_checks import violations

from polyir import api
from polyir.base.diagnostics import LegalityError
from polyir.choose.sizes import VALUE_REGISTERS
from polyir.dialects.scop import scops_in
from polyir.model.live_ranges import require_same_values
from polyir.model.scop import Scop, scop_of
from polyir.passes.spatial_schedule import SpatialSchedulePass
from polyir.schedule.constraints import ConditionalOrder, ScheduleConstraints, SchedulingError
from polyir.schedule.feautrier import feautrier_schedule
from polyir.schedule.isl_builtin import IslBuiltinOptions, isl_builtin_schedule
from polyir.schedule.isl_style import isl_style_schedule
from polyir.schedule.spatial.scheduler import spatial_schedule
from polyir.schedule.tree import BandNode, LeafNode, ScheduleResult
from polyir.tree import Schedule


def constraints(
    domain: str,
    validity: str,
    statements: tuple[str, ...],
    coincidence: str | None = None,
    conditional: tuple[ConditionalOrder, ...] = (),
) -> ScheduleConstraints:
    order = isl.UnionMap(validity)
    return ScheduleConstraints(
        isl.UnionSet(domain),
        isl.Set("{ : }"),
        order,
        order,
        statements,
        coincidence=order if coincidence is None else isl.UnionMap(coincidence),
        conditional=conditional,
    )


SQUARE = "[n] -> { S[i, j] : 0 <= i, j < n }"
DOWN = "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }"
NEXT = "[n] -> { T[i, j] -> S[x, y] : 0 <= i, j, x, y < n and (x > i or (x = i and y > j)) }"
HERE = "[n] -> { S[i, j] -> T[i, j] : 0 <= i, j < n }"
PAIR = "[n] -> { S[i, j] : 0 <= i, j < n; T[i, j] : 0 <= i, j < n }"
DOWN_PAIR = "[n] -> { T[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }"


def test_the_parallel_loop_comes_first() -> None:
    tree = isl_style_schedule(constraints(SQUARE, DOWN, ("S",))).tree
    assert isinstance(tree, BandNode)
    assert [each[0].coefficients for each in tree.band.hyperplanes] == [(0, 1), (1, 0)]
    assert tree.band.coincident == (True, False)


def test_what_is_not_in_coincidence_does_not_hinder_parallelism() -> None:
    tree = isl_style_schedule(constraints(SQUARE, DOWN, ("S",), coincidence="{ }")).tree
    assert isinstance(tree, BandNode)
    assert tree.band.coincident == (True, True)


def scalar(live_ranges: str) -> ScheduleConstraints:
    """S writes a scalar that T reads, and T's value goes down a column."""
    order = ConditionalOrder("t", isl.UnionMap(live_ranges), isl.UnionMap(NEXT))
    flow = isl.UnionMap(live_ranges).union(isl.UnionMap(DOWN_PAIR))
    return constraints(PAIR, str(flow), ("S", "T"), conditional=(order,))


def test_local_live_ranges_may_be_reordered() -> None:
    tree = isl_style_schedule(scalar(HERE)).tree
    assert isinstance(tree, BandNode)
    assert [each[0].coefficients for each in tree.band.hyperplanes] == [(0, 1), (1, 0)]


def test_live_ranges_that_span_iterations_keep_their_order() -> None:
    # The value is read one iteration of j later too.
    spanning = (
        "[n] -> { S[i, j] -> T[i, j] : 0 <= i, j < n;"
        " S[i, j] -> T[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }"
    )
    problem = scalar(spanning)
    schedule = isl_style_schedule(problem).schedule
    strict = replace(problem, validity=problem.validity.union(isl.UnionMap(NEXT)), conditional=())
    # All of the order holds along j, for which the ranges are not local.
    same_row = isl.UnionMap("{ T[i, j] -> S[i, y] }")
    assert violations(strict, schedule).intersect(same_row).is_empty()


def spatial_without_arrays(constraints: ScheduleConstraints) -> ScheduleResult:
    return spatial_schedule(constraints, (), SpatialSchedulePass(), VALUE_REGISTERS)


@pytest.mark.parametrize(
    "scheduler", [feautrier_schedule, isl_style_schedule, spatial_without_arrays]
)
def test_no_statement(scheduler) -> None:  # type: ignore[no-untyped-def]
    assert scheduler(constraints("{ }", "{ }", ())).tree == LeafNode()


def test_a_cycle_without_schedule() -> None:
    circle = "{ S[i, j] -> T[i, j] : 0 <= i, j < 9; T[i, j] -> S[i, j] : 0 <= i, j < 9 }"
    domain = "{ S[i, j] : 0 <= i, j < 9; T[i, j] : 0 <= i, j < 9 }"
    for scheduler in (feautrier_schedule, isl_style_schedule, spatial_without_arrays):
        with pytest.raises(SchedulingError, match="dependence cycle of S, T"):
            scheduler(constraints(domain, circle, ("S", "T")))
    with pytest.raises(SchedulingError, match="isl's scheduler failed"):
        isl_builtin_schedule(constraints(domain, circle, ("S", "T")))


def test_isl_has_its_options_back() -> None:
    context = isl.DEFAULT_CONTEXT
    before = context.get_schedule_algorithm(), context.get_schedule_max_coefficient()
    options = IslBuiltinOptions(algorithm="feautrier", max_coefficient=3)
    schedule = isl_builtin_schedule(constraints(SQUARE, DOWN, ("S",)), options)
    # Feautrier's variant puts the loop that carries outside.
    assert "S[i, j] -> [(i)]" in str(schedule.root.child(0).band.partial_schedule)
    assert (context.get_schedule_algorithm(), context.get_schedule_max_coefficient()) == before


SUM = """
func.func @sum(%n: index, %s: memref<f64>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %s[] : memref<f64>
  }
  return
}
"""


def scop_from(text: str) -> Scop:
    module = api.run_pipeline(api.parse(text), "poly-dependences")
    return scop_of(scops_in(module)[0])


def test_the_last_write_must_stay_the_last() -> None:
    scop = scop_from(SUM)
    require_same_values(scop, scop.schedule, "nothing")
    band = isl.MultiUnionPwAff("[n] -> [{ S0[i] -> [(-i)] }]")
    backwards = Schedule.from_functions(band, scop.domain)
    with pytest.raises(LegalityError, match="reversal changes which value of s is left in memory"):
        require_same_values(scop, backwards, "reversal")


def test_a_read_must_keep_its_write() -> None:
    scop = scop_from(
        SUM.replace("%A[%i]", "%A[%i + 1]")
        .replace("%s[]", "%A[%i]")
        .replace("store %a, %A[%i] : memref<f64>", "store %a, %A[%i] : memref<?xf64>")
    )
    band = isl.MultiUnionPwAff("[n] -> [{ S0[i] -> [(-i)] }]")
    backwards = Schedule.from_functions(band, scop.domain)
    with pytest.raises(LegalityError, match="changes which value of A is read"):
        require_same_values(scop, backwards, "reversal")
