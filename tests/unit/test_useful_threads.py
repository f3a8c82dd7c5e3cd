"""Parallel loops that cost more than they save."""

from __future__ import annotations

import pytest

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.machine import Machine
from polyir.choose.model import CostModel
from polyir.choose.useful_threads import with_useful_threads
from polyir.dialects.loop_attributes import ParallelAttr
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.tree import Band, Schedule

_NESTS = """
func.func @nests(%n: index, %A: memref<?x?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {{
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to {short} {{
    affine.store %zero, %B[%i] : memref<?xf64>
    affine.store %zero, %C[%i] : memref<?xf64>
  }}
  affine.for %i = 0 to %n {{
    affine.for %j = 0 to %n {{
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = math.sqrt %a : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }}
  }}
  return
}}
"""


def _scop(short: int) -> Scop:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(_NESTS.format(short=short)), "mark-parallel")
    (found,) = map(scop_of, scops_in(module))
    return found


def _parallel(schedule: Schedule) -> int:
    bands = [node for node in schedule.tree.walk() if isinstance(node, Band)]
    return sum(ParallelAttr() in member.attributes for band in bands for member in band.members)


@pytest.mark.parametrize("short", [9, 100])
def test_threads_are_for_large_nests(short: int) -> None:
    """The loop of nine iterations is straight-line code for the model when it is sequential."""
    scop = _scop(short)
    assert _parallel(scop.schedule) == 2
    for size, expected in ((2000, {1, 2}), (10, {0})):
        model = CostModel(scop, Machine(cores=4), {"n": size}, threads=4)
        found = with_useful_threads(scop.schedule, model.estimate)
        assert _parallel(found) in expected
        assert model.estimate(found).score <= model.estimate(scop.schedule).score


def test_only_the_short_nest_is_sequential() -> None:
    scop = _scop(100)
    model = CostModel(scop, Machine(cores=4), {"n": 2000}, threads=4)
    assert _parallel(with_useful_threads(scop.schedule, model.estimate)) == 1
