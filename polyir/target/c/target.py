"""The target `c`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.loops.levels import lower_for_target
from polyir.target.cpu import CpuTarget

if TYPE_CHECKING:
    from polyir.loops.checked_allocations import Threads


@dataclass(frozen=True)
class CTarget(CpuTarget):
    """C99 with OpenMP: what is still poly is lowered; `c{openmp=false}` leaves the pragmas out."""

    name = "c"

    openmp: bool = True

    @property
    def threads(self) -> Threads:
        return "numbered" if self.openmp else "none"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        from polyir.target.c import COptions, emit_c

        lower_for_target(ctx, module)
        emit_c(module, output, COptions(openmp=self.openmp))
