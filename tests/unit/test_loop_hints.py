"""The integer in the attributes by which passes ask for vectors and unrolling."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import Builtin, IntAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser

from polyir.target.loop_hints import UNROLL, VECTOR, LoopHints, hint_attributes, loop_hints


@irdl_attr_definition
class WidthAttr(ParametrizedAttribute):
    name = "test.width"

    width: IntAttr


def unregistered(text: str) -> Attribute:
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    return Parser(context, text).parse_attribute()


@pytest.mark.parametrize(
    ("attribute", "number"),
    [
        (IntegerAttr(8, i64), 8),
        (IntAttr(4), 4),
        (WidthAttr(IntAttr(16)), 16),
        (unregistered("#other.vector<8>"), 8),
        (unregistered("#other.vector<wide>"), None),
        (StringAttr("8"), None),
        (UnitAttr(), None),
    ],
    ids=str,
)
def test_number(attribute: Attribute, number: int | None) -> None:
    op = test_dialect.TestOp(attributes={VECTOR: attribute, UNROLL: IntAttr(2)})
    assert loop_hints(op) == LoopHints(number, 2)


def test_a_loop_that_carries_values_is_not_executed_in_vectors() -> None:
    op = test_dialect.TestOp(
        result_types=[i64], attributes={VECTOR: IntAttr(8), UNROLL: IntAttr(2)}
    )
    assert loop_hints(op) == LoopHints(None, 2)
    assert hint_attributes(op) == {UNROLL: IntAttr(2)}
