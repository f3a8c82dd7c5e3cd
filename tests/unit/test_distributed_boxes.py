"""Boxes around the elements of ranks, where isl finds no expressions for them."""

from __future__ import annotations

from typing import NoReturn

import islpy as isl
import pytest

from polyir import api
from polyir.base.diagnostics import PolyirError

PROGRAM = """
func.func @scale(%n: index, %s: f64, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.mulf %a, %s : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}
"""


@pytest.mark.parametrize("step", ["coalesce", "expression"])
def test_errors_of_isl(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without coalescing, ranks still have boxes; without an expression, there is a diagnostic."""

    def fail(*_: object) -> NoReturn:
        raise isl.Error("cannot relax redundant constraint")

    if step == "coalesce":
        monkeypatch.setattr(isl.PwAff, "coalesce", fail)
        api.run_pipeline(api.parse(PROGRAM), "pluto-schedule,distribute-memory").verify()
        return
    monkeypatch.setattr("polyir.distributed.boxes.expression_of", fail)
    with pytest.raises(PolyirError, match="not distributed: isl fails: cannot relax") as caught:
        api.run_pipeline(api.parse(PROGRAM), "pluto-schedule,distribute-memory")
    assert caught.value.location is not None
