"""Programs, schedule trees and dependences as objects, for notebooks and scripts.

    program = polyir.Program.parse(open("gemm.mlir").read())
    tiled = program.pluto_schedule().tile(sizes=(32, 32, 8)).mark_parallel()
    print(tiled.schedules[0])
    tiled.compile().kernel_gemm(...)

Nothing here is changed in place: a pass gives a new program.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir import api
from polyir.api.pass_methods import PassMethods
from polyir.api.results import (
    CheckedSchedule,
    DependenceTable,
    Domains,
    Drawing,
    Graph,
    Report,
    SchedulerComparison,
)
from polyir.api.sources import Language, read_source
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.runtime import CompiledModule, CompilerOptions
from polyir.sets.pickle import pickled
from polyir.target.mlir import module_text
from polyir.transform.outline import outline
from polyir.tree import Schedule
from polyir.universe import PASS_NAMES, pass_type
from polyir.view.svg import tree_svg

if TYPE_CHECKING:
    from polyir.api.c_programs import CProgram
    from polyir.report.recording import Recording
    from polyir.runtime.given_functions import GivenFunction


@dataclass(frozen=True)
class History:
    """How a program came about: what was read, the text if there is one, and the passes since."""

    start: ModuleOp
    source: str = ""
    filename: str = "<string>"
    passes: tuple[ModulePass, ...] = ()
    c: CProgram | None = None
    """The file in C that it is a part of: its loops."""

    def followed_by(self, *passes: ModulePass) -> History:
        """The history of a program after further passes."""
        return replace(self, passes=(*self.passes, *passes))

    def recorded(self) -> Recording:
        """The passes once more, recorded. A module without a text is printed."""
        from polyir.report.recording import recorded

        if self.source:
            return recorded(self.start, self.passes, self.source, self.filename)
        source = module_text(self.start)
        return recorded(api.parse(source), self.passes, source)


class Program(PassMethods["Program"]):
    """A program at some level between the text that was read and the code that will run."""

    def __init__(
        self,
        module: ModuleOp,
        origin: ModuleOp | None = None,
        history: History | None = None,
    ) -> None:
        self.module = module
        """The IR: a module of xDSL."""
        self._origin = origin
        """The last module with scops before `module`: it says what arguments functions take."""
        self._history = history or History(module)

    @staticmethod
    def parse(source: str | os.PathLike[str], filename: str = "<string>") -> Program:
        """The program that a text or a file says; see `polyir.compile`.

        `filename` is the name of a text in messages. Raises `InputSyntaxError`, and `OSError` for a
        file that cannot be read.
        """
        found = read_source(source, filename)
        c = api.c_program(found) if found.language is Language.C else None
        module = api.module_of(found) if c is None else c.module()
        return Program(module, history=History(module, found.text, found.filename, c=c))

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Program:
        """The program in a file; raises `InputSyntaxError`, and `OSError` if there is none."""
        return Program.parse(Path(path))

    def run(self, pipeline: api.Pipeline) -> Program:
        """The program after the passes of `pipeline`, `"pluto-schedule,tile{sizes=32}"`."""
        passes = api.passes_of(pipeline)
        result, origin = api.run_passes(self.module, passes)
        has_scops = origin is not self.module or scops_in(origin)
        origin = origin if has_scops else self._origin or origin
        return Program(result, origin, self._history.followed_by(*passes))

    def apply(self, transformation: ModulePass) -> Program:
        return self.run([transformation])

    @cached_property
    def schedules(self) -> tuple[ScheduleTree, ...]:
        """The schedule tree of each static control part, raised and analysed if need be."""
        module = self.module.clone()
        is_analysed = any(scop.dependences is not None for scop in scops_in(module))
        count = len(analysed_scops(module))
        passes = () if is_analysed else (pass_type("poly-dependences")(),)
        analysed = Program(module, history=self._history.followed_by(*passes))
        return tuple(ScheduleTree(analysed, number) for number in range(count))

    def emit(self, target: str = "c") -> str:
        """The program as text: `"c"`, `"llvm"`, or MLIR at the level of `"loops"` or `"poly"`.

        Other targets are those of `polyir.emit`.

        A program that was read from C is, in C, the file with its loops as they are now.
        """
        if target == "c" and self._history.c is not None:
            return self._history.c.rewritten(self.module)
        return api.emit(self.module, target, self._history.start)

    def compile(
        self,
        backend: api.Backend = "auto",
        options: CompilerOptions | None = None,
        target: api.Machine = "cpu",
        assume_on_device: bool = False,
        functions: Mapping[str, GivenFunction] | None = None,
        check_indices: bool = True,
    ) -> CompiledModule:
        """The functions of the program as it is, ready to be called with NumPy arrays.

        `functions` are those that it declares only. With `check_indices`, calls check index arrays;
        see `polyir.compile`. The functions of a program that was read from C are those of the file.
        """
        c = self._history.c
        if c is not None:
            api.require_plain(target, backend, functions=functions)
            return c.compile(self.module, options)
        return api.compile_loops(
            self.module,
            options,
            backend,
            self._origin,
            target,
            assume_on_device,
            functions,
            self._unraised() if check_indices else None,
            self._history.start,
        )

    def report(self) -> Report:
        """A page that shows how the program came about, pass by pass, for a notebook or a browser.

        The passes since the program was read run again, and what they print is left out. Raises
        `MissingPackageError` if the packages of `polyir[report]` are not installed.
        """
        # Few programs are reported on.
        from polyir.report import report_page

        return Report(report_page(self._history.recorded()))

    def _unraised(self) -> ModuleOp | None:
        """The module before all passes, if none has raised it: its index arrays can be checked."""
        module = self._origin or self.module
        return None if scops_in(module) else module

    def __copy__(self) -> Program:
        return self

    def __deepcopy__(self, memo: object) -> Program:
        return Program(self.module.clone(), self._origin, self._history)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (pickled((self.module, self._origin, self._history)),)

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


def _unpickled(state: bytes) -> Program:
    return Program(*pickle.loads(state))


class ScheduleTree(PassMethods[Any]):
    """The order in which a static control part runs its statements; passes are methods.

    A pass gives another tree; once it has lowered the schedule, a `Program`. Passes that only show
    or check something give that: `Drawing`, `CheckedSchedule`, `SchedulerComparison`, `Graph`.
    Those that print do so, and give the tree.
    """

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
    def isl(self) -> Schedule:
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

    @property
    def domains(self) -> Domains:
        """The instances of each statement, by its name."""
        return Domains(self.scop, self._draw_domains)

    def apply(self, transformation: ModulePass) -> Any:
        """What a pass makes of the tree; see `ScheduleTree`."""
        view = _VIEWS.get(transformation.name)
        if view is not None:
            return view(self, transformation)
        program = self._program
        if transformation.name in _PASSES_ON_LOOPS:
            program = program.apply(pass_type("lower-poly")())
        program = program.apply(transformation)
        if len(scops_in(program.module)) <= self._number:
            return program
        return ScheduleTree(program, self._number)

    def _draw_domains(self, statements: tuple[str, ...]) -> Drawing:
        drawing = self.plot_domain(statements=statements)
        assert isinstance(drawing, Drawing)
        return drawing

    def __copy__(self) -> ScheduleTree:
        return self

    def __deepcopy__(self, memo: object) -> ScheduleTree:
        return ScheduleTree(self._program.__deepcopy__(memo), self._number)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScheduleTree, (self._program, self._number)

    def __str__(self) -> str:
        return outline(self.isl)

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return tree_svg(str(self))


def _checked(tree: ScheduleTree, transformation: ModulePass) -> CheckedSchedule:
    with redirect_stdout(StringIO()):
        tree.program.apply(transformation)
    return CheckedSchedule(len(tree.dependences.ordering))


def _drawn(tree: ScheduleTree, transformation: ModulePass) -> Drawing:
    from polyir.passes.picture_pass import PicturePass

    assert isinstance(transformation, PicturePass)
    transformation.check_names([tree.scop])
    with TemporaryDirectory() as folder:
        file = transformation.file or f"{folder}/picture.svg"
        transformation.draw(tree.scop, file)
        data = Path(file).read_bytes()
    return Drawing(data, Path(file).suffix[1:], transformation.file or None)


def _compared(tree: ScheduleTree, transformation: ModulePass) -> SchedulerComparison:
    from polyir.passes.compare_schedules import comparison_rows

    heading, *rows = comparison_rows(tree.scop)
    return SchedulerComparison(heading, tuple(rows))


def _graph(tree: ScheduleTree, transformation: ModulePass) -> Graph:
    from polyir.passes.dot import DotPass

    assert isinstance(transformation, DotPass)
    return Graph(transformation.write([tree.scop.op]))


def _printed(tree: ScheduleTree, transformation: ModulePass) -> ScheduleTree:
    tree.program.apply(transformation)
    return tree


_PASSES_ON_LOOPS: Final = PASS_NAMES[PASS_NAMES.index("lower-poly") + 1 :]

_VIEWS: Final = {
    "check-schedule": _checked,
    "plot-domain": _drawn,
    "plot-schedule": _drawn,
    "compare-schedules": _compared,
    "dot": _graph,
    "print-schedule": _printed,
    "print-dependences": _printed,
}
"""What passes that leave the tree as it is give, by name."""
