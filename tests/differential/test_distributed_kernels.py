"""Every PolyBench kernel on ranks, with MPI: the same bits as the original has by MLIR's lowering.

`make test-all` runs all kernels, tile sizes, data sets and numbers of ranks; the short selection
has a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from rank_programs import RankProgram, build, missing_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.distributed.requirements import NotDistributedError
from polyir.runtime import compare_bits
from polyir.runtime.functions import public_signatures

pytestmark = [
    pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON),
    pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi()),
]

RANKS = (1, 2, 3, 4, 6)
DATA_SETS = ("mini", "small")
TILES = (32, 7)
REFUSED = {"durbin": "'affine.load' uses the array '%r' outside of the static control part"}
"""The kernels that are not distributed, and why: one of 30."""

DISTRIBUTED = tuple(name for name in KERNELS if name not in REFUSED)
PREPARED = dict.fromkeys(("deriche", "ludcmp"), "privatize{loops=all},")
"""What comes first where all loops share temporaries."""

WAVEFRONTS = "pluto-schedule,tile{sizes=SIZE},wavefront"
GRIDS = {
    **dict.fromkeys(("gemm", "2mm", "3mm"), WAVEFRONTS),
    # Wavefronts of which two loops are parallel.
    "lu": f"{WAVEFRONTS}{{degrees=2}}",
    # Tiles of each time step.
    **dict.fromkeys(("jacobi-2d", "fdtd-2d", "heat-3d"), "feautrier-schedule,tile{sizes=SIZE}"),
    # Row k and column k in parts of their own.
    "floyd-warshall": "pluto-schedule,split-sequential,"
    "distribute{loops=S0/0.1,S0/1.1,S0/3.1,S0/4.1,S0/6.1,S0/7.1},tile{sizes=SIZE}",
}
"""The passes before a distribution on a grid of ranks."""

SKEWED = dict.fromkeys(("jacobi-2d", "fdtd-2d", "heat-3d"), f"{WAVEFRONTS}{{degrees=2}}")
"""Others of which two loops are parallel: tiles of several time steps."""

FEW = (
    # All iterations of a product, a triangle, time steps, a pipeline, several phases.
    *(("gemm", 32, (3,)), ("trmm", 7, (2,)), ("jacobi-1d", 7, (4,))),
    *(("seidel-2d", 7, (3,)), ("mvt", 7, (6,))),
)


def pipeline_of(name: str, tile: int, grid: int, skewed: bool) -> str:
    """The passes for a kernel on a line or a grid of ranks."""
    schedule = WAVEFRONTS if grid == 1 else GRIDS[name]
    if skewed:
        schedule = SKEWED[name]
    return f"{PREPARED.get(name, '')}{schedule},distribute-memory{{grid={grid}}}".replace(
        "SIZE", str(tile)
    )


def distributed(
    name: str, tile: int, grid: int = 1, skewed: bool = False
) -> tuple[str, api.ModuleOp, list[str]]:
    """The C of a distributed kernel, the kernel, and what the passes say."""
    text = KERNELS[name].path.read_text()
    remarks: list[str] = []
    with remarks_to(lambda remark: remarks.append(remark.message)):
        module = api.parse(text)
        result = api.run_pipeline(api.parse(text), pipeline_of(name, tile, grid, skewed))
        return api.emit(result, "c"), module, remarks


@cache
def built(name: str, tile: int, grid: int, skewed: bool, folder: Path) -> RankProgram:
    """The program of a kernel."""
    source, module, remarks = distributed(name, tile, grid, skewed)
    wanted = "the parallel loops of" if grid == 2 else "the parallel loop of"
    assert any(wanted in each for each in remarks), remarks
    return build(source, public_signatures(module)[0], folder / f"{name}-{tile}-{grid}-{skewed}")


def check(
    name: str,
    tile: int,
    ranks: Sequence[int],
    folder: Path,
    grid: int = 1,
    skewed: bool = False,
) -> None:
    """Run a kernel on numbers of ranks with both data sets."""
    kernel = KERNELS[name]
    program = built(name, tile, grid, skewed, folder)
    calls = [kernel.make_arguments(data_set) for data_set in DATA_SETS]
    for number in ranks:
        results = program.run(calls, number, 120)
        for data_set, before, call in zip(DATA_SETS, calls, results, strict=True):
            where = f"{data_set} on {number} ranks"
            assert compare_bits(expected_results(name, data_set), call.arguments) is None, where
            assert compare_bits(before, call.arguments) is not None, where


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ranks")


@pytest.mark.parametrize(("name", "tile", "ranks"), FEW)
def test_few_kernels(name: str, tile: int, ranks: tuple[int, ...], folder: Path) -> None:
    check(name, tile, ranks, folder)


def test_few_grids(folder: Path) -> None:
    check("gemm", 7, (6,), folder, grid=2)


@pytest.mark.matrix
@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("name", DISTRIBUTED)
def test_all_kernels(name: str, tile: int, folder: Path) -> None:
    check(name, tile, RANKS, folder)


@pytest.mark.matrix
@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("name", GRIDS)
def test_all_grids(name: str, tile: int, folder: Path) -> None:
    check(name, tile, RANKS, folder, grid=2)


@pytest.mark.matrix
@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("grid", [1, 2])
@pytest.mark.parametrize("name", SKEWED)
def test_skewed_grids(name: str, grid: int, tile: int, folder: Path) -> None:
    check(name, tile, RANKS, folder, grid, skewed=True)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_kernels(name: str) -> None:
    """A kernel is not left as it was without a word, for it would run on all ranks."""
    with pytest.raises(
        NotDistributedError, match=r"static control part is not distributed"
    ) as info:
        distributed(name, 32)
    assert REFUSED[name] in info.value.message
    assert info.value.location is not None


def test_no_element_is_wrong_by_chance() -> None:
    """The pattern of memory that nothing was written to is not a value of a kernel's data."""
    pattern = np.frombuffer(bytes([0xCB] * 8), np.float64)[0]
    assert pattern < -1e50
