"""Which passes of a pipeline do something, and which say that they do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import Remark, RemarkKind, remarks_to


@dataclass(frozen=True)
class Effect:
    """Whether a pass `does` something, and the reasons that it says of what it leaves."""

    name: str
    does: bool
    reasons: tuple[str, ...]


def run_passes(module: ModuleOp, passes: Iterable[str]) -> tuple[ModuleOp, list[Effect]]:
    """The module after passes, one by one, and what each one did."""
    effects = []
    for each in passes:
        found: list[Remark] = []
        with remarks_to(found.append):
            result = api.run_pipeline(module, each)
        missed = tuple(r.message for r in found if r.kind is RemarkKind.MISSED)
        # A pass that leaves all may have taken things apart, and says why.
        is_done = len(missed) < len(found) or not missed
        does = is_done and not result.is_structurally_equivalent(module)
        effects.append(Effect(each.partition("{")[0], does, missed))
        module = result
    return module, effects
