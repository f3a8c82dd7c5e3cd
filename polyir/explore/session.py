"""What the explorer shows of a program, and what can be done next.

The steps are passes, as the command line has them, from the program as it is written. Whoever asks
says all of them: nothing is remembered but programs that were asked for before.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Final

from xdsl.passes import ModulePass

from polyir.api.program import Program
from polyir.base.diagnostics import (
    OptionError,
    PolyirError,
    Remark,
    RemarkKind,
    nearest,
    remarks_kept,
    remarks_to,
)
from polyir.base.limits import ResourceError
from polyir.choose.machine import machine_of_option
from polyir.choose.model import estimate
from polyir.choose.sizes import TILE_SIZE
from polyir.dialects.scop import scops_in
from polyir.passes.options import pass_with_options
from polyir.report.contents import contents_of
from polyir.report.page import step_page
from polyir.report.recording import CWriter, Recording, Step
from polyir.report.trees import NodeView, tree_view
from polyir.target.mlir import module_text
from polyir.universe import available_passes

MOST_PROGRAMS: Final = 64
"""So many programs are kept: those of one session with some undone steps."""


_ALWAYS_LEGAL: Final = (
    "pluto-schedule",
    "feautrier-schedule",
    "isl-schedule",
    "spatial-schedule",
    "optimize",
)
"""Passes that find a legal schedule themselves: trying them takes long, and says nothing."""


@dataclass(frozen=True)
class PassStep:
    """A pass with the text of its options: `tile`, `loops=S0.0,S0.1 sizes=32`."""

    name: str
    options: str = ""

    @property
    def flag(self) -> str:
        """The flag of `polyir-opt`, as a shell reads it."""
        text = f"--{self.name}={self.options}" if self.options else f"--{self.name}"
        return shlex.quote(text)

    def made(self) -> ModulePass:
        """The pass itself. Raises `OptionError`."""
        available = available_passes()
        if self.name not in available:
            raise OptionError(
                f"unknown pass '{self.name}'{nearest(self.name, available)}", name="unknown-pass"
            )
        return pass_with_options(available[self.name](), self.options)


@dataclass(frozen=True)
class Action:
    """Something that can be done next; `refusal` says why not, or is "".

    `instances` are two that would run in the wrong order: `S0[0, 2, 1]`.
    """

    title: str
    step: PassStep
    refusal: str = ""
    instances: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """The program after some steps: an HTML fragment and the data of its pictures.

    `command` and `python` do the same elsewhere. `estimates` are the milliseconds that the model of
    `optimize` says, before the first step and now; `None` where it says nothing.
    """

    html: str
    pictures: str
    command: str
    python: str
    estimates: tuple[float | None, float | None]
    remarks: tuple[str, ...]


@dataclass
class Session:
    """The programs of one explorer, whose file has a name."""

    filename: str
    _programs: dict[tuple[str, tuple[PassStep, ...]], tuple[Program, tuple[Remark, ...]]] = field(
        default_factory=dict
    )

    def view(self, source: str, steps: Sequence[PassStep]) -> View:
        """The program after the steps. Raises `PolyirError`."""
        program, remarks = self._program(source, tuple(steps))
        first, _ = self._program(source, ())
        recording = Recording(source, self.filename)
        # Of a C file, the loops are written into the file.
        write_c: CWriter | None = (lambda _: (program.emit("c"), [])) if self._is_c else None
        recording.steps.append(Step("", 0.0, program.module, remarks, write_c=write_c))
        html, pictures = step_page(contents_of(recording))
        name = PurePath(self.filename).name
        passes = ",".join(str(step.made().pipeline_pass_spec()) for step in steps)
        run = f".run({passes!r})" if steps else ""
        return View(
            html,
            pictures,
            self.command(steps),
            f'polyir.Program.read("{name}"){run}',
            (_estimate(first), _estimate(program)),
            tuple(each.message for each in remarks if each.kind is RemarkKind.MISSED),
        )

    @property
    def _is_c(self) -> bool:
        return self.filename.endswith((".c", ".h"))

    def command(self, steps: Sequence[PassStep]) -> str:
        """The command that prints the C code of the program after the steps."""
        name = PurePath(self.filename).name
        flags = [step.flag for step in steps]
        if self._is_c:
            return " ".join(["polyir-cc", *flags, shlex.quote(name)])
        return " ".join(["polyir-opt", *flags, "--emit=c", shlex.quote(name)])

    def actions(
        self, source: str, steps: Sequence[PassStep], loop: str = "", size: int = TILE_SIZE
    ) -> list[Action]:
        """What can be done to a loop, given by its addresses, or to all of the program."""
        program, _ = self._program(source, tuple(steps))
        loops = tuple(_loops_of(program)) if loop else ()
        titles = on_loop(loop, loops, size) if loop else on_program(size)
        return [
            Action(title, step)
            if step.name in _ALWAYS_LEGAL
            else self._tried(source, tuple(steps), title, step)
            for title, step in titles
        ]

    def measured(self, source: str, steps: Sequence[PassStep], size: int) -> str:
        """What `polyir-run` prints: the times of the original and of the program, compared."""
        program, _ = self._program(source, ())
        with TemporaryDirectory() as folder:
            file = f"{folder}/in.mlir"
            Path(file).write_text(program.emit("loops"), encoding="utf-8")
            flags = [shlex.split(step.flag)[0] for step in steps]
            command = [sys.executable, "-m", "polyir.tools.polyir_run", *flags]
            done = subprocess.run(
                [*command, f"--default-size={size}", file],
                capture_output=True,
                text=True,
                check=False,
            )
        return (done.stdout + done.stderr).strip().replace(file, self.filename)

    def _program(
        self, source: str, steps: tuple[PassStep, ...]
    ) -> tuple[Program, tuple[Remark, ...]]:
        """The program after the steps, with the remarks of the last one."""
        key = source, steps
        if key not in self._programs:
            if len(self._programs) >= MOST_PROGRAMS:
                del self._programs[next(iter(self._programs))]
            with remarks_to(lambda remark: None), remarks_kept() as remarks:
                if steps:
                    program = self._program(source, steps[:-1])[0].run([steps[-1].made()])
                else:
                    # What ends with a line end is not a name of a file.
                    program = Program.parse(f"{source.rstrip()}\n", self.filename)
                    program = program.run("poly-dependences")
            self._programs[key] = program, tuple(remarks)
        return self._programs[key]

    def _tried(
        self, source: str, steps: tuple[PassStep, ...], title: str, step: PassStep
    ) -> Action:
        before, _ = self._program(source, steps)
        try:
            after, remarks = self._program(source, (*steps, step))
        except (PolyirError, ResourceError) as error:
            return Action(title, step, error.message, instances_in(error.message))
        missed = [each.message for each in remarks if each.kind is RemarkKind.MISSED]
        if missed and module_text(after.module) == module_text(before.module):
            why = "; ".join(missed)
            return Action(title, step, why, instances_in(why))
        return Action(title, step)


def on_program(size: int = TILE_SIZE) -> Iterator[tuple[str, PassStep]]:
    """What can be done to a whole program, with titles."""
    yield "Pluto's schedule", PassStep("pluto-schedule")
    yield "Feautrier's schedule", PassStep("feautrier-schedule")
    yield "isl's schedule", PassStep("isl-schedule")
    yield "Schedule for spatial locality", PassStep("spatial-schedule")
    yield f"Tile all permutable bands by {size}", PassStep("tile", f"sizes={size}")
    yield "Diamond tiles", PassStep("diamond-tile", f"size={size}")
    yield "Wavefronts", PassStep("wavefront")
    yield "Mark parallel loops", PassStep("mark-parallel")
    yield "Register tiles", PassStep("register-tile")
    yield "Privatise temporaries", PassStep("privatize")
    yield "Split statements", PassStep("split-statements")
    yield "Optimize", PassStep("optimize")


def on_loop(
    title: str, loops: Sequence[tuple[str, ...]], size: int = TILE_SIZE
) -> Iterator[tuple[str, PassStep]]:
    """What can be done to a loop, whose addresses are its title, with titles.

    `loops` are the addresses of all loops, those outside first.
    """
    loop = title.split()[0]
    statement, _, number = loop.partition(".")
    depth = int(number)
    around = [each for each in _addresses(loops) if each.partition(".")[0] == statement]
    inside = ",".join(around[depth:])
    yield f"Tile {inside} by {size}", PassStep("tile", f"loops={inside} sizes={size}")
    for other in around:
        if other != loop:
            yield f"Interchange with {other}", PassStep("interchange", f"loops={loop},{other}")
    for outer in around[:depth]:
        yield f"Skew by {outer}", PassStep("skew", f"loop={loop} by={outer}")
    yield "Run in parallel", PassStep("mark-parallel", f"loops={loop}")
    vector = f"loop={loop} attribute=#poly.vector<8>"
    yield "Run 8 iterations in a vector", PassStep("annotate-loop", vector)
    yield "Unroll by 4", PassStep("unroll", f"loop={loop} factor=4")
    yield "Unroll by 4 and jam", PassStep("unroll-jam", f"loop={loop} factor=4")
    yield f"Strip-mine by {size}", PassStep("strip-mine", f"loop={loop} size={size}")
    yield "Reverse", PassStep("reverse", f"loop={loop}")
    yield "Distribute", PassStep("distribute", f"loops={loop}")
    for addresses in loops:
        if loop not in addresses and addresses[0].partition(".")[2] == number:
            yield f"Fuse with {addresses[0]}", PassStep("fuse", f"loops={loop},{addresses[0]}")
    yield "Promote what an iteration accesses", PassStep("promote", f"loop={loop}")


def instances_in(message: str) -> tuple[str, ...]:
    """The two instances that a message says an order of."""
    instance = r"(\w+\[[^\]]*\])"
    found = re.search(f"{instance} must run before {instance}", message)
    return found.groups() if found is not None else ()


def _addresses(loops: Sequence[tuple[str, ...]]) -> Iterator[str]:
    return (address for addresses in loops for address in addresses)


def _loops_of(program: Program) -> Iterator[tuple[str, ...]]:
    for tree in program.schedules:
        yield from _loops_below(tree_view(tree.scop, None))


def _loops_below(node: NodeView) -> Iterator[tuple[str, ...]]:
    yield from (loop.addresses for loop in node.loops)
    for child in node.children:
        yield from _loops_below(child)


def _estimate(program: Program) -> float | None:
    """The milliseconds that the model says for all scops; `None` if it cannot say."""
    if not scops_in(program.module):
        return None
    machine = machine_of_option("")
    try:
        costs = [estimate(tree.scop, tree.isl, machine) for tree in program.schedules]
    except PolyirError:
        return None
    return 1e3 * sum(cost.seconds for cost in costs)
