"""Which loops and conditions around barriers all threads of a block run alike."""

from __future__ import annotations

import pytest

from polyir.codegen.ast import (
    AstBlock,
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstMark,
    AstName,
    AstNode,
    AstNumber,
    AstOperation,
    Operator,
)
from polyir.codegen.uniform_barriers import are_for_all_threads

BARRIER, WORK = AstInstance("barrier", (), 0), AstInstance("work", (), 1)
SIZE, THREAD, INDEX = AstName("n"), AstName("tx"), AstName("i")
ZERO = AstNumber(0)


def loop(bound: AstName, body: AstNode, first: AstName | AstNumber = ZERO) -> AstNode:
    return AstFor("i", first, bound, False, 1, body)


def less(left: AstName, right: AstName) -> AstOperation:
    return AstOperation(Operator.LT, (left, right))


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (loop(SIZE, BARRIER), True),
        (loop(THREAD, WORK), True),
        (loop(THREAD, BARRIER), False),
        (loop(SIZE, BARRIER, THREAD), False),
        (AstIf(less(THREAD, SIZE), WORK, None), True),
        (AstIf(less(INDEX, SIZE), BARRIER, WORK), True),
        (AstIf(less(THREAD, SIZE), BARRIER, None), False),
        (AstIf(less(THREAD, SIZE), WORK, BARRIER), False),
        (AstBlock((AstIf(less(THREAD, SIZE), WORK, None), BARRIER)), True),
        (AstBlock((WORK, loop(THREAD, BARRIER))), False),
        (loop(SIZE, loop(THREAD, AstMark(None, BARRIER))), False),
        (AstLet("j", SIZE, loop(AstName("j"), BARRIER)), True),
        (AstLet("j", THREAD, loop(AstName("j"), BARRIER)), False),
    ],
)
def test_control_around_barriers(root: AstNode, expected: bool) -> None:
    assert are_for_all_threads(root, {"barrier"}, {"tx"}) is expected
