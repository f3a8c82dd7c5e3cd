"""The time model of tiles on processors, term by term, and its use for whole programs."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.network import CLUSTER, Network
from polyir.dialects.scop import ScopOp
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.time_model import Line, TiledSpace, best_grid, predicted, time_of
from polyir.distributed.traffic import Traffic, Work
from polyir.model.scop import scop_of

NETWORK = Network(alpha=100.0, beta=0.5, iteration=2.0)


def space(ranks: int = 3, slope: float = 0.0, columns: int = 60, rows: int = 40) -> TiledSpace:
    return TiledSpace((Line(columns, ranks, slope),), rows, NETWORK)


def test_a_tile_receives_computes_and_sends() -> None:
    """Area times the time of an iteration, and two messages with the vertical edge."""
    assert space().tile_time([5], 4) == 2.0 * 5 * 4 + 2 * (100.0 + 0.5 * 8 * 4)


def test_tiles_of_a_processor_are_its_passes_times_the_tiles_in_a_column() -> None:
    assert space().tiles_per_rank([5], 4) == 60 / (3 * 5) * (40 / 4)


def test_the_last_processor_of_three_starts_after_four_tiles() -> None:
    """Figure 15.9: each starts after its neighbour's first two tiles, the rise is 1."""
    assert space(slope=1.0).delay([4], 4) == 4
    assert space().delay([4], 4) == 2


def test_the_total_time_is_the_latency_and_the_tiles() -> None:
    each = space(slope=1.0)
    assert each.time([5], 5) == (4 + 60 / 15 * 8) * each.tile_time([5], 5)


def test_passes_are_idle_free_if_a_column_has_more_tiles_than_there_are_processors() -> None:
    """Four passes of columns with rows / height tiles: (3 - 1) + 1 of them are enough."""
    assert space(rows=12).is_idle_free([5], 4)
    assert not space(rows=11).is_idle_free([5], 4)
    # One pass never waits for the next one.
    assert space(rows=4).is_idle_free([20], 4)


def test_one_processor_without_messages_is_efficient() -> None:
    alone = TiledSpace((Line(60, 1),), 40, Network(0.0, 0.0, 1.0))
    assert alone.efficiency([5], 4) == 1.0
    assert space().efficiency([5], 4) < 1.0


def test_the_program_has_the_time_as_its_objective() -> None:
    each = space(slope=0.5)
    program = each.program()
    for width, height in ((1, 1), (5, 4), (7, 3)):
        point = {"x0": width, "y": height}
        assert program.objective.value(point) == pytest.approx(each.time([width], height))
        if program.is_feasible(point):
            assert each.is_idle_free([width], height)


@pytest.mark.parametrize("slope", [0.0, 1.0])
@pytest.mark.parametrize("ranks", [2, 3, 5, 50])
def test_sizes_are_as_good_as_the_best_of_all(ranks: int, slope: float) -> None:
    """Of those that obey the constraint with P instead of P - 1, which is a little stronger."""
    each = space(ranks, slope)
    program, whole = each.program(), ceil(60 / ranks)
    best = min(
        each.time([width], height)
        for width in range(1, whole + 1)
        for height in range(1, 41)
        if width == whole or program.is_feasible({"x0": width, "y": height})
    )
    found = each.best_sizes()
    assert each.is_idle_free(*found)
    assert each.time(*found) <= best * 1.01


def test_sizes_of_several_passes_are_found_with_and_without_cvxpy() -> None:
    program = space(3).program()
    best = program.solve()
    searched = program.searched()
    assert best is not None
    assert searched is not None
    assert program.objective.value(searched) <= program.objective.value(best) * 1.01


def test_several_passes_are_not_idle_free_on_too_many_processors() -> None:
    each = space(ranks=50, rows=20)
    assert each.program().solve() is None
    assert each.best_sizes()[0] == (2,)


def test_the_better_side_of_a_grid_is_along_the_longer_loop() -> None:
    network = Network(1e-6, 1e-9, 1e-9)
    found = best_grid([4096, 256], 100_000, 16, network)
    assert found is not None
    assert found.sides[0] > found.sides[1]
    assert found.sides[0] * found.sides[1] == 16
    assert 0 < found.efficiency <= 1
    assert best_grid([4, 4], 2, 17, network) is None


def test_a_rank_computes_and_sends() -> None:
    work = Work(3, Traffic(2, 10), Traffic(1, 4))
    assert time_of(work, NETWORK) == 2.0 * 3 + 100.0 * 3 + 0.5 * 14


def jacobi_2d(n: int, steps: int) -> SizedProgram:
    path = Path(__file__).parents[2] / "benchmarks" / "polybench" / "jacobi-2d.mlir"
    with remarks_to(lambda _: None):
        module = api.run_pipeline(api.parse(path.read_text()), "feautrier-schedule")
    (op,) = (each for each in module.walk() if isinstance(each, ScopOp))
    return SizedProgram(scop_of(op), {"tsteps": steps, "n": n})


def test_the_time_of_jacobi_2d_is_that_of_its_steps() -> None:
    """Each of 2 T steps has rows for each rank, and two rows go out and come in, but at the end."""
    n, steps, ranks = 66, 4, 8
    found = predicted(jacobi_2d(n, steps), ranks, NETWORK)
    compute = 2 * steps * 2.0 * (n - 2) * (n - 2) / ranks
    messages = (2 * steps - 1) * 4 * (100.0 + 0.5 * 8 * (n - 2))
    assert found.time == pytest.approx(compute + messages)
    assert found.alone == 2 * steps * 2.0 * (n - 2) ** 2
    assert found.efficiency == found.alone / (ranks * found.time)


def test_more_ranks_are_faster_and_less_efficient() -> None:
    program = jacobi_2d(4098, 10)
    found = [predicted(program, ranks, CLUSTER) for ranks in (2, 16, 128)]
    times, efficiencies = [each.time for each in found], [each.efficiency for each in found]
    assert times == sorted(times, reverse=True)
    assert efficiencies == sorted(efficiencies, reverse=True)
    assert efficiencies[0] > 0.9


def test_one_rank_has_no_messages() -> None:
    program = jacobi_2d(20, 2)
    assert predicted(program, 1, NETWORK).efficiency == pytest.approx(1.0)
    assert Simulation(program, 1).totals().all.sent == Traffic()


def test_few_steps_tell_the_time_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of lu have ever less work, in three phases that take turns."""
    path = Path(__file__).parents[2] / "benchmarks" / "polybench" / "lu.mlir"
    with remarks_to(lambda _: None):
        module = api.run_pipeline(api.parse(path.read_text()), "feautrier-schedule")
    (op,) = (each for each in module.walk() if isinstance(each, ScopOp))
    program = SizedProgram(scop_of(op), {"n": 60})
    few = predicted(program, 3, NETWORK).time
    monkeypatch.setattr("polyir.distributed.time_model.STEP_SAMPLES", 1000)
    assert few == pytest.approx(predicted(program, 3, NETWORK).time, rel=0.15)
