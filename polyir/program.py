"""Programs, schedule trees and dependences as objects, for notebooks and scripts.

    program = polyir.Program.parse(open("gemm.mlir").read())
    tiled = program.pluto_schedule().tile(sizes=(32, 32, 8)).mark_parallel()
    print(tiled.schedules[0])
    tiled.compile().kernel_gemm(...)

Nothing here is changed in place: a pass gives a new program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Generic, TypeVar

import islpy as isl
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir import api
from polyir.diagnostics import OptionError, nearest
from polyir.dialects.dependence import Dependence, Dependences
from polyir.model.distance import format_dependences
from polyir.model.scop import Scop, scop_of
from polyir.passes.options import describe_options, pass_from_python
from polyir.passes.prerequisites import ScopPass, analysed_scops, scops_in
from polyir.runtime import CompiledModule, CompilerOptions
from polyir.transform.outline import outline
from polyir.universe import PASS_NAMES, new_context, pass_type

Changed = TypeVar("Changed")


class _Transformable(Generic[Changed]):
    """Every pass as a method: `tile(sizes=(32,))` is the pass `tile{sizes=32}`."""

    def apply(self, transformation: ModulePass) -> Changed:
        """What this becomes by one pass."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Callable[..., Changed]:
        pass_name = name.replace("_", "-")
        if name.startswith("_") or pass_name not in PASS_NAMES:
            known = [known.replace("-", "_") for known in PASS_NAMES]
            raise AttributeError(f"{type(self).__name__} has no '{name}'{nearest(name, known)}")
        found = pass_type(pass_name)
        method = partial(self._run, found)
        method.__doc__ = "\n".join([found.__doc__ or "", *describe_options(found)])
        return method

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in PASS_NAMES)]

    def _run(self, found: type[ModulePass], *values: object, **options: object) -> Changed:
        """Run a pass; a single number is as good as a tuple of one, `tile(32)`."""
        fields = [field.name for field in dataclasses.fields(found) if field.init]
        if len(values) > len(fields):
            raise OptionError(f"pass '{found.name}' takes {len(fields)} options, not {len(values)}")
        given = {**dict(zip(fields, values, strict=False)), **options}
        return self.apply(pass_from_python(found, given))


class Program(_Transformable["Program"]):
    """A program at some level between the text that was read and the code that will run."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        """The IR: a module of xDSL."""

    @staticmethod
    def parse(text: str, filename: str = "<string>") -> Program:
        """The program that `text` says in MLIR's syntax; raises `InputSyntaxError`."""
        return Program(api.parse(text, filename))

    @staticmethod
    def read(path: str | Path) -> Program:
        """The program in a file; raises `InputSyntaxError`, and `OSError` if there is none."""
        return Program.parse(Path(path).read_text(), str(path))

    def run(self, pipeline: api.Pipeline) -> Program:
        """The program after the passes of `pipeline`, `"pluto-schedule,tile{sizes=32}"`."""
        return Program(api.run_pipeline(self.module, pipeline))

    def apply(self, transformation: ModulePass) -> Program:
        return self.run([transformation])

    @cached_property
    def schedules(self) -> tuple[ScheduleTree, ...]:
        """The schedule tree of each static control part, raised and analysed if need be."""
        module = self.module.clone()
        context = new_context()
        count = len(analysed_scops(context, module))
        analysed = Program(module)
        return tuple(ScheduleTree(analysed, number) for number in range(count))

    def emit(self, target: api.EmittedTarget = "c") -> str:
        """The program as text: `"c"`, `"llvm"`, or MLIR at the level of `"loops"` or `"poly"`."""
        return api.emit(self.module, target)

    def compile(
        self, backend: api.Backend = "auto", options: CompilerOptions | None = None
    ) -> CompiledModule:
        """The functions of the program as it is, ready to be called with NumPy arrays."""
        return api.compile_loops(self.module, options, backend)

    def __str__(self) -> str:
        """The program as loops, in C, which reads best."""
        return self.emit("c")

    def __repr__(self) -> str:
        functions = [op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp)]
        count = len(scops_in(self.module))
        level = f", {count} static control part{'s'[: count != 1]}" if count else ""
        trees = "".join(f"\n{tree!r}" for tree in self.schedules) if count else ""
        return f"<program of {', '.join(functions) or 'no function'}{level}>{trees}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre><pre>{escape(str(self))}</pre>"


class ScheduleTree(_Transformable["ScheduleTree"]):
    """The order in which a static control part runs its statements; passes are methods."""

    def __init__(self, program: Program, number: int) -> None:
        self._program = program
        self._number = number

    @property
    def program(self) -> Program:
        """The program with this tree in it, to be emitted or compiled."""
        return self._program

    @cached_property
    def scop(self) -> Scop:
        """The static control part: statements, accesses, arrays."""
        return scop_of(scops_in(self._program.module)[self._number])

    @property
    def isl(self) -> isl.Schedule:
        """The tree as an object of isl."""
        return self.scop.schedule

    @property
    def statements(self) -> tuple[str, ...]:
        """The names of the statements."""
        return tuple(statement.name for statement in self.scop.statements)

    @property
    def dependences(self) -> DependenceTable:
        """The dependences between the statements."""
        attribute = self.scop.op.dependences
        assert attribute is not None, "schedules come from analysed programs"
        return DependenceTable(self.scop, attribute.data)

    def apply(self, transformation: ModulePass) -> ScheduleTree:
        """The tree after a pass; raises `OptionError` for a pass that leaves no tree."""
        if not isinstance(transformation, ScopPass):
            raise OptionError(f"pass '{transformation.name}' does not give a schedule tree")
        return ScheduleTree(self._program.apply(transformation), self._number)

    def __str__(self) -> str:
        return outline(self.isl)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


class DependenceTable:
    """The dependences of a static control part, with their distances in the tree in force."""

    def __init__(self, scop: Scop, dependences: Dependences) -> None:
        self._scop = scop
        self._dependences = dependences

    def __iter__(self) -> Iterator[Dependence]:
        return iter(self._dependences.items)

    def __len__(self) -> int:
        return len(self._dependences.items)

    def __str__(self) -> str:
        return format_dependences(self._scop, self._dependences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
