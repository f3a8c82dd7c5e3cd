"""The target `c`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.passes.prerequisites import lower_for_target
from polyir.target.c import CTarget


@dataclass(frozen=True)
class PolyirCTarget(CTarget):
    """C99 with OpenMP: what is still poly is lowered."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower_for_target(ctx, module)
        super().emit(ctx, module, output)
