"""The `c` target of xDSL's command lines: `-t c`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from polyir.target.c.emitter import COptions, emit_c


@dataclass(frozen=True)
class CTarget(Target):
    """C99; `c{openmp=false}` leaves the pragmas out."""

    name = "c"

    openmp: bool = True

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        emit_c(module, output, COptions(openmp=self.openmp))
