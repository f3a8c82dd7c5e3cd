"""The dependence graph of tiles: which tiles must end before another one begins.

All dependences go from a tile to itself or to one with a higher number, so the numbers are an order
in which tiles may run. Beside each element is the iteration that writes it last before an access,
and in a visit backwards, next after it. As the accesses of an iteration are the same in each time
step, one visit finds the edges of all time steps: there is an edge

- from the tile of the last writer to that of a reader or the next writer, and
- from the tile of a reader to that of the next writer.

Dependences beyond those are paths. The edges are kept in a list for each tile that they leave.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import Element, Visit
from polyir.irregular.tile_growth import NONE, Levels
from polyir.loops.code import Code

EDGES = 32
"""How many edges of each tile there is room for, beside one for each iteration of all levels."""

SCATTER = 2654435761
"""The multiplier of D. Knuth's hash function, "The Art of Computer Programming" 3, section 6.4."""


@dataclass(frozen=True)
class TileGraph:
    """The graph in CSR form: the successors of tile q are in `successors` from `starts[q]` on.

    `predecessors` are the numbers of edges that lead to each tile.
    """

    starts: SSAValue
    successors: SSAValue
    predecessors: SSAValue


def room_for_edges(code: Code, tiles: SSAValue, points: SSAValue) -> SSAValue:
    """How many edges a graph may have, for `points` iterations of all levels.

    It is never less than a path through all tiles has.
    """
    all = code.quotient(code.product(tiles, code.difference(tiles, 1)), 2)
    return code.minimum(all, code.sum(points, code.product(tiles, EDGES)))


class EdgeLists:
    """A list of edges for each tile that they leave, in an inspector.

    A hash table with linear probing, less than half full, has the edges that are there, so that an
    edge is added in the same time however many there are. If there are more edges than there is
    room for, a path through all tiles takes their place: then they run one after the other.
    """

    def __init__(self, code: Code, levels: Levels) -> None:
        self._levels, tiles = levels, levels.tiles
        points = code.product(levels.total, levels.seed.sweeps)
        self._room = room_for_edges(code, tiles, points)
        # Place 0 is not an edge: it ends the lists.
        size = code.sum(self._room, 1)
        self._targets, self._next = code.array("targets", size), code.array("next", size)
        self._slots = code.sum(code.product(self._room, 2), 1)
        self._table = code.array("table", self._slots)
        code.fill(self._table, NONE, [self._slots])
        self._heads, self._count = code.array("heads", tiles), code.cell("edges")
        self._lost = code.cell("lost")
        code.fill(self._heads, 0, [tiles])
        code.store(0, self._count)
        code.store(0, self._lost)

    def add(self, code: Code, tile: SSAValue, other: SSAValue) -> None:
        """Add an edge, unless it is there."""
        key = code.sum(code.product(tile, self._levels.tiles), other)
        # The smaller factor keeps the product within 64 bits.
        scattered = code.product(code.remainder(key, self._slots), SCATTER)
        slot = code.first(
            code.remainder(scattered, self._slots),
            lambda inner, slot: self._is_of_another(inner, slot, key),
            lambda inner, slot: inner.remainder(inner.sum(slot, 1), self._slots),
        )
        is_new = code.compared(code.load(self._table, slot), "eq", NONE)
        with code.conditional(is_new) as new:
            number = new.sum(new.load(self._count), 1)
            with new.either(number, "sle", self._room) as (added, lost):
                added.store(key, self._table, slot)
                added.store(number, self._count)
                added.store(other, self._targets, number)
                added.store(added.load(self._heads, tile), self._next, number)
                added.store(number, self._heads, tile)
                lost.store(1, self._lost)

    def _is_of_another(self, code: Code, slot: SSAValue, key: SSAValue) -> SSAValue:
        """Whether a slot of the table has another edge."""
        found = code.load(self._table, slot)
        return code.both(code.compared(found, "ne", NONE), code.compared(found, "ne", key))

    def take(self, code: Code, others: EdgeLists) -> None:
        """Add the edges of other lists."""
        lost = code.maximum(code.load(self._lost), code.load(others._lost))
        code.store(lost, self._lost)
        with code.loop("q", 0, self._levels.tiles) as (body, tile):
            body.first(
                body.load(others._heads, tile),
                lambda inner, node: inner.compared(node, "ne", 0),
                lambda inner, node: self._take(inner, tile, node, others),
            )

    def _take(self, code: Code, tile: SSAValue, node: SSAValue, others: EdgeLists) -> SSAValue:
        """Add an edge of another list; the next one."""
        self.add(code, tile, code.load(others._targets, node))
        return code.load(others._next, node)

    def store(self, code: Code, graph: TileGraph | None = None) -> TileGraph:
        """Fill the arrays of the graph, or new ones."""
        tiles = self._levels.tiles
        if graph is None:
            graph = TileGraph(
                code.array("edges", code.sum(tiles, 1)),
                code.array("successors", self._room),
                code.array("predecessors", tiles),
            )
        code.fill(graph.predecessors, 0, [tiles])
        code.store(0, graph.starts, 0)
        with code.either(code.load(self._lost), "eq", 0) as (kept, path):
            end = kept.cell("end")
            kept.store(0, end)
            with kept.loop("q", 0, tiles) as (body, tile):
                first = body.load(self._heads, tile)
                body.first(
                    first,
                    lambda inner, node: inner.compared(node, "ne", 0),
                    lambda inner, node: self._store_edge(inner, node, end, graph),
                )
                body.store(body.load(end), graph.starts, body.sum(tile, 1))
            with path.loop("q", 1, tiles) as (body, tile):
                before = body.difference(tile, 1)
                body.store(tile, graph.successors, before)
                body.store(tile, graph.starts, tile)
                body.store(1, graph.predecessors, tile)
            path.store(path.difference(tiles, 1), graph.starts, tiles)
        return graph

    def _store_edge(self, code: Code, node: SSAValue, end: SSAValue, graph: TileGraph) -> SSAValue:
        """Store an edge of a list; the next one."""
        target, place = code.load(self._targets, node), code.load(end)
        code.store(target, graph.successors, place)
        code.store(code.sum(place, 1), end)
        known = code.load(graph.predecessors, target)
        code.store(code.sum(known, 1), graph.predecessors, target)
        return code.load(self._next, node)

    def free(self, code: Code) -> None:
        """Free the lists."""
        code.free(self._targets, self._next, self._heads, self._table)


class Edges:
    """Finds edges, in an inspector: `tile_of` has the tiles of all iterations.

    It goes forwards, for the edges from writers, or else backwards, for those from readers.
    """

    def __init__(
        self, levels: Levels, shadows: Shadows, tile_of: SSAValue, lists: EdgeLists
    ) -> None:
        self._levels, self._shadows, self._tile_of = levels, shadows, tile_of
        self._lists, self._sweeps = lists, levels.seed.sweeps

    def find(self, code: Code, is_reversed: bool) -> None:
        """Visit all accesses."""
        levels = self._levels
        stamps = code.product(levels.tiles, self._sweeps)
        # The last tile to which an edge was found, for each tile and time step.
        self._last = code.array("last", stamps)
        code.fill(self._last, NONE, [stamps])
        self._shadows.fill_written(code, NONE)
        order = tuple(reversed(levels.loops) if is_reversed else levels.loops)
        for loop in order:
            with levels.positions(code, loop, is_reversed) as (body, position):
                place = levels.place(body, loop, position)
                levels.visit_stores(body, loop, position, self._note(place))
        visit = self._backwards if is_reversed else self._forwards
        for loop in order:
            with levels.positions(code, loop, is_reversed) as (body, position):
                levels.visit(body, loop, position, visit(levels.place(body, loop, position)))
        code.free(self._last)

    def _note(self, place: SSAValue) -> Visit:
        """Notes who writes an element."""

        def note(code: Code, element: Element) -> None:
            shadow = self._shadows[element.memory]
            code.store(place, shadow.written, *shadow.places(code, element))

        return note

    def _forwards(self, place: SSAValue) -> Visit:
        """Adds the edges from the last writers. One that has not come yet is of the step before."""

        def visit(code: Code, element: Element) -> None:
            shadow = self._shadows[element.memory]
            writer = code.load(shadow.written, *shadow.places(code, element))
            with code.conditional(code.compared(writer, "ne", NONE)) as found:
                back = found.select(writer, "slt", place, 0, 1)
                with found.loop("s", back, found.constant(self._sweeps)) as (body, sweep):
                    before = body.difference(sweep, back)
                    self._add(body, (writer, before), (place, sweep), sweep)
            if element.is_store:
                self._note(place)(code, element)

        return visit

    def _backwards(self, place: SSAValue) -> Visit:
        """Adds the edges from readers to the next writers."""

        def visit(code: Code, element: Element) -> None:
            if element.is_store:
                self._note(place)(code, element)
                return
            shadow = self._shadows[element.memory]
            writer = code.load(shadow.written, *shadow.places(code, element))
            with code.conditional(code.compared(writer, "ne", NONE)) as found:
                ahead = found.select(writer, "sgt", place, 0, 1)
                end = found.difference(found.constant(self._sweeps), ahead)
                with found.loop("s", 0, end) as (body, sweep):
                    after = body.sum(sweep, ahead)
                    self._add(body, (place, sweep), (writer, after), sweep)

        return visit

    def _add(
        self,
        code: Code,
        source: tuple[SSAValue, SSAValue],
        target: tuple[SSAValue, SSAValue],
        sweep: SSAValue,
    ) -> None:
        """Add the edge between the tiles of two iterations, which are places and time steps."""
        tile, other = (
            code.load(self._tile_of, self._levels.point(code, place, step))
            for place, step in (source, target)
        )
        with code.conditional(code.compared(tile, "ne", other)) as differ:
            stamp = differ.sum(differ.product(tile, self._sweeps), sweep)
            last = differ.load(self._last, stamp)
            with differ.conditional(differ.compared(last, "ne", other)) as unseen:
                unseen.store(other, self._last, stamp)
                self._lists.add(unseen, tile, other)


def find_fronts(
    code: Code, graph: TileGraph, tiles: SSAValue, fronts: SSAValue, count: SSAValue
) -> None:
    """Find the first wavefront that each tile may be in, and the number of wavefronts."""
    code.fill(fronts, 0, [tiles])
    code.store(0, count)
    with code.loop("q", 0, tiles) as (body, tile):
        after = body.sum(body.load(fronts, tile), 1)
        body.store(body.maximum(body.load(count), after), count)
        first, end = body.load(graph.starts, tile), body.load(graph.starts, body.sum(tile, 1))
        with body.loop("e", first, end) as (inner, edge):
            successor = inner.load(graph.successors, edge)
            known = inner.load(fronts, successor)
            inner.store(inner.maximum(known, after), fronts, successor)
