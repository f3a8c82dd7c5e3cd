"""Programs that write down in which order their statement instances run.

A traced program is a scop whose statements append their number and iterators to an array. Run
by the oracle, the array must equal what isl says of the schedule: a lowering that loses,
repeats or reorders an instance is found, whatever its loops look like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

import islpy as isl
import numpy as np
from oracle import Oracle
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser

from polyir.codegen.lower import lower_scop
from polyir.dialects.poly import Poly
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.sets.lists import parameters_of, sets_of
from polyir.target.mlir import MlirPrinter
from polyir.tree import Schedule
from polyir.tree.operations import operations_of

DEPTH = 3
"""The greatest number of iterators of a traced statement."""

UNUSED = -9
"""What stands in a trace for the iterators that a statement does not have."""

ITERATORS = ("i", "j", "k")

Instance = tuple[int, ...]
"""A statement's number, then `DEPTH` iterators."""


def context() -> Context:
    """An xDSL context with all dialects."""
    found = Context()
    for name, dialect in get_all_dialects().items():
        found.register_dialect(name, dialect)
    found.register_dialect("poly", lambda: Poly)
    return found


def parse(text: str) -> ModuleOp:
    """Parse and verify a module."""
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def mlir_text(op: Operation) -> str:
    """The operation as `mlir-opt-19` reads it."""
    stream = StringIO()
    MlirPrinter(stream).print_op(op)
    return stream.getvalue()


def lower(module: ModuleOp) -> None:
    """Lower all scops of the module in place, and verify it."""
    for scop in [op for op in module.walk() if isinstance(op, ScopOp)]:
        lower_scop(scop_of(scop))
    module.verify()


@dataclass(frozen=True)
class TracedProgram:
    """A schedule of traced statements, under the constraints `context` on the parameters.

    The statements are the tuples of the schedule's domain, in isl's order.
    """

    schedule: Schedule
    context: str = ""

    @property
    def domains(self) -> tuple[isl.Set, ...]:
        """The domains of the statements."""
        return sets_of(self.schedule.domain)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in the order of the function's arguments."""
        return parameters_of(self.schedule.domain.get_space())

    def admits(self, values: Mapping[str, int]) -> bool:
        """Whether the context holds for the given values of the parameters."""
        names = ", ".join(self.parameters)
        known = isl.Set(f"[{names}] -> {{ : {self.context} }}")
        return not known.intersect_params(_point(values)).is_empty()

    def function(self, name: str) -> str:
        """A function with the traced scop, before lowering."""
        parameters = self.parameters
        arguments = "".join(f", %{parameter}: index" for parameter in parameters)
        named = ", ".join(f'%{parameter} as "{parameter}"' for parameter in parameters)
        statements = "".join(
            _statement(number, domain) for number, domain in enumerate(self.domains)
        )
        space = f"[{', '.join(parameters)}] -> " if parameters else ""
        return f"""
func.func @{name}(%trace: memref<?x{DEPTH + 1}xi64>, %count: memref<1xi64>{arguments}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %unused = arith.constant {UNUSED} : i64
  poly.scop ({named}) context "{space}{{ : {self.context} }}" {{
{statements}
{mlir_text(operations_of(self.schedule))}
  }}
  return
}}
"""

    def expected(self, values: Mapping[str, int]) -> list[Instance]:
        """The instances in the order of the schedule, for given values of the parameters."""
        dates: list[tuple[tuple[int, ...], Instance]] = []
        numbers = {domain.get_tuple_name(): n for n, domain in enumerate(self.domains)}
        order = self.schedule.map.intersect_domain(self.schedule.domain)
        executed = order.intersect_params(_point(values))
        for wrapped in sets_of(executed.wrap()):
            name = wrapped.unwrap().get_tuple_name(isl.dim_type.in_)
            depth = wrapped.unwrap().dim(isl.dim_type.in_)
            padding = (UNUSED,) * (DEPTH - depth)

            points: list[isl.Point] = []
            wrapped.foreach_point(points.append)
            for coordinates in map(_coordinates, points):
                instance = (numbers[name], *coordinates[:depth], *padding)
                dates.append((coordinates[depth:], instance))
        return [instance for _, instance in sorted(dates)]


def lowered(programs: Sequence[TracedProgram]) -> ModuleOp:
    """A module with the lowered programs as functions `f0`, `f1`, ..."""
    module = parse("\n".join(program.function(f"f{n}") for n, program in enumerate(programs)))
    lower(module)
    return module


def _statement(number: int, domain: isl.Set) -> str:
    """A `poly.stmt` that appends its number and iterators to the trace."""
    depth = domain.dim(isl.dim_type.set)
    names = ITERATORS[:depth]
    lines = [
        # Atomic, so that parallel loops may be run by several threads.
        '%old = "memref.atomic_rmw"(%one, %count, %zero) <{kind = 1 : i64}>'
        " : (i64, memref<1xi64>, index) -> i64",
        "%now = arith.index_cast %old : i64 to index",
        f"%number = arith.constant {number} : i64",
        *(f"%{name}_data = arith.index_cast %{name} : index to i64" for name in names),
    ]
    columns = ["%number", *(f"%{name}_data" for name in names), *["%unused"] * (DEPTH - depth)]
    for column, value in enumerate(columns):
        lines.append(f"%column{column} = arith.constant {column} : index")
        subscripts = f"%now, %column{column}"
        lines.append(f"memref.store {value}, %trace[{subscripts}] : memref<?x{DEPTH + 1}xi64>")
    iterators = ", ".join(f"%{name}" for name in names)
    body = "\n".join(f"      {line}" for line in lines)
    name = domain.get_tuple_name()
    return f'    poly.stmt @{name} domain "{domain}" ({iterators}) {{\n{body}\n    }}\n'


def _point(values: Mapping[str, int]) -> isl.Set:
    """The parameter set with one point."""
    constraints = " and ".join(f"{name} = {value}" for name, value in values.items())
    return isl.Set(f"[{', '.join(values)}] -> {{ : {constraints} }}")


def _coordinates(point: isl.Point) -> tuple[int, ...]:
    count = point.get_space().dim(isl.dim_type.set)
    return tuple(
        int(point.get_coordinate_val(isl.dim_type.set, position).to_python())
        for position in range(count)
    )


def run_trace(
    oracle: Oracle, function: str, program: TracedProgram, values: Mapping[str, int]
) -> list[Instance]:
    """Run a lowered program and read the trace.

    The trace has room for more instances than there should be, so that too many are seen.
    """
    room = 2 * len(program.expected(values)) + 1000
    trace = np.full((room, DEPTH + 1), -1, np.int64)
    count = np.zeros(1, np.int64)
    oracle(function, trace, count, *(values[name] for name in program.parameters))
    assert count[0] <= room
    return [tuple(row) for row in trace[: count[0]].tolist()]
