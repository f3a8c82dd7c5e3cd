"""Expressions of isl's AST that do not say what its schedules do."""

from __future__ import annotations

import islpy as isl
import numpy as np

import polyir
from polyir.codegen.ast import (
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstName,
    AstNode,
    AstNumber,
    AstOperation,
    Operator,
)
from polyir.codegen.ast_text import means_its_dates

POINTS = "{ S[i, j, k] : (j - i) mod 3 = 0 and 0 <= i <= j and j - 1 <= k <= 5 and k >= 0 }"

PROGRAM = f"""
func.func @last(%A: memref<7xf64>, %x: memref<f64>) {{
  poly.scop () {{
    poly.stmt @S domain "{POINTS}" (%i, %j, %k) {{
      %0 = affine.load %A[%i] : memref<7xf64>
      affine.store %0, %x[] : memref<f64>
    }}
    poly.domain "{POINTS}" {{
      poly.band "[{{ S[i, j, k] -> [(16i + 2j + k)] }}]" permutable {{
        poly.band "[{{ S[i, j, k] -> [(i)] }}, {{ S[i, j, k] -> [(j)] }}]" permutable
      }}
    }}
  }}
  return
}}
"""


def test_a_wrong_value_of_a_loop() -> None:
    """isl computes an `i` from 16i + 2j + k that is never reached; it is asked in another way."""
    array, last = np.arange(7.0), np.array(-1.0)
    polyir.compile(PROGRAM, "").last(array, last)
    assert last == 6


def number(value: int) -> AstNumber:
    return AstNumber(value)


def loop(body: AstNode, first: int = 0, last: int = 9, step: int = 1) -> AstFor:
    return AstFor("c0", number(first), number(last), inclusive=True, step=step, body=body)


INSTANCE = AstInstance("S", (AstName("c0"),), 0)
DATE = isl.Map("{ S[i] -> [i] : 0 <= i <= 9 }")


def means(node: AstNode, date: isl.Map = DATE) -> bool:
    return means_its_dates(node, [date], ["c0", "c1"], isl.Set("{ : }"))


def test_bounds_and_steps() -> None:
    assert means(loop(INSTANCE))
    assert not means(loop(INSTANCE, last=8))
    assert not means(loop(INSTANCE, first=1))
    assert not means(loop(INSTANCE, step=2))
    assert means(loop(INSTANCE, step=2), isl.Map("{ S[i] -> [i] : 0 <= i <= 9 and i mod 2 = 0 }"))


def test_conditions() -> None:
    condition = AstOperation(Operator.LE, (AstName("c0"), number(4)))
    first = isl.Map("{ S[i] -> [i] : 0 <= i <= 4 }")
    last = isl.Map("{ S[i] -> [i] : 5 <= i <= 9 }")
    other = AstInstance("S", (AstName("c0"),), 1)
    both = loop(AstIf(condition, INSTANCE, other))
    assert means_its_dates(both, [first, last], ["c0"], isl.Set("{ : }"))
    assert not means_its_dates(both, [last, first], ["c0"], isl.Set("{ : }"))
    assert not means(loop(AstIf(condition, INSTANCE, None)))


def test_arguments_and_values() -> None:
    half = AstOperation(Operator.FLOORDIV, (AstName("c0"), number(2)))
    rest = AstOperation(Operator.MOD, (AstName("c0"), number(2)))
    date = isl.Map("{ S[i, j] -> [2i + j, i] : 0 <= i <= 4 and 0 <= j <= 1 }")
    node = AstInstance("S", (AstName("c1"), rest), 0)
    assert means(loop(AstLet("c1", half, node)), date)
    assert not means(loop(AstLet("c1", rest, node)), date)
    swapped = AstInstance("S", (rest, AstName("c1")), 0)
    assert not means(loop(AstLet("c1", half, swapped)), date)
    # The greater one of two, and a choice that is the same.
    chosen = AstOperation(Operator.LT, (half, number(0)))
    select = AstOperation(Operator.SELECT, (chosen, number(0), half))
    greater = AstOperation(Operator.MAX, (half, number(0)))
    for value in (select, greater):
        assert means(loop(AstLet("c1", value, node)), date)
