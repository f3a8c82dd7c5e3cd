"""Wavefronts of tiles on a line of ranks: pipelines, and when passes follow each other at once.

S. Rajopadhye and others, "Computations on Iteration Spaces", section 15.3.1.2.3: columns of tiles
are dealt out to processors, which run them in several passes. A processor is idle between two of
its passes if a column has fewer tiles than there are processors.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from kernels import KERNELS
from rank_programs import Argument, build, missing_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.network import CLUSTER
from polyir.dialects.scop import ScopOp
from polyir.distributed.counting import fixed
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.time_model import Line, TiledSpace
from polyir.model.scop import scop_of
from polyir.runtime import CompilerOptions, compare_bits
from polyir.runtime.functions import public_signatures
from polyir.sets.lists import sets_of

needs_mpi = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

TILE = 4
PIPELINE = f"pluto-schedule,tile{{sizes={TILE}}},wavefront"

RECURRENCE = """
func.func @recurrence(%n: index, %m: index, %A: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %m {
      %up = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %left = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %sum = arith.addf %up, %left : f64
      affine.store %sum, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""

SKEWED = RECURRENCE.replace("%A[%i - 1, %j]", "%A[%i - 1, %j + 1]")
"""Tiles are of i and i + j: the columns of tiles are those of a parallelogram, which rises."""

PROGRAMS = {
    "recurrence": RECURRENCE,
    "skewed": SKEWED,
    "seidel-2d": KERNELS["seidel-2d"].path.read_text(),
}


@cache
def sized(name: str, *sizes: int) -> SizedProgram:
    """The sets of a program in wavefronts of tiles."""
    with remarks_to(lambda _: None):
        module = api.run_pipeline(api.parse(PROGRAMS[name]), PIPELINE)
    (op,) = (each for each in module.walk() if isinstance(each, ScopOp))
    return SizedProgram(scop_of(op), dict(zip(op.parameter_values, sizes, strict=True)))


def wavefronts(program: SizedProgram) -> dict[int, list[int]]:
    """The wavefronts in which each column of tiles has a tile, both numbered from 0."""
    (phase,) = program.phases
    both = phase.step.range_product(phase.place).intersect_domain(phase.domain)
    (pairs,) = (
        fixed(each.unwrap().wrap().flatten(), program.sizes) for each in sets_of(both.range())
    )
    found: list[tuple[int, int]] = []
    pairs.foreach_point(
        lambda point: found.append(
            tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in (0, 1))
        )
    )
    steps, places = (sorted(set(values)) for values in zip(*found, strict=True))
    columns: dict[int, list[int]] = {number: [] for number in range(len(places))}
    for step, place in sorted(found):
        columns[places.index(place)].append(steps.index(step))
    return columns


@pytest.mark.parametrize(("name", "sizes"), [("recurrence", (18, 30)), ("seidel-2d", (4, 30))])
def test_messages_go_to_the_next_rank_only(name: str, sizes: tuple[int, ...]) -> None:
    """In seidel-2d, that holds for one time tile: blocks move up by one tile with the next one."""
    simulation = Simulation(sized(name, *sizes), 4)
    pairs = [(one, other) for one in range(4) for other in range(4) if one != other]
    assert [pair for pair in pairs if simulation.sent(*pair).messages] == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("tiles", [1, 2, 3, 4, 5, 7])
def test_idle_time_between_passes_is_as_predicted(tiles: int) -> None:
    """On 2 to 5 processors, which get the columns of tiles in turn.

    A processor has a tile in each wavefront from its first to its last one, if a column has as many
    tiles as there are processors, or more; else it waits for as many tiles as are missing.
    """
    columns = wavefronts(sized("recurrence", tiles * TILE, 10 * TILE))
    assert [len(each) for each in columns.values()] == [tiles] * 10
    for ranks in (2, 5):
        space = TiledSpace((Line(10 * TILE, ranks),), tiles * TILE, CLUSTER)
        for rank in range(ranks):
            busy = {step for column in range(rank, 10, ranks) for step in columns[column]}
            idle = len(set(range(min(busy), max(busy))) - busy)
            passes = 10 // ranks
            assert idle == (passes - 1) * space.idle_tiles([TILE], TILE)
            assert (idle == 0) == space.is_idle_free([TILE], TILE)


def test_columns_that_rise_need_more_tiles() -> None:
    """A column starts two wavefronts after the one before: after two tiles, as in figure 15.9."""
    columns = wavefronts(sized("skewed", 14 * TILE, 6 * TILE))
    # Without those at the ends, which are cut off.
    whole = [each for each in columns.values() if len(each) == 7][:6]
    assert len(whole) == 6
    assert {after[0] - before[0] for before, after in pairwise(whole)} == {2}
    for ranks in (2, 3, 4, 5):
        space = TiledSpace((Line(6 * TILE, ranks, 1.0),), 7 * TILE, CLUSTER)
        assert space.is_idle_free([TILE], TILE) == (2 * ranks <= 7)
        idle = max(0, whole[ranks][0] - whole[0][-1] - 1)
        assert idle == space.idle_tiles([TILE], TILE)


HOLD = """\
#include <unistd.h>

// The last rank does not begin one step before the first rank has begun another one.
static void enter_step(void) {
  static int entered;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int step = entered++;
  if (rank == 0 && step == SIGNAL)
    fclose(fopen("FLAG", "w"));
  for (int k = 0; rank == ranks - 1 && step == HELD && access("FLAG", F_OK); k++) {
    int is_there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (k == 30000)
      MPI_Abort(MPI_COMM_WORLD, 5);
    usleep(1000);
  }
}

"""


def held(source: str, held: int, signal: int, flag: Path) -> str:
    """C in which the last rank waits before a step until the first one is at another step."""
    text = HOLD.replace("HELD", str(held)).replace("SIGNAL", str(signal))
    pattern = re.compile(r"static void \w+_step_P0\([^;{]*\{\n")
    match = pattern.search(source)
    assert match is not None
    begin, end = match.span()
    hook = text.replace("FLAG", str(flag))
    return source[:begin] + hook + source[begin:end] + "  enter_step();\n" + source[end:]


@needs_mpi
@pytest.mark.parametrize(
    ("name", "sizes", "options"),
    [
        # The first rank is at its last tiles before the last rank is at its first ones.
        ("recurrence", (18, 30), ""),
        ("seidel-2d", (4, 30), ""),
        # The first rank begins its second pass before the last one begins its second tile.
        ("recurrence", (40, 40), "distribution=cyclic"),
    ],
)
def test_no_rank_waits_for_the_last_one(
    name: str, sizes: tuple[int, ...], options: str, tmp_path: Path
) -> None:
    """A barrier, or a message backwards, would be a deadlock, which ends with an error."""
    ranks = 3
    steps = len({step for each in wavefronts(sized(name, *sizes)).values() for step in each})
    first, last = (ranks, ranks) if options else (1, steps - 1)
    with remarks_to(lambda _: None):
        original = api.parse(PROGRAMS[name])
        module = api.run_pipeline(
            api.parse(PROGRAMS[name]), f"{PIPELINE},distribute-memory{{{options}}}"
        )
        source = api.emit(module, "c")
    signature = public_signatures(original)[0]
    program = build(held(source, first, last, tmp_path / "flag"), signature, tmp_path / "program")

    def arguments() -> list[Argument]:
        shape = (sizes[-2], sizes[-1]) if name == "recurrence" else (sizes[-1],) * 2
        return [*sizes, np.random.default_rng(1).uniform(-1, 1, shape)]

    expected = arguments()
    flags = ("-std=c99", "-O0", "-ffp-contract=off")
    api.compile_loops(original, CompilerOptions(flags=flags), "c")[signature.symbol](*expected)
    (call,) = program.run([arguments()], ranks)
    assert (tmp_path / "flag").exists()
    assert compare_bits(expected, call.arguments) is None
