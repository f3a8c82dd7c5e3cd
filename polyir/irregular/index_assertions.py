"""Kernels that check their index arrays first, and end the program if one is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.cf import AssertOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from polyir.base.diagnostics import Report
from polyir.dialects.index_arrays import REPORT_MESSAGE
from polyir.irregular.checked_indices import CheckedAccess, CheckedSubscript
from polyir.irregular.extents import UNKNOWN_EXTENTS
from polyir.irregular.index_checks import add_check, checked_loops, stop_early
from polyir.irregular.index_limits import has_range
from polyir.irregular.inspection import Inspection
from polyir.irregular.slices import AddressSlice
from polyir.irregular.stated_extents import is_checkable
from polyir.loops.code import Code
from polyir.model.raising.effects import LOADS


def add_index_assertions(module: ModuleOp, report: Report) -> bool:
    """Let the kernels of `module` check their index arrays first, and end the program if need be.

    Says why loops are left; returns whether there is a check.
    """
    found = False
    for op in tuple(module.ops):
        if not isinstance(op, func.FuncOp) or len(op.body.blocks) != 1:
            continue
        for slice in tuple(checked_loops(op, op)):
            if UNKNOWN_EXTENTS in op.attributes and not _has_limits(slice, report):
                continue
            inspection = Inspection(slice)
            if inspection.runs_first:
                _add_assertions(inspection)
                found = True
            else:
                text, place = inspection.place.reason or ("they are computed here", slice.loop)
                report(f"the index arrays of a loop are not checked: {text}", place)
    return found


def _has_limits(slice: AddressSlice, report: Report) -> bool:
    """Whether something is known of the sizes of arrays; says which ones are not known."""
    unknown = [memory for memory in slice.memories if not is_checkable(memory)]
    if unknown:
        names = ", ".join(f"'{memory.name_hint or 'memory'}'" for memory in unknown)
        text = f"nobody knows how large these arrays are: {names}"
        example = f"#pragma polyir array({unknown[0].name_hint or 'memory'}: SIZE)"
        report(f"{text} ({example} says it)", slice.loop)
    loaded = (op.memref for op in slice.needed if isinstance(op, LOADS))
    has_ranges = any(has_range(memory) for memory in loaded)
    return has_ranges or len(unknown) < len(slice.memories)


def _add_assertions(inspection: Inspection) -> None:
    """Call a check, and assert that it reports nothing."""
    accesses = add_check(inspection)
    stop_early(inspection.function)
    code = Code(InsertPoint.after(inspection.call))
    report = inspection.call.arguments[-1]
    found = code.load(report, 0)
    for number, access in enumerate(accesses, 1):
        for holds, subscript in _conditions(code, report, found, number, access):
            assertion = AssertOp(holds, _summary(access, subscript))
            place = f"{access.place}: " if access.place else ""
            text = f"{place}{access.message(subscript)}"
            assertion.attributes[REPORT_MESSAGE] = StringAttr(text)
            code.add(assertion)


def _conditions(
    code: Code, report: SSAValue, found: SSAValue, number: int, access: CheckedAccess
) -> Iterator[tuple[SSAValue, CheckedSubscript]]:
    """That each subscript of an access is not the one that is reported."""
    other = code.compared(found, "ne", number)
    if len(access.subscripts) == 1:
        yield other, access.subscripts[0]
        return
    dimension = code.load(report, 1)
    for subscript in access.subscripts:
        different = code.compared(dimension, "ne", subscript.dimension)
        yield code.either_holds(other, different), subscript


def _summary(access: CheckedAccess, subscript: CheckedSubscript) -> str:
    """What is wrong, without the numbers of the report."""
    source = subscript.source
    what = "a subscript is" if source is None else f"'{source[0]}' leads"
    place = f"{access.place}: " if access.place else ""
    return f"{place}{what} out of the bounds of '{access.array}'"
