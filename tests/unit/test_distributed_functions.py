"""Functions of Python that all ranks of a communicator call."""

from __future__ import annotations

from pathlib import Path

import pytest
from ranks import needs_mpi4py, python_on_ranks

import polyir
from polyir.base.diagnostics import OptionError
from polyir.runtime.compiler import CompilationError

KERNEL = """
func.func @scaled(%n: index, %s: f64, %A: memref<?x8xf64>, %k: i32, %B: memref<?x8xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<?x8xf64>
      %0 = arith.mulf %a, %s : f64
      %1 = arith.sitofp %k : i32 to f64
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i, %j] : memref<?x8xf64>
    }
  }
  return
}
"""
PIPELINE = "pluto-schedule,tile{sizes=4},distribute-memory"

BEGIN = f"""
import os
import numpy as np
import polyir
from mpi4py import MPI

def print(*values):
    # Lines of several ranks stay whole.
    os.write(1, (" ".join(map(str, values)) + "\\n").encode())

world = MPI.COMM_WORLD
f = polyir.compile('''{KERNEL}''', "{PIPELINE}").scaled
A = np.arange(160.0).reshape(20, 8)
B = np.zeros((20, 8))

def attempt(comm, *arguments, **named):
    try:
        f(comm, *arguments, **named)
    except Exception as error:
        print(f"rank {{world.rank}}: {{type(error).__name__}}: {{error}}")
"""


def run(body: str, folder: Path, ranks: int = 3) -> list[str]:
    """The lines that ranks print, which come in any order, sorted."""
    script = folder / "script.py"
    script.write_text(f"{BEGIN}\n{body}")
    return sorted(python_on_ranks(script, ranks).splitlines())


# Python starts slowly: one run of the ranks is for all of these.
CALLS = """
if world.rank == 0:
    f(world, 20, 2.0, A, -3, B)
    print("arrays are changed on the first rank", (B == 2 * A - 3).all())
elif world.rank == 1:
    f(world)
else:
    f(world, 20, s=2.0, A=None, k=None, B=None)
    print("arrays are changed on another rank", not (B == 0).all())

# In reverse order, and one rank for itself, at the same time.
part = world.Split(world.rank == 1, -world.rank)
for _ in range(3):
    f(part, *((20, 2.0, A, world.rank, B) if part.rank == 0 else ()))
print("rank", world.rank, "of", part.size, (B == 2 * A + world.rank).all())

mine = np.full(160, 7.0)
theirs = np.zeros(160)
requests = [world.Isend(mine, rank, 0) for rank in range(world.size)]
f(world, *((20, 2.0, A, 1, B) if world.rank == 0 else ()))
for rank in range(world.size):
    world.Recv(theirs, rank, 0)
    assert (theirs == 7).all()
MPI.Request.Waitall(requests)
if world.rank == 0:
    print("messages of the caller arrive", (B == 2 * A + 1).all())
"""


@needs_mpi4py
def test_calls_on_communicators(tmp_path: Path) -> None:
    assert run(CALLS, tmp_path) == [
        "arrays are changed on another rank False",
        "arrays are changed on the first rank True",
        "messages of the caller arrive True",
        "rank 0 of 2 False",
        "rank 1 of 1 True",
        "rank 2 of 2 True",
    ]


WRONG = (
    ("20, 2.0, A, 1, A", "", "ArgumentError: rank 0: scaled: the arrays 'A' and 'B' overlap"),
    ("20, 2.0, A, 1, B[:19]", "", "ArgumentError: rank 0: scaled: "),
    (
        "20, 2.0, A, 1, B",
        "20, 2.5, None, None, None",
        "ArgumentError: rank 1: scaled: argument 1 's' is not that of the first rank",
    ),
    (
        "20, 2.0, A, 1, B",
        "20, 2.0, A, 1, B",
        "ArgumentTypeError: rank 1: scaled: argument 2 'A' must be None",
    ),
    ("20, 2.0, A, 1, B", "20", "ArgumentTypeError: rank 1: scaled takes 5 arguments, not 1"),
    ("20, 2.0, None, 1, B", "", "ArgumentTypeError: rank 0: scaled: argument 2 'A' must be a"),
)
"""What the first and the second rank pass, and the error on all ranks."""


@needs_mpi4py
def test_what_is_wrong_on_one_rank_is_an_error_on_all(tmp_path: Path) -> None:
    calls = [
        f"""
if world.rank == 0:
    attempt(world, {first})
elif world.rank == 1:
    attempt(world, {second})
else:
    attempt(world)
"""
        for first, second, _ in WRONG
    ]
    right = "f(world, *((20, 2.0, A, 1, B) if world.rank == 0 else ()))"
    lines = run("\n".join([*calls, right]), tmp_path)
    for rank in range(3):
        start = f"rank {rank}: "
        found = [line.removeprefix(start) for line in lines if line.startswith(start)]
        expected = sorted(message for _, _, message in WRONG)
        assert len(found) == len(expected)
        for line, message in zip(found, expected, strict=True):
            assert line.startswith(message)


@needs_mpi4py
def test_without_a_communicator(tmp_path: Path) -> None:
    lines = run(
        """
attempt(20, 2.0, A, 1, B)
attempt(MPI.COMM_NULL)
import pickle, inspect
print(pickle.loads(pickle.dumps(f)).__signature__)
""",
        tmp_path,
        ranks=1,
    )
    wrong = "ArgumentTypeError: scaled takes a communicator first, a mpi4py.MPI.Intracomm"
    assert [line[: len(wrong)] for line in lines[1:]] == [f"rank 0: {wrong}"[: len(wrong)]] * 2
    assert lines[0].startswith("(comm, /, n: 'int64_t', s: 'double', A: 'double[?x8]'")


SLICES = ((0, 0, 12), (1, 12, 20))
"""The rows of two ranks: whole tiles of 4."""

PARTS = """
f = polyir.compile(
    f.source_text, "pluto-schedule,tile{sizes=4},distribute-memory{data=distributed}"
).scaled
where = {name: f.part(world, name, 20, s=2.0, k=-3) for name in "AB"}
mine = [array[where[name]].copy() for name, array in (("A", A), ("B", B))]
print("rank", world.rank, "has", where["B"])
f(world, 20, 2.0, mine[0], -3, mine[1])
for other, part in world.allgather((where["B"], mine[1])):
    B[other] += part
print("each element once", (B == 2 * A - 3).all())

attempt(world, 20, 2.0, A, -3, mine[1])
attempt(world, 20, 2.0, mine[0], world.rank, mine[1])
attempt(world, 20, 2.0, mine[0], -3, mine[0])
attempt(world)
f = f.part
attempt(world, "C", 20, 2.0, -3)
attempt(world, "A", 20, 2.0)
attempt(world, "A", 20, 2.0, -3, n=20)
"""


@needs_mpi4py
def test_each_rank_passes_its_part(tmp_path: Path) -> None:
    body = PARTS.replace("f.source_text", f"'''{KERNEL}'''")
    wrong = [
        "ArgumentError: rank 0: scaled: argument 2 'A' must have the shape of the rank's part, "
        "(12, 8), not (20, 8)",
        "ArgumentError: rank 1: scaled: argument 3 'k' is not that of the first rank",
        "ArgumentError: rank 0: scaled: the arrays 'A' and 'B' overlap, and one is written",
        "ArgumentTypeError: rank 0: scaled takes 5 arguments, not 0",
        "ArgumentTypeError: scaled has no array 'C'; arrays: A, B",
        *["ArgumentTypeError: scaled.part takes the numbers n, s, k"] * 2,
    ]
    expected = [f"rank {rank}: {each}" for rank in range(2) for each in wrong]
    expected += ["each element once True"] * 2
    expected += [f"rank {r} has (slice({b}, {e}, None), slice(0, 8, None))" for r, b, e in SLICES]
    assert run(body, tmp_path, 2) == sorted(expected)


def test_llvm_has_no_messages() -> None:
    with pytest.raises(OptionError, match="a program for ranks requires the C backend"):
        polyir.compile(KERNEL, PIPELINE, backend="llvm")


def test_without_mpi_an_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("polyir.runtime.mpi.sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("polyir.api.find_compiler", lambda _: "cc")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompilationError, match=r"pip install 'polyir\[mpi\]'"):
        polyir.compile(KERNEL, PIPELINE)
