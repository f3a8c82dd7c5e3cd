"""Which backend compiles, and that both call functions the same way."""

from __future__ import annotations

import builtins
import re
import threading
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from polyir import api
from polyir.base.diagnostics import PolyirError
from polyir.runtime.compiler import CompilationError, CompilerOptions, find_compiler
from polyir.runtime.threads import Task, ThreadTeam, default_thread_count
from polyir.tools import polyir_run

pytest.importorskip("llvmlite")

SCALE = """
func.func @scale(%n: index, %x: f32, %flag: i1, %A: memref<?x4xf32>) -> (f32, i1) {
  affine.parallel (%i, %j) = (0, 0) to (%n, 4) {
    %a = affine.load %A[%i, %j] : memref<?x4xf32>
    %b = arith.mulf %a, %x : f32
    affine.store %b, %A[%i, %j] : memref<?x4xf32>
  }
  return %x, %flag : f32, i1
}
"""


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_llvm_takes_over() -> None:
    assert api.chosen_backend(None, "auto") == "llvm"
    array = np.ones((3, 4), np.float32)
    assert api.compile(SCALE, "").scale(3, 2.0, True, array) == (2.0, True)
    assert (array == 2.0).all()


@pytest.mark.usefixtures("no_compiler")
def test_without_either_the_message_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "jit_available", lambda: False)
    with pytest.raises(CompilationError, match=r"no C compiler found .*, nor llvmlite \(pip"):
        api.compile(SCALE, "")


def test_llvm_without_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *arguments: object, **options: object) -> object:
        if name.partition(".")[0] == "llvmlite" or name.startswith("xdsl.backend.llvm"):
            raise ImportError(name)
        return original(name, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(PolyirError, match="requires llvmlite, which is not installed"):
        api.emit(api.parse(SCALE), "llvm")


@pytest.mark.parametrize("backend", get_args(api.Backend))
def test_the_same_interface(backend: api.Backend, tmp_path: object) -> None:
    kernels = api.compile(SCALE, "", backend=backend)
    array = np.ones((5, 4), np.float32)
    with kernels.threads(2):
        assert kernels["scale"](5, 3.0, False, array) == (3.0, False)
    assert (array == 3.0).all()
    assert list(kernels) == ["scale"]
    assert repr(kernels.scale) == "<compiled function scale(n, x, flag, A)>"
    with pytest.raises(TypeError, match="argument 3 'A' must have elements of type float32"):
        kernels.scale(5, 3.0, False, array.astype(np.float64))
    with pytest.raises(ValueError, match="must have extent 4 in dimension 1, not 5"):
        kernels.scale(5, 3.0, False, np.ones((4, 5), np.float32))
    with pytest.raises(ValueError, match="must be at least 1, not 0"), kernels.threads(0):
        pass
    with pytest.raises(AttributeError, match="did you mean 'scale'"):
        _ = kernels.scala


def test_a_function_outlives_its_module() -> None:
    function = api.compile(SCALE, "", backend="llvm").scale
    array = np.ones((2, 4), np.float32)
    function(2, 5.0, True, array)
    assert (array == 5.0).all()


@pytest.fixture
def team() -> ThreadTeam:
    return ThreadTeam(1)


def test_a_team_runs_every_iteration_once_and_on_several_threads(team: ThreadTeam) -> None:
    ranges: list[tuple[int, int]] = []
    names: dict[str, None] = {}
    first_two = threading.Barrier(2, timeout=10)

    def task(context: int | None, first: int, last: int) -> None:
        if threading.current_thread().name not in names:
            names[threading.current_thread().name] = None
            # Both threads have to be here before either goes on.
            first_two.wait()
        ranges.append((first, last))

    with team.threads(2):
        team.run(Task(task), None, -3, 18, 5)
    visited = [number for first, last in ranges for number in range(first, last, 5)]
    assert sorted(visited) == list(range(-3, 18, 5))
    assert len(ranges) > 2
    assert len(names) == 2


def test_a_parallel_loop_inside_a_part_is_sequential(team: ThreadTeam) -> None:
    inner: list[tuple[int, int]] = []

    def task(context: int | None, first: int, last: int) -> None:
        nested = Task(lambda context, first, last: inner.append((first, last)))
        team.run(nested, None, 0, 100, 1)

    with team.threads(3):
        team.run(Task(task), None, 0, 3, 1)
    assert inner == [(0, 100)] * 3


def test_one_thread_takes_the_whole_range(team: ThreadTeam) -> None:
    ranges: list[tuple[int, int]] = []
    task = Task(lambda context, first, last: ranges.append((first, last)))
    team.run(task, None, 0, 9, 1)
    assert ranges == [(0, 9)]


def test_little_work_is_not_shared(team: ThreadTeam) -> None:
    ranges: list[tuple[int, int]] = []
    task = Task(lambda context, first, last: ranges.append((first, last)), cost=1e-9)
    with team.threads(2):
        team.run(task, None, 0, 100, 1)
    assert ranges == [(0, 100)]


def test_an_interrupted_loop_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = api.compile(SCALE, "", backend="llvm")
    array = np.ones((5, 4), np.float32)

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, kernels.threads(2):
        patched.setattr(ThreadTeam, "run", interrupt)
        with pytest.raises(KeyboardInterrupt):
            kernels.scale(5, 3.0, False, array)
    assert kernels.scale(5, 3.0, False, array) == (3.0, False)


@pytest.mark.parametrize(("text", "count"), [("3", 3), ("2,4", 2)])
def test_the_environment_sets_the_number_of_threads(
    text: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert default_thread_count() == count


def test_nonsense_in_the_environment_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert default_thread_count() >= 1


def test_polyir_run_with_llvm(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = "benchmarks/polybench/gemm.mlir"
    arguments = ["--backend=llvm", "--default-size=20", "--repeat=1", kernel]
    assert polyir_run.main(arguments) == 0
    assert "outputs are bit-identical" in capsys.readouterr().out
    assert polyir_run.main(["--backend=llvm", "--fma", kernel]) == 1
    assert "--fma requires the C backend" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ("gcc", ()),
        ("gcc -m64 -DNAME='a b'", ("-m64", "-DNAME=a b")),
        # What `make CC="polyir-cc --compile"` tells polyir-cc itself.
        ("polyir-cc --compile", ()),
        ("/opt/bin/polyir-cc --compile --tile=32", ()),
        ("", ()),
    ],
)
def test_compilers_with_arguments(
    given: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", given)
    path, *rest = find_compiler(CompilerOptions())
    assert tuple(rest) == arguments
    assert Path(path).name in ("cc", "gcc", "clang")
    array = np.ones((3, 4), np.float32)
    kernel = api.compile(SCALE, "", backend="c")
    assert kernel.scale(3, 2.0, True, array) == (2.0, True)


@pytest.mark.parametrize("given", ["no-such-compiler -m64", "gcc 'unclosed"])
def test_compilers_that_are_not_there(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", given)
    with pytest.raises(CompilationError, match=re.escape(f"(tried {given})")):
        find_compiler(CompilerOptions())
