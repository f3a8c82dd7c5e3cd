"""The common part of the passes for loops with index arrays."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from polyir.base.diagnostics import missed, remark
from polyir.irregular.private_cells import privatize_cells


def privatize_variables(pass_name: str, module: ModuleOp) -> None:
    """Move local variables into the loops whose iterations may have their own, and say so."""
    for cell in privatize_cells(module):
        name = cell.memref.name_hint or "a variable"
        remark(pass_name, f"each iteration has its own {name}", cell)


def report_left(
    pass_name: str, reasons: Iterable[tuple[str, Operation]], is_any_done: bool
) -> None:
    """Report why loops are left: that is only worth a warning where all are."""
    report = remark if is_any_done else partial(missed, name="irregular-loop")
    for reason, where in reasons:
        report(pass_name, reason, where)
