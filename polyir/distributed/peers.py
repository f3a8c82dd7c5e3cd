"""Which ranks a rank may have messages with, and sums over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import islpy as isl

from polyir.distributed.counting import fixed
from polyir.distributed.elements import OWN, PEER
from polyir.distributed.phases import Phase
from polyir.distributed.rank_blocks import Layout, other
from polyir.distributed.rank_sums import Ranks, Total, summed
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.traffic import Traffic
from polyir.sets.boxes import constant_box, greatest_of, least_of

NEAR = 2
"""How near a peer is that is counted apart."""


@dataclass(frozen=True)
class Where:
    """A step of a phase: the values of the parameters for the step."""

    phase: Phase
    known: Mapping[str, int]


class Peers:
    """The ranks with which each rank may have messages."""

    def __init__(self, program: SizedProgram, layout: Layout) -> None:
        self._program, self._layout = program, layout

    def total(
        self, rank: int, who: str, traffic: Callable[[int], Traffic], where: Where | None = None
    ) -> Total:
        """The sum of what goes to the others, or of what comes from them if they are `OWN`."""
        peers = self._of(rank, who, where)

        def value(peer: int) -> tuple[int, ...]:
            found = traffic(peer)
            return found.messages, found.bytes

        members = [each for each in peers if each != rank]
        return summed(value, self.ranks(members, lambda peer: self._shape(rank, peer)), 2)

    def ranks(self, members: Sequence[int], shape: Callable[[int], object]) -> Ranks:
        """Ranks for a sum, of which those that have one `shape` are alike."""
        layout = self._layout
        largest = max((b[0] for b in layout.blocks.values()), key=lambda each: each.tiles)
        columns = layout.ranks // largest.count if not layout.is_dealt else 1
        return Ranks(members, shape, lambda rank: largest.begin(rank // columns))

    def _shape(self, rank: int, peer: int) -> object:
        """On which sides of a rank a peer is, and whether it is near, besides its tiles.

        What goes to those on one side is a polynomial of their place, that over both sides is not.
        """
        layout = self._layout
        found: list[object] = [layout.shape(peer)]
        places = zip(layout.coordinates(rank), layout.coordinates(peer), layout.grid, strict=True)
        for own, another, side in places:
            found.append(max(-NEAR, min(another - own, NEAR)))
            if layout.is_dealt:
                found.append(min((another - own) % side, NEAR))
                found.append(min((own - another) % side, NEAR))
        return tuple(found)

    # ------------------------------------------------------------------------------- candidates

    def _of(self, rank: int, who: str, where: Where | None) -> Sequence[int]:
        """The ranks that a rank may send to, or that it may receive from, in order."""
        if self._layout.is_dealt:
            return self._at_distances(rank, who)
        values = self._layout.bounds(rank, other(who))
        found: list[tuple[tuple[int, int], ...]] = []
        for message in self._program.sent:
            if where is not None and message.phase is not where.phase:
                continue
            known = {**values, **(where.known if where is not None else {})}
            for each in message.elements:
                left = fixed(each, known)
                if not left.is_empty():
                    found.append(self._partners(left, who))
        if not found:
            return ()
        return self._in_box(_box_around(found))

    def _in_box(self, ends: Sequence[tuple[int, int]]) -> Sequence[int]:
        lines = [range(low, high + 1) for low, high in ends]
        return lines[0] if len(lines) == 1 else [self._layout.rank_at(c) for c in product(*lines)]

    def _partners(self, elements: isl.Set, who: str) -> tuple[tuple[int, int], ...]:
        """Which blocks may lead to these elements: the first and the last along each side.

        A block leads to elements if it has at least one of some tiles: the first of them is the
        least end of such a block, less 1, and the last one is the greatest begin.
        """
        layout, conditions = self._layout, elements.params()
        found: list[tuple[tuple[int, int], ...]] = []
        for division in self._program.divisions:
            blocks = layout.blocks[division.name]
            begins = [_values_of(conditions, division.begin(d, who)) for d in range(len(blocks))]
            last = [greatest_of(values, 0) for values in begins]
            if all(high is None for high in last):
                continue
            ends = []
            for dimension, (each, high) in enumerate(zip(blocks, last, strict=True)):
                low = least_of(_values_of(conditions, division.end(dimension, who)), 0)
                first = 0 if low is None else each.block_of(low - 1)
                ends.append((first, each.count - 1 if high is None else each.block_of(high)))
            if len(ends) < len(layout.grid):
                columns = layout.grid[1]
                ends = [(ends[0][0] // columns, ends[0][1] // columns), (0, columns - 1)]
            found.append(tuple(ends))
        return _box_around(found) if found else tuple((0, side - 1) for side in layout.grid)

    def _at_distances(self, rank: int, who: str) -> Sequence[int]:
        """The ranks whose blocks are as far from those of a rank as any that share elements."""
        sign = 1 if who == PEER else -1
        layout = self._layout
        lines = []
        for own, side, (low, high) in zip(
            layout.coordinates(rank), layout.grid, self._distances, strict=True
        ):
            count = min(side, high - low + 1)
            lines.append(sorted({(own + sign * (low + each)) % side for each in range(count)}))
        return lines[0] if len(lines) == 1 else [layout.rank_at(each) for each in product(*lines)]

    @cached_property
    def _distances(self) -> tuple[tuple[int, int], ...]:
        """How far the block that receives is from the one that sends, at least and at most."""
        layout = self._layout
        dimensions = len(layout.sides)
        both = layout.numbered(OWN).flat_product(layout.numbered(PEER))
        names = [f"a{d}" for d in range(dimensions)], [f"b{d}" for d in range(dimensions)]
        differences = ", ".join(f"{b} - {a}" for a, b in zip(*names, strict=True))
        to = isl.Map(f"{{ [{', '.join(names[0] + names[1])}] -> [{differences}] }}")
        found = []
        for message in self._program.sent:
            for each in message.elements:
                distances = both.intersect_params(each.params()).apply(to)
                distances = distances.project_out_all_params()
                if not distances.is_empty():
                    found.append(constant_box(distances))
        return _box_around(found) if found else ((0, -1),) * dimensions


def _box_around(
    boxes: Iterable[tuple[tuple[int, int], ...]],
) -> tuple[tuple[int, int], ...]:
    """The least box around boxes."""
    return tuple(
        (min(low for low, _ in each), max(high for _, high in each))
        for each in zip(*boxes, strict=True)
    )


def _values_of(conditions: isl.Set, name: str) -> isl.Set:
    """The values of a parameter."""
    place = conditions.find_dim_by_name(isl.dim_type.param, name)
    if place < 0:
        return isl.Set("{ [x] }")
    moved = conditions.move_dims(isl.dim_type.set, 0, isl.dim_type.param, place, 1)
    return moved.project_out_all_params()
