"""C text, and for each of its lines the operation that it was made for."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
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
from polyir.target.c.syntax import CStatement, Function, Variable

# By the object, as equal statements are made for several operations. It is kept, so that no other
# one gets its `id`.
_Made = dict[int, tuple[CStatement, Operation]]


def c_text_with_origins(
    module: ModuleOp, options: COptions | None = None
) -> tuple[str, list[tuple[int, Operation]]]:
    """The text that `emit_c` prints, and the lines, from 0, that were made for an operation.

    The lines of a loop are its head, and those of a condition the lines with `if` and `else`.
    """
    made: _Made = {}
    dialect = dialect_of(module)

    def translate(op: func.FuncOp, environment: Environment) -> Function:
        return translate_function(op, replace(environment, make_body=partial(_Body, made)))

    openmp = (options or COptions()).openmp
    operations = list(module.body.block.ops)
    definitions = translate_definitions(operations, dialect, openmp, translate)
    parts = file_parts(definitions, _Printer(made, definitions.usage, dialect), dialect)
    return joined(parts), list(_origins(parts))


def _origins(parts: Sequence[Sequence[str]]) -> Iterator[tuple[int, Operation]]:
    """The lines of `joined` parts that know what they were made for."""
    number = 0
    for part in filter(any, parts):
        for text in part:
            if isinstance(text, _Line) and text.strip() != "}":
                yield number, text.origin
            number += text.count("\n") + 1
        number += 1


class _Line(str):
    """A line of a statement that was made for an operation."""

    origin: Operation


class _Body(Body):
    """A body that remembers for which operation each statement is added."""

    def __init__(
        self,
        made: _Made,
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


class _Printer(Printer):
    """A printer whose lines know what they were made for."""

    def __init__(self, made: _Made, used: Container[Variable], dialect: Dialect) -> None:
        super().__init__(used, dialect)
        self._made = made

    def statements(self, statements: Sequence[CStatement], indent: str = "") -> Iterator[str]:
        for statement in statements:
            made = self._made.get(id(statement))
            for line in super().statements((statement,), indent):
                # The lines of what is inside of it are already known.
                if made is None or isinstance(line, _Line):
                    yield line
                    continue
                known = _Line(line)
                known.origin = made[1]
                yield known
