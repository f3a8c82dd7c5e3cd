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
