"""When tiles run: one after the other, in wavefronts, or as soon as those before them have ended.

The ready queue has a place for each tile, and all of them are in it once. Each iteration of a
parallel loop takes the next place, waits until there is a tile in it, runs the tile, and counts it
off at its successors: those of which it was the last predecessor come into the queue. An iteration
that waits has taken its place after those that run, so that one of these fills the place, in
whatever order iterations start, and one thread never waits. There is no lock: the numbers of places
and of predecessors change by atomic operations, which also let a thread see what the tiles before
have written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, auto

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from polyir.loops.code import Code

NOT_READY = -1
"""What is in a place of the queue until a tile is."""

HEAD, TAIL, PLACES = 0, 8, 9
"""The places of two numbers in an array: far enough apart to be in different cache lines."""


class ArraySize(Enum):
    """The sizes of arrays: a number for each tile, one more, and a number for each edge."""

    TILES = auto()
    ENDS = auto()
    EDGES = auto()


class TileRuns(ABC):
    """What an inspector says about when tiles run, in fields: numbers, and arrays with a `size`."""

    @classmethod
    def outputs(cls) -> list[tuple[str, ArraySize | None]]:
        """The names of the fields, with the sizes of arrays."""
        assert is_dataclass(cls)
        return [(each.name, each.metadata.get("size")) for each in fields(cls)]

    def prepare(self, code: Code) -> Sequence[SSAValue]:
        """Add what the loops need, before all time steps: new arrays."""
        return ()

    @abstractmethod
    def loops(
        self, code: Code, scratch: Sequence[SSAValue]
    ) -> AbstractContextManager[tuple[Code, SSAValue]]:
        """The loops over tiles: code for the body, and the number of a tile.

        `scratch` are the arrays of `prepare`.
        """


@dataclass(frozen=True)
class InOrder(TileRuns):
    """Tiles run in the order of their numbers."""

    tiles: SSAValue

    @contextmanager
    def loops(self, code: Code, scratch: Sequence[SSAValue]) -> Iterator[tuple[Code, SSAValue]]:
        with code.loop("tile", 0, code.load(self.tiles)) as (body, tile):
            yield body, tile


@dataclass(frozen=True)
class InWavefronts(TileRuns):
    """The tiles of wavefront w, which are in `order` from the place `fronts[w]` on, run at once."""

    wavefronts: SSAValue
    order: SSAValue = field(metadata={"size": ArraySize.TILES})
    fronts: SSAValue = field(metadata={"size": ArraySize.ENDS})

    @contextmanager
    def loops(self, code: Code, scratch: Sequence[SSAValue]) -> Iterator[tuple[Code, SSAValue]]:
        with code.loop("w", 0, code.load(self.wavefronts)) as (body, wavefront):
            first = body.load(self.fronts, wavefront)
            end = body.load(self.fronts, body.sum(wavefront, 1))
            with body.parallel_loop("q", first, end) as (inner, place):
                yield inner, inner.load(self.order, place)


@dataclass(frozen=True)
class InReadyQueue(TileRuns):
    """A tile runs when its predecessors have ended.

    The successors of tile q are in `successors` from the place `edges[q]` on.
    """

    tiles: SSAValue
    edges: SSAValue = field(metadata={"size": ArraySize.ENDS})
    successors: SSAValue = field(metadata={"size": ArraySize.EDGES})
    predecessors: SSAValue = field(metadata={"size": ArraySize.TILES})

    def prepare(self, code: Code) -> Sequence[SSAValue]:
        count = code.load(self.tiles)
        names = (("queue", count), ("waits_for", count), ("places", PLACES))
        return [code.array(name, size, element=i64) for name, size in names]

    @contextmanager
    def loops(self, code: Code, scratch: Sequence[SSAValue]) -> Iterator[tuple[Code, SSAValue]]:
        queue, waits_for, places = scratch
        count = code.load(self.tiles)
        self._fill(code, count, scratch)
        with code.parallel_loop("turn", 0, count) as (body, _):
            place = body.changed("addi", 1, places, HEAD)
            tile = body.first(
                body.changed("addi", 0, queue, place),
                lambda inner, tile: inner.compared(tile, "eq", NOT_READY),
                lambda inner, _: inner.changed("addi", 0, queue, place),
            )
            yield body, tile
            first, end = body.load(self.edges, tile), body.load(self.edges, body.sum(tile, 1))
            with body.loop("e", first, end) as (inner, edge):
                next = inner.load(self.successors, edge)
                left = inner.changed("addi", -1, waits_for, next)
                with inner.conditional(inner.compared(left, "eq", 1)) as last:
                    last.changed("assign", next, queue, last.changed("addi", 1, places, TAIL))
        code.make_dynamic()

    def _fill(self, code: Code, count: SSAValue, scratch: Sequence[SSAValue]) -> None:
        """Fill the queue with the tiles that have no predecessors."""
        queue, waits_for, places = scratch
        not_ready, zero = (code.integer(n) for n in (NOT_READY, 0))
        code.fill(queue, not_ready, [count])
        code.store(zero, places, HEAD)
        code.store(zero, places, TAIL)
        with code.loop("q", 0, count) as (body, tile):
            number = body.load(self.predecessors, tile)
            body.store(body.integer(number), waits_for, tile)
            with body.conditional(body.compared(number, "eq", 0)) as ready:
                place = ready.load(places, TAIL)
                ready.store(ready.integer(tile), queue, ready.index(place))
                after = ready.sum(ready.index(place), 1)
                ready.store(ready.integer(after), places, TAIL)
