"""The bound on isl's operations."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import islpy as isl
import pytest

from polyir import api
from polyir.diagnostics import Remark, remarks_to
from polyir.limits import (
    ResourceError,
    attempted,
    bounded,
    first_within_bound,
    isl_operations_limited_to,
    rehearsed,
)

JACOBI_2D = Path(__file__).parents[2] / "benchmarks" / "polybench" / "jacobi-2d.mlir"
COPY = """
func.func @copy(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}
"""


def many_operations() -> isl.Set:
    found = isl.Set("[n] -> { [i] : 0 <= i < n }")
    for modulus in range(2, 40):
        found = found.subtract(isl.Set(f"{{ [i] : i mod {modulus} = 1 }}"))
    return found


def test_step_beyond_the_bound_is_refused_and_isl_works_again() -> None:
    with (
        isl_operations_limited_to(5000),
        pytest.raises(ResourceError, match="the step takes more than 5000 isl operations"),
        bounded("the step"),
    ):
        many_operations()
    assert not isl.Set("{ [i] : 0 <= i < 3 }").is_empty()


def test_error_of_another_kind_stays_what_it_is() -> None:
    with pytest.raises(KeyError), bounded("the step"):
        raise KeyError


def test_attempt_that_takes_too_long_counts_against_the_step() -> None:
    with isl_operations_limited_to(100_000):
        with bounded("the step"):
            assert attempted(many_operations, 1000, 10) is None
        with pytest.raises(ResourceError), bounded("the step"):
            assert attempted(many_operations, 1000, 100_000) is None


def test_pass_says_so_and_leaves_the_schedule() -> None:
    module = api.run_pipeline(api.parse(COPY), "poly-dependences")
    remarks: list[Remark] = []
    with isl_operations_limited_to(100), remarks_to(remarks.append):
        result = api.run_pipeline(module, "pluto-schedule")
    assert "isl operations" in remarks[-1].message
    assert result.is_structurally_equivalent(module)


def test_the_first_computation_that_keeps_to_the_bound() -> None:
    with isl_operations_limited_to(5000):
        with bounded("the step"):
            assert first_within_bound(many_operations, lambda: 2, lambda: 3) == 2
        with pytest.raises(ResourceError), bounded("the step"):
            first_within_bound(lambda: many_operations(), many_operations)
        with pytest.raises(KeyError), bounded("the step"):
            first_within_bound(lambda: {}[0], lambda: 2)


def test_rehearsal_that_keeps_to_the_bound() -> None:
    with isl_operations_limited_to(1_000_000), bounded("the step"):
        assert rehearsed(many_operations).is_equal(many_operations())


def test_rehearsal_that_exceeds_the_bound_is_the_bounds_failure() -> None:
    with isl_operations_limited_to(5000):
        with pytest.raises(ResourceError), bounded("the step"):
            rehearsed(many_operations)
        with bounded("the step"):
            assert first_within_bound(lambda: rehearsed(many_operations), lambda: 2) == 2


def test_rehearsal_that_crashes_is_the_bounds_failure() -> None:
    process = os.getpid()

    def crash() -> None:
        if os.getpid() != process:
            os.kill(os.getpid(), signal.SIGSEGV)

    with isl_operations_limited_to(5000), pytest.raises(ResourceError), bounded("the step"):
        rehearsed(crash)
    rehearsed(crash)  # There is no bound, and no rehearsal.


def test_rehearsal_of_what_fails_for_another_reason() -> None:
    with pytest.raises(KeyError), bounded("the step"):
        rehearsed(lambda: {}[0])


@pytest.mark.parametrize("bound", range(84_040, 84_240, 50))
def test_isl_that_crashes_at_the_bound(bound: int, capfd: pytest.CaptureFixture[str]) -> None:
    """With islpy 2026.2.2 it does between 84,020 and 84,240, where it detects strides."""
    pipeline = "pluto-schedule,diamond-tile{size=4 degrees=all},wavefront,mark-parallel"
    module = api.run_pipeline(api.parse(JACOBI_2D.read_text()), pipeline)
    with isl_operations_limited_to(bound), pytest.raises(ResourceError):
        api.lower(module)
    # Nor does islpy print tracebacks of what isl calls back.
    assert capfd.readouterr().err == ""
