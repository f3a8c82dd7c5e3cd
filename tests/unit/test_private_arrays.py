"""Private arrays: how values are followed for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyir import api
from polyir.choose.machine import Machine
from polyir.choose.model import CostModel
from polyir.dialects.scop import scops_in
from polyir.model.dataflow import array_flow
from polyir.model.scop import scop_of
from polyir.transform.private_arrays import (
    _in_original_order,
    plan_iteration_arrays,
    plan_private_arrays,
)
from polyir.tree.nodes import is_same

ADI = Path(__file__).parents[2] / "benchmarks" / "polybench" / "adi.mlir"


def test_values_take_the_same_way_in_the_original_order() -> None:
    module = api.run_pipeline(api.parse(ADI.read_text()), "tile{sizes=12 min-width=1},wavefront")
    (op,) = scops_in(module)
    scop = scop_of(op)
    assert scop.dependences is not None
    original = _in_original_order(scop, scop.dependences)
    assert not is_same(original.schedule.tree, scop.schedule.tree)
    tiled, flow = array_flow(scop, "p"), array_flow(original, "p")
    assert flow.writes_that_remain.is_equal(tiled.writes_that_remain)
    for read, other in zip(flow.reads, tiled.reads, strict=True):
        assert read.unwritten.is_equal(other.unwritten)
        pairs = zip(read.sources, other.sources, strict=True)
        assert all(one.is_equal(two) for one, two in pairs)


SUMS = """
func.func @f(%A: memref<100x102xf64>, %B: memref<100x100xf64>) {
  %s = memref.alloca() : memref<f64>
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      affine.store %z, %s[] : memref<f64>
      affine.for %k = 0 to 3 {
        %a = affine.load %A[%i, %j + %k] : memref<100x102xf64>
        %d = affine.load %s[] : memref<f64>
        %e = arith.addf %a, %d : f64
        affine.store %e, %s[] : memref<f64>
      }
      %r = affine.load %s[] : memref<f64>
      affine.store %r, %B[%i, %j] : memref<100x100xf64>
    }
  }
  return
}
"""


def test_a_variable_of_an_inner_loop_is_one_element_for_the_model() -> None:
    """The model takes it for a register, as it does a variable of the function."""
    (op,) = scops_in(api.run_pipeline(api.parse(SUMS), "privatize,mark-parallel"))
    scop = scop_of(op)
    assert scop.dependences is not None
    row = plan_private_arrays(scop, scop.dependences, ("s",)).arrays
    assert [each.shape for each in row] == [(100,)]
    plan = plan_iteration_arrays(scop, scop.dependences, ("s",))
    assert [each.shape for each in plan.arrays] == [()]
    assert not plan.copies
    expanded, kept = (
        CostModel(scop, Machine(), threads=1, kept=kept).estimate(scop.schedule)
        for kept in ({}, {"s": 1.0})
    )
    (op,) = scops_in(api.run_pipeline(api.parse(SUMS), "poly-dependences"))
    original = scop_of(op)
    plain = CostModel(original, Machine(), threads=1).estimate(original.schedule)
    assert kept.compute == plain.compute < expanded.compute
    # The line that the variable is in counts for nothing.
    assert kept.traffic == pytest.approx(plain.traffic, rel=0.001)
    assert kept.traffic < expanded.traffic
