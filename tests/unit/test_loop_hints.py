"""What targets read from the attributes of loops, and that other attributes do no harm."""

from __future__ import annotations

import pytest
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import IntAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute

from polyir.dialects.loop_attributes import GpuDimension, MapAttr, UnrollAttr, VectorAttr
from polyir.target.loop_hints import LoopHints, hint_attributes, loop_hints

HINTS: dict[str, Attribute] = {"poly.vector": VectorAttr(8), "poly.unroll": UnrollAttr(2)}


def test_hints_are_read_from_the_attributes_of_the_poly_dialect() -> None:
    op = test_dialect.TestOp(attributes=HINTS)
    assert loop_hints(op) == LoopHints(8, 2)
    assert hint_attributes(op) == HINTS


@pytest.mark.parametrize(
    "attributes",
    [
        {"poly.map": MapAttr(GpuDimension("thread", "x"))},
        {"other.vector": VectorAttr(8)},
        {"other.note": StringAttr("8"), "other.flag": UnitAttr()},
        # Under the name, but not the attribute of that name.
        {"poly.vector": IntAttr(8), "poly.unroll": VectorAttr(8)},
    ],
    ids=str,
)
def test_other_attributes_are_no_hints(attributes: dict[str, Attribute]) -> None:
    op = test_dialect.TestOp(attributes=attributes)
    assert loop_hints(op) == LoopHints()
    assert hint_attributes(op) == {}


def test_a_loop_that_carries_values_is_not_executed_in_vectors() -> None:
    op = test_dialect.TestOp(result_types=[i64], attributes=HINTS)
    assert loop_hints(op) == LoopHints(None, 2)
    assert hint_attributes(op) == {"poly.unroll": UnrollAttr(2)}
