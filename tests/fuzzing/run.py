"""Runs programs through polyir and through MLIR's own lowering, and compares every bit.

A batch is worked on by a child process, so that a crash or a hang is one case's failure: the
child says what it begins, and another child goes on without the case at which one died.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

import numpy as np
from oracle import Oracle, OracleError
from xdsl.dialects.builtin import ModuleOp

from fuzzing.mlir import extents_for, print_program
from fuzzing.program import FLOATS, Program
from fuzzing.trace import Layout, layout_of
from polyir import api
from polyir.diagnostics import PolyirError, Remark, RemarkKind, remarks_to
from polyir.limits import ResourceError, isl_operations_limited_to
from polyir.runtime import CompilerOptions, compile_module
from polyir.runtime.compiler import CompilationError
from polyir.target.c.emitter import COptions, c_text
from polyir.target.mlir import print_module

C_FLAGS = (
    *("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"),
    # Accesses that the chosen sizes never run may be anywhere.
    *("-Wno-maybe-uninitialized", "-Wno-array-bounds"),
)
SECONDS = 30
"""What one case, or one compilation of a batch, may take at most."""

ISL_OPERATIONS = 1_000_000
"""A second for a step: the tester rather tries many programs than hard ones."""

NUMPY_TYPES = {"f64": "f8", "f32": "f4", "i64": "i8", "i32": "i4", "i8": "i1"}


@dataclass(frozen=True)
class Case:
    """A program and the passes that it goes through."""

    program: Program
    pipeline: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """What went wrong: a kind that a shrunk case has to share, and the details."""

    kind: str
    detail: str


@dataclass
class Summary:
    """What a batch came to; `applied` counts passes that changed something."""

    tried: int = 0
    applied: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[Case, Failure]] = field(default_factory=list)

    def add(self, other: Summary) -> None:
        self.tried += other.tried
        self.applied += other.applied
        for message, times in other.refused.items():
            self.refused[message] = self.refused.get(message, 0) + times
        self.failures += other.failures


def run_batch(cases: Sequence[Case], folder: Path) -> Summary:
    """Run all cases; `folder` keeps what the oracle compiles."""
    summary = Summary(tried=len(cases))
    waiting = dict(enumerate(cases))
    while waiting:
        last, finished = _in_child(waiting, folder, summary)
        if finished:
            break
        killed = "crash" if last is not None else "crash of the batch"
        if last is None:
            summary.failures.append((next(iter(waiting.values())), Failure(killed, "")))
            break
        number, stage = last
        failure = Failure(f"crash or hang: {stage}", f"killed, or longer than {SECONDS} s")
        summary.failures.append((waiting.pop(number), failure))
    return summary


def _in_child(
    waiting: dict[int, Case], folder: Path, summary: Summary
) -> tuple[tuple[int, str] | None, bool]:
    """One child's work: what it did last, and whether it came to its end.

    Its results are put into `summary`, and the cases that failed are taken out of `waiting`.
    """
    # A fresh process, not a fork: the threads of OpenMP do not survive a fork, and a parallel
    # loop would wait for them.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(waiting, folder, sender))
    process.start()
    sender.close()
    last: tuple[int, str] | None = None
    finished = False
    partial = Summary()
    with receiver, os.fdopen(os.dup(receiver.fileno())) as stream:
        for line in stream:
            match json.loads(line):
                case {"begin": number, "stage": stage}:
                    last = (number, stage)
                case {"failed": number, "kind": kind, "detail": detail}:
                    case = waiting.pop(number)
                    summary.failures.append((case, Failure(kind, detail)))
                case {"applied": applied, "refused": refused}:
                    partial.add(Summary(applied=applied, refused=refused))
                case {"end": True}:
                    finished = True
    process.join()
    if finished:
        summary.add(partial)
    return last, finished


def _work(waiting: dict[int, Case], folder: Path, sender: Connection) -> None:
    stream = os.fdopen(os.dup(sender.fileno()), "w", buffering=1)
    try:
        with isl_operations_limited_to(ISL_OPERATIONS):
            _Worker(waiting, folder, stream).run()
    except BaseException:
        print(json.dumps({"begin": -1, "stage": traceback.format_exc()}), file=stream)
        traceback.print_exc()
        os._exit(1)
    print(json.dumps({"end": True}), file=stream)


class _Worker:
    def __init__(self, waiting: dict[int, Case], folder: Path, stream: IO[str]) -> None:
        self._cases = dict(waiting)
        self._folder = folder
        self._stream = stream
        self._layouts = {number: layout_of(case.program) for number, case in waiting.items()}
        self._applied = 0
        self._refused: dict[str, int] = {}

    def run(self) -> None:
        modules = {}
        for number in tuple(self._cases):
            module = self._transformed(number)
            if module is not None:
                modules[number] = module
        self._report(applied=self._applied, refused=self._refused)
        if not self._cases:
            return
        self._begin(next(iter(self._cases)), "compilation")
        expected = self._results(self._oracle(), "oracle")
        for backend, make in (("c", self._compiled), ("mlir", self._relowered)):
            library = make(modules)
            if library is not None:
                self._compare(expected, self._results(library, backend), backend)

    def _report(self, **event: object) -> None:
        print(json.dumps(event), file=self._stream)

    def _begin(self, number: int, stage: str) -> None:
        signal.alarm(SECONDS if stage != "compilation" else 10 * SECONDS)
        self._report(begin=number, stage=stage)

    def _fail(self, number: int, kind: str, detail: str) -> None:
        if self._cases.pop(number, None) is not None:
            self._report(failed=number, kind=kind, detail=detail)

    def _text(self, number: int) -> str:
        return print_program(self._cases[number].program, self._layouts[number], f"p{number}")

    def _transformed(self, number: int) -> ModuleOp | None:
        """The case's module after its passes, as loops."""
        self._begin(number, "transformation")
        stage = "parse"
        try:
            module = api.parse(self._text(number))
            for text in self._cases[number].pipeline:
                stage = text.partition("{")[0]
                module = self._pass_applied(module, text)
            stage = "lower"
            lowered = api.lower(module)
            lowered.verify()
            stage = "emit C"
            c_text(lowered, COptions())
        except ResourceError:
            # A result that cannot be afforded is a refusal; there is nothing to run.
            self._refuse(f"{stage}: ResourceError")
            self._cases.pop(number)
            return None
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{stage}: {type(error).__name__} in {where.name}"
            self._fail(number, kind, traceback.format_exc())
            return None
        return lowered

    def _pass_applied(self, module: ModuleOp, text: str) -> ModuleOp:
        """The module after a pass; as it was if the pass refuses."""
        remarks: list[Remark] = []
        try:
            with remarks_to(remarks.append):
                result = api.run_pipeline(module, text)
        except PolyirError as error:
            self._refuse(f"{text.partition('{')[0]}: {type(error).__name__}")
            return module
        self._applied += any(remark.kind is RemarkKind.REMARK for remark in remarks)
        return result

    def _refuse(self, message: str) -> None:
        self._refused[message] = self._refused.get(message, 0) + 1

    # Libraries

    def _oracle(self) -> Oracle | None:
        texts = {number: self._text(number) for number in self._cases}
        return self._by_mlir(texts, "the program is rejected by MLIR")

    def _relowered(self, modules: dict[int, ModuleOp]) -> Oracle | None:
        """What polyir prints at the loop level, compiled by MLIR."""
        from io import StringIO

        texts: dict[int, str] = {}
        for number in self._cases:
            stream = StringIO()
            print_module(modules[number], stream)
            lines = stream.getvalue().strip().split("\n")
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
            left = [texts[number] for number in self._cases]
            return Oracle("\n".join(left), self._folder) if left else None

    def _compiled(self, modules: dict[int, ModuleOp]) -> object | None:
        options = CompilerOptions(compiler="gcc", flags=C_FLAGS)
        try:
            return compile_module(_merged([modules[n] for n in self._cases]), options)
        except CompilationError:
            for number in tuple(self._cases):
                try:
                    compile_module(modules[number], options)
                except CompilationError as error:
                    self._fail(number, "the C is rejected", str(error))
            left = [modules[number] for number in self._cases]
            return compile_module(_merged(left), options) if left else None

    # Runs

    def _results(self, library: object, stage: str) -> dict[int, list[list[np.ndarray]]]:
        """For each case and each of its sizes, the arrays after the run."""
        results: dict[int, list[list[np.ndarray]]] = {}
        for number, case in self._cases.items():
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
            arrays.append(random.uniform(-2, 2, extents).astype(dtype).reshape(extents))
        else:
            limits = np.iinfo(dtype)
            values = random.integers(limits.min, limits.max, extents, dtype, endpoint=True)
            arrays.append(np.asarray(values, dtype).reshape(extents))
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
