"""The bound on isl's operations."""

from __future__ import annotations

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
)

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
