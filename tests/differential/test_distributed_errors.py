"""What goes wrong on ranks ends the run with an error: it neither hangs nor passes unnoticed.

The faults are planted in the text of the emitted C.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from faulty_ranks import PIPELINE, STENCIL
from rank_programs import BUSY, BUSY_LIMIT, RankProgram, build, missing_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime.functions import public_signatures
from polyir.runtime.ranks import RanksError

pytestmark = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

STEPS, N = 3, 12
SECONDS = 20


@pytest.fixture(scope="module")
def source() -> str:
    """The C of the stencil, of which a rank sends one element to the next one in each time step."""
    with remarks_to(lambda remark: None):
        return api.emit(api.run_pipeline(api.parse(STENCIL), PIPELINE), "c")


def changed(source: str, old: str, new: str) -> str:
    """The C with a fault; raises if there is no place for it."""
    assert old in source
    return source.replace(old, new)


def program(source: str, folder: Path) -> RankProgram:
    return build(source, public_signatures(api.parse(STENCIL))[0], folder / "program")


def run(source: str, folder: Path, ranks: int = 3, seconds: float = SECONDS) -> np.ndarray:
    """The array A after a run."""
    arrays = [np.arange(N, dtype=np.float64), np.zeros(N)]
    (call,) = program(source, folder).run([[STEPS, N, *arrays]], ranks, seconds)
    result = call.arguments[2]
    assert isinstance(result, np.ndarray)
    return result


def test_without_a_fault(source: str, tmp_path: Path) -> None:
    expected = np.arange(N, dtype=np.float64)
    for _ in range(STEPS):
        expected[1:] += expected[:-1].copy()
    assert run(source, tmp_path).tobytes() == expected.tobytes()


@pytest.mark.parametrize("call", ["MPI_Isend", "MPI_Send"])
def test_shorter_message_is_an_error(call: str, source: str, tmp_path: Path) -> None:
    """MPI itself takes a message that is shorter than the receiver has room for."""
    broken = changed(source, f"{call}(buffer + start, count,", f"{call}(buffer + start, count - 1,")
    with pytest.raises(RanksError, match=r"error: rank \d: message: \d elements came"):
        run(broken, tmp_path)


@pytest.mark.parametrize("call", ["MPI_Isend", "MPI_Send"])
def test_longer_message_is_an_error(call: str, source: str, tmp_path: Path) -> None:
    broken = changed(source, f"{call}(buffer + start, count,", f"{call}(buffer + start, count + 1,")
    with pytest.raises(RanksError, match=r"code [1-9](?s:.*)truncated"):
        run(broken, tmp_path)


@pytest.mark.parametrize("call", ["MPI_Isend", "MPI_Send"])
def test_return_codes_are_read(call: str, source: str, tmp_path: Path) -> None:
    """Where MPI is told to return errors, they are found all the same."""
    broken = changed(source, f"{call}(buffer + start, count,", f"{call}(buffer + start, count + 1,")
    first = "static int32_t polyir_mpi_rank(void) {\n"
    returns = "  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n"
    broken = changed(broken, first, first + returns)
    with pytest.raises(RanksError, match=r"error: rank \d: MPI_(Wait|Recv): .*truncated"):
        run(broken, tmp_path)


CALLED = (
    *("MPI_Comm_rank", "MPI_Comm_size", "MPI_Isend", "MPI_Irecv", "MPI_Wait"),
    *("MPI_Get_count", "MPI_Send", "MPI_Recv"),
)
"""The functions of MPI that the stencil calls."""


@pytest.fixture(scope="module")
def failing(source: str, tmp_path_factory: pytest.TempPathFactory) -> RankProgram:
    """The stencil, in which the function of MPI fails that the environment names."""
    lines = [
        "static int fails(const char *name) {",
        '  const char *which = getenv("POLYIR_TEST_FAILS");',
        "  return which && !strcmp(which, name);",
        "}",
        *(
            f'#define {name}(...) (fails("{name}") ? MPI_ERR_OTHER : {name}(__VA_ARGS__))'
            for name in CALLED
        ),
    ]
    first = "// The ranks that run the program;"
    planted = "\n".join(("#include <string.h>", *lines, first))
    ends = "".join(f"#undef {name}\n" for name in CALLED)
    text = changed(source, first, planted)
    return program(f"{text}\n{ends}", tmp_path_factory.mktemp("failing"))


@pytest.mark.parametrize("name", CALLED)
def test_call_that_fails(name: str, failing: RankProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYIR_TEST_FAILS", name)
    with pytest.raises(RanksError, match=rf"error: rank -?\d: {name}: "):
        failing.run([[STEPS, N, np.arange(float(N)), np.zeros(N)]], 3, SECONDS)


def test_rank_that_computes_for_ever_hits_the_busy_limit(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BUSY_LIMIT, "0.3")
    first = "static void polyir_mpi_isend_f64("
    endless = "static void endless(void) {\n  volatile int goes_on = 1;\n  while (goes_on);\n}\n"
    text = changed(source, first, f"{endless}{first}")
    text = changed(text, "polyir_mpi_check(MPI_Isend(", "endless(), polyir_mpi_check(MPI_Isend(")
    with pytest.raises(RanksError, match=f"a rank {BUSY}"):
        run(text, tmp_path)


def test_message_that_never_comes_hits_the_time_limit(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test's own check of deadlocks: one rank does not send. Waiting is not computing."""
    monkeypatch.setenv(BUSY_LIMIT, "0.1")
    first = "static void polyir_mpi_isend_f64("
    text = changed(source, first, f"#define MPI_Isend(...) (MPI_Isend)(__VA_ARGS__)\n{first}")
    text = text.replace(
        "MPI_Isend(buffer + start, count, MPI_DOUBLE, target,",
        "MPI_Isend(buffer + start, count, MPI_DOUBLE, MPI_PROC_NULL,",
    )
    with pytest.raises(RanksError, match="longer than 4 seconds"):
        run(text, tmp_path, seconds=4)


def test_element_that_is_not_received_shows(source: str, tmp_path: Path) -> None:
    """The test's own check of what was not sent: memory has a pattern, and no zeros or old data."""
    first = "static void polyir_mpi_irecv_f64("
    begin = source.index(first)
    end = source.index("\n}\n", begin)
    body = source[begin:end]
    start = body.index("MPI_Irecv(")
    lost = body[:start] + body[start:].replace("buffer + start", "lost", 1)
    result = run(f"static double lost[9];\n{source[:begin]}{lost}{source[end:]}", tmp_path)
    assert np.any(result < -1e50)
