"""What polyir changes in `xdsl-opt`: the reader and the printer of MLIR, and its error messages.

A plugin of xDSL has dialects, passes and targets, but neither a reader of MLIR nor error
messages. xDSL's reader does not know all that MLIR prints for `affine` and `scf`, its printer
prints subscripts with symbols wrongly, and an error ends in a traceback. So in the process of
`xdsl-opt`, and only there, polyir takes the places of these.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.xdsl_opt_main import xDSLOptMain

from polyir.base.diagnostics import PolyirError, print_diagnostic
from polyir.universe import MLIR_TARGET


def extend_xdsl_opt() -> None:
    """Let xDSL's driver read and print MLIR as polyir-opt does, with the same diagnostics."""
    driver = xDSLOptMain
    parse_by_xdsl, register_targets = driver.parse_chunk, driver.register_all_targets
    show_traceback = sys.excepthook

    def parse_chunk(
        self: xDSLOptMain, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        if file_extension != "mlir" or self.args.no_implicit_module:
            return parse_by_xdsl(self, chunk, file_extension, start_offset)
        from polyir.frontend.parse import parse_module

        text = chunk.read().decode(errors="replace")
        return parse_module(text, self.get_input_name(), self.ctx, start_offset)

    def register_all_targets(self: xDSLOptMain) -> None:
        register_targets(self)  # type: ignore[no-untyped-call]
        self.available_targets |= {"mlir": MLIR_TARGET}

    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, PolyirError):
            print_diagnostic(error.render())
        else:
            show_traceback(kind, error, traceback)

    driver.parse_chunk = parse_chunk  # type: ignore[method-assign, assignment]
    driver.register_all_targets = register_all_targets  # type: ignore[method-assign]
    sys.excepthook = excepthook
