"""The pass `optimize`: what it says when a pass of a strategy refuses."""

from __future__ import annotations

import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, Remark, RemarkKind, remarks_to
from polyir.choose.candidates import scheduled_scops
from polyir.choose.strategies import made
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.register_tile import RegisterTilePass


def test_a_strategy_that_is_not_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: RegisterTilePass, scop: Scop, dependences: Dependences) -> Outcome:
        raise LegalityError("too hard")

    monkeypatch.setattr(RegisterTilePass, "transform", refuse)
    said: list[Remark] = []
    with remarks_to(said.append):
        module = api.parse(KERNELS["gemm"].path.read_text())
        api.run_pipeline(module, "optimize{strategy=register-blocks}")
    texts = [(each.kind, each.message) for each in said]
    assert (RemarkKind.REMARK, "register-blocks: not possible: too hard") in texts
    assert (RemarkKind.MISSED, "strategy=register-blocks is not possible") in texts


def test_a_step_of_a_strategy_makes_a_tree() -> None:
    module = api.run_pipeline(api.parse(KERNELS["gemm"].path.read_text()), "poly-raise")
    (scop,) = scheduled_scops(module)
    with pytest.raises(OptionError, match="cannot have the step 'promote-private'"):
        scop.after(made("promote-private"))


FILTER = """
func.func @f(%n: index, %x: memref<?xf64>, %h: memref<8xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to 8 {
      %0 = affine.load %x[%i + %k] : memref<?xf64>
      %1 = affine.load %h[%k] : memref<8xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = affine.load %y[%i] : memref<?xf64>
      %4 = arith.addf %2, %3 : f64
      affine.store %4, %y[%i] : memref<?xf64>
    }
  }
  return
}
"""
SMOOTHING = """
func.func @f(%t: index, %n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to %n {
      %0 = affine.load %a[%i - 1] : memref<?xf64>
      %1 = affine.load %a[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %b[%i] : memref<?xf64>
    }
    affine.for %i = 1 to %n {
      %0 = affine.load %b[%i] : memref<?xf64>
      affine.store %0, %a[%i] : memref<?xf64>
    }
  }
  return
}
"""


def remarks_on(text: str) -> list[str]:
    said: list[Remark] = []
    with remarks_to(said.append):
        api.run_pipeline(api.parse(text), 'optimize{machine="{cores: 2, vector_bits: 512}"}')
    return [each.message for each in said if each.pass_name == "optimize"]


def test_loops_of_constant_length_say_nothing_of_unknown_sizes() -> None:
    assert "sizes: n = 1000000 (assumed)" in remarks_on(FILTER)


def test_what_is_only_worth_it_for_large_sizes_is_chosen_for_them() -> None:
    said = remarks_on(SMOOTHING)
    sizes = [each for each in said if each.startswith("sizes: ")]
    assert sizes == [f"sizes: t = {n} (assumed), n = {n} (assumed)" for n in (1000, 4096000)]
    assert any(each.startswith("chosen: time-tiles") for each in said)
    assert any(each.endswith("the original order runs") for each in said)
