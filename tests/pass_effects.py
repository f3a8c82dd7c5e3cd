"""Which passes of a pipeline do something, as their remarks say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.diagnostics import Remark, RemarkKind, remarks_to


@dataclass(frozen=True)
class Effect:
    """What a pass says: that it `does` something, and the reasons of what it leaves."""

    name: str
    does: bool
    reasons: tuple[str, ...]


def run_passes(module: ModuleOp, passes: Iterable[str]) -> tuple[ModuleOp, list[Effect]]:
    """The module after passes, one by one, and what each one did."""
    effects = []
    for each in passes:
        found: list[Remark] = []
        with remarks_to(found.append):
            module = api.run_pipeline(module, each)
        missed = tuple(r.message for r in found if r.kind is RemarkKind.MISSED)
        effects.append(Effect(each.partition("{")[0], len(missed) < len(found), missed))
    return module, effects
