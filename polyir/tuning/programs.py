"""What runs in workers: the compilation of a candidate, and its runs."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline

from polyir.base.diagnostics import PolyirError, Remark, RemarkKind, remarks_to
from polyir.base.limits import time_limited_to
from polyir.loops.levels import lower_for_target
from polyir.passes.optimize import OptimizePass
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.pipeline import passes_of_pipeline
from polyir.runtime.compiler import CompilerOptions, build_library
from polyir.runtime.data import Value
from polyir.runtime.functions import CompiledModule, public_signatures
from polyir.runtime.library import compile_c
from polyir.runtime.measure import Array, copy_arguments
from polyir.target.abi import Signature
from polyir.target.c import COptions, c_text
from polyir.tuning.processes import Worker
from polyir.universe import available_passes, new_context

SHORT: Final = 0.02
"""Seconds below which a turn has several runs, of which the shortest counts."""

MOST_RUNS: Final = 10
"""In one turn."""


@dataclass(frozen=True)
class Flags:
    """The flags with which results are compared, and those with which programs are timed.

    The time limit is that of each step of a pass, as the tools have it.
    """

    checked: CompilerOptions
    timed: CompilerOptions
    time_limit: float


@dataclass(frozen=True)
class Program:
    """A module as C, and the functions that it has."""

    source: str
    signatures: tuple[Signature, ...]


@dataclass(frozen=True)
class Refusal:
    """Why there is no program."""

    reason: str


def start_build(module: ModuleOp, pipeline: str, flags: Flags, cache: Path, memory: int) -> Worker:
    """A worker that answers with the `Program` that a pipeline makes, once, or a `Refusal`.

    The libraries of the program are then in the folder `cache`.
    """

    def serve(connection: Connection) -> None:
        try:
            connection.send(_build(module, pipeline, flags, cache))
        except PolyirError as error:
            connection.send(Refusal(error.message.split("\n", 1)[0]))

    return Worker(serve, memory)


def _build(module: ModuleOp, pipeline: str, flags: Flags, cache: Path) -> Program | Refusal:
    os.environ["POLYIR_CACHE"] = str(cache)
    remarks: list[Remark] = []
    with remarks_to(remarks.append), time_limited_to(flags.time_limit):
        loops = module.clone()
        passes = passes_of_pipeline(pipeline, available_passes()) if pipeline else ()
        PassPipeline(passes).apply(new_context(), loops)
        loops.verify()
        lower_for_target(new_context(), loops)
    deciding = {each.name for each in passes if isinstance(each, SchedulerPass | OptimizePass)}
    for each in remarks:
        if each.kind is RemarkKind.MISSED and each.pass_name in deciding:
            # What it would be without its scheduler is another candidate.
            return Refusal(each.message)
    program = Program(c_text(loops, COptions()), public_signatures(loops))
    for options in dict.fromkeys((flags.checked, flags.timed)):
        build_library(program.source, options)
    return program


@dataclass(frozen=True)
class Record:
    """A request: run once with the flags for comparison, and save the arrays in these files."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class Time:
    """A request: the seconds of a run, or of the shortest of several short ones."""


@dataclass(frozen=True)
class Turn:
    """An answer: the seconds of the shortest run, and whether its results were as before."""

    seconds: float
    is_same: bool


def start_runs(
    program: Program,
    function: str,
    arguments: Sequence[Value],
    threads: int,
    flags: Flags,
    cache: Path,
    memory: int,
) -> Worker:
    """A worker that answers `Record` with the seconds of the run, and `Time` with a `Turn`."""

    def serve(connection: Connection) -> None:
        os.environ["POLYIR_CACHE"] = str(cache)
        runs = _Runs(program, function, arguments, threads, flags)
        while True:
            match connection.recv():
                case Record(files=files):
                    connection.send(runs.record(files))
                case Time():
                    connection.send(runs.time())

    return Worker(serve, memory)


class _Runs:
    """The runs of a program in this process."""

    def __init__(
        self,
        program: Program,
        function: str,
        arguments: Sequence[Value],
        threads: int,
        flags: Flags,
    ) -> None:
        self._program, self._function = program, function
        self._arguments, self._threads, self._flags = arguments, threads, flags
        self._checksum: int | None = None
        self._timed: CompiledModule | None = None

    def _loaded(self, options: CompilerOptions) -> CompiledModule:
        return compile_c(self._program.source, self._program.signatures, options)

    def _run(self, module: CompiledModule) -> tuple[float, list[Array]]:
        values = copy_arguments(self._arguments)
        function = module[self._function]
        with module.threads(self._threads):
            start = time.perf_counter()
            function(*values, unchecked=True)
            seconds = time.perf_counter() - start
        return seconds, [each for each in values if isinstance(each, np.ndarray)]

    def record(self, files: Sequence[str]) -> float:
        seconds, arrays = self._run(self._loaded(self._flags.checked))
        for path, array in zip(files, arrays, strict=True):
            np.save(path, array)
        if self._flags.checked == self._flags.timed:
            self._checksum = _checksum(arrays)
        return seconds

    def time(self) -> Turn:
        """The shortest run. Each must have the bits of those before: a race may not."""
        if self._timed is None:
            self._timed = self._loaded(self._flags.timed)
        times: list[float] = []
        is_same = True
        while not times or (sum(times) < SHORT and len(times) < MOST_RUNS):
            seconds, arrays = self._run(self._timed)
            times.append(seconds)
            checksum = _checksum(arrays)
            is_same &= self._checksum in (None, checksum)
            self._checksum = checksum
        return Turn(min(times), is_same)


def _checksum(arrays: Sequence[Array]) -> int:
    checksum = 0
    for array in arrays:
        checksum = zlib.crc32(np.ascontiguousarray(array).data.cast("B"), checksum)
    return checksum
