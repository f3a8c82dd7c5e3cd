"""A few seeded random programs, and every program that ever failed (`make fuzz` finds more)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzzing import run
from fuzzing.generate import random_program
from fuzzing.pipelines import random_gpu_pipeline, random_pipeline
from fuzzing.regression import PIPELINE, RUN
from fuzzing.run import Case, run_batch, runs_on_device
from gpu_devices import missing_opencl
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import examples

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module
from polyir.runtime.functions import CompiledFunction, numpy_type
from polyir.target.abi import ArrayParameter

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.mlir"))
FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off")


@pytest.fixture(autouse=True)
def _no_worker_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "STEP_SECONDS", 0)


@pytest.mark.parametrize("first", [7001])
def test_random_programs_compute_the_same(first: int, tmp_path: Path) -> None:
    cases = [
        Case(random_program(n), random_pipeline(n)) for n in range(first, first + examples(3, 5))
    ]
    summary = run_batch(cases, tmp_path)
    assert summary.failures == []
    # Programs that no pass touches would prove nothing.
    assert summary.applied.total() >= 2


@pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl())
def test_random_programs_compute_the_same_in_kernels(tmp_path: Path) -> None:
    cases = [
        Case(random_program(n), random_gpu_pipeline(n)) for n in range(8001, 8001 + examples(2, 5))
    ]
    summary = run_batch(cases, tmp_path)
    assert summary.failures == []
    assert summary.applied["map-to-gpu"] + summary.applied["optimize"] >= 2


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_program_that_failed_computes_the_same(path: Path) -> None:
    text = path.read_text()
    lines = text.splitlines()
    (pipeline,) = (line.removeprefix(PIPELINE) for line in lines if line.startswith(PIPELINE))
    runs = [line.removeprefix(RUN).split() for line in lines if line.startswith(RUN)]
    is_for_device = runs_on_device(pipeline.split(","))
    if is_for_device and missing_opencl():
        pytest.skip(missing_opencl())
    with remarks_to(lambda remark: None):
        module = api.lower(api.run_pipeline(api.parse(text), pipeline))
        if is_for_device:
            ours: CompiledModule = api.compile_loops(module, target="opencl")
        else:
            ours = compile_module(module, CompilerOptions(compiler="gcc", flags=FLAGS))
    oracle = Oracle(text)
    for words in runs:
        expected, actual = (arguments_of(ours["program"], words) for _ in range(2))
        oracle("program", *expected)
        ours["program"](*actual)
        assert compare_bits(expected, actual) is None, words


def arguments_of(function: CompiledFunction, words: list[str]) -> list[int | np.ndarray]:
    """Arguments from a line `// run: 3 4 [5x6] []`: numbers, and arrays of these shapes."""
    random = np.random.default_rng(0)
    arguments: list[int | np.ndarray] = []
    for parameter, word in zip(function.signature.parameters, words, strict=True):
        if isinstance(parameter, ArrayParameter):
            shape = tuple(int(extent) for extent in word.strip("[]").split("x") if extent)
            values = np.asarray(random.uniform(-100, 100, shape))
            arguments.append(values.astype(numpy_type(parameter.type.element)).reshape(shape))
        else:
            arguments.append(int(word))
    return arguments
