"""Tests that end the program: `cf.assert`."""

from __future__ import annotations

import re

from xdsl.dialects import memref
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Block, Operation, SSAValue

from polyir.dialects.index_arrays import REPORT_MESSAGE
from polyir.target.abi import Scalar
from polyir.target.c.body import Body
from polyir.target.c.helpers import ASSERT, ASSERT_REPORT
from polyir.target.c.memory import array_arguments
from polyir.target.c.syntax import CallStatement, StringLiteral


def translate_assert(body: Body, op: Operation) -> None:
    """A call of a helper; the message has the numbers of a report if there is one."""
    assert isinstance(op, AssertOp)
    holds = body.value(op.arg)
    text, report = op.attributes.get(REPORT_MESSAGE), _report_of(op.arg)
    if not isinstance(text, StringAttr) or report is None:
        body.add(CallStatement(ASSERT, (holds, StringLiteral(Scalar.INT8, op.msg.data))))
        return
    format = re.sub(r"\{(\d+)\}", _numbered, text.data.replace("%", "%%"))
    message = StringLiteral(Scalar.INT8, f"{format}\n")
    body.add(CallStatement(ASSERT_REPORT, (holds, message, array_arguments(body, op, report)[0])))


def _report_of(condition: SSAValue) -> SSAValue | None:
    """The array from which a condition is computed."""
    op = condition.owner
    if isinstance(op, memref.LoadOp):
        return op.memref
    operands = () if isinstance(op, Block) else op.operands
    return next((found for each in operands if (found := _report_of(each)) is not None), None)


def _numbered(place: re.Match[str]) -> str:
    """The argument of `printf` for a number of a report; its first two are not passed."""
    return f"%{int(place[1]) - 1}$lld"
