"""Each message has the elements that must be in it, each once: counted instance by instance.

What must be sent is found without the sets of `polyir.distributed.elements`: the instances of a
small program are visited in the order of its text, and the last writer of each element that is read
is kept in a table. If another rank wrote it, it must come in the message of the step of the write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import islpy as isl
import pytest

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import ScopOp
from polyir.distributed.counting import fixed
from polyir.distributed.options import DistributionOptions
from polyir.distributed.rank_blocks import grid_of
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.traffic import Traffic
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import AccessKind
from polyir.sets.lists import maps_of

KERNELS = Path(__file__).parents[2] / "benchmarks" / "polybench"
STEPWISE = "feautrier-schedule"
TILED = "pluto-schedule,tile{sizes=3},wavefront"
WIDE = "pluto-schedule,tile{sizes=3},wavefront{degrees=2}"
"""With two parallel loops over tiles in a wavefront."""

Point = tuple[int, ...]
Instance = tuple[str, Point]


@lru_cache(8)
def scop_after(kernel: str, pipeline: str) -> Scop:
    text = (KERNELS / f"{kernel}.mlir").read_text()
    with remarks_to(lambda _: None):
        module = api.run_pipeline(api.parse(text), pipeline)
    (op,) = (each for each in module.walk() if isinstance(each, ScopOp))
    return scop_of(op)


def sizes_of(scop: Scop, n: int, steps: int) -> dict[str, int]:
    times = ("tsteps", "tmax")
    return {name: steps if name in times else n for name in scop.op.parameter_values}


def points_of(set: isl.Set) -> Iterator[Point]:
    found: list[isl.Point] = []
    set.foreach_point(found.append)
    for point in found:
        yield tuple(
            int(point.get_coordinate_val(isl.dim_type.set, at).to_python())
            for at in range(set.dim(isl.dim_type.set))
        )


def pairs_of(union: isl.UnionMap, sizes: dict[str, int]) -> Iterator[tuple[Instance, Instance]]:
    """The pairs of a relation, each side with the name of its tuple."""
    for map in maps_of(union):
        names = [map.get_tuple_name(kind) or "" for kind in (isl.dim_type.in_, isl.dim_type.out)]
        length = map.dim(isl.dim_type.in_)
        for point in points_of(fixed(map.wrap().flatten(), sizes)):
            yield (names[0], point[:length]), (names[1], point[length:])


def table(union: isl.UnionMap, sizes: dict[str, int]) -> dict[Instance, list[Instance]]:
    found: dict[Instance, list[Instance]] = defaultdict(list)
    for key, value in pairs_of(union, sizes):
        found[key].append(value)
    return found


class Messages:
    """The elements that must be sent, by phase, step, source and target."""

    def __init__(
        self, kernel: str, pipeline: str, n: int, steps: int, options: DistributionOptions
    ) -> None:
        original, scop = scop_after(kernel, "poly-raise"), scop_after(kernel, pipeline)
        self.sizes = sizes_of(scop, n, steps)
        self.program = SizedProgram(scop, self.sizes, options)
        order = original.schedule.map.intersect_domain(original.domain)
        self.dates = {key: value[0][1] for key, value in table(order, self.sizes).items()}
        self.reads = table(original.accesses(AccessKind.READ), self.sizes)
        self.writes = table(original.accesses(AccessKind.WRITE), self.sizes)
        self.steps = {p.name: table(p.step, self.sizes) for p in self.program.phases}
        self.places = {p.name: table(p.place, self.sizes) for p in self.program.phases}

    def needed(self, simulation: Simulation) -> dict[tuple[str, Point, int, int], set[Instance]]:
        where = {
            instance: (phase.name, self.steps[phase.name][instance][0][1], rank)
            for phase in self.program.phases
            for instance, place in self.places[phase.name].items()
            for rank in [self._rank(simulation, phase.name, place[0][1])]
        }
        last: dict[Instance, Instance] = {}
        found: dict[tuple[str, Point, int, int], set[Instance]] = defaultdict(set)
        for instance in sorted(self.dates, key=self.dates.__getitem__):
            for element in self.reads.get(instance, ()):
                if element in last:
                    phase, step, source = where[last[element]]
                    target = where[instance][2]
                    if source != target:
                        found[phase, step, source, target].add(element)
            for element in self.writes.get(instance, ()):
                last[element] = instance
        return found

    def _rank(self, simulation: Simulation, phase: str, place: Point) -> int:
        division = self.program.elements.divisions[phase]
        blocks = simulation.layout.blocks[division.name]
        along = [
            each.block_of((value - range.offset) // range.stride)
            for each, value, range in zip(blocks, place, division.ranges, strict=True)
        ]
        if len(along) < len(simulation.layout.sides):
            return simulation.layout.owner(along[0])
        sides = simulation.layout.grid
        return simulation.layout.rank_at([b % g for b, g in zip(along, sides, strict=True)])


CASES = [
    ("gemm", STEPWISE, 8, 1),
    ("gemm", TILED, 8, 2),
    ("jacobi-1d", TILED, 24, 1),
    ("jacobi-2d", STEPWISE, 9, 1),
    ("jacobi-2d", STEPWISE, 9, 2),
    ("jacobi-2d", TILED, 9, 1),
    ("jacobi-2d", WIDE, 9, 2),
    ("heat-3d", STEPWISE, 6, 1),
    ("heat-3d", STEPWISE, 6, 2),
    ("lu", STEPWISE, 9, 1),
    ("lu", STEPWISE, 9, 2),
    ("lu", TILED, 9, 1),
    ("seidel-2d", TILED, 9, 1),
    ("fdtd-2d", TILED, 9, 1),
]


@pytest.mark.parametrize(("kernel", "pipeline", "n", "grid"), CASES)
def test_messages_have_each_element_that_is_needed_once(
    kernel: str, pipeline: str, n: int, grid: int
) -> None:
    """Each pair of ranks, and each step: as many elements as there are different ones to send."""
    check(Messages(kernel, pipeline, n, 3, DistributionOptions(grid=grid)), (2, 4))


def check(messages: Messages, numbers_of_ranks: Sequence[int]) -> None:
    for ranks in numbers_of_ranks:
        simulation = Simulation(messages.program, ranks)
        needed = messages.needed(simulation)
        sent = {
            (phase, step, source, target): length // 8
            for source in range(ranks)
            for target in range(ranks)
            for phase, step, length in simulation.lengths(source, target)
        }
        assert sent == {key: len(elements) for key, elements in needed.items()}


CYCLIC = DistributionOptions(distribution="cyclic")
BLOCKS_OF_2 = DistributionOptions(distribution="block-cyclic", block=2)
DEALT = [
    ("lu", STEPWISE, 9),
    ("jacobi-1d", TILED, 24),
    ("jacobi-2d", STEPWISE, 8),
    ("trmm", TILED, 8),
    pytest.param("lu", TILED, 9, marks=pytest.mark.matrix),
    pytest.param("jacobi-1d", STEPWISE, 14, marks=pytest.mark.matrix),
    pytest.param("jacobi-2d", TILED, 8, marks=pytest.mark.matrix),
    pytest.param("trmm", STEPWISE, 8, marks=pytest.mark.matrix),
]


@pytest.mark.parametrize("options", [CYCLIC, BLOCKS_OF_2], ids=["cyclic", "block-cyclic"])
@pytest.mark.parametrize(("kernel", "pipeline", "n"), DEALT)
def test_several_blocks_of_a_rank_get_an_element_once(
    kernel: str, pipeline: str, n: int, options: DistributionOptions
) -> None:
    check(Messages(kernel, pipeline, n, 3, options), (2, 3))


@pytest.mark.parametrize("ranks", [2, 4, 6, 8])
@pytest.mark.parametrize(("kernel", "n"), [("jacobi-2d", 14), ("heat-3d", 8)])
def test_stencils_on_a_grid_of_ranks_send_an_edge_to_each_neighbour(
    kernel: str, n: int, ranks: int
) -> None:
    """Ranks in r rows and c columns, 2 T steps: after each but the last, edges go both ways.

    The r - 1 boundaries between rows of ranks are crossed by the n - 2 columns of the inside, in c
    messages; those between columns by n - 2 rows, in r messages. For heat-3d, a column has n - 2
    elements. The stencils are stars: nothing goes to neighbours at corners.
    """
    steps = 3
    rows, columns = grid_of(ranks)
    simulation = Simulation(
        Messages(kernel, STEPWISE, n, steps, DistributionOptions(grid=2)).program, ranks
    )
    elements = (n - 2) ** (1 if kernel == "jacobi-2d" else 2)
    boundaries = rows - 1 + columns - 1
    messages = 2 * ((rows - 1) * columns + (columns - 1) * rows)
    expected = Traffic((2 * steps - 1) * messages, (2 * steps - 1) * 2 * boundaries * elements * 8)
    assert simulation.totals().all.sent == expected
