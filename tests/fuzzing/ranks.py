"""`make fuzz-distributed`: random programs on several ranks, against MLIR's and LLVM's original.

Each program goes through a random schedule and `distribute-memory`, runs on some numbers of ranks
with all of its sizes, and must give the same bits. A run that does not end in time is a failure: a
deadlock. One of which a rank computes for long is given up, as are compile steps that take long;
both are counted as slow. Each case has a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np
from oracle import Oracle
from rank_programs import (
    BUSY,
    BUSY_LIMIT,
    ENVIRONMENT,
    SANITIZED,
    THREADS,
    Argument,
    build,
    filled,
)
from xdsl.dialects.builtin import ModuleOp

from fuzzing.generate import random_program
from fuzzing.mlir import print_program
from fuzzing.pipelines import DRAWN, drawn_pass, random_distribution, with_drawn_arrays
from fuzzing.program import Program
from fuzzing.run import arguments_for
from fuzzing.trace import TooLongError, layout_of
from fuzzing.updates import with_updates
from polyir import api
from polyir.base.diagnostics import PolyirError, remarks_to
from polyir.base.limits import ResourceError, time_limited_to
from polyir.dialects.schedule_tree import BandOp
from polyir.dialects.scop import scops_in
from polyir.distributed.requirements import (
    NotDistributedError,
    require_distributable,
    require_known_elements,
)
from polyir.model.analysis import DataflowError
from polyir.model.scop import scop_of
from polyir.passes.poly_raise import PolyRaisePass
from polyir.runtime import CompilerOptions
from polyir.runtime.compiler import CompilationError
from polyir.runtime.functions import public_signatures
from polyir.runtime.ranks import RanksError, build_program, run_on_ranks
from polyir.target.abi import Signature
from polyir.tuning.processes import end_openmp_threads
from polyir.universe import new_context

PASSES_SECONDS = 8
"""Processor time of the passes before: the tester rather tries many programs than hard ones."""

DISTRIBUTION_SECONDS = 12
"""Processor time of `distribute-memory` and of what follows it; what takes more is reported."""

OTHERWISE = (("feautrier-schedule",), ("pluto-schedule{fuse=none}", "tile{sizes=3}", "wavefront"))
"""Pipelines for programs of which that of the case leaves no parallel loop."""

DEALT_OUT = 1000
"""Elements of arrays of programs with cyclic blocks: ranks look at all pairs of blocks."""

TRIES = 6
"""How many programs are looked at for one that ranks can share."""

PARTS = "data=distributed"
"""The option with which each rank passes its part."""

RUN_SECONDS = 300
"""The time limit of a run: what takes longer is a deadlock, also on a busy machine."""

BUSY_SECONDS = 2
"""The processor time of a rank: with cyclic blocks, it looks at all pairs of them in each step."""

CASE_SECONDS = 3600
"""The time limit of a case: no part of it waits for something that never comes."""

PLAIN = ("-std=c99", "-O0", "-ffp-contract=off", "-fopenmp")


PASSES_BEFORE = "the passes before"
NOT_PARALLEL = "no loop of its schedule is parallel"


@dataclass(frozen=True)
class RanksCase:
    """A program, the passes before and after it is distributed, and numbers of ranks."""

    program: Program
    pipeline: tuple[str, ...]
    distribution: str
    later: tuple[str, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What came of a case: it ran, it was refused, took too long, or failed, and why.

    `seconds` is the processor time of all passes; `sent` says whether ranks sent each other
    anything in steps, `combined` whether MPI combined partial results. One that ran has a reason
    if some of its sizes did not.
    """

    kind: Literal["ran", "refused", "slow", "failed"]
    reason: str = ""
    seconds: float = 0
    sent: bool = False
    combined: bool = False


@dataclass
class Found:
    """What came of cases: how many ran, why others did not, and what failed."""

    ran: int = 0
    sent: int = 0
    combined: int = 0
    fewer: int = 0
    parts: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[int] = field(default_factory=list)
    slow: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, case: RanksCase, outcome: Outcome) -> None:
        """Count the outcome of the case of that number."""
        match outcome.kind:
            case "ran":
                self.ran += 1
                self.sent += outcome.sent
                self.combined += outcome.combined
                self.fewer += bool(outcome.reason)
                self.parts += PARTS in case.distribution
            case "refused":
                self.refused[_general(outcome.reason)] += 1
            case "slow":
                self.slow.append((number, outcome.reason))
            case "failed":
                self.failures.append(number)


def case_of(number: int) -> RanksCase:
    """The case of that number."""
    random = Random(f"ranks {number}")
    pipeline, distribution, later = random_distribution(number)
    ranks = tuple(sorted(random.sample(range(1, 7), 2)))
    longer = random.random() < 0.7
    is_dealt_out = "cyclic" in distribution
    for seed in range(TRIES * number, TRIES * (number + 1)):
        program = random_program(seed, longer)
        if "reassociate" in distribution:
            with suppress(TooLongError):
                updated = with_updates(program)
                layout_of(updated)
                program = updated
        if (not is_dealt_out or _is_small(program)) and _is_shared(program):
            break
    return RanksCase(program, pipeline, distribution, later, ranks)


def _is_small(program: Program) -> bool:
    """Whether all pairs of blocks are few, even if each has one element of the largest array."""
    layout = layout_of(program)
    return all(prod(layout.largest(each.name)) <= DEALT_OUT for each in program.arrays)


def _is_shared(program: Program) -> bool:
    """Whether all of a program is a static control part that ranks can share."""
    with remarks_to(lambda remark: None), time_limited_to(2):
        try:
            module = api.run_pipeline(api.parse(text_of(program)), OTHERWISE[0][0])
            for op in scops_in(module):
                require_distributable(op)
                require_known_elements(scop_of(op))
        except (NotDistributedError, DataflowError, ResourceError):
            return False
    bands = [op for op in module.walk() if isinstance(op, BandOp)]
    return any(flag.value.data for band in bands for flag in band.coincident)


def text_of(program: Program) -> str:
    """The program as MLIR."""
    return print_program(program, layout_of(program), f"p{program.seed}")


def scheduled(pipeline: Sequence[str], module: ModuleOp) -> ModuleOp:
    """A module after passes; those that refuse are left out."""
    for text in pipeline:
        name: str | None = text
        if text.startswith(DRAWN):
            if not scops_in(module):
                PolyRaisePass().apply(new_context(), module)
            name = drawn_pass(text, module)
        if name is None:
            continue
        with suppress(PolyirError):
            module = api.run_pipeline(module, name)
    if not scops_in(module):
        PolyRaisePass().apply(new_context(), module)
    return module


def distributed(case: RanksCase, module: ModuleOp) -> ModuleOp:
    """A scheduled module for ranks. Raises `NotDistributedError`."""
    passes = with_drawn_arrays(case.distribution, module)
    return api.run_pipeline(module, ",".join((passes, *case.later)))


def check(
    case: RanksCase, flags: Sequence[str] = PLAIN, begin: Callable[[str], None] = lambda _: None
) -> Outcome:
    """What comes of a case; `begin` is told the stages. Raises `NotDistributedError`."""
    text = text_of(case.program)
    signature = public_signatures(api.parse(text))[0]
    start = time.process_time()
    pipeline, module, source = _compiled(case, text, begin)
    seconds = time.process_time() - start
    begin(f"{pipeline}, run")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calls, expected = _calls(case.program), _calls(case.program)
        original = Oracle(text, folder)
        for call in expected:
            original(f"p{case.program.seed}", *call)
        try:
            run_on = _runner(source, module, signature, folder / "program", flags)
            sent, sizes = _runs(case, run_on, calls, expected)
        except (CompilationError, RanksError, _WrongError) as error:
            kind: Literal["slow", "failed"] = "slow" if BUSY in str(error) else "failed"
            return Outcome(kind, f"{pipeline}, run" if kind == "slow" else str(error), seconds)
    reason = "" if sizes == len(calls) else f"only the first {sizes} of its sizes"
    return Outcome("ran", reason, seconds, sent, "reduce" in source.lower())


def _compiled(
    case: RanksCase, text: str, begin: Callable[[str], None]
) -> tuple[str, ModuleOp, str]:
    """The passes before that leave a parallel loop, the distributed module, and its C."""
    for pipeline in (case.pipeline, *OTHERWISE):
        with remarks_to(lambda remark: None), time_limited_to(0):
            begin(PASSES_BEFORE)
            module = scheduled(pipeline, api.parse(text))
            begin(f"{','.join(pipeline)} and distribute-memory")
            try:
                module = distributed(case, module)
                return ",".join(pipeline), module, api.emit(module, "c")
            except NotDistributedError as error:
                if NOT_PARALLEL not in error.message or pipeline == OTHERWISE[-1]:
                    raise
    raise AssertionError


class _WrongError(Exception):
    """A result that differs."""


_Run = Callable[[Sequence[Sequence[Argument]], int], tuple[list[list[Argument]], int]]
"""What runs calls on ranks: their results, and how many messages were sent."""


def _runs(
    case: RanksCase,
    run_on: _Run,
    calls: Sequence[Sequence[Argument]],
    expected: Sequence[Sequence[Argument]],
) -> tuple[bool, int]:
    """Whether ranks sent each other anything, and the number of sizes that ran.

    The last sizes, which are the largest, are left out if ranks compute too long with them.
    Raises `_WrongError`, and what `run_on` raises.
    """
    sent = False
    for ranks in case.ranks:
        try:
            results, messages = run_on(calls, ranks)
        except RanksError as error:
            if BUSY not in str(error) or len(calls) == 1:
                raise
            return _runs(case, run_on, calls[:-1], expected[:-1])
        sent |= messages > 0
        for sizes, right, found in zip(case.program.sizes, expected, results, strict=False):
            if wrong := _difference(right, found):
                raise _WrongError(f"{ranks} ranks, sizes {sizes}: {wrong}")
    return sent, len(calls)


def _calls(program: Program) -> list[list[Argument]]:
    """The arguments of a call for each of the sizes of a program."""
    layout = layout_of(program)
    calls: list[list[Argument]] = []
    for run in range(len(program.sizes)):
        sizes, arrays = arguments_for(program, layout, run)
        calls.append([*sizes, *map(np.array, arrays)])
    return calls


def _runner(
    source: str, module: ModuleOp, signature: Signature, path: Path, flags: Sequence[str]
) -> _Run:
    """Compile a program.

    `signature` is that of the original. Raises `CompilationError`, `RanksError`.
    """
    own = next((each for each in public_signatures(module) if each.part is not None), None)
    if own is None:
        program = build(source, signature, path, flags)

        def run(
            calls: Sequence[Sequence[Argument]], ranks: int
        ) -> tuple[list[list[Argument]], int]:
            done = program.run(calls, ranks, RUN_SECONDS)
            return [each.arguments for each in done], sum(each.messages for each in done)

        return run
    build_program(filled(source), own, CompilerOptions(flags=tuple(flags)), path)

    def run_with_parts(
        calls: Sequence[Sequence[Argument]], ranks: int
    ) -> tuple[list[list[Argument]], int]:
        done = [run_on_ranks(path, own, call, ranks, RUN_SECONDS, THREADS) for call in calls]
        sent = sum(report.sent["MPI_Isend"].messages for _, report in done)
        return [arguments for arguments, _ in done], sent

    return run_with_parts


def _difference(right: Sequence[Argument], found: Sequence[Argument]) -> str:
    for place, (one, other) in enumerate(zip(right, found, strict=True)):
        if isinstance(one, np.ndarray) and one.tobytes() != np.asarray(other).tobytes():
            return f"argument {place} differs:\n{one}\n{other}"
    return ""


def run_case(case: RanksCase, flags: Sequence[str] = PLAIN) -> Outcome:
    """What comes of a case in a process of its own, which may crash, or have no end."""
    # A copy of this process has no threads for OpenMP to wake.
    end_openmp_threads()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(case, tuple(flags), sender))
    process.start()
    sender.close()
    end = time.monotonic() + CASE_SECONDS
    stage: Outcome | str = "reading"
    with receiver:
        try:
            while isinstance(stage, str):
                if not receiver.poll(max(0, end - time.monotonic())):
                    process.kill()
                stage = receiver.recv()
        except EOFError:
            process.join()
            return _ended(process.exitcode, stage)
    process.join()
    return stage


def _ended(code: int | None, stage: Outcome | str) -> Outcome:
    """What a process is that ended without an outcome."""
    if code != -signal.SIGPROF:
        return Outcome("failed", f"{stage}: exit code {code}")
    if stage == PASSES_BEFORE:
        return Outcome("refused", "the passes before take too long")
    return Outcome("slow", str(stage), DISTRIBUTION_SECONDS)


def _work(case: RanksCase, flags: tuple[str, ...], sender: Connection) -> None:
    def begin(stage: str) -> None:
        sender.send(stage)
        most = PASSES_SECONDS if stage == PASSES_BEFORE else DISTRIBUTION_SECONDS
        signal.setitimer(signal.ITIMER_PROF, most)

    os.environ.update({**ENVIRONMENT, BUSY_LIMIT: str(BUSY_SECONDS)})
    try:
        outcome = check(case, flags, begin)
    except NotDistributedError as error:
        outcome = Outcome("refused", error.message.partition(": ")[2])
    except (DataflowError, ResourceError) as error:
        outcome = Outcome("refused", error.message)
    except Exception:
        outcome = Outcome("failed", traceback.format_exc())
    signal.setitimer(signal.ITIMER_PROF, 0)
    sender.send(outcome)


def main() -> int:
    """Run the tester; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz-distributed", description=__doc__)
    parser.add_argument("count", type=int, help="programs")
    parser.add_argument("first", type=int, help="the number of the first program")
    parser.add_argument(
        "--sanitize", action="store_true", help="with the sanitisers of C compilers"
    )
    parser.add_argument("--each", action="store_true", help="a line for each program")
    options = parser.parse_args()
    begin, found = time.monotonic(), Found()
    for number in range(options.first, options.first + options.count):
        case = case_of(number)
        outcome = run_case(case, (*SANITIZED, "-fopenmp") if options.sanitize else PLAIN)
        found.add(number, case, outcome)
        if outcome.kind == "failed":
            pipeline = ",".join((*case.pipeline, case.distribution, *case.later))
            print(
                f"program {number}: {pipeline}\n{outcome.reason}\n{text_of(case.program)}",
                flush=True,
            )
        if options.each:
            print(
                f"{number}: {outcome.kind} {outcome.seconds:.1f} s {outcome.reason[:90]}",
                flush=True,
            )
        if number % 25 == 24:
            seconds = time.monotonic() - begin
            print(f"to {number}: {found.ran} ran, {seconds:.0f} s", flush=True)
    print(f"programs tried: {options.count} (numbers {options.first} to {number})")
    print(f"programs that ran: {found.ran}, of which {found.sent} sent messages in steps")
    print(f"{found.fewer} did not run with their largest sizes, with which ranks compute for long")
    print(
        f"{found.parts} had parts of arrays as arguments, in {found.combined} MPI combined results"
    )
    for reason, times in found.refused.most_common():
        print(f"refused: {times} times: {reason}")
    print(f"slow: {len(found.slow)}")
    for number, reason in found.slow:
        print(f"  program {number}: {reason}")
    print(f"failures: {len(found.failures)} {found.failures}")
    return 1 if found.failures else 0


def _general(reason: str) -> str:
    """A reason without names."""
    words = [
        "..." if "%" in word or word.strip("':").isupper() else word for word in reason.split()
    ]
    return " ".join(words)[:110]


if __name__ == "__main__":
    sys.exit(main())
