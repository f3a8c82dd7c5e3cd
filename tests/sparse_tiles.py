"""Schedules of sparse tiles, checked against the definition of what they must keep.

This shares no code with the inspectors. A program is here a list of points, in its order: each is
an iteration of a loop in a time step, with the elements that it reads and writes. A schedule is
right if every point runs once, and every pair of points of which one writes what the other one
accesses runs in the order of the program: in one tile, in the order within tiles, or in tiles of
which the first one has ended before the other one begins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Point:
    """Iteration `iteration` of inner loop `loop` in time step `sweep`, and what it accesses."""

    sweep: int
    loop: int
    iteration: int
    reads: frozenset[Hashable]
    writes: frozenset[Hashable]

    @property
    def key(self) -> tuple[int, int, int]:
        """Which point it is."""
        return self.sweep, self.loop, self.iteration

    def __str__(self) -> str:
        return f"iteration {self.iteration} of loop {self.loop} in step {self.sweep}"


def gauss_seidel(starts: Indices, columns: Indices, sweeps: int) -> list[Point]:
    """The points of Gauss-Seidel on a matrix in CSR form, in the order of the unknowns."""
    return [
        Point(
            sweep,
            0,
            row,
            frozenset(("x", int(c)) for c in columns[starts[row] : starts[row + 1]]),
            frozenset([("x", row)]),
        )
        for sweep in range(sweeps)
        for row in range(len(starts) - 1)
    ]


def jacobi(starts: Indices, columns: Indices, sweeps: int) -> list[Point]:
    """The points of Jacobi's method in two loops: one for new values, and one that copies them."""
    points = []
    for sweep in range(sweeps):
        for point in gauss_seidel(starts, columns, 1):
            row = point.iteration
            points.append(Point(sweep, 0, row, point.reads, frozenset([("y", row)])))
        for row in range(len(starts) - 1):
            points.append(Point(sweep, 1, row, frozenset([("y", row)]), frozenset([("x", row)])))
    return points


def scatters(
    p: Indices, q: Indices, r: Indices, sizes: tuple[int, int], sweeps: int
) -> list[Point]:
    """The points of loops that write elements without reading them."""
    n, m = sizes
    points = []
    for sweep in range(sweeps):
        for i in range(n):
            points.append(Point(sweep, 0, i, frozenset([("x", q[i])]), frozenset([("y", i)])))
        for j in range(m):
            points.append(Point(sweep, 1, j, frozenset([("y", r[j])]), frozenset([("x", p[j])])))
        for number, k in enumerate(range(1, n, 2)):
            written = frozenset([("z", r[k]), ("y", n - k)])
            points.append(Point(sweep, 2, number, frozenset([("x", k - 1)]), written))
    return points


def molecular_dynamics(molecules: int, left: Indices, right: Indices, sweeps: int) -> list[Point]:
    """The points of the loops over molecules, interactions and molecules of moldyn."""
    points = []
    for sweep in range(sweeps):
        for i in range(molecules):
            moved = frozenset([("x", i), ("fx", i)])
            points.append(Point(sweep, 0, i, moved | {("vx", i)}, moved))
        for j, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            forces = frozenset(("fx", m) for m in pair)
            points.append(Point(sweep, 1, j, forces | {("x", m) for m in pair}, forces))
        for k in range(molecules):
            points.append(
                Point(sweep, 2, k, frozenset([("vx", k), ("fx", k)]), frozenset([("vx", k)]))
            )
    return points


@dataclass
class Schedule:
    """What an inspector of sparse tiles filled, for `levels` loops in all time steps of a tile.

    Tiles of one of the `fronts` may run at once. With `edges`, a tile may run when those with a
    path to it have ended: the successors of tile q are in `successors` from the place `edges[q]`
    on, and it waits for `predecessors[q]` tiles. Without either, tiles run one after the other.
    """

    levels: int
    iterations: Indices
    starts: Indices
    order: Indices | None = None
    fronts: Indices | None = None
    edges: Indices | None = None
    successors: Indices | None = None
    predecessors: Indices | None = None

    @property
    def tiles(self) -> int:
        """The number of tiles."""
        return (len(self.starts) - 1) // self.levels

    def of(self, tile: int, level: int) -> list[int]:
        """The iterations of a tile at a level."""
        cell = tile * self.levels + level
        return [int(i) for i in self.iterations[self.starts[cell] : self.starts[cell + 1]]]

    def graph(self) -> dict[int, list[int]]:
        """The successors of each tile."""
        assert self.edges is not None
        assert self.successors is not None
        return {
            tile: [int(q) for q in self.successors[self.edges[tile] : self.edges[tile + 1]]]
            for tile in range(self.tiles)
        }

    def before(self) -> dict[int, set[int]]:
        """The tiles that have ended when a tile begins, for each one that begins at all."""
        if self.edges is None:
            ranks = self.ranks()
            return {tile: {q for q in ranks if ranks[q] < ranks[tile]} for tile in ranks}
        assert self.predecessors is not None
        graph, waits = self.graph(), self.predecessors.tolist()
        ready = [tile for tile in range(self.tiles) if waits[tile] == 0]
        leading = [each for successors in graph.values() for each in successors]
        earlier: dict[int, set[int]] = {tile: set() for tile in range(self.tiles)}
        for tile in ready:
            for successor in graph[tile]:
                earlier[successor] |= {tile, *earlier[tile]}
                waits[successor] -= 1
                if waits[successor] == 0:
                    ready.append(successor)
        # Who waits for fewer than all that lead to it may begin before any of them.
        waits_for_all = self.predecessors == np.bincount(leading, minlength=self.tiles)
        return {tile: earlier[tile] if waits_for_all[tile] else set() for tile in ready}

    def ranks(self) -> dict[int, int]:
        """When each tile runs: those of equal rank may run at the same time."""
        if self.fronts is None or self.order is None:
            return {tile: tile for tile in range(self.tiles)}
        ranks = {}
        for front, (first, end) in enumerate(zip(self.fronts, self.fronts[1:], strict=False)):
            for tile in self.order[first:end]:
                assert int(tile) not in ranks, f"tile {tile} runs twice"
                ranks[int(tile)] = front
        return ranks


def dependences(points: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """All pairs of points, in the order of the program, of which one writes what both access."""
    accesses: dict[Hashable, list[tuple[Point, bool]]] = defaultdict(list)
    for point in points:
        for element in point.reads | point.writes:
            accesses[element].append((point, element in point.writes))
    for users in accesses.values():
        for position, (target, writes) in enumerate(users):
            for source, wrote in users[:position]:
                if writes or wrote:
                    yield source, target


def violation(schedule: Schedule, points: Sequence[Point], loops: int) -> str | None:
    """What is wrong with a schedule of points, of `loops` loops in each time step; else `None`."""
    before = schedule.before()
    places: dict[tuple[int, int, int], tuple[int, int]] = {}
    for tile in range(schedule.tiles):
        for level in range(schedule.levels):
            for iteration in schedule.of(tile, level):
                key = (level // loops, level % loops, iteration)
                if key in places:
                    return f"{key} runs twice"
                if tile not in before:
                    return f"tile {tile} does not run"
                places[key] = tile, len(places)
    if missing := [str(point) for point in points if point.key not in places]:
        return f"{missing[0]} does not run"
    if len(places) != len(points):
        return "there are iterations that the program does not have"
    for source, target in dependences(points):
        (tile, place), (later, end) = places[source.key], places[target.key]
        if tile == later and place >= end:
            return f"in tile {tile}, {target} comes before {source}"
        if tile != later and tile not in before[later]:
            return f"tile {later} with {target} does not wait for tile {tile} with {source}"
    return None
