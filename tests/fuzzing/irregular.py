"""`make fuzz-irregular`: random programs with index arrays through the passes for them.

What a program computes is known from running it in Python. After the passes, its C code must give
the same bits: on one and two threads, with the iterations of its parallel loops backwards, and with
its inspectors called once for two calls. Arrays end where memory ends, so that no access outside of
them goes unnoticed. Each case runs in a process of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random

import numpy as np
from backwards import PREFIX, with_backwards
from pass_effects import run_passes
from separate_process import in_process
from xdsl.dialects.builtin import ModuleOp

from fuzzing.irregular_nodes import RunError
from fuzzing.irregular_programs import Expected, expected, random_program
from fuzzing.irregular_statements import Program
from polyir import api
from polyir.base.diagnostics import PolyirError
from polyir.runtime import CompiledModule, CompilerOptions
from polyir.runtime.inspected import InspectionError

BATCH = 8
SECONDS = 60
SIZES = ((6, 0), (0, 1), (1, 2), (9, 3), (5, 4))
"""The size of each run, and a number that chooses its arguments."""

FLAGS = ("-std=c99", "-O0", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


@dataclass(frozen=True)
class Case:
    """A program, and the passes that it goes through."""

    program: Program
    pipeline: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of its function."""
        return f"f{self.program.seed}"

    @property
    def description(self) -> str:
        """How it is run again."""
        return f"program {self.program.seed}: {','.join(self.pipeline)}"


@dataclass
class Summary:
    """What became of some cases."""

    tried: int = 0
    applied: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[Case, str]] = field(default_factory=list)

    def add(self, other: Summary) -> None:
        """Add what became of others."""
        self.tried += other.tried
        for name in ("applied", "refused", "skipped"):
            getattr(self, name).update(getattr(other, name))
        self.failures += other.failures


# Pipelines


def _sparse_tile(random: Random) -> str:
    options = [f"tile={random.choice((1, 2, 3, 5))}"]
    if random.random() < 0.8:
        options.append(f"sweeps={random.choice((1, 2, 3))}")
    if random.random() < 0.4:
        options.append("numbering=coloured")
    if random.random() < 0.4:
        options.append("order=wavefronts")
    if random.random() < 0.2:
        options.append("parallel=false")
    return f"sparse-tile{{{' '.join(options)}}}"


PASSES: dict[str, Callable[[Random, bool], str]] = {
    "inspect-wavefronts": lambda random, _: random.choice(
        ("inspect-wavefronts", "inspect-wavefronts", "inspect-wavefronts{block=3}")
    ),
    "runtime-test": lambda random, _: "runtime-test{always=true}",
    "reorder-data": lambda random, _: random.choice(
        ("reorder-data", "reorder-data{method=breadth-first}")
    ),
    "reorder-iterations": lambda random, is_exact: (
        "reorder-iterations{reassociate=true}" if is_exact else "reorder-iterations"
    ),
    "sparse-tile": lambda random, _: _sparse_tile(random),
}
"""Each draws a pass; where sums are exact, it may change their order."""


def random_case(seed: int) -> Case:
    """The case of a number."""
    program, random = random_program(seed), Random(f"pipeline {seed}")
    chosen = random.sample(list(PASSES), random.choice((1, 1, 2, 2, 3)))
    passes = [PASSES[name](random, program.is_exact) for name in chosen]
    draw = random.random()
    if draw < 0.1:
        passes.insert(0, "check-indices")
    elif draw < 0.2:
        passes = ["poly-raise{data-loops=true}", "mark-parallel", *passes]
    elif draw < 0.4:
        strategy = random.choice(("untiled-locality", "private", "parallel", "untiled-blocks"))
        passes = ["poly-raise{data-loops=true}", f"optimize{{threads=2 strategy={strategy}}}"]
    return Case(program, tuple(passes))


# Runs


def run_batch(cases: Sequence[Case], is_verbose: bool = False) -> Summary:
    """Try cases; what crashes or hangs is a failure. May say what begins when, in seconds."""
    summary = Summary(tried=len(cases))
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_in_child, args=(cases, sender))
    child.start()
    sender.close()
    stage, begin = "start", time.monotonic()
    while True:
        try:
            message = receiver.recv()
        except EOFError:
            break
        if isinstance(message, str):
            stage = message
            if is_verbose:
                print(f"{time.monotonic() - begin:6.1f} {stage}", flush=True)
        else:
            summary.add(message)
            stage = "end"
    child.join()
    if stage != "end":
        summary.failures.append((cases[0], f"the process ends with {child.exitcode}: {stage}"))
    return summary


def _in_child(cases: Sequence[Case], sender: Connection) -> None:
    summary = Summary()
    modules: dict[Case, ModuleOp] = {}
    wanted: dict[Case, list[Expected]] = {}
    for case in cases:
        sender.send(f"{case.description}: passes")
        try:
            wanted[case] = [expected(case.program, size, number) for size, number in SIZES]
            modules[case] = transformed(case, summary)
        except RunError as error:
            summary.skipped[str(error)] += 1
        except PolyirError as error:
            summary.refused[f"error: {error.message}"] += 1
        except Exception:
            summary.failures.append((case, traceback.format_exc()))
    library = _compiled(modules, summary, sender)
    for case in modules:
        assert library is not None
        sender.send(f"{case.description}: run")
        defect = in_process(lambda case=case: _difference(library, case, wanted[case]), SECONDS)
        if defect is not None:
            summary.failures.append((case, defect))
    sender.send(summary)


def transformed(case: Case, summary: Summary) -> ModuleOp:
    """The loops of a case after its passes; notes which ones did something."""
    module, effects = run_passes(api.parse(case.program.text(case.name)), case.pipeline)
    for each in effects:
        summary.refused.update(f"{each.name}: {reason[:50]}" for reason in each.reasons)
        summary.applied[each.name] += each.does
    loops = api.lower(module)
    loops.verify()
    return loops


def _compiled(
    modules: dict[Case, ModuleOp], summary: Summary, sender: Connection
) -> CompiledModule | None:
    """All modules in one library; those that cannot be compiled are failures, and removed."""
    if not modules:
        return None
    sender.send("compilation")
    try:
        return _library(modules)
    except Exception:
        for case in tuple(modules):
            try:
                _library({case: modules[case]})
            except Exception:
                summary.failures.append((case, traceback.format_exc()))
                del modules[case]
        return _compiled(modules, summary, sender)


def _library(modules: dict[Case, ModuleOp]) -> CompiledModule:
    options = CompilerOptions(compiler="gcc", flags=FLAGS)
    loops = with_backwards(*modules.values())
    return api.compile_loops(loops, options, "c", checked=_originals(modules))


def _originals(modules: dict[Case, ModuleOp]) -> ModuleOp:
    """The programs whose index arrays are checked: some of them, for each check takes its time."""
    chosen = [case for case in modules if case.program.seed % 4 == 0]
    parsed = [api.parse(case.program.text(case.name)) for case in chosen]
    return ModuleOp([op.clone() for module in parsed for op in module.body.block.ops])


def _difference(library: CompiledModule, case: Case, wanted: Sequence[Expected]) -> str | None:
    """What a case computes that it should not."""
    for (size, number), each in zip(SIZES, wanted, strict=True):
        for way in (_with_threads(1), _with_threads(2), _backwards, _inspected_once):
            given = each.given()
            expected_calls = way(library, case, given, each)
            if expected_calls and results(given) != list(each.results):
                place = _first_difference(given, each, case)
                return f"n = {size}, run {number}, {way.__name__}: {place}"
    return None


def _with_threads(count: int) -> Callable:
    def call(library: CompiledModule, case: Case, given: list, _: Expected) -> bool:
        with library.threads(count):
            library[case.name](*given)
        return True

    call.__name__ = f"{count} threads"
    return call


def _backwards(library: CompiledModule, case: Case, given: list, _: Expected) -> bool:
    library[f"{PREFIX}{case.name}"](*given)
    return True


def _inspected_once(library: CompiledModule, case: Case, given: list, each: Expected) -> bool:
    """Call an inspected kernel twice: with other arrays first, and then with those given."""
    try:
        inspected = library[case.name].inspect(*given)
    except InspectionError:
        return False
    inspected(*each.given())
    inspected(*given)
    return True


def results(given: Sequence[object]) -> list[bytes]:
    """The bytes of all arrays."""
    return [each.tobytes() for each in given if isinstance(each, np.ndarray)]


def _first_difference(given: Sequence[object], each: Expected, case: Case) -> str:
    arrays = [value for value in given if isinstance(value, np.ndarray)]
    for name, array, right in zip(case.program.arrays, arrays, each.results, strict=True):
        wanted = np.frombuffer(right, array.dtype).reshape(array.shape)
        if wanted.tobytes() != array.tobytes():
            place = tuple(map(int, np.argwhere(wanted != array)[0]))
            return f"{name}{list(place)} is {array[place]}, not {wanted[place]}"
    return "nothing"


def main() -> int:
    """Run; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz-irregular", description=__doc__)
    parser.add_argument("count", type=int, help="programs")
    parser.add_argument("first", type=int, help="the number of the first program")
    parser.add_argument("--show", action="store_true", help="print the programs, and run nothing")
    parser.add_argument("--verbose", action="store_true", help="say what begins")
    options = parser.parse_args()
    begin = time.monotonic()
    total = Summary()
    end = options.first + options.count
    if options.show:
        for number in range(options.first, end):
            case = random_case(number)
            print(f"// {case.description}\n{case.program.text(case.name)}")
        return 0
    for first in range(options.first, end, BATCH):
        cases = [random_case(number) for number in range(first, min(first + BATCH, end))]
        found = run_batch(cases, options.verbose)
        total.add(found)
        for case, defect in found.failures:
            print(f"{case.description}\n  {defect}", flush=True)
        print(f"{total.tried} programs, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"passes that did something: {_counted(total.applied)}")
    print(f"refused: {_counted(total.refused)}")
    print(f"skipped: {_counted(total.skipped)}")
    print(f"failures: {len(total.failures)}")
    return 1 if total.failures else 0


def _counted(items: Counter[str]) -> str:
    return ", ".join(f"{number} {what}" for what, number in items.most_common()) or "none"


if __name__ == "__main__":
    sys.exit(main())
