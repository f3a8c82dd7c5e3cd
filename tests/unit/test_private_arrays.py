"""Private arrays: how values are followed for them."""

from __future__ import annotations

from pathlib import Path

from polyir import api
from polyir.dialects.scop import scops_in
from polyir.model.dataflow import array_flow
from polyir.model.scop import scop_of
from polyir.transform.private_arrays import _in_original_order
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
