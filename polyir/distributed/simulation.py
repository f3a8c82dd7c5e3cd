"""What each rank would compute and send, for any number of ranks: counted from the sets.

Nothing runs. The sets of `polyir.distributed.elements` have the blocks of ranks as parameters; with
the blocks of two ranks in their place, the number of their points is what one sends to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, reduce

import islpy as isl

from polyir.distributed.counting import fixed, number_of_points
from polyir.distributed.elements import OWN, PEER, step_parameters
from polyir.distributed.exchange import pieces_of
from polyir.distributed.peers import Peers, Where
from polyir.distributed.phases import Phase
from polyir.distributed.rank_blocks import Layout
from polyir.distributed.rank_sums import Vector, summed
from polyir.distributed.sized_program import ElementsOfType, SizedProgram
from polyir.distributed.traffic import Totals, Traffic, Work
from polyir.sets.boxes import constant_box
from polyir.sets.lists import sets_of

Step = tuple[int, ...]
"""The values of the sequential loops around a phase."""


class Simulation:
    """Counts for a number of ranks."""

    def __init__(self, program: SizedProgram, ranks: int) -> None:
        self.program, self.ranks = program, ranks
        self.layout = Layout(program, ranks)
        self._peers = Peers(program, self.layout)

    # ---------------------------------------------------------------------------- in all steps

    def instances(self, rank: int) -> int:
        """The statement instances that a rank runs."""
        return sum(self._points(union, rank) for union in self.program.run.values())

    def _points(self, union: isl.UnionSet, rank: int) -> int:
        return sum(number_of_points(self.layout.of(each, rank, OWN)) for each in sets_of(union))

    def sent(self, source: int, target: int) -> Traffic:
        """What goes from one rank to another in all steps."""
        found = Traffic()
        for message in self.program.sent if source != target else ():
            names = step_parameters(message.phase)
            sets = [_with_steps(each, names) for each in message.elements]
            sets = [self._between(each, source, target) for each in sets]
            elements = sum(map(number_of_points, sets))
            if elements:
                found += Traffic(_distinct(sets, len(names)), elements * message.bytes)
        return found

    def _between(self, elements: isl.Set, source: int, target: int) -> isl.Set:
        """What goes from one rank to another, once for all of their blocks."""
        of_blocks = self.layout.of(self.layout.of(elements, source, OWN), target, PEER)
        width = elements.dim(isl.dim_type.set)
        blocks = of_blocks.dim(isl.dim_type.set) - width
        return of_blocks.project_out(isl.dim_type.set, width, blocks) if blocks else of_blocks

    def lengths(self, source: int, target: int) -> list[tuple[str, Step, int]]:
        """Each message from one rank to another: its phase, its step and its bytes."""
        found = []
        for message in self.program.sent if source != target else ():
            names = step_parameters(message.phase)
            sets = [self._between(each, source, target) for each in message.elements]
            for step in self.steps(message.phase):
                here = dict(zip(names, step, strict=True))
                elements = sum(number_of_points(fixed(each, here)) for each in sets)
                if elements:
                    found.append((message.phase.name, step, elements * message.bytes))
        return found

    def scattered(self, rank: int) -> Traffic:
        """What the first rank sends to another one before all steps."""
        return self._with_first(rank, self.program.scattered)

    def gathered(self, rank: int) -> Traffic:
        """What the first rank receives from another one after all steps."""
        return self._with_first(rank, self.program.gathered)

    def _with_first(self, rank: int, groups: Iterable[ElementsOfType]) -> Traffic:
        """Each block has a message of its own, or several, which are counted for one block."""
        found = Traffic()
        for bytes, sets in groups if rank else ():
            blocks = [self.layout.of(each, rank, PEER) for each in sets]
            elements = sum(map(number_of_points, blocks))
            if elements:
                of_blocks = (
                    block.project_out(isl.dim_type.set, 0, each.dim(isl.dim_type.set))
                    for each, block in zip(sets, blocks, strict=True)
                )
                messages = _number_in_all(of_blocks)
                if not self.layout.is_dealt:
                    messages = pieces_of(elements)
                found += Traffic(messages, elements * bytes)
        return found

    def of_rank(self, rank: int) -> Work:
        """What a rank does in all steps; for many ranks, see `Total` on exactness."""
        return self._of_rank(rank)[0]

    def _of_rank(self, rank: int) -> tuple[Work, bool]:
        sent = self._peers.total(rank, PEER, lambda peer: self.sent(rank, peer))
        received = self._peers.total(rank, OWN, lambda peer: self.sent(peer, rank))
        work = Work(self.instances(rank), Traffic(*sent.sums), Traffic(*received.sums))
        return work, sent.is_exact and received.is_exact

    def totals(self) -> Totals:
        """What all ranks do together in all steps, and the most that one does."""
        if self._busy is not self:
            return self._busy.totals()
        is_exact = True

        def value(rank: int) -> Vector:
            nonlocal is_exact
            work, exact = self._of_rank(rank)
            is_exact = is_exact and exact
            return work.vector

        everyone = self._peers.ranks(range(self.ranks), self._shape)
        total = summed(value, everyone, len(Work().vector))
        return Totals(Work.of(total.sums), Work.of(total.greatest), is_exact and total.is_exact)

    def _shape(self, rank: int) -> object:
        """The tiles of a rank and of its neighbours, which it sends to."""
        return self.layout.shape(rank, (-1, 0, 1))

    @cached_property
    def _busy(self) -> Simulation:
        """The same without the ranks that have no tile, where that is simple."""
        most = self.layout.most_ranks
        return self if most is None or most >= self.ranks else Simulation(self.program, most)

    def first_and_last(self) -> tuple[Traffic, Traffic, bool]:
        """All that is scattered, all that is gathered, and whether the numbers are exact."""
        if self._busy is not self:
            return self._busy.first_and_last()

        def value(rank: int) -> Vector:
            one, other = self.scattered(rank), self.gathered(rank)
            return one.messages, one.bytes, other.messages, other.bytes

        total = summed(value, self._peers.ranks(range(self.ranks), self._shape), 4)
        return Traffic(*total.sums[:2]), Traffic(*total.sums[2:]), total.is_exact

    # ------------------------------------------------------------------------------ in a step

    def in_step(self, rank: int, phase: Phase, step: Step) -> Work:
        """What a rank does in a step of a phase."""
        where = Where(phase, dict(zip(step_parameters(phase), step, strict=True)))
        run = self.program.run_in_step[phase.name]
        here = (isl.UnionSet.from_set(fixed(each, where.known)) for each in sets_of(run))
        instances = sum(self._points(each, rank) for each in here)
        sent, received = (
            self._peers.total(rank, who, self._one_step(rank, where, who), where)
            for who in (PEER, OWN)
        )
        return Work(instances, Traffic(*sent.sums), Traffic(*received.sums))

    def _one_step(self, rank: int, where: Where, who: str) -> Callable[[int], Traffic]:
        """What goes to a peer, or comes from it if the peer is `OWN`."""
        messages = [
            (message.bytes, [fixed(each, where.known) for each in message.elements])
            for message in self.program.sent
            if message.phase is where.phase
        ]

        def traffic(peer: int) -> Traffic:
            found = Traffic()
            for bytes, sets in messages:
                ends = (rank, peer) if who == PEER else (peer, rank)
                pairs = (self._between(each, *ends) for each in sets)
                elements = sum(map(number_of_points, pairs))
                found += Traffic(int(elements > 0), elements * bytes)
            return found

        return traffic

    def steps(self, phase: Phase) -> list[Step]:
        """The steps of a phase, in lexicographic order."""
        return _points_of(self.program.steps(phase))

    def active(self, phase: Phase, step: Step) -> Sequence[int]:
        """The ranks that may have work in a step of a phase."""
        division = self.program.elements.divisions[phase.name]
        known = dict(zip(step_parameters(phase), step, strict=True))
        (values,) = sets_of(self.program.elements.in_step(phase).apply(phase.place))
        values = fixed(fixed(values, self.program.sizes), known)
        if values.is_empty():
            return ()
        tiles = [
            ((first - range.offset) // range.stride, (last - range.offset) // range.stride)
            for range, (first, last) in zip(division.ranges, constant_box(values), strict=True)
        ]
        return self.layout.ranks_with(division, tiles)


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
    return _number_in_all(
        each.project_out(isl.dim_type.set, steps, each.dim(isl.dim_type.set) - steps)
        for each in sets
    )


def _number_in_all(sets: Iterable[isl.Set]) -> int:
    """How many points there are in the union of sets."""
    return number_of_points(reduce(isl.Set.union, sets).coalesce())


def _points_of(points: isl.Set) -> list[Step]:
    """The points of a set, in lexicographic order."""
    found: list[Step] = []
    width = points.dim(isl.dim_type.set)

    def add(point: isl.Point) -> None:
        coordinates = (point.get_coordinate_val(isl.dim_type.set, k) for k in range(width))
        found.append(tuple(int(each.to_python()) for each in coordinates))

    points.foreach_point(add)
    return sorted(found)
