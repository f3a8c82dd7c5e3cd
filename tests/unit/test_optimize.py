"""The pass `optimize`: what it says when a pass of a strategy refuses."""

from __future__ import annotations

import pytest
from kernels import KERNELS
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.diagnostics import LegalityError, Remark, RemarkKind, remarks_to
from polyir.passes.register_tile import RegisterTilePass


def test_a_strategy_that_is_not_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: RegisterTilePass, ctx: Context, op: ModuleOp) -> None:
        raise LegalityError("too hard")

    monkeypatch.setattr(RegisterTilePass, "apply", refuse)
    said: list[Remark] = []
    with remarks_to(said.append):
        module = api.parse(KERNELS["gemm"].path.read_text())
        api.run_pipeline(module, "optimize{strategy=register-blocks}")
    texts = [(each.kind, each.message) for each in said]
    assert (RemarkKind.REMARK, "register-blocks: not possible: too hard") in texts
    assert (RemarkKind.MISSED, "strategy=register-blocks is not possible") in texts
