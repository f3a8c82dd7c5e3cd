"""The program as text at each level, and which statements each line comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Final

import islpy as isl
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from polyir.base.diagnostics import location_of
from polyir.dialects.schedule_tree import (
    DomainOp,
    ExpansionOp,
    ExtensionOp,
    FilterOp,
    TreeOp,
)
from polyir.dialects.scop import ScopOp, StmtOp, scops_in
from polyir.loops.levels import lower_scops
from polyir.model.iteration_arrays import hoist_stack_arrays
from polyir.passes.prerequisites import raised_scops
from polyir.report.recording import CWriter
from polyir.sets.lists import maps_of, sets_of
from polyir.target.added_memory import check_added_memory
from polyir.target.c.line_origins import LinesOfOperations, c_text_with_origins
from polyir.target.c.target import CTarget
from polyir.target.mlir import MlirPrinter
from polyir.universe import new_context

Origin = str | int
"""Where a line comes from: the key of a statement, or a line of the source (from 1)."""

LEVELS: Final = ("poly", "loops", "c")
"""The levels that a report shows the program at: with schedule trees, as loops in MLIR, as C."""


@dataclass(frozen=True)
class Text:
    """A program as text, and what its lines (from 0) come from; a loop from all that it runs.

    Lines come from statements where the program has some, or had some before it was lowered for
    this text, and from the source where that is not so: it is not raised yet, or a pass lowered it.
    """

    text: str
    origins: Mapping[int, frozenset[Origin]] = field(default_factory=dict)


def lines_of_statement(statement: StmtOp) -> tuple[int, ...]:
    """The lines of the source that a statement is made of, in order."""
    places = map(location_of, statement.walk())
    return tuple(sorted({place.line for place in places if place is not None}))


def key_of(name: str, lines: tuple[int, ...]) -> str:
    """What tells a statement from those of the same name in other parts, in all steps."""
    return f"{name}:{lines[-1] if lines else 0}"


def marked(module: ModuleOp) -> ModuleOp:
    """A copy in which each operation of a statement has the statement's key as its place.

    Whatever lowers the copy keeps the places of operations, so that what they become is known to
    come from the statement. The text of a program does not depend on them.
    """
    copy = module.clone()
    _mark(copy)
    return copy


# No place in a source has such a line.
_OF_STATEMENT: Final = IntAttr(-1)


def _mark(module: ModuleOp) -> None:
    for scop in scops_in(module):
        for statement in scop.statements:
            key = key_of(statement.sym_name.data, lines_of_statement(statement))
            place = FileLineColLoc(StringAttr(key), _OF_STATEMENT, _OF_STATEMENT)
            for op in statement.walk():
                op.location = place


def poly_text(module: ModuleOp) -> Text:
    """The program with schedule trees, as the target `poly` prints it."""
    copy = module.clone()
    raised_scops(copy)
    # The statements of a program that is raised for this text only have names of their own.
    if scops_in(module):
        _mark(copy)
    return _mlir_text(copy)


def loops_text(module: ModuleOp) -> Text:
    """The program as loops, as the target `loops` prints it; `module` is `marked`."""
    copy = module.clone()
    lower_scops(new_context(), copy)
    hoist_stack_arrays(copy)
    return _mlir_text(copy)


def c_text(module: ModuleOp, write: CWriter) -> Text:
    """The program as C, as `write` has it; `module` is `marked`. Raises `PolyirError`."""
    copy = module.clone()
    text, lines = write(copy)
    return Text(text, _origins(copy, lines))


def file_text(original: ModuleOp, module: ModuleOp) -> tuple[str, LinesOfOperations]:
    """What the target `c` prints of a program that passes made of the `original` (`CWriter`)."""
    target = CTarget()
    check_added_memory(new_context(), module, original, target.threads)
    return c_text_with_origins(module)


class _Printer(MlirPrinter):
    """A printer that remembers the line of each operation, from 0."""

    lines: list[tuple[int, Operation]]

    def print_op(self, op: Operation) -> None:
        self.lines.append((self._current_line, op))
        super().print_op(op)


def _mlir_text(module: ModuleOp) -> Text:
    stream = StringIO()
    printer = _Printer(stream=stream)
    printer.lines = []
    printer.print_op(module)
    printer.print_string("\n")
    return Text(stream.getvalue(), _origins(module, printer.lines))


def _origins(
    module: ModuleOp, lines: Iterable[tuple[int, Operation]]
) -> Mapping[int, frozenset[Origin]]:
    """What the lines of operations come from; those of functions and scops are left out."""
    has_statements = any(map(_is_marked, module.walk()))
    known: dict[Operation, frozenset[Origin]] = {}
    for scop in scops_in(module):
        keys = {
            each.sym_name.data: _from_inside(each, has_statements, known)
            for each in scop.statements
        }
        _add_nodes(scop.tree, frozenset(), keys, known)
    found: dict[int, frozenset[Origin]] = {}
    for line, op in lines:
        if not isinstance(op, ModuleOp | FuncOp | ScopOp):
            origins = found.get(line, _NOTHING) | _from_inside(op, has_statements, known)
            if origins:
                found[line] = origins
    return found


_NOTHING: Final[frozenset[Origin]] = frozenset()


def _is_marked(op: Operation) -> bool:
    return isinstance(op.location, FileLineColLoc) and op.location.line == _OF_STATEMENT


def _own(op: Operation, has_statements: bool) -> frozenset[Origin]:
    """What an operation comes from by its own place."""
    if not isinstance(op.location, FileLineColLoc):
        return _NOTHING
    if op.location.line == _OF_STATEMENT:
        return frozenset((op.location.filename.data,))
    return _NOTHING if has_statements else frozenset((op.location.line.data,))


def _from_inside(
    op: Operation, has_statements: bool, known: dict[Operation, frozenset[Origin]]
) -> frozenset[Origin]:
    """What an operation and all inside of it come from; `known` has those that were asked for."""
    origins = known.get(op)
    if origins is None:
        inner = (each for region in op.regions for block in region.blocks for each in block.ops)
        parts = [_from_inside(each, has_statements, known) for each in inner]
        origins = known[op] = _own(op, has_statements).union(*parts)
    return origins


def _add_nodes(
    node: TreeOp,
    above: frozenset[str],
    keys: Mapping[str, frozenset[Origin]],
    known: dict[Operation, frozenset[Origin]],
) -> None:
    """Add the keys of the statements that reach each node of a schedule tree, and its own filter.

    `above` are the names of those that reach its parent.
    """
    reaching = _names_below(node, above)
    known[node] = _NOTHING.union(*(keys.get(name, _NOTHING) for name in reaching))
    for child in node.children:
        _add_nodes(child, reaching, keys, known)


def _names_below(node: TreeOp, above: frozenset[str]) -> frozenset[str]:
    """The names of the statements that reach the children of a node."""
    match node:
        case DomainOp():
            return frozenset(each.get_tuple_name() for each in sets_of(node.instances.data))
        case FilterOp():
            return above & {each.get_tuple_name() for each in sets_of(node.instances.data)}
        case ExtensionOp():
            return above | {_target(each) for each in maps_of(node.extension.data)}
        case ExpansionOp():
            groups = [each for each in maps_of(node.expansion.data) if _source(each) in above]
            return frozenset(map(_target, groups))
        case _:
            return above


def _source(part: isl.Map) -> str:
    name: str = part.get_tuple_name(isl.dim_type.in_)
    return name


def _target(part: isl.Map) -> str:
    name: str = part.get_tuple_name(isl.dim_type.out)
    return name
