"""Tile sizes by an integer geometric program.

The time of a tiled band as a posynomial of its tile sizes: computation, starts of loops, and what
moves between two levels of the memory for each tile, with the footprint of a tile within a cache
(Rajopadhye and Renganarayana, "Computations on Iteration Spaces", 2007, sections 15.3.1.2.4 and
15.3.1.2.5). Where tiles run in parallel, no thread may be without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from polyir.cost.geometric_program import GeometricProgram, Posynomial, constant, variable
from polyir.cost.loop_tree import Leaf, Loop, Node, Parts, bands_of, directions
from polyir.cost.model import USABLE, Cost, CostModel
from polyir.cost.program import Reference
from polyir.cost.states import State


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


def modelled_tile_sizes(model: CostModel, tree: Node, band: int) -> TileModel | None:
    """The sizes of a band's tiles that take the least time by geometric programs.

    There is one for each level of cache; the cost model compares their solutions. `None` where no
    tile fits. `band` is a number of `polyir.cost.loop_tree.bands_of(tree)`.
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
            self._model.statements[name].step(function)
            for name, function in loop.functions.items()
        ]
        low, high = min(a for a, _ in ranges), max(b for _, b in ranges)
        return max(1.0, (high - low) / min(steps) + 1)

    def _starts(self) -> Posynomial:
        """The cycles that it takes to start the loops in tiles and the loops over tiles.

        One of those in tiles starts for each iteration of the loops in the tile around it.
        """
        cycles = self._model.machine.loop_cycles
        iterations = self._executions * prod(self._trips)
        total = Posynomial()
        for number in range(len(self._names)):
            inner = constant(iterations * cycles)
            for name in self._names[number:]:
                inner *= variable(name, -1.0)
            # Between the start of the outermost loop in a tile and that of the tile is nothing.
            total += inner if number else inner + inner
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
        for references in self._groups():
            bytes = self._bytes(references)
            touched += bytes
            moved += bytes
            if any(reference.is_write for _, reference in references):
                moved += bytes
        return touched, moved

    def _groups(self) -> list[list[tuple[str, Reference]]]:
        """The references of the band's statements; those that differ by constants are together."""
        groups: dict[object, list[tuple[str, Reference]]] = {}
        for name in self._members[0].functions:
            for each in self._model.statements[name].references:
                terms = each.subscripts and tuple(form.terms for form in each.subscripts)
                key = each.array, name if each.subscripts else "", terms
                groups.setdefault(key, []).append((name, each))
        return list(groups.values())

    def _bytes(self, group: Sequence[tuple[str, Reference]]) -> Posynomial:
        """The bytes of the lines that the references of a group touch in a tile."""
        name, first = group[0]
        line = self._model.machine.caches[0].line_bytes
        if not first.subscripts:
            return constant(min(first.elements * first.bytes, 1e12) if first.subscripts is None else line)
        total = constant(1.0)
        for dimension, form in enumerate(first.subscripts):
            constants = [
                each.subscripts[dimension].constant for _, each in group if each.subscripts
            ]
            extent = self._extent(name, form.terms, max(constants) - min(constants))
            if dimension == len(first.subscripts) - 1:
                extent = extent * constant(first.bytes) + constant(line - first.bytes)
            total *= extent
        return total

    def _extent(
        self, name: str, terms: Sequence[tuple[int, float]], spread: float
    ) -> Posynomial:
        """How many values a subscript has in a tile, at most.

        It moves by a constant with each member: sum of `|factor| (size - 1)`, plus 1. A negative
        constant is left out.
        """
        fixed = 1.0 + spread
        extent = Posynomial()
        for number, loop in enumerate((*self._members, *self._inside)):
            others = [each for each in (*self._path, *self._inside) if each is not loop]
            moves = directions((*others, loop), self._model.statements, name)
            if moves is None:
                continue
            factor = abs(sum(each * moves[variable] for variable, each in terms))
            if not factor:
                continue
            if number < len(self._members):
                extent += constant(factor) * variable(self._names[number])
                fixed -= factor
            else:
                fixed += factor * (self._trip(loop) - 1)
        return extent + constant(max(0.0, fixed)) if extent.terms else constant(max(1.0, fixed))


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
