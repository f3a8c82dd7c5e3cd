"""Programs on ranks of MPI: results, reports, and what happens to ranks that fail or wait."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest
from ranks import needs_mpi

import polyir
from polyir.runtime.compiler import CompilationError, CompilerOptions
from polyir.runtime.functions import public_signatures
from polyir.runtime.mpi import Mpi, find_mpi
from polyir.runtime.ranks import RanksError, Sent, build_program, run_on_ranks
from polyir.target.abi import ArrayParameter, ArrayType, Scalar, ScalarParameter, Signature
from polyir.tools.polyir_run import main

ROOT = Path(__file__).parents[2]
OPTIONS = CompilerOptions(flags=("-std=c99", "-O1"))

SIGNATURE = Signature(
    "kernel",
    (
        ScalarParameter("b", Scalar.BOOL),
        ArrayParameter("A", ArrayType(Scalar.FLOAT, (None, 3))),
        ScalarParameter("x", Scalar.DOUBLE),
        ArrayParameter("B", ArrayType(Scalar.INT8, ())),
    ),
    (),
)
HEAD = """
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void kernel(bool b, float (*A)[3], int64_t A_0, double x, int8_t *B) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
"""


def run(body: str, folder: Path, ranks: int = 2, time_limit: float = 60, repeat: int = 1):
    program = folder / "program"
    build_program(f"{HEAD}{body}}}\n", SIGNATURE, OPTIONS, program)
    arguments = (True, np.arange(6, dtype=np.float32).reshape(2, 3), 0.5, np.array(4, np.int8))
    return run_on_ranks(program, SIGNATURE, arguments, ranks, time_limit, repeat=repeat)


@needs_mpi
def test_the_first_rank_has_the_arrays_and_all_have_the_numbers(tmp_path: Path) -> None:
    body = """
  if (!b || A_0 != 2 || x != 0.5 || (rank != 0) != (A == NULL) || (rank != 0) != (B == NULL))
    abort();
  float message = 7;
  if (rank == 0) {
    A[1][2] += (float)size;
    *B *= 2;
    MPI_Recv(&A[0][0], 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Send(&message, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  }
"""
    (b, a, x, c), report = run(body, tmp_path, ranks=3, repeat=4)
    assert (b, x) == (True, 0.5)
    # Each of the four runs began with the arguments as they were.
    assert np.array_equal(a, np.array([[7, 1, 2], [3, 4, 8]], dtype=np.float32))
    assert c == 8
    assert len(report.times) == 4
    assert report.sent == {"MPI_Send": Sent(1, 4), "MPI_Isend": Sent(0, 0)}


@needs_mpi
@pytest.mark.parametrize("end", ["abort();", "exit(3);", "MPI_Abort(MPI_COMM_WORLD, 5);"])
def test_a_rank_that_dies_ends_the_run(end: str, tmp_path: Path) -> None:
    # The other one waits for ever.
    body = f"""
  if (rank == 1) {{
    fprintf(stderr, "rank 1 has had enough\\n");
    {end}
  }}
  MPI_Recv(A, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
"""
    start = time.monotonic()
    with pytest.raises(RanksError, match="2 ranks failed with code") as caught:
        run(body, tmp_path)
    assert "rank 1 has had enough" in caught.value.message
    assert time.monotonic() - start < 50


@needs_mpi
def test_ranks_that_wait_for_each_other_are_ended(tmp_path: Path) -> None:
    body = """
  printf("process %d\\n", (int)getpid());
  fflush(stdout);
  float message;
  MPI_Recv(&message, 1, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
"""
    with pytest.raises(RanksError, match="2 ranks took longer than 3 seconds") as caught:
        run(f"int getpid(void);{body}", tmp_path, time_limit=3)
    words = caught.value.message.split()
    processes = [int(words[n + 1]) for n, word in enumerate(words) if word == "process"]
    assert len(processes) == 2
    deadline = time.monotonic() + 10
    while any(map(_is_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_is_alive, processes))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


@needs_mpi
def test_what_a_compiler_says_is_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(CompilationError, match=r"(?s)mpicc failed:.*no_such_function"):
        run("  no_such_function;\n", tmp_path)


@needs_mpi
@pytest.mark.parametrize("sign", ["-", "+"])
def test_a_message_of_another_length_is_an_error(sign: str, tmp_path: Path) -> None:
    # The numbers of rank 1 differ: it expects other elements than rank 0 sends.
    text = (ROOT / "benchmarks" / "polybench" / "gemm.mlir").read_text()
    pipeline = "pluto-schedule,tile{sizes=4},distribute-memory"
    module = polyir.run_pipeline(polyir.parse(text), pipeline)
    (signature,) = public_signatures(module)
    head = "kernel_gemm(\n    int64_t n"
    source = polyir.emit(module)
    assert f"{head}i," in source
    source = source.replace(f"{head}i,", f"{head}_i,")
    body = source.rindex("{\n", 0, source.index("const int32_t t = polyir_mpi_rank();")) + 2
    source = f"{source[:body]}  const int64_t ni = n_i {sign} polyir_mpi_rank();\n{source[body:]}"
    program = tmp_path / "program"
    build_program(source, signature, OPTIONS, program)
    arrays = [np.ones((8, 8)) for _ in range(3)]
    wrong = r"rank \d: message: \d+ elements came from rank|[Mm]essage truncated"
    with pytest.raises(RanksError, match=wrong):
        run_on_ranks(program, signature, (8, 8, 8, 1.0, 1.0, *arrays), 2)


def test_a_number_is_not_returned_by_ranks(tmp_path: Path) -> None:
    signature = Signature("kernel", (), (Scalar.DOUBLE,))
    with pytest.raises(CompilationError, match="@kernel returns a number"):
        build_program("", signature, OPTIONS, tmp_path / "program")


def test_missing_mpi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("polyir.runtime.mpi.sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompilationError, match=r"pip install 'polyir\[mpi\]'"):
        find_mpi()
    # A compiler alone is not enough, nor a launcher of another MPI.
    (tmp_path / "mpicc").write_text("#!/bin/sh\n")
    (tmp_path / "mpicc").chmod(0o755)
    with pytest.raises(CompilationError, match="no MPI found"):
        find_mpi()


def test_options_of_open_mpi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, text in (("mpicc", "-lmpi"), ("mpiexec", "mpirun (Open MPI) 5.0.8")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{text}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr("polyir.runtime.mpi.sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("polyir.runtime.mpi.os.geteuid", lambda: 0)
    mpi = find_mpi()
    assert mpi.is_open_mpi
    assert mpi.command(7, ["a", "b"])[1:] == [
        *("-n", "7", "--oversubscribe", "--bind-to", "none", "--allow-run-as-root", "a", "b")
    ]
    monkeypatch.setattr("polyir.runtime.mpi.os.geteuid", lambda: 1000)
    assert "--allow-run-as-root" not in mpi.command(7, [])
    assert Mpi("mpicc", "mpiexec", False, "").command(7, ["a"]) == ["mpiexec", "-n", "7", "a"]


@needs_mpi
def test_polyir_run_on_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--ranks=1,3", "--repeat=2", "--default-size=40", "--pluto-schedule", "--tile=8"]
    program = str(ROOT / "benchmarks" / "polybench" / "jacobi-1d.mlir")
    assert main([*flags, "--wavefront", "--distribute-memory", program]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "@kernel_jacobi_1d: outputs are bit-identical; best of 2 runs"
    assert [line[2:30].strip() for line in lines[1:] if not line.startswith("    ")] == [
        "original, 1 thread",
        "result, 1 rank",
        "result, 3 ranks",
    ]
    assert lines[3].split()[:3] == ["0", "messages", "in"]
    assert int(lines[5].split()[0]) > 0


@needs_mpi
def test_polyir_run_on_ranks_with_threads_and_no_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = str(ROOT / "benchmarks" / "polybench" / "gemm.mlir")
    assert main(["--ranks=2", "--threads=2", "--repeat=1", "--default-size=50", program]) == 0
    output = capsys.readouterr()
    assert "result, 2 ranks of 2 threads" in output.out
    assert output.err == ""


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--ranks=2", "--tile=8"], "--ranks needs --distribute-memory among the passes"),
        (["--distribute-memory"], "say how many with --ranks"),
        (["--ranks=2", "--target=opencl"], "--ranks is for the target 'cpu'"),
        (["--ranks=2", "--threads=1,2"], "--threads is one number"),
        (["--ranks=2", "--backend=llvm"], "--ranks requires the C backend"),
        (["--ranks=0"], "argument --ranks: expected a positive integer"),
    ],
)
def test_mistakes_with_ranks(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*flags, str(ROOT / "examples" / "fig9-matmul-chain.mlir")]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
