"""What ranks are predicted to send and to compute: against real runs, and against figures by hand.

The figures by hand are derived in the tests, from the text of the kernels.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from suites import rarely

from polyir import api
from polyir.base.diagnostics import PolyirError, remarks_to
from polyir.dialects.scop import ScopOp
from polyir.distributed.options import DistributionOptions
from polyir.distributed.rank_blocks import Blocks, grid_of
from polyir.distributed.rank_sums import Ranks, summed
from polyir.distributed.requirements import NotDistributedError
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.traffic import Traffic
from polyir.model.scop import scop_of

KERNELS = Path(__file__).parents[2] / "benchmarks" / "polybench"
STEPWISE = "feautrier-schedule"
"""Time is outside, and the rows of a step are parallel; there are no tiles."""

TILED = "pluto-schedule,tile{sizes=%d},wavefront"
LINE = DistributionOptions()
GRID = DistributionOptions(grid=2)
CYCLIC = DistributionOptions(distribution="cyclic")
BLOCKS_OF_3 = DistributionOptions(distribution="block-cyclic", block=3)
CYCLIC_GRID = DistributionOptions(grid=2, distribution="cyclic")


def module_of(kernel: str, pipeline: str):
    with remarks_to(lambda _: None):
        return api.run_pipeline(api.parse((KERNELS / f"{kernel}.mlir").read_text()), pipeline)


@lru_cache(64)
def program_of(
    kernel: str, pipeline: str, n: int, steps: int, options: DistributionOptions = LINE
) -> SizedProgram:
    (op,) = (o for o in module_of(kernel, pipeline).walk() if isinstance(o, ScopOp))
    sizes = {name: steps if name in ("tsteps", "tmax") else n for name in op.parameter_values}
    return SizedProgram(scop_of(op), sizes, options)


def simulated(
    kernel: str,
    ranks: int,
    n: int,
    steps: int = 5,
    pipeline: str = STEPWISE,
    options: DistributionOptions = LINE,
) -> Simulation:
    return Simulation(program_of(kernel, pipeline, n, steps, options), ranks)


def sent(simulation: Simulation) -> Traffic:
    """What is sent in all steps; the same is received."""
    totals = simulation.totals()
    assert totals.is_exact
    assert totals.all.sent == totals.all.received
    return totals.all.sent


# ------------------------------------------------------------------------------ figures by hand


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
@pytest.mark.parametrize(("n", "steps"), [(10, 1), (20, 4), (33, 7)])
def test_jacobi_2d_sends_two_rows_at_each_boundary(ranks: int, n: int, steps: int) -> None:
    """Between two neighbours, one row goes either way after each step but the last one.

    A time step writes B from A, and then A from B: 2 T steps. Each reads the rows above and below,
    the columns 1 to n - 2 of them. So after each of the steps a rank sends its first row up and
    its last row down: n - 2 doubles. After the last step nothing is read. Blocks of rows have
    P - 1 boundaries, if each rank has a row.
    """
    boundaries, elements = ranks - 1, n - 2
    messages = 2 * boundaries * (2 * steps - 1)
    expected = Traffic(messages, messages * elements * 8)
    assert sent(simulated("jacobi-2d", ranks, n, steps)) == expected


@pytest.mark.parametrize("ranks", [1, 2, 4, 6])
@pytest.mark.parametrize(("n", "steps"), [(10, 1), (12, 3)])
def test_heat_3d_sends_two_planes_at_each_boundary(ranks: int, n: int, steps: int) -> None:
    """As for jacobi-2d, with planes instead of rows: (n - 2)^2 doubles in each message.

    The stencil is a star: neighbours in i are read at the same j and k, which are inside.
    """
    messages = 2 * (ranks - 1) * (2 * steps - 1)
    expected = Traffic(messages, messages * (n - 2) ** 2 * 8)
    assert sent(simulated("heat-3d", ranks, n, steps)) == expected


@pytest.mark.parametrize("pipeline", [STEPWISE, TILED % 4])
@pytest.mark.parametrize("ranks", [1, 2, 3, 6])
def test_gemm_sends_nothing_in_steps(ranks: int, pipeline: str) -> None:
    """A rank has rows of C, and needs the same rows of A and all of B, which nothing writes.

    With n = 24 and blocks of n / P rows, each of the P - 1 other ranks gets n / P rows of C and of
    A, n doubles each, and n^2 doubles of B, all in one message; it returns its rows of C.
    """
    n = 24
    simulation = simulated("gemm", ranks, n, pipeline=pipeline)
    assert sent(simulation) == Traffic(0, 0)
    others, rows = ranks - 1, n // ranks
    scattered = Traffic(others, others * 8 * (2 * rows * n + n * n))
    gathered = Traffic(others, others * 8 * rows * n)
    assert simulation.first_and_last() == (scattered, gathered, True)


def rows_of_rank(rank: int, ranks: int, tiles: int, tile: int, first: int, n: int) -> range:
    """The rows in a block: tiles of `tile` rows, in blocks from `ceil(rank tiles / ranks)` on."""
    begin, end = (-(-each * tiles // ranks) for each in (rank, rank + 1))
    return range(max(first, begin * tile + first), min(n, end * tile + first))


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [9, 24])
def test_lu_sends_each_row_once_to_each_later_rank(n: int, ranks: int) -> None:
    """Row k is ready after step k - 1, and all rows below it read its elements k to n - 1.

    Step k divides column k of the rows i > k by A[k][k], and subtracts A[i][k] A[k][j] from the
    rest. Nobody writes row 0, which is scattered. So for 0 < k < n - 1 the rank of row k sends
    n - k doubles to each rank that has later rows only, once: ranks have blocks of the rows 1 to
    n - 1. Row n - 1 has no row below it.
    """
    blocks = [rows_of_rank(rank, ranks, n - 1, 1, 1, n) for rank in range(ranks)]
    messages, elements = 0, 0
    for owner, rows in enumerate(blocks):
        later = sum(1 for each in blocks[owner + 1 :] if each)
        for k in rows:
            messages += later
            elements += later * (n - k)
    assert sent(simulated("lu", ranks, n)) == Traffic(messages, 8 * elements)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_lu_in_tiles_sends_the_same_bytes_in_fewer_messages(ranks: int) -> None:
    """Tiles of 4 rows: the elements are the same, but rows of a tile share messages.

    Which values are needed does not depend on the order. Ranks have whole tiles of rows, from row 0
    on, which is not written. A row is ready in the step in which the tile (k, i) on the diagonal is
    done, so the 4 rows of a tile go in one message, or in fewer if an element is ready earlier.
    """
    n, tile = 24, 4
    blocks = [rows_of_rank(rank, ranks, n // tile, tile, 0, n) for rank in range(ranks)]
    elements = sum(
        sum(1 for each in blocks[owner + 1 :] if each) * (n - k)
        for owner, rows in enumerate(blocks)
        for k in rows
        if k > 0
    )
    found = sent(simulated("lu", ranks, n, pipeline=TILED % tile))
    assert found.bytes == 8 * elements
    if ranks > 1:
        assert found.messages < sent(simulated("lu", ranks, n)).messages


@pytest.mark.parametrize(("ranks", "steps"), [(2, 6), (3, 6), (4, 8)])
def test_jacobi_1d_in_time_tiles_sends_what_crosses_the_skewed_boundary(
    ranks: int, steps: int
) -> None:
    """Pluto's loops are t and s = 2 t + i for A to B, s = 2 t + 1 + i for B to A; blocks of s.

    With a boundary at s = b, the instance A to B at (t, i) with s < b has its result B[i] read by
    the instances B to A at (t, i - 1), (t, i), (t, i + 1), which have s, s + 1 and s + 2. So those
    with s = b - 2 and s = b - 1 are sent across it. The result of B to A at (t, i), with s = 2 t +
    1 + i, is read at t + 1 by i - 1, i and i + 1, at s, s + 1, s + 2, too: again 2 elements, but
    not of the last t. All dependences go upwards: nothing is sent down. So each boundary has
    2 (2 T - 1) elements, less those with i outside 1 to n - 2.
    """
    n, tile = 64, 8
    simulation = simulated("jacobi-1d", ranks, n, steps, TILED % tile)
    (division,) = simulation.program.divisions
    (blocks,) = simulation.layout.blocks[division.name]
    elements = 0
    for boundary in (tile * blocks.begin(rank) for rank in range(1, ranks)):
        for t in range(steps):
            for s in (boundary - 2, boundary - 1):
                from_a, from_b = s - 2 * t, s - 2 * t - 1
                elements += 1 <= from_a <= n - 2 and _crosses(s, from_a, boundary, n)
                if t < steps - 1:
                    elements += 1 <= from_b <= n - 2 and _crosses(s, from_b, boundary, n)
    assert sent(simulation).bytes == 8 * elements


def _crosses(s: int, i: int, boundary: int, n: int) -> bool:
    """Does a reader i - 1, i or i + 1, at s, s + 1, s + 2, exist beyond the boundary?"""
    return any(s + 1 + offset >= boundary and 1 <= i + offset <= n - 2 for offset in (-1, 0, 1))


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("steps", [16, 20])
def test_jacobi_1d_in_several_time_tiles_sends_a_part_back(ranks: int, steps: int) -> None:
    """A boundary between ranks is at s = b + 2 H k in time tile k, of H steps: it stays near i = b.

    In a time tile, 2 elements cross it upwards after A to B at each t, and 2 after B to A but for
    the last t of the tile, as in the test before. When it moves up, the lower rank gets what the
    upper one has of A around it: at the last t = H (k + 1) - 1, the upper rank writes A[i] with
    2 t + 1 + i >= b + 2 H k, so i > b - 2 H; at t + 1, the lower one runs i < b, and reads up to
    A[b]. These are 2 H elements.
    """
    n, tile = 64, 8
    simulation = simulated("jacobi-1d", ranks, n, steps, TILED % tile)
    tiles = -(-steps // tile)
    upwards = 2 * steps + 2 * (steps - tiles)
    downwards = 2 * tile * (tiles - 1)
    assert sent(simulation).bytes == 8 * (ranks - 1) * (upwards + downwards)


# ------------------------------------------------------------------------------- many ranks


@pytest.mark.parametrize(
    ("kernel", "pipeline", "options", "n"),
    [
        ("jacobi-2d", STEPWISE, LINE, 101),
        ("jacobi-2d", TILED % 2, LINE, 101),
        ("lu", STEPWISE, LINE, 101),
        ("jacobi-2d", STEPWISE, GRID, 40),
        ("jacobi-2d", STEPWISE, CYCLIC, 101),
        rarely("lu", STEPWISE, CYCLIC, 101),
        ("lu", STEPWISE, BLOCKS_OF_3, 101),
        rarely("jacobi-2d", STEPWISE, CYCLIC_GRID, 12),
    ],
)
def test_sums_over_many_ranks_are_those_of_all_pairs(
    kernel: str, pipeline: str, options: DistributionOptions, n: int
) -> None:
    ranks = 20
    simulation = simulated(kernel, ranks, n, 2, pipeline, options)
    pairs = [simulation.sent(source, target) for source in range(ranks) for target in range(ranks)]
    expected = sum(pairs, Traffic())
    totals = simulation.totals()
    assert totals.is_exact
    assert totals.all.sent == totals.all.received == expected
    assert totals.all.instances == sum(map(simulation.instances, range(ranks)))


def test_a_hundred_thousand_ranks() -> None:
    """The formulas of the figures by hand, for 40 rows a rank, and for 40 or 41."""
    for n in (4_000_002, 4_000_037):
        ranks, steps = 100_000, 10
        messages = 2 * (ranks - 1) * (2 * steps - 1)
        found = simulated("jacobi-2d", ranks, n, steps).totals()
        assert found.is_exact
        assert found.all.sent == Traffic(messages, messages * (n - 2) * 8)
        assert found.all.instances == 2 * steps * (n - 2) ** 2


def test_steps_add_up() -> None:
    simulation = simulated("lu", 3, 20, pipeline=TILED % 4)
    for rank in range(3):
        work = [
            simulation.in_step(rank, phase, step)
            for phase in simulation.program.phases
            for step in simulation.steps(phase)
        ]
        assert sum(work[1:], work[0]) == simulation.of_rank(rank)


def test_active_ranks_are_those_with_work() -> None:
    simulation = simulated("lu", 5, 30, pipeline=TILED % 4)
    (phase,) = simulation.program.phases
    for step in simulation.steps(phase):
        busy = [r for r in range(5) if simulation.in_step(r, phase, step).instances]
        active = simulation.active(phase, step)
        assert (busy[0], busy[-1]) == (active[0], active[-1])


def test_blocks_are_those_of_the_program() -> None:
    blocks = Blocks(first=3, tiles=10, count=4)
    assert [blocks.begin(rank) for rank in range(5)] == [3, 6, 8, 11, 13]
    assert [blocks.block_of(tile) for tile in range(3, 13)] == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]
    assert (blocks.block_of(-5), blocks.block_of(99)) == (0, 3)
    assert [grid_of(ranks) for ranks in (1, 2, 6, 7, 12)] == [
        (1, 1),
        (2, 1),
        (3, 2),
        (7, 1),
        (4, 3),
    ]


def test_what_is_refused() -> None:
    (op,) = (o for o in module_of("gemm", STEPWISE).walk() if isinstance(o, ScopOp))
    with pytest.raises(PolyirError, match="no size is given for nk"):
        SizedProgram(scop_of(op), {"ni": 3, "nj": 3})
    (op,) = (o for o in module_of("lu", "pluto-schedule").walk() if isinstance(o, ScopOp))
    with pytest.raises(NotDistributedError):
        SizedProgram(scop_of(op), {"n": 3})


# --------------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("count", [0, 1, 5, 40, 2000])
def test_sums_of_polynomials_are_exact(count: int) -> None:
    def value(rank: int) -> tuple[int, ...]:
        if rank in (0, 1, count - 1):
            return 7, rank
        return 3 * rank**3 - rank, 5

    found = summed(value, Ranks(range(count), lambda _: 0, lambda rank: rank), 2)
    assert found.sums == tuple(map(sum, zip((0, 0), *map(value, range(count)), strict=True)))
    assert found.is_exact


def test_sums_of_other_functions_are_estimated() -> None:
    def value(rank: int) -> tuple[int, ...]:
        return (rank**9 % 1000 + 10**6,)

    found = summed(value, Ranks(range(10_000), lambda _: 0, lambda rank: rank), 1)
    assert not found.is_exact
    assert found.sums[0] == pytest.approx(10_000 * 1_000_500, rel=1e-3)
