"""Ranks that pass their parts of arrays (`data=distributed`): the same bits, put together.

The main program asks the emitted function which parts ranks have, and lets each rank read and
write no other. Memory that the program allocates has a pattern, so that what was not sent shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from rank_programs import FLAGS, filled, missing_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import compare_bits
from polyir.runtime.compiler import CompilerOptions
from polyir.runtime.functions import public_signatures
from polyir.runtime.ranks import Sent, build_program, run_on_ranks

pytestmark = [
    pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON),
    pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi()),
]

STEPS = "feautrier-schedule"
TILES = "pluto-schedule,tile{sizes=7},wavefront"

FEW = (
    # Rows that follow a loop, and time; tiles that no subscript follows; a triangle; a grid.
    ("jacobi-1d", STEPS, "", (1, 3)),
    ("lu", TILES, "", (3,)),
    ("atax", TILES, " replicate=x", (3,)),
    ("gemm", TILES, " grid=2", (4,)),
)
NAMES = ("gemm", "2mm", "jacobi-1d", "jacobi-2d", "heat-3d", "lu", "atax", "seidel-2d", "trmm")


def check(
    name: str, pipeline: str, options: str, ranks: Sequence[int], data_set: str, folder: Path
) -> Sent:
    """Run a kernel on numbers of ranks, each of which has its parts only.

    Returns what the last ones sent.
    """
    kernel = KERNELS[name]
    passes = f"{pipeline},distribute-memory{{data=distributed{options}}}"
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(kernel.path.read_text()), passes)
        source = api.emit(module, "c")
    signature = next(each for each in public_signatures(module) if each.part)
    program = folder / "program"
    build_program(filled(source), signature, CompilerOptions(flags=FLAGS), program)
    before = kernel.make_arguments(data_set)
    sent = Sent(0, 0)
    for number in ranks:
        after, report = run_on_ranks(program, signature, before, number)
        sent = report.sent["MPI_Isend"]
        assert compare_bits(expected_results(name, data_set), after) is None, f"{number} ranks"
        assert compare_bits(before, after) is not None
    return sent


def test_only_halos_are_sent(tmp_path: Path) -> None:
    """The owner of a row updates it: a row goes to each neighbour first, and after each step.

    The last step of A is not read any more, and nothing is sent back to owners.
    """
    ranks, sizes = 4, KERNELS["jacobi-2d"].sizes("mini")
    sent = check("jacobi-2d", STEPS, "", (ranks,), "mini", tmp_path)
    messages = 2 * (ranks - 1) * 2 * sizes["tsteps"]
    assert sent == Sent(messages, 8 * messages * (sizes["n"] - 2))


@pytest.mark.parametrize(("name", "pipeline", "options", "ranks"), FEW)
def test_few_kernels(
    name: str, pipeline: str, options: str, ranks: tuple[int, ...], tmp_path: Path
) -> None:
    check(name, pipeline, options, ranks, "mini", tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize("options", ["", " grid=2"])
@pytest.mark.parametrize("pipeline", [STEPS, TILES])
@pytest.mark.parametrize("name", NAMES)
def test_all_kernels(name: str, pipeline: str, options: str, tmp_path: Path) -> None:
    check(name, pipeline, options, (1, 2, 3, 4, 6), "small", tmp_path)
