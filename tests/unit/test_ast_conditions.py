"""Conditions of the AST that are settled already."""

from __future__ import annotations

import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint

from polyir.codegen.ast import AstNumber
from polyir.codegen.ast_expressions import AstExpressionReader


@pytest.mark.parametrize("number", [0, 1])
def test_a_number_as_condition_is_a_truth_value(number: int) -> None:
    block = Block()
    AstExpressionReader({}).condition(AstNumber(number), Builder(InsertPoint.at_end(block)))
    (constant,) = block.ops
    assert isinstance(constant, arith.ConstantOp)
    # Numbers of one bit are signed.
    assert constant.value.value.data == -number
