"""How fast candidates are, each against the base pipeline, and whether they are right.

A candidate is compiled and run in processes of its own, so that crashes, hangs and memory that is
never freed are its own. What it computes must have the bits of what the program computes in its
original order, before it is timed. Then base and candidate take turns.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import PolyirError
from polyir.base.limits import processors
from polyir.pipeline import passes_of_pipeline
from polyir.runtime.measure import Argument, compare_bits
from polyir.tuning.kernel import MeasuredFunction
from polyir.tuning.processes import (
    Worker,
    WorkerCrashError,
    WorkerError,
    WorkerTimeoutError,
)
from polyir.tuning.programs import (
    Flags,
    Program,
    Record,
    Refusal,
    Time,
    Turn,
    start_build,
    start_runs,
)
from polyir.tuning.recipes import text_of_pass
from polyir.universe import available_passes


class Verdict(Enum):
    """What came of a candidate. `SAME`: its code is that of another one."""

    MEASURED = "measured"
    SAME = "same"
    REFUSED = "refused"
    WRONG = "wrong"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True)
class Candidate:
    """A pipeline as text, and the number of threads that run its result."""

    pipeline: str
    threads: int


@dataclass(frozen=True)
class Outcome:
    """What came of a candidate, and why.

    `ratio` is its time divided by that of the base pipeline, measured in turn; `seconds` the time.
    Both are infinite unless it is right.
    """

    candidate: Candidate
    verdict: Verdict
    ratio: float = inf
    seconds: float = inf
    reason: str = ""


class Evaluator(Protocol):
    """What finds out how fast candidates are."""

    @property
    def batch(self) -> int:
        """How many candidates are best given at once."""

    def evaluate(self, candidates: Sequence[Candidate], end: float) -> Iterator[Outcome]:
        """The outcome of each candidate, in order; fewer if it is later than `end` by then."""

    def final(self, candidates: Sequence[Candidate], end: float) -> Comparison:
        """The best of these and of the base, by more turns."""


@dataclass(frozen=True)
class Comparison:
    """The fastest candidate with its time, and the time of the base in the same turns."""

    best: Candidate
    seconds: float
    base_seconds: float


@dataclass(frozen=True)
class Limits:
    """What candidates may take: seconds to compile, seconds to run, and bytes.

    A run may take `run_factor` times as long as the base takes, and `run_seconds` in any case;
    `original_seconds` are for the program in its original order.
    """

    build_seconds: float = 40.0
    run_factor: float = 5.0
    run_seconds: float = 2.0
    original_seconds: float = 60.0
    memory: int = 4 << 30

    @classmethod
    def within(cls, seconds: float) -> Limits:
        """Those of a search of so many seconds: the original program is to leave it most."""
        return cls(original_seconds=max(10.0, seconds / 4)) if seconds < inf else cls()


TURNS: Final = ((1, 1.15), (2, 1.05), (3, 1.02))
"""Numbers of turns, and how much slower than the best a candidate may be after them to go on."""

FIRST_TURNS: Final = 3
"""How many turns the base has before the search."""

DRIFT: Final = 1.2
"""How much longer than ever before the base may take in a turn that counts.

The clock of a processor changes by less; a turn that takes longer is disturbed, and is repeated."""

MOST_TRIES: Final = 3

FINAL_TURNS: Final = 4
"""How many turns the best candidates have before the slower half is dropped; then twice as many."""

HALVING_PART: Final = 0.6
"""Of the time for the last comparison; the rest is to make the pipeline simpler."""


class ProcessEvaluator:
    """Evaluates candidates for a kernel on this machine. `close` ends its processes.

    Raises `PolyirError` if the original program or the base pipeline fails.
    """

    def __init__(
        self, kernel: MeasuredFunction, base: Candidate, flags: Flags, limits: Limits | None = None
    ) -> None:
        self._kernel, self._flags, self._limits = kernel, flags, limits or Limits()
        self.base = base
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._seen: dict[tuple[str, int], Outcome] = {}
        self._programs: dict[Candidate, Program] = {}
        self._best = 1.0
        self._count = 0
        self.note = ""
        """What is to be known about the comparison of results."""
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def batch(self) -> int:
        return processors()

    @property
    def base_seconds(self) -> float:
        """The time of the base pipeline when it was first measured."""
        return self._base_seconds

    def close(self) -> None:
        """End all processes and remove all files."""
        self._stack.close()

    def __enter__(self) -> ProcessEvaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        """Run the original and the base pipeline, which must agree."""
        original, base = Candidate("", 1), self.base
        builds = [self._start_build(each, self._kernel.module) for each in (original, base)]
        with closing_all(builds):
            programs = [self._awaited(each, inf) for each in builds]
        for name, program in zip(("the original", "the base pipeline"), programs, strict=True):
            if not isinstance(program, Program):
                reason = program.reason if isinstance(program, Refusal) else program
                raise PolyirError(f"{name} cannot be measured: {reason}", name="not-measured")
        first, second = [each for each in programs if isinstance(each, Program)]
        self._base_program = second
        self._base_worker = self._start_runs(second, base.threads)
        self._stack.callback(lambda: self._base_worker.stop())
        self._base_seconds = self._limits.original_seconds
        try:
            of_base, _ = self._recorded(self._base_worker, self._limits.original_seconds)
            self._base_seconds = min(
                self._turn(self._base_worker, self._limits.original_seconds)
                for _ in range(FIRST_TURNS)
            )
        except (WorkerError, _WrongError) as error:
            raise PolyirError(
                f"the base pipeline cannot be measured: {error}", name="not-measured"
            ) from None
        self._expected = of_base
        worker = self._start_runs(first, original.threads)
        with closing_all([worker]):
            try:
                self._expected, _ = self._recorded(worker, self._limits.original_seconds)
            except WorkerTimeoutError:
                self.note = (
                    f"the original program takes longer than {self._limits.original_seconds:.3g} "
                    "s: results are compared with those of the base pipeline"
                )
            except WorkerCrashError as error:
                raise PolyirError(
                    f"the original program cannot be measured: {error}", name="not-measured"
                ) from None
        difference = compare_bits(self._expected, of_base)
        if difference is not None:
            raise PolyirError(
                f"the result of the base pipeline is wrong: {difference}", name="wrong-result"
            )
        outcome = Outcome(base, Verdict.MEASURED, 1.0, self._base_seconds)
        self._seen[second.source, base.threads] = outcome

    # Compiling.

    def _start_build(self, candidate: Candidate, module: ModuleOp) -> Worker:
        cache = self._folder / "libraries"
        memory = self._limits.memory
        return start_build(module, candidate.pipeline, self._flags, cache, memory)

    def evaluate(self, candidates: Sequence[Candidate], end: float) -> Iterator[Outcome]:
        """Compile the candidates at the same time, then measure one after the other."""
        builds = [self._start_build(each, self._kernel.analysed) for each in candidates]
        with closing_all(builds):
            # All have ended before anything is timed.
            programs = [self._awaited(each, end) for each in builds]
        for candidate, program in zip(candidates, programs, strict=True):
            if program is None or time.monotonic() >= end:
                return
            yield self._outcome(candidate, program)

    def _awaited(self, worker: Worker, end: float) -> Program | Refusal | WorkerError | None:
        seconds = min(self._limits.build_seconds, end - time.monotonic())
        try:
            answer = worker.receive(max(seconds, 0.0))
        except WorkerTimeoutError as error:
            return None if time.monotonic() >= end else error
        except WorkerError as error:
            return error
        assert isinstance(answer, Program | Refusal)
        return answer

    def _outcome(self, candidate: Candidate, program: Program | Refusal | WorkerError) -> Outcome:
        if isinstance(program, Refusal):
            return Outcome(candidate, Verdict.REFUSED, reason=program.reason)
        if isinstance(program, WorkerError):
            return _failed(candidate, program)
        known = self._seen.get((program.source, candidate.threads))
        if known is not None:
            reason = f"the code is that of {known.candidate.pipeline}"
            return Outcome(candidate, Verdict.SAME, known.ratio, known.seconds, reason)
        outcome = self._measured(candidate, program)
        self._programs[candidate] = program
        self._seen[program.source, candidate.threads] = outcome
        return outcome

    # Running.

    def _start_runs(self, program: Program, threads: int) -> Worker:
        arguments, function = self._kernel.arguments, self._kernel.function
        cache, memory = self._folder / "libraries", self._limits.memory
        return start_runs(program, function, arguments, threads, self._flags, cache, memory)

    def _recorded(self, worker: Worker, seconds: float) -> tuple[list[Argument], float]:
        """The arguments after the first run, and the time that it took. Raises `WorkerError`."""
        self._count += 1
        arrays = [each for each in self._kernel.arguments if isinstance(each, np.ndarray)]
        files = [self._folder / f"{self._count}-{number}.npy" for number in range(len(arrays))]
        worker.send(Record(tuple(map(str, files))))
        taken = worker.receive(seconds)
        assert isinstance(taken, float)
        # They are mapped: they need no memory, and nobody can change them.
        mapped = iter([np.load(each, mmap_mode="r") for each in files])
        found: list[Argument] = [
            next(mapped) if isinstance(each, np.ndarray) else each
            for each in self._kernel.arguments
        ]
        for each in files:
            each.unlink()
        return found, taken

    def _turn(self, worker: Worker, seconds: float) -> float:
        worker.send(Time())
        turn = worker.receive(seconds)
        assert isinstance(turn, Turn)
        if not turn.is_same:
            raise _WrongError("a later run has another result than the one that was checked")
        return turn.seconds

    def _base_turn(self) -> float:
        """A turn of the base; infinite if it takes too long, for something disturbs then."""
        limit = self._limits.original_seconds + self._run_limit()
        try:
            seconds = self._turn(self._base_worker, limit)
        except WorkerTimeoutError:
            self._base_worker = self._start_runs(self._base_program, self.base.threads)
            return inf
        except (WorkerCrashError, _WrongError) as error:
            raise PolyirError(
                f"the base pipeline fails in a later run: {error}", name="not-measured"
            ) from None
        self._base_seconds = min(self._base_seconds, seconds)
        return seconds

    def _run_limit(self) -> float:
        # Copies of arguments and short runs that are repeated take their time, too.
        return self._limits.run_seconds + self._limits.run_factor * self._base_seconds

    @contextmanager
    def _checked(self, candidate: Candidate, program: Program) -> Iterator[Worker]:
        """A worker whose results have been compared. Raises `WorkerError`, or `_WrongError`."""
        worker = self._start_runs(program, candidate.threads)
        with closing_all([worker]):
            arrays, _ = self._recorded(worker, self._run_limit())
            difference = compare_bits(self._expected, arrays)
            del arrays
            if difference is not None:
                raise _WrongError(str(difference))
            yield worker

    def _measured(self, candidate: Candidate, program: Program) -> Outcome:
        try:
            with self._checked(candidate, program) as worker:
                base, now = self._race(worker)
        except (WorkerError, _WrongError) as error:
            return _failed(candidate, error)
        self._best = min(self._best, now / base)
        return Outcome(candidate, Verdict.MEASURED, now / base, now)

    def _race(self, worker: Worker) -> tuple[float, float]:
        """The shortest times of the base and of a worker in turns, few if that is slower."""
        base, now = inf, inf
        for turns, margin in TURNS:
            for _ in range(turns):
                for _ in range(MOST_TRIES):
                    of_base = self._base_turn()
                    now = min(now, self._turn(worker, self._run_limit()))
                    base = min(base, of_base)
                    # Else something disturbs: such a turn says little of either of them.
                    if of_base <= DRIFT * self._base_seconds:
                        break
            base = min(base, DRIFT * self._base_seconds)
            if now > margin * self._best * base:
                break
        return base, now

    def final(self, candidates: Sequence[Candidate], end: float) -> Comparison:
        """The best of the candidates and the base.

        All take turns; after some, the slower half is dropped (successive halving). Each round has
        twice as many turns as the one before, as long as it is earlier than `end`. The best one
        must have the same code when it is made from the program as it was read.
        """
        with ExitStack() as stack:
            running: dict[Candidate, Worker] = {}
            for each in candidates:
                if each != self.base and (worker := self._finalist(each, stack)) is not None:
                    running[each] = worker
            times = dict.fromkeys((self.base, *running), inf)
            now = time.monotonic()
            self._halve(list(times), running, times, now + HALVING_PART * (end - now))
        # All turns of the base may have been disturbed.
        times[self.base] = min(times[self.base], DRIFT * self._base_seconds)
        for best in sorted(times, key=times.__getitem__):
            if best == self.base or self._is_made_again(best, best):
                simpler = best if best == self.base else self._simpler(best, end)
                return Comparison(simpler, times[best], times[self.base])
        raise AssertionError("the base is always there")

    def compare(self, candidates: Sequence[Candidate], turns: int) -> dict[Candidate, float]:
        """The shortest times of all candidates and the base in turns; infinite for failures.

        They are built of the program as it was read, and may run as long as the original may.
        """
        self._limits = replace(self._limits, run_seconds=self._limits.original_seconds)
        found = dict.fromkeys((self.base, *candidates), inf)
        with ExitStack() as stack:
            running: dict[Candidate, Worker] = {}
            for each in found:
                if each == self.base:
                    continue
                with closing_all([self._start_build(each, self._kernel.module)]) as (build,):
                    program = self._awaited(build, inf)
                if isinstance(program, Program):
                    self._programs[each] = program
                    if (worker := self._finalist(each, stack)) is not None:
                        running[each] = worker
            times = dict.fromkeys((self.base, *running), inf)
            self._take_turns(turns, list(times), running, times, inf)
        return found | times

    def _finalist(self, candidate: Candidate, stack: ExitStack) -> Worker | None:
        """A worker for a candidate that was built; `None` if it fails."""
        context = self._checked(candidate, self._programs[candidate])
        try:
            return stack.enter_context(context)
        except (WorkerError, _WrongError):
            return None

    def _is_made_again(self, candidate: Candidate, wanted: Candidate) -> bool:
        """Whether a candidate makes the code of `wanted` of the program as it was read."""
        with closing_all([self._start_build(candidate, self._kernel.module)]) as (build,):
            return self._awaited(build, inf) == self._programs[wanted]

    def _simpler(self, candidate: Candidate, end: float) -> Candidate:
        """The candidate without passes that change nothing, as far as there is time to see it."""
        passes = passes_of_pipeline(candidate.pipeline, available_passes())
        kept = list(passes)
        for position in reversed(range(len(passes))):
            shorter = [each for number, each in enumerate(kept) if number != position]
            if not shorter or time.monotonic() >= end:
                break
            simpler = replace(candidate, pipeline=",".join(map(text_of_pass, shorter)))
            if self._is_made_again(simpler, candidate):
                kept = shorter
        return replace(candidate, pipeline=",".join(map(text_of_pass, kept)))

    def _halve(
        self,
        left: list[Candidate],
        running: dict[Candidate, Worker],
        times: dict[Candidate, float],
        end: float,
    ) -> None:
        """Rounds of turns, until one candidate is left beside the base; failures are removed."""
        turns = FINAL_TURNS
        while True:
            self._take_turns(turns, left, running, times, end)
            others = sorted((each for each in left if each != self.base), key=times.__getitem__)
            for each in others[max(1, len(others) // 2) :]:
                # It was slower, but in fewer turns.
                left.remove(each)
            if len(others) < 2 or time.monotonic() >= end:
                return
            turns *= 2

    def _take_turns(
        self,
        turns: int,
        left: list[Candidate],
        running: dict[Candidate, Worker],
        times: dict[Candidate, float],
        end: float,
    ) -> None:
        """Let those that are left take turns; the ones that fail are removed."""
        for number in range(turns):
            if number and time.monotonic() >= end:
                return
            for each in tuple(left):
                if each == self.base:
                    times[each] = min(times[each], self._base_turn())
                    continue
                try:
                    times[each] = min(times[each], self._turn(running[each], self._run_limit()))
                except (WorkerError, _WrongError):
                    left.remove(each)
                    del times[each]


class _WrongError(Exception):
    """Results differ from those of the original, or from run to run."""


def _failed(candidate: Candidate, error: Exception) -> Outcome:
    verdict = Verdict.WRONG
    if isinstance(error, WorkerTimeoutError):
        verdict = Verdict.TIMED_OUT
    elif isinstance(error, WorkerCrashError):
        verdict = Verdict.CRASHED
    return Outcome(candidate, verdict, reason=str(error))


@contextmanager
def closing_all(workers: Sequence[Worker]) -> Iterator[Sequence[Worker]]:
    """End the workers at the end of the `with` block."""
    try:
        yield workers
    finally:
        for each in workers:
            each.stop()
