"""How long a distributed program takes: a model of latency, bandwidth and work.

The closed form for tiles on a line of processors is that of Renganarayanan and Rajopadhye,
"Computations on Iteration Spaces", section 15.3.1.2.4. The formulas are missing from the text that
this follows; they are reconstructed from its words, which describe every term. Names here:

- a tile has `width` iterations along the loop that is divided, and `height` along the other one;
  its time is `iteration * width * height + 2 (alpha + beta * edge)`: compute, receive the left
  edge, send the right one, of `edge = height * element_bytes` bytes;
- a processor has `columns / (ranks * width)` columns (the passes) of `rows / height` tiles;
- the last processor starts after `(ranks - 1) (1 + rise)` tiles: each one starts after its left
  neighbour has done 1 + rise tiles (the first two in the figure, whose rise is 1), and the rise is
  `slope * width / height` for a slope in iterations;
- so the total time is `((ranks - 1) (1 + rise) + tiles per processor) * time of a tile`;
- there is no idle time between passes if the first processor ends its column no earlier than the
  last one ends as many tiles as a neighbour waits for: `ranks (1 + rise) <= rows / height`. Without
  a rise, that is one tile, as the text has it.

With 1 more on the left of the constraint, this is a geometric program in the tile sizes.
A grid of processors has one such line for each divided loop; the delays add up.

For a whole program, `Prediction` adds up what the busiest rank needs in each step, by the counts
of `polyir.distributed.simulation`: a rank waits for its neighbours in each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, prod
from typing import Final

from polyir.choose.geometric_program import GeometricProgram, Posynomial, constant, variable
from polyir.choose.network import Network
from polyir.distributed.phases import Phase
from polyir.distributed.simulation import Simulation, Step
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.traffic import Work


def time_of(work: Work, network: Network) -> float:
    """The time of a rank that receives, computes and sends."""
    messages = work.sent.messages + work.received.messages
    bytes = work.sent.bytes + work.received.bytes
    return network.iteration * work.instances + network.alpha * messages + network.beta * bytes


# ------------------------------------------------------------------------ tiles on processors


@dataclass(frozen=True)
class Line:
    """A loop whose tiles are divided among `ranks` processors in columns: it has `extent` values.

    `slope` says how many iterations of the inner loop a column starts later for each iteration.
    """

    extent: int
    ranks: int
    slope: float = 0.0


@dataclass(frozen=True)
class TiledSpace:
    """An iteration space in tiles: `lines` are divided loops, and columns have `rows` iterations.

    A tile receives and sends a face of itself for each line, of `element_bytes` a point.
    """

    lines: tuple[Line, ...]
    rows: int
    network: Network
    element_bytes: int = 8

    @property
    def ranks(self) -> int:
        """How many processors there are."""
        return prod(line.ranks for line in self.lines)

    def tile_time(self, widths: Sequence[int], height: int) -> float:
        """Receive, compute and send one tile."""
        volume = prod(widths) * height
        faces = (volume // width * self.element_bytes for width in widths)
        messages = sum(2 * (self.network.alpha + self.network.beta * face) for face in faces)
        return self.network.iteration * volume + messages

    def tiles_per_rank(self, widths: Sequence[int], height: int) -> float:
        """The tiles of a processor: the columns that it has, times the tiles in a column."""
        columns = (
            line.extent / (line.ranks * width)
            for line, width in zip(self.lines, widths, strict=True)
        )
        return prod(columns) * self.rows / height

    def delay(self, widths: Sequence[int], height: int) -> float:
        """How many tiles the last processor starts after the first one."""
        return sum(
            (line.ranks - 1) * (1 + line.slope * width / height)
            for line, width in zip(self.lines, widths, strict=True)
        )

    def time(self, widths: Sequence[int], height: int) -> float:
        """The total time; it holds if `is_idle_free`, and if all passes are full."""
        tiles = self.delay(widths, height) + self.tiles_per_rank(widths, height)
        return tiles * self.tile_time(widths, height)

    def is_idle_free(self, widths: Sequence[int], height: int) -> bool:
        """Whether no processor waits between two passes; with one pass, none can."""
        passes = (
            line.extent / (line.ranks * width)
            for line, width in zip(self.lines, widths, strict=True)
        )
        if all(each <= 1 for each in passes):
            return True
        return self.idle_tiles(widths, height) == 0

    def idle_tiles(self, widths: Sequence[int], height: int) -> float:
        """For how many tiles a processor waits between two passes, if there are several."""
        rise = max(
            line.slope * width / height for line, width in zip(self.lines, widths, strict=True)
        )
        return max(0.0, self.delay(widths, height) + 1 + rise - self.rows / height)

    def efficiency(self, widths: Sequence[int], height: int) -> float:
        """The time of one processor without messages, divided by that of all together."""
        iterations = prod(line.extent for line in self.lines) * self.rows
        alone = self.network.iteration * iterations
        return alone / (self.ranks * self.time(widths, height))

    # ---------------------------------------------------------------------------------- sizes

    def program(self) -> GeometricProgram:
        """The geometric program for the tile sizes `x0`, ... and `y`.

        The constraint is that of several passes, also where there is one.
        """
        names = [f"x{place}" for place in range(len(self.lines))]
        volume = variable("y")
        for name in names:
            volume *= variable(name)
        tile = constant(self.network.iteration) * volume
        tile += constant(2 * self.network.alpha * len(names))
        for name in names:
            face = constant(2 * self.network.beta * self.element_bytes) * volume
            tile += face * variable(name, -1)
        tiles = constant(self.rows) * variable("y", -1)
        delay = Posynomial()
        bound = constant(1)
        for name, line in zip(names, self.lines, strict=True):
            tiles *= constant(line.extent / line.ranks) * variable(name, -1)
            lag = constant(1)
            if line.slope:
                lag += constant(line.slope) * variable(name) * variable("y", -1)
            delay += constant(line.ranks - 1) * lag
            bound += constant(line.ranks) * lag
        bounds = {
            name: (1, max(1, line.extent // line.ranks))
            for name, line in zip(names, self.lines, strict=True)
        }
        idle_free = constant(1 / self.rows) * variable("y") * bound
        return GeometricProgram(
            {**bounds, "y": (1, self.rows)},
            (delay + tiles) * tile,
            {"no idle time between passes": idle_free},
        )

    def best_sizes(self) -> tuple[tuple[int, ...], int]:
        """The widths and the height that take least time without idle time between passes.

        By branch and bound with cvxpy, if it is installed, else by a search of the sizes. One pass
        of wide tiles is tried, too: no pass can wait for it.
        """
        whole = tuple(ceil(line.extent / line.ranks) for line in self.lines)
        several = self.program()
        bounds = {f"x{place}": (width, width) for place, width in enumerate(whole)}
        one = replace(several, bounds={**several.bounds, **bounds}, at_most_one={})
        found = [each for each in (several.solve(), one.solve()) if each is not None]
        sizes = [(tuple(each[f"x{k}"] for k in range(len(whole))), each["y"]) for each in found]
        return min(sizes, key=lambda each: self.time(*each))


@dataclass(frozen=True)
class Choice:
    """Sides of a grid of processors, tile sizes for it, and the time."""

    sides: tuple[int, ...]
    widths: tuple[int, ...]
    height: int
    time: float
    efficiency: float


def best_grid(
    extents: Sequence[int],
    rows: int,
    ranks: int,
    network: Network,
    slopes: Sequence[float] = (),
    element_bytes: int = 8,
) -> Choice | None:
    """The grid of `ranks` processors, and its tile sizes, with the least time by the model.

    All products of sides that are `ranks` are tried. `None` if each has a side that is too long.
    """
    slopes = slopes or [0.0] * len(extents)
    best: Choice | None = None
    for sides in _products(ranks, len(extents)):
        if any(side > extent for side, extent in zip(sides, extents, strict=True)):
            continue
        lines = tuple(map(Line, extents, sides, slopes))
        space = TiledSpace(lines, rows, network, element_bytes)
        sizes = space.best_sizes()
        found = Choice(sides, *sizes, space.time(*sizes), space.efficiency(*sizes))
        if best is None or found.time < best.time:
            best = found
    return best


def _products(number: int, count: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a product of so many factors, in order."""
    if count == 1:
        yield (number,)
        return
    for factor in range(1, number + 1):
        if number % factor == 0:
            yield from ((factor, *rest) for rest in _products(number // factor, count - 1))


# ------------------------------------------------------------------------- a whole program

STEP_SAMPLES: Final = 9
"""The steps of a phase that are looked at; the time of others is interpolated."""

RANK_SAMPLES: Final = 5
"""The ranks that are looked at in a step, of those that have work in it."""


@dataclass(frozen=True)
class Prediction:
    """The time of a program in seconds, and that of one rank divided by all that ranks spend."""

    ranks: int
    time: float
    alone: float

    @property
    def efficiency(self) -> float:
        """The part of the time of all ranks that one rank alone would need."""
        return self.alone / (self.ranks * self.time) if self.time else 1.0


def predicted(program: SizedProgram, ranks: int, network: Network) -> Prediction:
    """The time of the steps on so many ranks; scatter and gather are not in it.

    In a step, all wait for the busiest of the visited ranks. This is an estimate: from above where
    ranks run ahead of each other, from below where the busiest one was not visited, or where it
    waits between two phases of a step.
    """
    simulation = Simulation(program, ranks)
    around: dict[int, list[Phase]] = {}
    for phase in program.phases:
        around.setdefault(phase.steps, []).append(phase)
    time = sum(_time_of_phases(simulation, each, network) for each in around.values())
    alone = network.iteration * Simulation(program, 1).instances(0)
    return Prediction(ranks, time, alone)


def _time_of_phases(simulation: Simulation, phases: Sequence[Phase], network: Network) -> float:
    """The time of phases that are inside as many sequential loops: their steps take turns."""
    inside: dict[Step, list[Phase]] = {}
    for phase in phases:
        for step in simulation.steps(phase):
            inside.setdefault(step, []).append(phase)
    steps = sorted(inside)

    def time(number: int) -> float:
        # Neighbouring steps may differ, as where two phases take turns.
        is_one = len(steps) <= STEP_SAMPLES or number in (0, len(steps) - 1)
        near = steps[number : number + (1 if is_one else 2)]
        times = [_step_time(simulation, inside[step], step, network) for step in near]
        return sum(times) / len(times)

    return _interpolated_sum(time, len(steps), STEP_SAMPLES)


def _step_time(
    simulation: Simulation, phases: Sequence[Phase], step: Step, network: Network
) -> float:
    ranks = {
        rank for phase in phases for rank in _spread(simulation.active(phase, step), RANK_SAMPLES)
    }
    times = (
        sum(time_of(simulation.in_step(rank, phase, step), network) for phase in phases)
        for rank in sorted(ranks)
    )
    return max(times, default=0.0)


def _spread(ranks: Sequence[int], count: int) -> Sequence[int]:
    """So many of the ranks, from the first to the last one, or all."""
    if len(ranks) <= count:
        return ranks
    return [ranks[k * (len(ranks) - 1) // (count - 1)] for k in range(count)]


def _interpolated_sum(function: Callable[[int], float], count: int, samples: int) -> float:
    """The sum of `function` from 0 to `count - 1`, as if it were linear between samples.

    The first and the last one, which may be special, count for themselves.
    """
    if count <= samples:
        return sum(map(function, range(count)))
    places = [1 + k * (count - 3) // (samples - 1) for k in range(samples)]
    values = [function(place) for place in places]
    total = function(0) + function(count - 1) + (values[0] + values[-1]) / 2
    for (a, x), (b, y) in pairwise(zip(places, values, strict=True)):
        total += (x + y) * (b - a) / 2
    return total
