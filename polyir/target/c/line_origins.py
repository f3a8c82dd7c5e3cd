"""C text, and for each of its lines the operation that it was made for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from polyir.target.c.body import Body, NameTable
from polyir.target.c.dialect import Dialect
from polyir.target.c.emitter import (
    COptions,
    dialect_of,
    file_parts,
    joined,
    translate_definitions,
)
from polyir.target.c.function import Environment, translate_function
from polyir.target.c.plan import Plan
from polyir.target.c.printer import Printer
from polyir.target.c.syntax import CStatement, Function

LinesOfOperations = list[tuple[int, Operation]]
"""Lines, from 0, with the operations that they were made for."""

Made = dict[int, tuple[CStatement, Operation]]
"""What statements were made for.

By the object, as equal statements are made for several operations. It is kept, so that no other
one gets its `id`.
"""


class Line(str):
    """A line of a statement that was made for an operation."""

    origin: Operation


def made_like(line: str, text: str) -> str:
    """`text` as a line that was made for what `line` was made for."""
    if not isinstance(line, Line):
        return text
    made = Line(text)
    made.origin = line.origin
    return made


def c_text_with_origins(module: ModuleOp) -> tuple[str, LinesOfOperations]:
    """The text that `emit_c` prints, and the lines that were made for an operation.

    The lines of a loop are its head, and those of a condition the lines with `if` and `else`.
    """
    made: Made = {}
    dialect = dialect_of(module)

    def translate(op: func.FuncOp, environment: Environment) -> Function:
        return translate_function(op, replace(environment, make_body=partial(OriginBody, made)))

    operations = list(module.body.block.ops)
    definitions = translate_definitions(operations, dialect, COptions().openmp, translate)
    printer = OriginPrinter(definitions.usage, dialect)
    printer.made = made
    parts = file_parts(definitions, printer, dialect)
    found: LinesOfOperations = []
    first = 0
    for part in filter(any, parts):
        found += operations_of_lines(part, first)
        first += sum(text.count("\n") + 1 for text in part) + 1
    return joined(parts), found


def operations_of_lines(lines: Sequence[str], first: int = 0) -> Iterator[tuple[int, Operation]]:
    """The numbers of lines that know what they were made for; each text may be several lines."""
    number = first
    for text in lines:
        if isinstance(text, Line) and text.strip() != "}":
            yield number, text.origin
        number += text.count("\n") + 1


class OriginBody(Body):
    """A body that remembers for which operation each statement is added."""

    def __init__(
        self,
        made: Made,
        plan: Plan,
        names: NameTable,
        translate: Callable[[Body, Operation], None],
        dialect: Dialect,
        openmp: bool,
    ) -> None:
        super().__init__(plan, names, self._remembering(translate), dialect, openmp)
        self._made = made
        self._current: Operation | None = None

    def _remembering(
        self, translate: Callable[[Body, Operation], None]
    ) -> Callable[[Body, Operation], None]:
        def remembered(body: Body, op: Operation) -> None:
            around, self._current = self._current, op
            translate(body, op)
            self._current = around

        return remembered

    def add(self, statement: CStatement) -> None:
        super().add(statement)
        if self._current is not None:
            self._made[id(statement)] = statement, self._current


class OriginPrinter(Printer):
    """A printer whose lines know what they were made for, of what is `made`."""

    made: Made

    def statements(self, statements: Sequence[CStatement], indent: str = "") -> Iterator[str]:
        for statement in statements:
            made = self.made.get(id(statement))
            for line in super().statements((statement,), indent):
                # The lines of what is inside of it are already known.
                if made is None or isinstance(line, Line):
                    yield line
                    continue
                known = Line(line)
                known.origin = made[1]
                yield known
