"""Builds, checks and times all variants of a kernel, in turns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from kernels import ArrayArgument, Kernel

from .build import (
    Contraction,
    Library,
    Source,
    ToolError,
    ToolTimeoutError,
    compile_library,
    make_source,
)
from .client import Client, WorkerError, WorkerTimeoutError, WrongResultError
from .compare import close_difference, exact_difference, unchanged
from .originals import Baseline, Original, OriginalError, original_of
from .results import Result, Status
from .variants import BASE, Variant
from .worker import Job, initial_arrays, load_arrays


@dataclass(frozen=True)
class Settings:
    """How to measure. Times are in seconds."""

    data_set: str = "large"
    threads: tuple[int, ...] = (1, 2)
    rounds: int = 5
    turn_seconds: float = 0.1
    contraction: Contraction = Contraction.FAST
    baseline: Baseline = Baseline.NATURAL
    tool_limit: float = 120.0
    compile_limit: float = 300.0
    run_limit: float = 300.0


class NoReferenceError(Exception):
    """The original itself cannot be run, or its results could not tell right from wrong."""


@dataclass(frozen=True)
class Reference:
    """The original's arguments and results as files; `contracted` may be empty."""

    initial: tuple[str, ...]
    expected: tuple[str, ...]
    contracted: tuple[str, ...]


@dataclass
class Entrant:
    """A variant with a number of threads whose result was right, and its times so far."""

    result: Result
    client: Client
    times: list[float] = field(default_factory=list)


@contextmanager
def _failures(report: Callable[[Status, str], None]) -> Iterator[None]:
    """Turn what a variant does wrong into a report, so that the others go on."""
    try:
        yield
    except WrongResultError as error:
        report(Status.WRONG, str(error))
    except (WorkerTimeoutError, ToolTimeoutError) as error:
        report(Status.TIMEOUT, str(error))
    except (WorkerError, ToolError) as error:
        report(Status.FAILED, str(error))


def measure_kernel(
    kernel: Kernel, variants: Sequence[Variant], settings: Settings, scratch: Path
) -> list[Result]:
    """The results of every variant with every number of threads, in the order given.

    Everything is written to a folder under `scratch` that is removed at the end. If the
    original fails, all variants have failed.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as name, ExitStack() as workers:
        try:
            race = _Race(kernel, settings, Path(name), workers)
        except (OriginalError, NoReferenceError) as error:
            reason = f"no reference: {error}"
            return [
                Result(kernel.name, variant.name, threads, Status.FAILED, reason)
                for variant in variants
                for threads in variant.thread_counts(settings.threads)
            ]
        for variant in variants:
            race.enter(variant)
        race.run()
        return race.results


class _Race:
    """One kernel: a reference, the entrants, and what is known of everyone."""

    def __init__(
        self, kernel: Kernel, settings: Settings, folder: Path, workers: ExitStack
    ) -> None:
        self._kernel = kernel
        self._settings = settings
        self._folder = folder
        self._workers = workers
        self._entrants: list[Entrant] = []
        self._results: dict[tuple[str, int], Result] = {}
        self._original = original_of(kernel, settings.baseline, settings.data_set, folder)
        self._reference = _make_reference(self._original, settings, folder)

    @property
    def results(self) -> list[Result]:
        """What is known, in the order of entrance."""
        return list(self._results.values())

    def enter(self, variant: Variant) -> None:
        """Build and check a variant; those that are right take part in the race."""
        settings = self._settings
        results = [
            Result(self._kernel.name, variant.name, threads, Status.RIGHT)
            for threads in variant.thread_counts(settings.threads)
        ]
        for result in results:
            self._store(result)
        folder = Path(tempfile.mkdtemp(dir=self._folder))

        def report_all(status: Status, reason: str) -> None:
            for result in results:
                self._store(replace(result, status=status, reason=reason))

        with _failures(report_all):
            source = make_source(variant, self._original, folder, settings.tool_limit)
            libraries = self._libraries(variant, source, folder)
            for result in results:
                done = replace(
                    result,
                    tool_seconds=source.tool_seconds,
                    compile_seconds=libraries[settings.contraction].compile_seconds,
                )
                self._check(done, variant, source, libraries)

    def _libraries(
        self, variant: Variant, source: Source, folder: Path
    ) -> dict[Contraction, Library]:
        """The build that is timed, and the one without contraction."""
        wanted = dict.fromkeys((Contraction.OFF, self._settings.contraction))
        limit = self._settings.compile_limit
        return {
            contraction: compile_library(variant, source, contraction, folder, limit)
            for contraction in wanted
        }

    def _check(
        self,
        result: Result,
        variant: Variant,
        source: Source,
        libraries: dict[Contraction, Library],
    ) -> None:
        """Check one number of threads: first the exact build, then the one that is timed."""
        contraction = self._settings.contraction

        def report(status: Status, reason: str) -> None:
            self._store(replace(result, status=status, reason=reason))

        with _failures(report):
            if contraction is not Contraction.OFF:
                with self._client(result, source, libraries[Contraction.OFF]) as client:
                    self._compare(client, is_exact=not variant.reassociates)
            client = self._workers.enter_context(
                self._client(result, source, libraries[contraction])
            )
            is_exact = contraction is Contraction.OFF and not variant.reassociates
            self._compare(client, is_exact)
            self._store(result)
            self._entrants.append(Entrant(result, client))

    def _client(self, result: Result, source: Source, library: Library) -> Client:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        job = _job(self._original, source, library, self._settings, self._reference.initial, folder)
        return Client(job, folder, result.threads, self._settings.run_limit)

    def _compare(self, client: Client, is_exact: bool) -> None:
        """Run once and compare with the reference. Raises `WrongResultError`."""
        client.wait_until_ready()
        actual, expected = client.record(), load_arrays(self._reference.expected)
        if is_exact:
            message = exact_difference(expected, actual)
        else:
            message = close_difference(expected, load_arrays(self._reference.contracted), actual)
        for path in client.job.results:
            Path(path).unlink()
        if message is not None:
            raise WrongResultError(message)

    def run(self) -> None:
        """Time the entrants in turns; each round starts with another one."""
        for number in range(self._settings.rounds):
            entrants = self._entrants
            start = number % max(len(entrants), 1)
            for entrant in [*entrants[start:], *entrants[:start]]:
                self._turn(entrant)
        for entrant in self._entrants:
            self._store(replace(entrant.result, times=tuple(entrant.times)))

    def _turn(self, entrant: Entrant) -> None:
        def disqualify(status: Status, reason: str) -> None:
            self._store(replace(entrant.result, status=status, reason=reason))
            self._entrants = [other for other in self._entrants if other is not entrant]
            entrant.client.stop()

        with _failures(disqualify):
            entrant.times.extend(entrant.client.time(self._settings.turn_seconds))

    def _store(self, result: Result) -> None:
        self._results[result.variant, result.threads] = result


def _make_reference(original: Original, settings: Settings, folder: Path) -> Reference:
    """Save the arguments, and run the original without and with contraction.

    Raises `NoReferenceError`.
    """
    arrays = initial_arrays(original.kernel, settings.data_set)
    initial = tuple(str(folder / f"initial-{n}.npy") for n in range(len(arrays)))
    for path, array in zip(initial, arrays, strict=True):
        np.save(path, array)
    try:
        expected = _record(original, Contraction.OFF, initial, settings, folder)
        contracted = _record(original, Contraction.FAST, initial, settings, folder)
    except (ToolError, WorkerError, WrongResultError) as error:
        raise NoReferenceError(str(error)) from None
    same = unchanged(arrays, load_arrays(expected))
    declared = [a for a in original.kernel.arguments if isinstance(a, ArrayArgument)]
    blind = [a.name for position, a in enumerate(declared) if a.is_output and position in same]
    if blind:
        # A kernel that does nothing would be right.
        raise NoReferenceError(f"the original leaves {', '.join(blind)} unchanged")
    return Reference(initial, expected, contracted)


def _record(
    original: Original,
    contraction: Contraction,
    initial: tuple[str, ...],
    settings: Settings,
    scratch: Path,
) -> tuple[str, ...]:
    """The files with the results of the original. Raises what a variant's failure raises."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    source = make_source(BASE, original, folder, settings.tool_limit)
    library = compile_library(BASE, source, contraction, folder, settings.compile_limit)
    job = _job(original, source, library, settings, initial, folder)
    with Client(job, folder, 1, settings.run_limit) as client:
        client.wait_until_ready()
        client.record()
    return job.results


def _job(
    original: Original,
    source: Source,
    library: Library,
    settings: Settings,
    initial: tuple[str, ...],
    folder: Path,
) -> Job:
    return Job(
        str(library.path),
        source.symbol,
        original.kernel.name,
        tuple(str(kind) for kind in source.parameters),
        settings.data_set,
        initial,
        tuple(str(folder / f"result-{n}.npy") for n in range(len(initial))),
    )
