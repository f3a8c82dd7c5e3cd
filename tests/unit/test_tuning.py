"""Tuning: the search, the evaluation of candidates in processes, and what fails in them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest
from suites import examples
from xdsl.dialects.builtin import ModuleOp

import polyir
from polyir import api
from polyir.base.diagnostics import OptionError, PolyirError, Remark, remarks_to
from polyir.base.supervisor import INTERRUPTED
from polyir.pipeline import passes_of_pipeline
from polyir.runtime import CompilerOptions
from polyir.tools import polyir_tune
from polyir.tools.polyir_tune import main
from polyir.tuning import evaluation, programs
from polyir.tuning.bayesian import BayesianSearch, optuna_available
from polyir.tuning.evaluation import (
    Candidate,
    Comparison,
    Limits,
    Outcome,
    ProcessEvaluator,
    Verdict,
)
from polyir.tuning.kernel import MeasuredFunction, measured_function
from polyir.tuning.processes import Worker, WorkerCrashError, WorkerTimeoutError
from polyir.tuning.programs import Flags, Program, Refusal
from polyir.tuning.recipes import Recipe
from polyir.tuning.record import TuningError, TuningFile, read_tuning, tuning_of_json
from polyir.tuning.search import Budget, Found, OrderedSearch, Search, State, tune
from polyir.tuning.space import Space, space_of
from polyir.universe import available_passes

GEMM = Path(__file__).parents[2] / "benchmarks/polybench/gemm.mlir"
BASE = Candidate("optimize", 2)

KERNEL = """
func.func @add(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %B[%i] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %B[%i] : memref<?xf64>
  }
  return
}
"""


@pytest.fixture(scope="module")
def gemm() -> MeasuredFunction:
    return measured_function(api.parse(GEMM.read_text()), None, {}, 24)


@pytest.fixture(scope="module")
def space(gemm: MeasuredFunction) -> Space:
    return space_of(gemm, (2, 1))


# The space.


def test_pipelines_are_read_as_they_are_written(space: Space) -> None:
    recipes = [*space.first, *space.around(space.first[0])]
    for recipe in recipes:
        passes = passes_of_pipeline(recipe.text, available_passes())
        if "interleaving" not in recipe.text:
            # There, text without quotes is several values.
            assert passes == recipe.passes(), recipe.text


def test_the_space_has_what_is_to_be_compared(space: Space) -> None:
    texts = [each.text for each in space.first]
    assert texts[0] == "optimize{strategy=packed-blocks}"
    assert "pluto-schedule{fuse=max},tile,mark-parallel" in texts
    assert 'interleaving-schedule{pattern="S0|S1"}' in "\n".join(texts)
    assert any("tile{auto=true}" in each for each in texts)
    assert any("tile{model=true}" in each for each in texts)
    assert len(set(texts)) == len(texts)


def test_one_thread_has_no_parallel_loops(space: Space) -> None:
    (recipe, *_) = (each for each in space.first if each.parallel and each.strategy is None)
    assert "mark-parallel" in recipe.text
    assert "mark-parallel" not in replace(recipe, threads=1).text


# The search, with an evaluator that knows the answers.


class FakeEvaluator:
    """The larger the first tile size up to 512, the faster; some candidates fail."""

    batch = 2

    def __init__(self, interrupt_after: int = -1) -> None:
        self.seen: list[Candidate] = []
        self._interrupt_after = interrupt_after

    def evaluate(self, candidates: Sequence[Candidate], end: float) -> Iterator[Outcome]:
        for each in candidates:
            if len(self.seen) == self._interrupt_after:
                raise KeyboardInterrupt
            self.seen.append(each)
            yield self._outcome(each)

    def _outcome(self, candidate: Candidate) -> Outcome:
        for word, verdict in (
            ("wavefront,", Verdict.CRASHED),
            ("isl-schedule", Verdict.TIMED_OUT),
            ("pack{", Verdict.WRONG),
        ):
            if word in candidate.pipeline:
                return Outcome(candidate, verdict, reason=word)
        ratio = 2.0
        if "tile{sizes=" in candidate.pipeline:
            size = candidate.pipeline.partition("tile{sizes=")[2].split(",")[0].split("}")[0]
            ratio = 0.5 + max(0, 512 - int(size.split()[0])) / 1024
        return Outcome(candidate, Verdict.MEASURED, ratio, ratio)

    def final(self, candidates: Sequence[Candidate], end: float) -> Comparison:
        times = {each: self._outcome(each).ratio for each in candidates} | {BASE: 1.0}
        best = min(times, key=times.__getitem__)
        return Comparison(best, times[best], 1.0)


def run(search: Search, budget: Budget, evaluator: FakeEvaluator | None = None) -> Found:
    return tune(evaluator or FakeEvaluator(), BASE, 1.0, search, budget)


@pytest.mark.parametrize("kind", ["ordered", "bayesian"])
def test_the_search_finds_the_best_and_counts_failures(kind: str, space: Space) -> None:
    if kind == "bayesian" and not optuna_available():
        pytest.skip("optuna is not installed")
    search: Search = OrderedSearch(space) if kind == "ordered" else BayesianSearch(space)
    evaluator = FakeEvaluator()
    found = run(search, Budget(trials=200), evaluator)
    size = re.search(r"tile\{sizes=(\d+)", found.comparison.best.pipeline)
    assert size is not None
    assert int(size[1]) >= 512
    assert found.comparison.seconds == 0.5
    assert found.counts["tried"] == 200 == len(set(evaluator.seen))
    assert sum(found.counts.values()) == 400
    for verdict in ("crashed", "timed_out", "wrong", "measured"):
        assert found.counts[verdict] > 0, verdict
    assert not found.interrupted


def test_the_number_of_trials_is_exact(space: Space) -> None:
    assert run(OrderedSearch(space), Budget(trials=3)).counts["tried"] == 3


def test_the_search_ends_in_time(space: Space) -> None:
    class Slow(FakeEvaluator):
        def evaluate(self, candidates: Sequence[Candidate], end: float) -> Iterator[Outcome]:
            time.sleep(0.02)
            yield from super().evaluate(candidates, end)

    start = time.monotonic()
    found = run(OrderedSearch(space), Budget(seconds=0.3), Slow())
    assert time.monotonic() - start < 2
    assert 0 < found.counts["tried"] < 100


def test_an_interrupted_search_keeps_what_it_has(space: Space) -> None:
    found = run(OrderedSearch(space), Budget(trials=100), FakeEvaluator(interrupt_after=90))
    assert found.interrupted
    assert found.comparison.seconds < 1
    assert found.counts["tried"] == 90
    early = run(OrderedSearch(space), Budget(trials=100), FakeEvaluator(interrupt_after=0))
    assert early.comparison == Comparison(BASE, 1.0, 1.0)


def test_progress_has_the_best_so_far(space: Space) -> None:
    shown: list[float] = []

    def show(state: State) -> None:
        shown.append(inf if state.best is None else state.best.ratio)

    tune(FakeEvaluator(), BASE, 1.0, OrderedSearch(space), Budget(trials=30), show)
    assert len(shown) == 30
    assert shown == sorted(shown, reverse=True)


# Processes.


def test_a_crash_is_contained() -> None:
    worker = Worker(lambda connection: os.kill(os.getpid(), signal.SIGSEGV))
    with pytest.raises(WorkerCrashError, match="SIGSEGV"):
        worker.receive(5)
    worker.stop()


def test_an_error_is_contained(capfd: pytest.CaptureFixture[str]) -> None:
    def serve(connection: object) -> None:
        print("lost")
        raise ValueError

    worker = Worker(serve)
    with pytest.raises(WorkerCrashError, match="code 1"):
        worker.receive(5)
    worker.stop()
    assert "lost" not in capfd.readouterr().out


def test_a_hang_ends_with_all_that_was_started() -> None:
    def serve(connection: object) -> None:
        child = os.fork()
        if child:
            connection.send(child)  # type: ignore[attr-defined]
        time.sleep(60)

    worker = Worker(serve)
    child = worker.receive(5)
    assert isinstance(child, int)
    with pytest.raises(WorkerTimeoutError):
        worker.receive(0.2)
    for _ in range(100):
        if not _is_running(child):
            break
        time.sleep(0.02)
    assert not _is_running(child)


def _is_running(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return status != "Z"


def test_memory_is_limited() -> None:
    def serve(connection: object) -> None:
        np.ones(1 << 28)
        connection.send("there was enough")  # type: ignore[attr-defined]

    worker = Worker(serve, memory=1 << 28)
    with pytest.raises(WorkerCrashError):
        worker.receive(20)
    worker.stop()


def test_a_worker_has_threads_where_this_process_has_had_some() -> None:
    module = polyir.compile(KERNEL, "pluto-schedule,mark-parallel")
    ones, sums = np.ones(50), np.zeros(50)

    def add() -> None:
        with module.threads(2):
            module["add"](50, ones, sums)

    def serve(connection: object) -> None:
        add()
        connection.send(float(sums.sum()))  # type: ignore[attr-defined]

    add()
    worker = Worker(serve)
    assert worker.receive(20) == 100.0
    worker.stop()
    add()
    assert sums.sum() == 100.0


# Evaluation, with real programs into which faults are put.

FAULTS = {
    "crash": "*(volatile int *)0 = 1;",
    "hang": "for (volatile int x = 1; x;) ;",
    "wrong": "((double *)B)[0] += 1.0;",
    "exit": "_Exit(0);",
    "race": "static int calls; if (++calls == 2) ((double *)B)[0] += 1.0;",
}


def flags() -> Flags:
    return Flags(CompilerOptions(), CompilerOptions(), 20.0)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    real = programs._build

    def build(module: ModuleOp, pipeline: str, flags: Flags, cache: Path) -> Program | Refusal:
        if pipeline == "compiler-crash":
            os.kill(os.getpid(), signal.SIGABRT)
        if pipeline == "compiler-hang":
            time.sleep(60)
        fault = FAULTS.get(pipeline)
        program = real(module, "" if fault else pipeline, flags, cache)
        if fault is None:
            return program
        assert isinstance(program, Program)
        head, brace, tail = program.source.partition("{\n")
        source = f"#include <stdlib.h>\n{head}{brace}{fault}\n{tail}"
        assert source.count(fault) == 1
        return Program(source, program.signatures)

    monkeypatch.setattr(programs, "_build", build)


@pytest.mark.usefixtures("faulty")
def test_failures_are_contained_and_counted() -> None:
    kernel = measured_function(api.parse(KERNEL), None, {}, 1000)
    # Generous: a process with much memory, such as one of a night, forks slowly.
    limits = Limits(build_seconds=examples(5, 10), run_seconds=examples(2, 5))
    expected = {
        "crash": Verdict.CRASHED,
        "hang": Verdict.TIMED_OUT,
        "wrong": Verdict.WRONG,
        "exit": Verdict.CRASHED,
        "race": Verdict.WRONG,
        "compiler-crash": Verdict.CRASHED,
        "compiler-hang": Verdict.TIMED_OUT,
        "no-such-pass": Verdict.REFUSED,
        "interleaving-schedule{pattern=S7}": Verdict.REFUSED,
        "optimize": Verdict.SAME,
        "tile{sizes=8 min-width=1}": Verdict.MEASURED,
    }
    candidates = [Candidate(pipeline, 1) for pipeline in expected]
    with ProcessEvaluator(kernel, Candidate("optimize", 1), flags(), limits) as evaluator:
        outcomes = list(evaluator.evaluate(candidates, inf))
        assert [each.verdict for each in outcomes] == list(expected.values())
        assert "argument 2 differs in 1 elements, first at [0]" in outcomes[2].reason
        assert all(each.ratio == inf for each in outcomes[:9])
        assert 0 < outcomes[-1].ratio < 100
        # Enough remains to measure others.
        final = evaluator.final([candidates[-1]], time.monotonic() + 2)
        assert final.seconds <= final.base_seconds
        times = evaluator.compare([candidates[2], candidates[-1]], 2)
        assert times[candidates[2]] == inf
        assert 0 < times[candidates[-1]] < inf


@pytest.mark.usefixtures("faulty")
def test_a_wrong_base_is_an_error() -> None:
    kernel = measured_function(api.parse(KERNEL), None, {}, 1000)
    for base, message in (("wrong", "the base pipeline is wrong"), ("crash", "SIGSEGV")):
        with pytest.raises(PolyirError, match=message):
            ProcessEvaluator(kernel, Candidate(base, 1), flags())


@pytest.mark.usefixtures("faulty")
def test_a_base_that_cannot_be_compiled_is_an_error() -> None:
    kernel = measured_function(api.parse(KERNEL), None, {}, 1000)
    for base, message in (("compiler-crash", "SIGABRT"), ("no-such-pass", "unknown pass")):
        with pytest.raises(PolyirError, match=message):
            ProcessEvaluator(kernel, Candidate(base, 1), flags())


@pytest.mark.matrix
def test_a_base_that_is_disturbed_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = measured_function(api.parse(KERNEL), None, {}, 1000)
    with ProcessEvaluator(kernel, Candidate("optimize", 1), flags()) as evaluator:
        stopped = evaluator._base_worker
        monkeypatch.setattr(stopped, "receive", _too_late)
        (outcome,) = evaluator.evaluate([Candidate("tile{sizes=8 min-width=1}", 1)], inf)
        assert outcome.verdict is Verdict.MEASURED
        assert evaluator._base_worker is not stopped
        stopped.stop()


def _too_late(seconds: float) -> object:
    raise WorkerTimeoutError


@pytest.mark.matrix
def test_passes_that_change_nothing_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = measured_function(api.parse(KERNEL), None, {}, 1000)
    long = Candidate("wavefront,tile{sizes=8 min-width=1},intra-tile-order,scalar-replacement", 1)
    monkeypatch.setattr(
        evaluation.ProcessEvaluator,
        "_halve",
        lambda self, left, running, times, end: times.update(
            {each: 0.0 if each == long else 1.0 for each in times}
        ),
    )
    with ProcessEvaluator(kernel, Candidate("optimize", 1), flags()) as evaluator:
        (outcome,) = evaluator.evaluate([long], inf)
        assert outcome.verdict is Verdict.MEASURED
        final = evaluator.final([long], time.monotonic() + 20)
    assert final.best == Candidate("tile{sizes=8 min-width=1}", 1)


# The tool, the file and its use.


def test_a_kernel_is_tuned_and_the_file_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "gemm.json"
    arguments = ["--trials=3", "--default-size=24", "--search=ordered", "-o", str(output)]
    assert main([*arguments, str(GEMM)]) == 0
    record = read_tuning(str(output)).only
    assert record.function == "kernel_gemm"
    assert record.sizes == {"ni": 24, "nj": 24, "nk": 24}
    assert record.counts["tried"] == 3
    assert record.seconds <= record.base_seconds
    assert "best so far" in capsys.readouterr().err
    other = replace(record, pipeline="pluto-schedule,tile{sizes=7}")
    output.write_text(TuningFile("f", (other,)).to_json())
    assert "+= 7)" in polyir.compile(GEMM.read_text(), tuned=output).source
    with pytest.raises(TuningError, match="another kernel"):
        polyir.compile(GEMM.read_text().replace("mulf", "addf"), tuned=output)
    with pytest.raises(OptionError, match="give no other one"):
        polyir.compile(GEMM.read_text(), "tile", tuned=output)


def test_another_number_of_threads_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "add.json"
    source = tmp_path / "add.mlir"
    source.write_text(KERNEL)
    assert main(["--trials=1", "--quiet", "-o", str(output), str(source)]) == 0
    record = replace(read_tuning(str(output)).only, threads=3, pipeline="")
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    said: list[Remark] = []
    with remarks_to(said.append):
        record.warn_of_machine("f")
        replace(record, threads=5).warn_of_machine("f")
        replace(record, threads=1).warn_of_machine("f")
    assert [each.message.rpartition("was ")[2] for each in said] == [
        "the fastest with 3 threads: set OMP_NUM_THREADS"
    ]


def test_an_interrupted_tool_writes_a_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.json"
    real = ProcessEvaluator.evaluate
    calls: list[int] = []

    def evaluate(
        self: ProcessEvaluator, candidates: Sequence[Candidate], end: float
    ) -> Iterator[Outcome]:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return real(self, candidates, end)

    monkeypatch.setattr(ProcessEvaluator, "evaluate", evaluate)
    arguments = ["--seconds=50", "--default-size=24", "--quiet", "-o", str(output)]
    assert main([*arguments, str(GEMM)]) == 0
    assert read_tuning(str(output)).only.counts["tried"] > 0
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


def test_standard_output_has_the_file_alone(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--trials=1", "--default-size=24", "--quiet", "--search=ordered", "-o", "-"]
    assert main([*arguments, str(GEMM)]) == 0
    said = capsys.readouterr()
    assert tuning_of_json(said.out).only.function == "kernel_gemm"
    assert "@kernel_gemm: 1 tried" in said.err


def test_a_file_that_cannot_be_written_is_known_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(polyir_tune, "tune", None)
    for output, reason in ((tmp_path, "Is a directory"), (tmp_path / "a/b", "No such file")):
        assert main(["--quiet", "-o", str(output), str(GEMM)]) == 1
        assert f"error: cannot write '{output}': {reason}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_interruption_before_the_search_is_no_traceback(tmp_path: Path) -> None:
    source = tmp_path / "in.mlir"
    os.mkfifo(source)
    tool = Path(sys.executable).with_name("polyir-tune")
    with subprocess.Popen([tool, source], stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            # There is no one to write to before it reads its input.
            with suppress(OSError):
                writer = os.open(source, os.O_WRONLY | os.O_NONBLOCK)
                errors = None
                while errors is None:
                    process.send_signal(signal.SIGINT)
                    # Python sees a signal between two calls of the system only after the second.
                    with suppress(subprocess.TimeoutExpired):
                        errors = process.communicate(timeout=1)[1]
                assert errors == ""
                os.close(writer)
            time.sleep(0.01)
    assert process.returncode == INTERRUPTED


def test_recipes_are_keys() -> None:
    assert hash(Recipe(())) == hash(Recipe(()))
