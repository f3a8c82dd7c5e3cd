"""What each rank would compute and send, for any number of ranks: counted from the sets.

Nothing runs. The sets of `polyir.distributed.elements` have the blocks of ranks as parameters; with
the blocks of two ranks in their place, the number of their points is what one sends to the other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from math import isqrt

import islpy as isl
from xdsl.dialects.builtin import FixedBitwidthType, MemRefType
from xdsl.ir import Attribute

from polyir.diagnostics import PolyirError, location_of
from polyir.distributed.counting import fixed, number_of_points
from polyir.distributed.elements import (
    OWN,
    PEER,
    Division,
    Elements,
    divisions_of,
    step_parameters,
)
from polyir.distributed.exchange import pieces_of
from polyir.distributed.phases import Phase, Range, divided, instances_of_steps
from polyir.distributed.rank_sums import Ranks, Total, Vector, summed
from polyir.distributed.requirements import require_parallel_loops
from polyir.isl_lists import sets_of
from polyir.model.scop import Scop

Step = tuple[int, ...]
"""The values of the sequential loops around a phase."""


@dataclass(frozen=True)
class Traffic:
    """Messages, and how many bytes are in them."""

    messages: int = 0
    bytes: int = 0

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(self.messages + other.messages, self.bytes + other.bytes)


@dataclass(frozen=True)
class Work:
    """What a rank does: statement instances that it runs, and messages."""

    instances: int = 0
    sent: Traffic = Traffic()
    received: Traffic = Traffic()

    def __add__(self, other: Work) -> Work:
        return Work(
            self.instances + other.instances,
            self.sent + other.sent,
            self.received + other.received,
        )

    @property
    def vector(self) -> Vector:
        """The numbers one after the other, for sums."""
        sent, received = self.sent, self.received
        return self.instances, sent.messages, sent.bytes, received.messages, received.bytes

    @staticmethod
    def of(vector: Vector) -> Work:
        """The inverse of `vector`."""
        instances, *numbers = vector
        return Work(instances, Traffic(*numbers[:2]), Traffic(*numbers[2:]))


@dataclass(frozen=True)
class Totals:
    """What all ranks do together, and the most that one does, entry by entry.

    `is_exact` tells whether the numbers are exact, or estimated for lack of a polynomial.
    """

    all: Work
    most: Work
    is_exact: bool


@dataclass(frozen=True)
class _Message:
    """The elements of one type that go from one rank to another in a step of a phase."""

    phase: Phase
    bytes: int
    elements: tuple[isl.Set, ...]


class SizedProgram:
    """A distributed program for given sizes: sets without the parameters of the scop.

    `sizes` gives a value to each parameter of the scop. Raises `PolyirError` if one is missing, or
    if the values are outside the scop's context. `grid` is the option of `distribute-memory`.
    Each rank has one block. Raises `NotDistributedError` if no loop can be divided.
    """

    def __init__(self, scop: Scop, sizes: Mapping[str, int], grid: int = 1) -> None:
        missing = [name for name in scop.op.parameter_values if name not in sizes]
        if missing:
            raise PolyirError(f"no size is given for {', '.join(missing)}", location_of(scop.op))
        self.sizes = dict(sizes)
        if fixed(scop.context, self.sizes).is_empty():
            raise PolyirError("the sizes are outside the context of the scop", location_of(scop.op))
        self.scop = scop
        self.phases = divided(scop, grid).phases
        require_parallel_loops(scop, self.phases)
        divisions = divisions_of(self.phases, scop.op.parameter_values)
        self.elements = Elements(scop, self.phases, divisions)

    @cached_property
    def divisions(self) -> tuple[Division, ...]:
        """The divisions, each once."""
        return tuple({d.name: d for d in self.elements.divisions.values()}.values())

    @cached_property
    def sent(self) -> tuple[_Message, ...]:
        """What ranks send to each other, with parameters for the step and the two blocks."""
        return tuple(
            _Message(phase, size, sets)
            for phase in self.phases
            for size, sets in self._by_type(self.elements.sent(phase, OWN, PEER))
        )

    @cached_property
    def scattered(self) -> tuple[tuple[int, tuple[isl.Set, ...]], ...]:
        """What the first rank sends before all steps: bytes of an element, and the elements."""
        return tuple(self._by_type(self._arguments(self.elements.scattered(PEER))))

    @cached_property
    def gathered(self) -> tuple[tuple[int, tuple[isl.Set, ...]], ...]:
        """What the first rank receives after all steps: bytes of an element, and the elements."""
        return tuple(self._by_type(self._arguments(self.elements.gathered(PEER))))

    @cached_property
    def run(self) -> dict[str, isl.UnionSet]:
        """The instances of each phase that a rank runs, in all steps."""
        return {p.name: self._union(self.elements.run_by(p, OWN)) for p in self.phases}

    @cached_property
    def run_in_step(self) -> dict[str, isl.UnionSet]:
        """The instances of each phase that a rank runs in a step."""
        return {
            p.name: self._union(self.elements.in_step(p).intersect(self.elements.run_by(p, OWN)))
            for p in self.phases
        }

    @lru_cache(None)  # noqa: B019
    def steps(self, phase: Phase) -> isl.Set:
        """The steps of a phase, `{ P[s] }`."""
        return fixed(instances_of_steps(phase), self.sizes)

    def _union(self, union: isl.UnionSet) -> isl.UnionSet:
        sets = (isl.UnionSet.from_set(fixed(each, self.sizes)) for each in sets_of(union))
        return reduce(isl.UnionSet.union, sets)

    def _arguments(self, sets: Mapping[str, isl.Set]) -> dict[str, isl.Set]:
        """The arrays that the caller has; others are not scattered and gathered."""
        block = self.scop.op.parent_block()
        function = block.parent_op() if block is not None else None
        arguments = function.regions[0].block.args if function is not None else ()
        return {name: each for name, each in sets.items() if self.scop.arrays[name] in arguments}

    def _by_type(self, sets: Mapping[str, isl.Set]) -> Iterator[tuple[int, tuple[isl.Set, ...]]]:
        """Elements of one type, which share a message: the bytes of one, and the sets."""
        groups: dict[Attribute, list[isl.Set]] = {}
        for name, elements in sets.items():
            type = self.scop.arrays[name].type
            assert isinstance(type, MemRefType)
            groups.setdefault(type.element_type, []).append(fixed(elements, self.sizes))
        for element, members in groups.items():
            assert isinstance(element, FixedBitwidthType)
            yield element.size, tuple(members)


@dataclass(frozen=True)
class Blocks:
    """The tiles of a loop in blocks of neighbouring ones, one a rank.

    Block r begins `ceil(r * tiles / ranks)` tiles after the first one, as in the program.
    """

    first: int
    tiles: int
    ranks: int

    def begin(self, rank: int) -> int:
        """The first tile of a rank."""
        return self.first - (-rank * self.tiles // self.ranks)

    def size(self, rank: int) -> int:
        """How many tiles a rank has."""
        if not 0 <= rank < self.ranks:
            return 0
        return self.begin(rank + 1) - self.begin(rank)

    def rank_of(self, tile: int) -> int:
        """The rank that has a tile; for a tile outside, the first or the last rank."""
        if not self.tiles:
            return 0
        inside = min(max(tile - self.first, 0), self.tiles - 1)
        return inside * self.ranks // self.tiles


class Simulation:
    """Counts for a number of ranks."""

    def __init__(self, program: SizedProgram, ranks: int) -> None:
        self.program, self.ranks = program, ranks
        dimensions = max(len(each.ranges) for each in program.divisions)
        self.grid: tuple[int, ...] = grid_of(ranks) if dimensions == 2 else (ranks,)
        self.blocks = {d.name: self._blocks(d) for d in program.divisions}

    def _blocks(self, division: Division) -> tuple[Blocks, ...]:
        """The blocks along each divided loop."""
        is_line = len(division.ranges) < len(self.grid)
        sides = (self.ranks,) if is_line else self.grid
        return tuple(map(self._blocks_along, division.ranges, sides))

    def _blocks_along(self, range: Range, side: int) -> Blocks:
        ends = []
        for value in (range.least, range.greatest):
            point = fixed(isl.Set.from_pw_aff(range.tile(value)), self.program.sizes)
            if point.is_empty():
                return Blocks(0, 0, side)
            ends.append(int(point.dim_min_val(0).to_python()))
        return Blocks(ends[0], max(0, ends[1] - ends[0] + 1), side)

    def _coordinates(self, rank: int, blocks: tuple[Blocks, ...]) -> tuple[int, ...]:
        return (rank,) if len(blocks) == 1 else divmod(rank, self.grid[1])

    def bounds(self, rank: int, who: str) -> dict[str, int]:
        """The parameters for the blocks of a rank."""
        found = {}
        for division in self.program.divisions:
            blocks = self.blocks[division.name]
            for dimension, place in enumerate(self._coordinates(rank, blocks)):
                found[division.begin(dimension, who)] = blocks[dimension].begin(place)
                found[division.end(dimension, who)] = blocks[dimension].begin(place + 1)
        return found

    # ---------------------------------------------------------------------------- in all steps

    def instances(self, rank: int) -> int:
        """The statement instances that a rank runs."""
        own = self.bounds(rank, OWN)
        return sum(_points(union, own) for union in self.program.run.values())

    def sent(self, source: int, target: int) -> Traffic:
        """What goes from one rank to another in all steps."""
        if source == target:
            return Traffic()
        values = self.bounds(source, OWN) | self.bounds(target, PEER)
        found = Traffic()
        for message in self.program.sent:
            names = step_parameters(message.phase)
            sets = [_with_steps(fixed(each, values), names) for each in message.elements]
            elements = sum(map(number_of_points, sets))
            if elements:
                found += Traffic(_distinct(sets, len(names)), elements * message.bytes)
        return found

    def lengths(self, source: int, target: int) -> list[tuple[str, Step, int]]:
        """Each message from one rank to another: its phase, its step and its bytes."""
        found = []
        values = self.bounds(source, OWN) | self.bounds(target, PEER)
        for message in self.program.sent if source != target else ():
            names = step_parameters(message.phase)
            for step in self.steps(message.phase):
                here = values | dict(zip(names, step, strict=True))
                elements = sum(number_of_points(fixed(each, here)) for each in message.elements)
                if elements:
                    found.append((message.phase.name, step, elements * message.bytes))
        return found

    def scattered(self, rank: int) -> Traffic:
        """What the first rank sends to another one before all steps."""
        return self._with_first(rank, self.program.scattered)

    def gathered(self, rank: int) -> Traffic:
        """What the first rank receives from another one after all steps."""
        return self._with_first(rank, self.program.gathered)

    def _with_first(self, rank: int, groups: Iterable[tuple[int, tuple[isl.Set, ...]]]) -> Traffic:
        values = self.bounds(rank, PEER)
        found = Traffic()
        for bytes, sets in groups if rank else ():
            elements = sum(number_of_points(fixed(each, values)) for each in sets)
            found += Traffic(pieces_of(elements), elements * bytes)
        return found

    def of_rank(self, rank: int) -> Work:
        """What a rank does in all steps; for many ranks, see `Total` on exactness."""
        return self._of_rank(rank)[0]

    def _of_rank(self, rank: int) -> tuple[Work, bool]:
        sent = self._over_peers(rank, PEER, lambda peer: self.sent(rank, peer))
        received = self._over_peers(rank, OWN, lambda peer: self.sent(peer, rank))
        work = Work(self.instances(rank), Traffic(*sent.sums), Traffic(*received.sums))
        return work, sent.is_exact and received.is_exact

    def totals(self) -> Totals:
        """What all ranks do together in all steps, and the most that one does."""
        busy = self._busy()
        if busy is not self:
            return busy.totals()
        is_exact = True

        def value(rank: int) -> Vector:
            nonlocal is_exact
            work, exact = self._of_rank(rank)
            is_exact = is_exact and exact
            return work.vector

        total = summed(value, self._neighbours(range(self.ranks), self._sizes), len(Work().vector))
        return Totals(Work.of(total.sums), Work.of(total.greatest), is_exact and total.is_exact)

    def _busy(self) -> Simulation:
        """The same without the ranks that have no tile, where that is simple."""
        tiles = {each.tiles for blocks in self.blocks.values() for each in blocks}
        if len(self.grid) == len(tiles) == 1 and 0 < max(tiles) < self.ranks:
            return Simulation(self.program, max(tiles))
        return self

    def first_and_last(self) -> tuple[Traffic, Traffic, bool]:
        """All that is scattered, all that is gathered, and whether the numbers are exact."""
        busy = self._busy()
        if busy is not self:
            return busy.first_and_last()

        def value(rank: int) -> Vector:
            one, other = self.scattered(rank), self.gathered(rank)
            return one.messages, one.bytes, other.messages, other.bytes

        total = summed(value, self._neighbours(range(self.ranks), self._sizes), 4)
        return Traffic(*total.sums[:2]), Traffic(*total.sums[2:]), total.is_exact

    # ------------------------------------------------------------------------------ in a step

    def in_step(self, rank: int, phase: Phase, step: Step) -> Work:
        """What a rank does in a step of a phase."""
        known = dict(zip(step_parameters(phase), step, strict=True))
        own = self.bounds(rank, OWN) | known
        instances = _points(self.program.run_in_step[phase.name], own)
        sent, received = (
            self._over_peers(rank, who, self._one_step(rank, phase, known, who), (phase, known))
            for who in (PEER, OWN)
        )
        return Work(instances, Traffic(*sent.sums), Traffic(*received.sums))

    def _one_step(
        self, rank: int, phase: Phase, known: Mapping[str, int], who: str
    ) -> Callable[[int], Traffic]:
        """What goes to a peer, or comes from it if the peer is `OWN`."""
        other = OWN if who == PEER else PEER

        def traffic(peer: int) -> Traffic:
            values = self.bounds(rank, other) | self.bounds(peer, who) | dict(known)
            found = Traffic()
            for message in self.program.sent if peer != rank else ():
                if message.phase is phase:
                    sets = (fixed(each, values) for each in message.elements)
                    elements = sum(map(number_of_points, sets))
                    found += Traffic(int(elements > 0), elements * message.bytes)
            return found

        return traffic

    def steps(self, phase: Phase) -> list[Step]:
        """The steps of a phase, in lexicographic order."""
        return _points_of(self.program.steps(phase))

    def active(self, phase: Phase, step: Step) -> tuple[int, int]:
        """The first and the last rank that may have work in a step of a phase."""
        division = self.program.elements.divisions[phase.name]
        known = dict(zip(step_parameters(phase), step, strict=True))
        (values,) = sets_of(self.program.elements.in_step(phase).apply(phase.place))
        values = fixed(fixed(values, self.program.sizes), known)
        if values.is_empty():
            return 0, -1
        ends = []
        for place, (range, blocks) in enumerate(
            zip(division.ranges, self.blocks[division.name], strict=True)
        ):
            extremes = (values.dim_min_val(place), values.dim_max_val(place))
            tiles = ((int(v.to_python()) - range.offset) // range.stride for v in extremes)
            ends.append(tuple(map(blocks.rank_of, tiles)))
        (first, last), *rest = ends
        for low, high in rest:
            first, last = first * self.grid[1] + low, last * self.grid[1] + high
        return first, last

    # ---------------------------------------------------------------------------------- peers

    def _size(self, rank: int) -> object:
        """The numbers of tiles: what a rank sends to this one is then a polynomial of its place."""
        return tuple(
            each.size(place)
            for blocks in self.blocks.values()
            for each, place in zip(blocks, self._coordinates(rank, blocks), strict=True)
        )

    def _sizes(self, rank: int) -> object:
        """Those of the neighbours, too, which it sends to; outside, there are none."""
        return tuple(
            each.size(place + distance)
            for blocks in self.blocks.values()
            for each, place in zip(blocks, self._coordinates(rank, blocks), strict=True)
            for distance in (-1, 0, 1)
        )

    def _neighbours(self, members: Sequence[int], shape: Callable[[int], object]) -> Ranks:
        largest = max((b[0] for b in self.blocks.values()), key=lambda each: each.tiles)
        columns = self.ranks // largest.ranks
        return Ranks(members, shape, lambda rank: largest.begin(rank // columns))

    def _over_peers(
        self,
        rank: int,
        who: str,
        traffic: Callable[[int], Traffic],
        where: tuple[Phase, Mapping[str, int]] | None = None,
    ) -> Total:
        peers = self._peers(rank, who, where)

        def value(peer: int) -> Vector:
            found = traffic(peer)
            return found.messages, found.bytes

        total = Total((0, 0), (0, 0))
        # The ranks on both sides: the sum over one side is a polynomial, that over both is not.
        middle = bisect_left(peers, rank)
        for side in (peers[:middle], peers[middle + (rank in peers) :]):
            total += summed(value, self._neighbours(side, self._size), 2)
        return total

    def _peers(
        self, rank: int, who: str, where: tuple[Phase, Mapping[str, int]] | None
    ) -> Sequence[int]:
        """The ranks that a rank may send to, or that it may receive from, in order."""
        values = self.bounds(rank, OWN if who == PEER else PEER)
        found: list[tuple[tuple[int, int], ...]] = []
        for message in self.program.sent:
            if where is not None and message.phase is not where[0]:
                continue
            known = values | (dict(where[1]) if where is not None else {})
            for each in message.elements:
                left = fixed(each, known)
                if not left.is_empty():
                    found.append(self._partners(left, who))
        if not found:
            return ()
        ends = [
            range(min(low for low, _ in each), max(high for _, high in each) + 1)
            for each in zip(*found, strict=True)
        ]
        if len(ends) == 1:
            return ends[0]
        return [row * self.grid[1] + column for row in ends[0] for column in ends[1]]

    def _partners(self, elements: isl.Set, who: str) -> tuple[tuple[int, int], ...]:
        """Which blocks may lead to these elements: the first and the last along each side.

        A block leads to elements if it has at least one of some tiles: the first of them is the
        least end of such a block, less 1, and the last one is the greatest begin.
        """
        conditions = elements.params()
        found: list[tuple[tuple[int, int], ...]] = []
        for division in self.program.divisions:
            blocks = self.blocks[division.name]
            names = [division.begin(d, who) for d in range(len(blocks))]
            if all(_bound_of(conditions, name, isl.Set.dim_max_val) is None for name in names):
                continue
            ends = []
            for dimension, each in enumerate(blocks):
                low = _bound_of(conditions, division.end(dimension, who), isl.Set.dim_min_val)
                high = _bound_of(conditions, division.begin(dimension, who), isl.Set.dim_max_val)
                first = 0 if low is None else each.rank_of(low - 1)
                ends.append((first, each.ranks - 1 if high is None else each.rank_of(high)))
            if len(ends) < len(self.grid):
                columns = self.grid[1]
                ends = [(ends[0][0] // columns, ends[0][1] // columns), (0, columns - 1)]
            found.append(tuple(ends))
        if not found:
            return tuple((0, side - 1) for side in self.grid)
        return tuple(
            (min(low for low, _ in each), max(high for _, high in each))
            for each in zip(*found, strict=True)
        )


def grid_of(ranks: int) -> tuple[int, int]:
    """The sides of the grid of ranks, the longer one first: as near to a square as can be."""
    columns = max(side for side in range(1, isqrt(ranks) + 1) if ranks % side == 0)
    return ranks // columns, columns


def _bound_of(
    conditions: isl.Set, name: str, bound: Callable[[isl.Set, int], isl.Val]
) -> int | None:
    """A bound of a parameter, `None` if there is none."""
    place = conditions.find_dim_by_name(isl.dim_type.param, name)
    if place < 0:
        return None
    moved = conditions.move_dims(isl.dim_type.set, 0, isl.dim_type.param, place, 1)
    value = bound(moved.project_out_all_params(), 0)
    return int(value.to_python()) if value.is_int() else None


def _points(union: isl.UnionSet, values: Mapping[str, int]) -> int:
    return sum(number_of_points(fixed(each, values)) for each in sets_of(union))


def _with_steps(elements: isl.Set, names: Iterable[str]) -> isl.Set:
    """`{ [s, x] }`: the elements of all steps, each with its step."""
    for position, name in enumerate(names):
        place = elements.find_dim_by_name(isl.dim_type.param, name)
        if place < 0:
            raise AssertionError(f"no parameter {name}: elements that are sent in all steps")
        elements = elements.move_dims(isl.dim_type.set, position, isl.dim_type.param, place, 1)
    return elements


def _distinct(sets: Iterable[isl.Set], steps: int) -> int:
    """In how many steps there are elements."""
    projected = (
        each.project_out(isl.dim_type.set, steps, each.dim(isl.dim_type.set) - steps)
        for each in sets
    )
    return number_of_points(reduce(isl.Set.union, projected).coalesce())


def _points_of(points: isl.Set) -> list[Step]:
    """The points of a set, in lexicographic order."""
    found: list[Step] = []
    width = points.dim(isl.dim_type.set)

    def add(point: isl.Point) -> None:
        coordinates = (point.get_coordinate_val(isl.dim_type.set, k) for k in range(width))
        found.append(tuple(int(each.to_python()) for each in coordinates))

    points.foreach_point(add)
    return sorted(found)
