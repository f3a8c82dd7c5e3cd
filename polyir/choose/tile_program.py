"""Tile sizes by an integer geometric program.

The time of a tiled band as a posynomial of its tile sizes: computation, starts of loops, and what
moves between two levels of the memory for each tile, with the footprint of a tile within a cache
(Renganarayanan and Rajopadhye, "Computations on Iteration Spaces", sections 15.3.1.2.4 and
15.3.1.2.5). Where tiles run in parallel, no thread may be without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from polyir.choose.geometric_program import GeometricProgram, Posynomial, constant, variable
from polyir.choose.loop_tree import Leaf, Loop, Node, Parts, directions
from polyir.choose.model import USABLE, Cost, CostModel
from polyir.choose.program import Reference
from polyir.choose.regions import Form
from polyir.choose.states import State

Moves = tuple[tuple[float, ...], ...]
"""For each subscript of a reference, how far each loop moves it."""


@dataclass(frozen=True)
class TileModel:
    """The sizes of the tiles of a band, and the program whose solution they are.

    Tiles fit into the cache number `level`, which counts from 1. `cost` is that of the whole tree.
    """

    sizes: tuple[int, ...]
    level: int
    program: GeometricProgram
    cost: Cost

    @property
    def why(self) -> str:
        """The choice with its numbers, for a remark."""
        shown = " x ".join(map(str, self.sizes))
        point = dict(zip(self.program.bounds, self.sizes, strict=True))
        cycles = self.program.objective.value(point)
        return f"tiles of {shown} for the cache of level {self.level}: {cycles:.3g} cycles"

    @property
    def explanation(self) -> list[str]:
        """The program, line by line, and its solution."""
        solution = ", ".join(
            f"{name} = {size}" for name, size in zip(self.program.bounds, self.sizes, strict=True)
        )
        return [*str(self.program).splitlines(), f"solution: {solution}"]


def modelled_tile_sizes(model: CostModel, tree: Node, band: int) -> TileModel | None:
    """The sizes of a band's tiles that take the least time by geometric programs.

    There is one for each level of cache; the cost model compares their solutions. `None` where no
    tile fits. `band` is a number of `polyir.choose.loop_tree.bands_of(tree)`.
    """
    found: list[TileModel] = []
    for level in range(1, len(model.machine.caches) + 1):
        program = tile_program(model, tree, band, level)
        solution = program.solve()
        if solution is not None:
            sizes = tuple(solution.values())
            cost = model.tiled_cost(tree, band, (sizes,))
            found.append(TileModel(sizes, level, program, cost))
    return min(found, key=lambda each: each.cost.unhidden, default=None)


def tile_program(model: CostModel, tree: Node, band: int, level: int) -> GeometricProgram:
    """The program for tiles of a band that fit into the cache number `level`."""
    return _Builder(model, tree, band).program(level)


class _Builder:
    """What the programs of all levels have in common.

    The variables are `s1`, `s2`, ..., the tile sizes of the members, outermost first.
    """

    def __init__(self, model: CostModel, tree: Node, band: int) -> None:
        self._model = model
        self._path = tuple(_path_to(tree, band))
        self._members = tuple(each for each in self._path if each.band == band)
        self._names = tuple(f"s{number}" for number in range(1, len(self._members) + 1))
        self._inside = _loops_below(self._members[-1].body)
        self._compute = model.cost(tree).compute
        self._trips = tuple(self._trip(each) for each in self._members)
        outside = [each for each in self._path if each.band != band]
        self._executions = prod(self._trip(each) for each in outside)

    def program(self, level: int) -> GeometricProgram:
        machine = self._model.machine
        cache = machine.caches[level - 1]
        rates = [each.bandwidth for each in machine.caches[1:]] + [machine.memory_bandwidth]
        footprint, moved = self._footprint()
        tiles = constant(self._executions)
        for name, trip in zip(self._names, self._trips, strict=True):
            tiles *= constant(trip) * variable(name, -1.0)
        objective = constant(self._compute) + self._starts()
        objective += tiles * moved * constant(1 / rates[level - 1])
        limits = {"cache": footprint * constant(1 / (USABLE * cache.bytes))}
        limits |= self._parallelism()
        bounds = {
            name: (1, max(1, round(trip)))
            for name, trip in zip(self._names, self._trips, strict=True)
        }
        return GeometricProgram(bounds, objective, limits)

    def _trip(self, loop: Loop) -> float:
        """How many values a loop has."""
        ranges = [
            State(self._model.statements[name].region).range(function)
            for name, function in loop.functions.items()
        ]
        steps = [
            self._model.statements[name].step(function) for name, function in loop.functions.items()
        ]
        low, high = min(a for a, _ in ranges), max(b for _, b in ranges)
        return max(1.0, (high - low) / min(steps) + 1)

    def _starts(self) -> Posynomial:
        """The cycles that it takes to start the loops in tiles, and those over tiles.

        Each loop in a tile starts once for each iteration of the loops around it. The innermost
        loop over tiles counts as started once a tile, the others not at all.
        """
        cycles = self._model.machine.loop_cycles
        iterations = self._executions * prod(self._trips)
        total = Posynomial()
        for number in range(len(self._names)):
            inner = constant(iterations * cycles)
            for name in self._names[number:]:
                inner *= variable(name, -1.0)
            total += inner
            if number == 0:
                # This is how often a tile starts.
                total += inner
        return total

    def _parallelism(self) -> dict[str, Posynomial]:
        """There are as many tiles along some parallel loop as threads, in waves or without."""
        threads = self._model.threads
        if threads == 1:
            return {}
        coincident = [each.is_coincident for each in self._members]
        number = coincident.index(True) if True in coincident else min(1, len(coincident) - 1)
        if self._trips[number] < threads:
            return {}
        share = constant(threads / self._trips[number])
        return {"threads": share * variable(self._names[number])}

    # Footprints

    def _footprint(self) -> tuple[Posynomial, Posynomial]:
        """The bytes of the lines that a tile touches, and those that move for it.

        Lines that are written move twice.
        """
        touched, moved = Posynomial(), Posynomial()
        for (_, moves), group in self._groups().items():
            bytes = self._bytes(moves, group)
            touched += bytes
            moved += bytes
            if any(each.is_write for each in group):
                moved += bytes
        return touched, moved

    def _groups(self) -> dict[tuple[str, Moves | None], list[Reference]]:
        """The references of the band's statements, by array and by how loops move them."""
        groups: dict[tuple[str, Moves | None], list[Reference]] = {}
        for name in self._members[0].functions:
            for each in self._model.statements[name].references:
                moves = None
                if each.subscripts is not None:
                    moves = tuple(self._moves(name, form) for form in each.subscripts)
                groups.setdefault((each.array, moves), []).append(each)
        return groups

    def _moves(self, name: str, form: Form) -> tuple[float, ...]:
        """How far an iteration of each loop moves a subscript: of the members, then inside them."""
        loops = (*self._members, *self._inside)
        found: list[float] = []
        for loop in loops:
            others = [each for each in (*self._path, *self._inside) if each is not loop]
            direction = directions((*others, loop), self._model.statements, name)
            steps = direction or (0.0,) * len(self._model.statements[name].region.low)
            found.append(abs(sum(factor * steps[place] for place, factor in form.terms)))
        return tuple(found)

    def _bytes(self, moves: Moves | None, group: Sequence[Reference]) -> Posynomial:
        """The bytes of the lines that the references of a group touch in a tile."""
        line, element = self._model.machine.caches[0].line_bytes, group[0].bytes
        if moves is None:
            return constant(min(group[0].elements * element, MOST_BYTES))
        if not moves:
            return constant(line)
        total = constant(1.0)
        for dimension, factors in enumerate(moves):
            constants = [each.subscripts[dimension].constant for each in group if each.subscripts]
            extent = self._extent(factors, max(constants) - min(constants))
            if dimension == len(moves) - 1:
                extent = extent * constant(element) + constant(line - element)
            total *= extent
        return total

    def _extent(self, factors: Sequence[float], spread: float) -> Posynomial:
        """How many values a subscript has in a tile, at most.

        That is the sum of `factor * (size - 1)` over the loops, and 1. A posynomial has no
        negative constant: it is left out.
        """
        fixed = 1.0 + spread
        extent = Posynomial()
        for name, factor in zip(self._names, factors, strict=False):
            extent += constant(factor) * variable(name)
            fixed -= factor
        for loop, factor in zip(self._inside, factors[len(self._names) :], strict=True):
            fixed += factor * (self._trip(loop) - 1)
        return extent + constant(max(0.0 if extent.terms else 1.0, fixed))


MOST_BYTES: Final = 1e12
"""Stands for an array of unknown size that is not accessed by affine subscripts."""


def _path_to(node: Node, band: int) -> Iterator[Loop]:
    """The loops around the body of a band, its own included, outermost first."""
    match node:
        case Loop():
            below = list(_path_to(node.body, band))
            if below or node.band == band:
                yield node
                yield from below
        case Parts(children):
            for _, child in children:
                yield from _path_to(child, band)
        case Leaf():
            pass


def _loops_below(node: Node) -> tuple[Loop, ...]:
    """All loops from a node down."""
    match node:
        case Loop():
            return (node, *_loops_below(node.body))
        case Parts(children):
            return tuple(loop for _, child in children for loop in _loops_below(child))
        case _:
            return ()
