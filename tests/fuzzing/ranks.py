"""`make fuzz-distributed`: random programs on several ranks, against the original in one process.

Each program goes through a random schedule and `distribute-memory`, runs on some numbers of ranks
with all of its sizes, and must give the same bits. A run that does not end in time is a failure: a
deadlock. Each case has a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import numpy as np
from rank_programs import SANITIZED, RanksFailedError, build
from xdsl.dialects.builtin import ModuleOp

from fuzzing.generate import random_program
from fuzzing.mlir import print_program
from fuzzing.pipelines import DRAWN, drawn_pass, random_distribution
from fuzzing.program import Program
from fuzzing.run import arguments_for
from fuzzing.trace import layout_of
from polyir import api
from polyir.diagnostics import PolyirError, remarks_to
from polyir.distributed.requirements import NotDistributedError
from polyir.limits import ResourceError, time_limited_to
from polyir.model.analysis import DataflowError
from polyir.passes.poly_raise import PolyRaisePass
from polyir.passes.prerequisites import scops_in
from polyir.runtime import CompilerOptions
from polyir.runtime.functions import public_signatures
from polyir.universe import new_context

PASSES_SECONDS = 15
"""Processor time of the passes: the tester rather tries many programs than hard ones."""

SECONDS = 60
"""The time limit of a run: what takes longer is a deadlock, also on a busy machine."""

PLAIN = ("-std=c99", "-O0", "-ffp-contract=off")


@dataclass(frozen=True)
class RanksCase:
    """A program, the passes that it goes through before it is distributed, and numbers of ranks."""

    program: Program
    pipeline: tuple[str, ...]
    distribution: str
    ranks: tuple[int, ...]


@dataclass
class Found:
    """What came of cases: how many ran, why others did not, and what failed."""

    ran: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)


def case_of(number: int) -> RanksCase:
    """The case of that number."""
    random = Random(f"ranks {number}")
    pipeline, distribution = random_distribution(number)
    ranks = tuple(sorted(random.sample((1, 2, 3, 4), 2)))
    program = random_program(number, longer=random.random() < 0.5)
    return RanksCase(program, pipeline, distribution, ranks)


def text_of(case: RanksCase) -> str:
    """The program as MLIR."""
    return print_program(case.program, layout_of(case.program), f"p{case.program.seed}")


def distributed(case: RanksCase, module: ModuleOp) -> ModuleOp:
    """The case's module after its passes; passes that refuse are left out, but not the last one."""
    for text in case.pipeline:
        name: str | None = text
        if text.startswith(DRAWN):
            if not scops_in(module):
                PolyRaisePass().apply(new_context(), module)
            name = drawn_pass(text, module)
        if name is None:
            continue
        try:
            module = api.run_pipeline(module, name)
        except PolyirError:
            continue
    result = api.run_pipeline(module, case.distribution)
    result.verify()
    return result


def check(case: RanksCase, flags: Sequence[str] = PLAIN) -> str:
    """What is wrong with a case; empty if nothing is. Raises `NotDistributedError`."""
    text = text_of(case)
    with remarks_to(lambda remark: None), time_limited_to(0):
        original = api.parse(text)
        signature = public_signatures(original)[0]
        source = api.emit(distributed(case, api.parse(text)), "c")
        compiled = api.compile_loops(original, CompilerOptions(flags=PLAIN), "c")
    layout = layout_of(case.program)
    calls, expected = [], []
    for run in range(len(case.program.sizes)):
        for wanted in (calls, expected):
            sizes, arrays = arguments_for(case.program, layout, run)
            wanted.append([*sizes, *map(np.array, arrays)])
        compiled[f"p{case.program.seed}"](*expected[-1])
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = build(source, signature, Path(folder) / "program", flags)
        except RanksFailedError as error:
            return f"the C is rejected: {error}"
        for ranks in case.ranks:
            try:
                results = program.run(calls, ranks, SECONDS)
            except RanksFailedError as error:
                return f"{ranks} ranks: {error}"
            for run, (right, call) in enumerate(zip(expected, results, strict=True)):
                for place, (one, other) in enumerate(zip(right, call.arguments, strict=True)):
                    if isinstance(one, np.ndarray) and one.tobytes() != other.tobytes():
                        return (
                            f"{ranks} ranks, sizes {case.program.sizes[run]}: argument {place} "
                            f"differs:\n{one}\n{other}"
                        )
    return ""


def run_case(case: RanksCase, flags: Sequence[str] = PLAIN) -> tuple[str, str]:
    """What came of a case in a process of its own: `ran`, `refused` or `failed`, and why."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(case, tuple(flags), sender))
    process.start()
    sender.close()
    with receiver:
        try:
            result: tuple[str, str] = receiver.recv()
        except EOFError:
            process.join()
            if process.exitcode == -signal.SIGPROF:
                return "refused", "the passes take too long"
            return "failed", f"exit code {process.exitcode}"
    process.join()
    return result


def _work(case: RanksCase, flags: tuple[str, ...], sender: Connection) -> None:
    signal.setitimer(signal.ITIMER_PROF, PASSES_SECONDS)
    try:
        reason = check(case, flags)
    except NotDistributedError as error:
        sender.send(("refused", error.message.partition(": ")[2]))
    except (DataflowError, ResourceError) as error:
        sender.send(("refused", error.message))
    except Exception:
        sender.send(("failed", traceback.format_exc()))
    else:
        sender.send(("failed", reason) if reason else ("ran", ""))


def main() -> int:
    """Run the tester; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz-distributed", description=__doc__)
    parser.add_argument("count", type=int, help="programs")
    parser.add_argument("first", type=int, help="the number of the first program")
    parser.add_argument("--sanitize", action="store_true", help="with the address sanitiser")
    options = parser.parse_args()
    begin, found = time.monotonic(), Found()
    for number in range(options.first, options.first + options.count):
        case = case_of(number)
        kind, reason = run_case(case, SANITIZED if options.sanitize else PLAIN)
        if kind == "ran":
            found.ran += 1
        elif kind == "refused":
            found.refused[_general(reason)] += 1
        else:
            found.failures.append((number, reason))
            pipeline = ",".join((*case.pipeline, case.distribution))
            print(f"program {number}: {pipeline}\n{reason}\n{text_of(case)}", flush=True)
        if number % 25 == 24:
            seconds = time.monotonic() - begin
            print(f"to {number}: {found.ran} ran, {seconds:.0f} s", flush=True)
    print(f"programs tried: {options.count} (numbers {options.first} to {number})")
    print(f"programs that ran: {found.ran}")
    for reason, times in found.refused.most_common():
        print(f"refused: {times} times: {reason}")
    print(f"failures: {len(found.failures)} {[each for each, _ in found.failures]}")
    return 1 if found.failures else 0


def _general(reason: str) -> str:
    """A reason without names."""
    words = [
        "..." if "%" in word or word.strip("':").isupper() else word for word in reason.split()
    ]
    return " ".join(words)[:110]


if __name__ == "__main__":
    sys.exit(main())
