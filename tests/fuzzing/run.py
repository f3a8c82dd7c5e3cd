"""Runs programs through polyir and through MLIR's own lowering, and compares every bit.

A batch is worked on by a child process, so that a crash or a hang is one case's own: the child
says what it begins, and another child goes on without the case at which one died. Passes that
take too long are counted apart; a crash, and a result that runs for ever, are failures.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

import numpy as np
from guarded_arrays import guarded
from oracle import Oracle, OracleError
from xdsl.dialects.builtin import ModuleOp

from fuzzing.mlir import extents_for, print_program
from fuzzing.pipelines import DRAWN, drawn_pass
from fuzzing.program import FLOATS, Program
from fuzzing.trace import Layout, layout_of
from polyir import api
from polyir.base.checked import UncheckedError, checks_required
from polyir.base.diagnostics import PolyirError, Remark, RemarkKind, remarks_to
from polyir.base.limits import ResourceError, time_limited_to
from polyir.codegen.ast_build import IncorrectAstError
from polyir.dialects.scop import scops_in
from polyir.model.analysis import DataflowError
from polyir.passes.check_schedule import CheckSchedulePass
from polyir.passes.poly_raise import PolyRaisePass
from polyir.runtime import CompiledFunction, CompiledModule, CompilerOptions, compile_module
from polyir.runtime.compiler import CompilationError
from polyir.target.c import COptions, c_text
from polyir.universe import new_context

C_FLAGS = (
    *("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"),
    # Accesses that the chosen sizes never run may be anywhere, and conditions may be silly.
    *("-Wno-maybe-uninitialized", "-Wno-array-bounds", "-Wno-aggressive-loop-optimizations"),
    "-Wno-tautological-compare",
)
SECONDS = 30
"""What one case may take of a processor: its passes, or its runs."""

BYTES = 8 << 30
"""What the child may address, so that no program takes the whole machine's memory."""

STEP_SECONDS = 2.0
"""Processor time for a step: the tester rather tries many programs than hard ones."""

BOUND = "takes isl more than"
"""What a remark says of a step that hit the time limit."""

COMPILATION = "compilation"
ANALYSES = ("poly-raise", "poly-dependences", "check-schedule", "lower-poly")
"""Passes that transform nothing."""

NUMPY_TYPES = {"f64": "f8", "f32": "f4", "i64": "i8", "i32": "i4", "i8": "i1"}


@dataclass(frozen=True)
class Case:
    """A program and the passes that it goes through."""

    program: Program
    pipeline: tuple[str, ...]

    @property
    def is_for_device(self) -> bool:
        """Whether the result has kernels: C and LLVM have no launches."""
        return runs_on_device(self.pipeline)


@dataclass(frozen=True)
class Failure:
    """What went wrong: a kind that a shrunk case has to share, and the details."""

    kind: str
    detail: str


@dataclass
class Summary:
    """What a batch came to.

    `applied` counts passes that changed a schedule or accesses, `refused` those that refused,
    and `bounded` the steps that hit the time limit. `launching` counts the programs for a device
    that have kernels in the end, and those that do not. `slow` are the cases that were given up,
    each with the pass that took too long.
    """

    tried: int = 0
    applied: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    bounded: Counter[str] = field(default_factory=Counter)
    launching: Counter[str] = field(default_factory=Counter)
    slow: list[tuple[Case, str]] = field(default_factory=list)
    failures: list[tuple[Case, Failure]] = field(default_factory=list)

    def add(self, other: Summary) -> None:
        self.tried += other.tried
        for mine, others in self._counters(other):
            mine.update(others)
        self.slow += other.slow
        self.failures += other.failures

    def _counters(self, other: Summary) -> list[tuple[Counter[str], Counter[str]]]:
        return [
            (self.applied, other.applied),
            (self.refused, other.refused),
            (self.bounded, other.bounded),
            (self.launching, other.launching),
        ]


def run_batch(cases: Sequence[Case], folder: Path) -> Summary:
    """Run all cases; `folder` keeps what the oracle compiles."""
    summary = Summary(tried=len(cases))
    waiting = dict(enumerate(cases))
    while waiting:
        last, code = _in_child(waiting, folder, summary)
        if code == 0:
            break
        if last is None:
            summary.failures.append((next(iter(waiting.values())), Failure("crash at start", "")))
            break
        number, stage, pipeline = last
        case = replace(waiting.pop(number), pipeline=pipeline)
        is_hang = code in (-signal.SIGALRM, -signal.SIGPROF)
        if is_hang and stage.startswith(PASSES):
            summary.slow.append((case, stage.removeprefix(PASSES)))
        else:
            kind = f"{'hang' if is_hang else 'crash'}: {stage}"
            summary.failures.append((case, Failure(kind, f"exit code {code}")))
    return summary


PASSES = "passes: "
"""How a stage is named that the passes are in."""


def _in_child(
    waiting: dict[int, Case], folder: Path, summary: Summary
) -> tuple[tuple[int, str, tuple[str, ...]] | None, int]:
    """One child's work: what it did last, for which case and pipeline, and its exit code.

    Its results are put into `summary`, and the cases that failed are taken out of `waiting`.
    """
    # A fresh process, not a fork: the threads of OpenMP do not survive a fork, and a parallel
    # loop would wait for them.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(waiting, folder, sender))
    process.start()
    sender.close()
    last: tuple[int, str, tuple[str, ...]] | None = None
    partial = Summary()
    with receiver, os.fdopen(os.dup(receiver.fileno())) as stream:
        for line in stream:
            match json.loads(line):
                case {"begin": number, "stage": stage, "pipeline": pipeline}:
                    last = (number, stage, tuple(pipeline))
                case {"failed": number, "kind": kind, "detail": detail, "pipeline": pipeline}:
                    case = replace(waiting.pop(number), pipeline=tuple(pipeline))
                    summary.failures.append((case, Failure(kind, detail)))
                case {"counted": counted}:
                    partial = Summary(**{name: Counter(each) for name, each in counted.items()})
    process.join()
    # What a child counts that does not come to its end, the next one counts again.
    if process.exitcode == 0:
        summary.add(partial)
    return last, process.exitcode or 0


def _work(waiting: dict[int, Case], folder: Path, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    stream = os.fdopen(os.dup(sender.fileno()), "w", buffering=1)
    with time_limited_to(STEP_SECONDS):
        _Worker(waiting, folder, stream).run()


class _Worker:
    def __init__(self, waiting: dict[int, Case], folder: Path, stream: IO[str]) -> None:
        self._cases = dict(waiting)
        self._folder = folder
        self._stream = stream
        self._layouts = {number: layout_of(case.program) for number, case in waiting.items()}
        self._summary = Summary()

    def run(self) -> None:
        modules = {}
        for number in tuple(self._cases):
            module = self._transformed(number)
            if module is not None:
                modules[number] = module
        done = self._summary
        counted = {
            "applied": done.applied,
            "refused": done.refused,
            "bounded": done.bounded,
            "launching": done.launching,
        }
        self._report(counted=counted)
        self._compile(modules)
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _compile(self, modules: dict[int, ModuleOp]) -> None:
        """Compile the cases that are left in all ways, and compare what they compute."""
        if not self._cases:
            return
        self._begin(next(iter(self._cases)), COMPILATION)
        expected = self._results(self._oracle(), "oracle")
        for backend, make in (
            ("c", self._compiled),
            ("mlir", self._relowered),
            ("llvm", self._jitted),
            ("opencl", self._on_device),
        ):
            is_for_device = backend == "opencl"
            numbers = [n for n, case in self._cases.items() if case.is_for_device == is_for_device]
            if numbers:
                self._begin(numbers[0], COMPILATION)
                library = make({number: modules[number] for number in numbers})
                if library is not None:
                    left = [number for number in numbers if number in self._cases]
                    self._compare(expected, self._results(library, backend, left), backend)

    def _report(self, **event: object) -> None:
        print(json.dumps(event), file=self._stream)

    def _begin(self, number: int, stage: str) -> None:
        # Of processor time: a busy machine makes no program slow. But nothing waits for ever.
        seconds = SECONDS if stage != COMPILATION else 10 * SECONDS
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(20 * seconds)
        self._say(number, stage)

    def _say(self, number: int, stage: str) -> None:
        self._report(begin=number, stage=stage, pipeline=self._cases[number].pipeline)

    def _fail(self, number: int, kind: str, detail: str) -> None:
        case = self._cases.pop(number, None)
        if case is not None:
            self._report(failed=number, kind=kind, detail=detail, pipeline=case.pipeline)

    def _text(self, number: int) -> str:
        return print_program(self._cases[number].program, self._layouts[number], f"p{number}")

    def _transformed(self, number: int) -> ModuleOp | None:
        """The case's module after its passes, as loops."""
        stage = "parse"
        self._begin(number, PASSES + stage)
        try:
            module = api.parse(self._text(number))
            for position in range(len(self._cases[number].pipeline)):
                text = self._drawn(number, position, module)
                if text is None:
                    continue
                stage = text.partition("{")[0]
                self._say(number, PASSES + stage)
                result = self._pass_applied(module, text, stage)
                if not scops_in(result):
                    self._check_claims(module)
                module = result
            self._check_claims(module)
            stage = "lower"
            self._say(number, PASSES + stage)
            is_for_device = self._cases[number].is_for_device
            lower = api.outlined if is_for_device else api.lower
            try:
                with checks_required():
                    lowered = lower(module)
            except UncheckedError:
                self._summary.bounded["a check of the loops"] += 1
                lowered = lower(module)
            lowered.verify()
            stage = "emit"
            if is_for_device:
                api.emit(lowered, "opencl")
                launches = any(op.name == "gpu.launch_func" for op in lowered.walk())
                self._summary.launching["with kernels" if launches else "without kernels"] += 1
            else:
                c_text(lowered, COptions())
        except ResourceError:
            # A result that cannot be afforded is a refusal; there is nothing to run.
            self._summary.bounded[stage] += 1
            self._cases.pop(number)
            return None
        except IncorrectAstError as error:
            self._summary.refused[f"{stage}: {type(error).__name__}"] += 1
            self._cases.pop(number)
            return None
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{stage}: {type(error).__name__} in {where.name}"
            self._fail(number, kind, traceback.format_exc())
            return None
        return lowered

    def _drawn(self, number: int, position: int, module: ModuleOp) -> str | None:
        """The pass at a place of the pipeline, which keeps what was drawn, for the regression."""
        case = self._cases[number]
        text = case.pipeline[position]
        if text.startswith(DRAWN):
            if not scops_in(module):
                PolyRaisePass().apply(new_context(), module)
            drawn = drawn_pass(text, module)
            if drawn is None:
                return None
            text = drawn
            pipeline = (*case.pipeline[:position], text, *case.pipeline[position + 1 :])
            self._cases[number] = replace(case, pipeline=pipeline)
        return text

    def _pass_applied(self, module: ModuleOp, text: str, name: str) -> ModuleOp:
        """The module after a pass; as it was if the pass refuses."""
        remarks: list[Remark] = []
        try:
            with remarks_to(remarks.append):
                result = api.run_pipeline(module, text)
        except PolyirError as error:
            if isinstance(error, ResourceError):
                self._summary.bounded[name] += 1
            else:
                self._summary.refused[f"{name}: {type(error).__name__}"] += 1
            return module
        for remark in remarks:
            # isl's own scheduler may err, ours not.
            if f"{name} violates" in remark.message and name != "isl-builtin-schedule":
                raise AssertionError(remark.message)
        self._summary.bounded[name] += sum(BOUND in remark.message for remark in remarks)
        if name not in ANALYSES and _is_changed(module, result, remarks):
            self._summary.applied[name] += 1
        return result

    def _check_claims(self, module: ModuleOp) -> None:
        """Check what the trees of a module say of their loops: a race seldom shows in a result."""
        try:
            with remarks_to(lambda remark: None):
                if scops_in(module):
                    CheckSchedulePass().apply(new_context(), module)
        except (ResourceError, DataflowError):
            self._summary.bounded["check-schedule"] += 1
        except PolyirError as error:
            raise AssertionError(f"a tree is wrong: {error.message}") from error

    # Libraries

    def _oracle(self) -> Oracle | None:
        texts = {number: self._text(number) for number in self._cases}
        return self._by_mlir(texts, "the program is rejected by MLIR")

    def _relowered(self, modules: dict[int, ModuleOp]) -> Oracle | None:
        """What polyir prints at the loop level, compiled by MLIR."""
        texts: dict[int, str] = {}
        for number, module in modules.items():
            lines = api.emit(module, "loops").strip().split("\n")
            texts[number] = "\n".join(lines[1:-1])
        return self._by_mlir(texts, "the loops are rejected by MLIR")

    def _by_mlir(self, texts: dict[int, str], kind: str) -> Oracle | None:
        try:
            return Oracle("\n".join(texts.values()), self._folder)
        except OracleError:
            for number, text in texts.items():
                try:
                    Oracle(text, self._folder)
                except OracleError as error:
                    self._fail(number, kind, f"{error}\n{text}")
            left = [texts[number] for number in texts if number in self._cases]
            return Oracle("\n".join(left), self._folder) if left else None

    def _compiled(self, modules: dict[int, ModuleOp]) -> object | None:
        options = CompilerOptions(compiler="gcc", flags=C_FLAGS)
        try:
            return compile_module(_merged(list(modules.values())), options)
        except CompilationError:
            for number, module in modules.items():
                try:
                    compile_module(module, options)
                except CompilationError as error:
                    self._fail(number, "the C is rejected", str(error))
            left = self._left(modules)
            return compile_module(_merged(left), options) if left else None

    def _jitted(self, modules: dict[int, ModuleOp]) -> object | None:
        try:
            return _compile_llvm(list(modules.values()))
        except Exception:
            for number, module in modules.items():
                try:
                    _compile_llvm([module])
                except Exception as error:
                    self._fail(number, _kind("llvm", error), traceback.format_exc())
            left = self._left(modules)
            return _compile_llvm(left) if left else None

    def _on_device(self, modules: dict[int, ModuleOp]) -> object:
        functions: dict[str, object] = {}
        for number, module in modules.items():
            try:
                functions |= dict(_functions(api.compile_loops(module, target="opencl")))
            except Exception as error:
                self._fail(number, _kind("opencl", error), traceback.format_exc())
        return functions

    def _left(self, modules: dict[int, ModuleOp]) -> list[ModuleOp]:
        """The modules of the cases that have not failed."""
        return [module for number, module in modules.items() if number in self._cases]

    # Runs

    def _results(
        self, library: object, stage: str, numbers: Sequence[int] | None = None
    ) -> dict[int, list[list[np.ndarray]]]:
        """For each case, or each of `numbers`, and each of its sizes, the arrays after the run."""
        results: dict[int, list[list[np.ndarray]]] = {}
        for number in list(self._cases) if numbers is None else numbers:
            case = self._cases[number]
            self._begin(number, stage)
            results[number] = []
            for run in range(len(case.program.sizes)):
                sizes, arrays = arguments_for(case.program, self._layouts[number], run)
                if isinstance(library, Oracle):
                    library(f"p{number}", *sizes, *arrays)
                else:
                    library[f"p{number}"](*sizes, *arrays)  # type: ignore[index]
                results[number].append(arrays)
        return results

    def _compare(
        self,
        expected: dict[int, list[list[np.ndarray]]],
        actual: dict[int, list[list[np.ndarray]]],
        backend: str,
    ) -> None:
        for number, runs in actual.items():
            for run, arrays in enumerate(runs):
                pairs = zip(expected[number][run], arrays, strict=True)
                for position, (right, ours) in enumerate(pairs):
                    place = _difference(right, ours)
                    if place is not None:
                        detail = (
                            f"sizes {self._cases[number].program.sizes[run]}, array {position} at "
                            f"{place}: {right[place]} by MLIR, {ours[place]} by polyir"
                        )
                        self._fail(number, f"difference ({backend})", detail)
                        break
                if number not in self._cases:
                    break


def _is_changed(before: ModuleOp, after: ModuleOp, remarks: Sequence[Remark]) -> bool:
    """Whether the schedules or the accesses are others than before, or loops became others."""
    if not scops_in(before) and scops_in(after):
        return any(remark.kind is RemarkKind.REMARK for remark in remarks)
    return not before.is_structurally_equivalent(after)


def runs_on_device(pipeline: Sequence[str]) -> bool:
    """Whether a pipeline makes kernels."""
    return any(each.startswith(("map-to-gpu", "optimize{target=gpu")) for each in pipeline)


def _kind(backend: str, error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{backend}: {type(error).__name__} in {where.name}"


def _functions(module: CompiledModule) -> Iterator[tuple[str, CompiledFunction]]:
    return ((name, module[name]) for name in module)


def _compile_llvm(modules: Sequence[ModuleOp]) -> object:
    return api.compile_loops(_merged(modules), backend="llvm")


def arguments_for(program: Program, layout: Layout, run: int) -> tuple[list[int], list[np.ndarray]]:
    """The sizes and the arrays of a run, with pseudo-random data."""
    random = np.random.default_rng(program.seed)
    arrays: list[np.ndarray] = []
    for array in program.arrays:
        if array.local:
            continue
        extents = extents_for(program, layout, array, run)
        dtype = np.dtype(NUMPY_TYPES[array.type])
        if array.type in FLOATS:
            values = random.uniform(-2, 2, extents)
        else:
            limits = np.iinfo(dtype)
            values = random.integers(limits.min, limits.max, extents, dtype, endpoint=True)
        arrays.append(guarded(np.asarray(values, dtype).reshape(extents)))
    sizes = [] if program.constant else [value for _, value in program.sizes[run]]
    return sizes, arrays


def _difference(expected: np.ndarray, actual: np.ndarray) -> tuple[int, ...] | None:
    """The first element that differs in its bits; which NaN a NaN is does not count."""
    unsigned = f"u{expected.dtype.itemsize}"
    differs = expected.reshape(-1).view(unsigned) != actual.reshape(-1).view(unsigned)
    if expected.dtype.kind == "f":
        differs &= ~(np.isnan(expected) & np.isnan(actual)).reshape(-1)
    places = np.flatnonzero(differs)
    return tuple(map(int, np.unravel_index(places[0], expected.shape))) if len(places) else None


def _merged(modules: Sequence[ModuleOp]) -> ModuleOp:
    """One module with the functions of all."""
    operations = [op.clone() for module in modules for op in module.body.block.ops]
    return ModuleOp(operations)
