"""What polyir-opt does after an internal error: all functions but those that cause it go on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import DiagnosticException

from polyir.base.diagnostics import Remark, RemarkKind, location_of, remarks_to, report
from polyir.base.internal_errors import DefectError, InternalError


@dataclass(frozen=True)
class Compilation:
    """The steps of a compilation; the last two raise `InternalError`."""

    parse: Callable[[], ModuleOp]
    """Gives the module of the input, a new one each time."""
    transform: Callable[[ModuleOp], None]
    emit: Callable[[ModuleOp], str]


def compile_others(error: InternalError, steps: Compilation, said: Collection[Remark]) -> str:
    """The output in which the functions that cause `error` are as they are in the input.

    They are those that cause an internal error when they are compiled alone; all functions, if
    none does. Each is reported. What was `said` before is not said again. Raises `InternalError`
    if there is one again.
    """
    module = steps.parse()
    functions = _functions(module)
    found: dict[str, InternalError] = {}
    if len(functions) > 1:
        for name in functions:
            alone = _error_alone(name, steps)
            if alone is not None:
                found[name] = alone
    if not found:
        found = dict.fromkeys(functions, error)
    if len(found) < len(functions):
        for name in found:
            _set_aside(functions[name])
        # Whoever reports inside the `with` block must get the sink from outside.
        known, new = set(said), list[Remark]()
        with remarks_to(new.append):
            steps.transform(module)
        for remark in new:
            if remark not in known:
                report(remark)
        _put_back(module, {name: functions[name] for name in found})
    text = steps.emit(module)
    for name, each in found.items():
        _report(each, f"'@{name}' is left as it was", functions[name])
    if not functions:
        _report(error, "the module is left as it was", module)
    return text


def _report(error: InternalError, kept: str, op: FuncOp | ModuleOp) -> None:
    place = error.location or location_of(op)
    culprit = error.culprit or "polyir"
    message = error.message(kept)
    report(Remark(RemarkKind.MISSED, culprit, message, place, name=DefectError.name))


def _functions(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of a module with a body, by name."""
    return {
        op.sym_name.data: op
        for op in module.ops
        if isinstance(op, FuncOp) and not op.is_declaration
    }


def _error_alone(name: str, steps: Compilation) -> InternalError | None:
    """The internal error of a function that is compiled without the bodies of the others."""
    module = steps.parse()
    for other, function in _functions(module).items():
        if other != name:
            _set_aside(function)
    try:
        with remarks_to(lambda _: None), redirect_stdout(StringIO()):
            steps.transform(module)
            steps.emit(module)
    except InternalError as error:
        return error
    except DiagnosticException:
        # The user's error, perhaps of a pass that is about another function.
        return None
    return None


def _set_aside(function: FuncOp) -> None:
    """Replace a function in its module by its declaration."""
    block = function.parent_block()
    assert block is not None
    type = function.function_type
    declaration = FuncOp.external(function.sym_name.data, [*type.inputs], [*type.outputs])
    block.insert_op_before(declaration, function)
    function.detach()


def _put_back(module: ModuleOp, functions: dict[str, FuncOp]) -> None:
    """Replace the declarations of functions that were set aside."""
    for op in tuple(module.ops):
        if isinstance(op, FuncOp) and op.is_declaration and op.sym_name.data in functions:
            module.body.block.insert_op_before(functions.pop(op.sym_name.data), op)
            op.detach()
            op.erase()
    for function in functions.values():
        module.body.block.add_op(function)
