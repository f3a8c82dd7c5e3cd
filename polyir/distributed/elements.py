"""Which elements a rank holds, sends and receives: exact sets, from the dependences.

All sets are over the elements of arrays, `{ A[x] }`, with parameters for the step of a phase and
for the blocks of ranks: the iterations `begin <= p < end` of a divided loop. So one set holds for
every rank, and for any number of ranks.

The element that one rank writes in a step and another one reads later is sent at the end of the
step: the flow-out set of Bondhugula, "Compiling affine loop nests for distributed-memory parallel
architectures" (SC 2013), section 4. The receiver stores it at the end of the step, too. That
overwrites no value that it still needs: a read of the old value is ordered before the write in the
schedule, thus in an earlier step, or in the writing rank.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import islpy as isl

from polyir.dialects.dependence import DependenceKind
from polyir.distributed.extents import existing_elements
from polyir.distributed.phases import Phase, TiledRange, unused_stem
from polyir.model.analysis import flow_by_dates
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.sets.hulls import coalesced
from polyir.sets.lists import maps_of, sets_of


@dataclass(frozen=True)
class Division:
    """How the values of loops are divided among ranks: into blocks of neighbouring ones.

    Loops of several phases have one division if their values differ little, so that what one rank
    writes in one phase it reads in the next.
    """

    name: str
    ranges: tuple[TiledRange, ...]

    def begin(self, dimension: int, who: str) -> str:
        """The parameter for the first tile of a block."""
        return f"{who}{self.name}b{dimension}"

    def end(self, dimension: int, who: str) -> str:
        """The parameter for the first tile after a block."""
        return f"{who}{self.name}e{dimension}"

    def parameters(self, who: str) -> list[str]:
        """The parameters of a block."""
        return [
            name
            for dimension in range(len(self.ranges))
            for name in (self.begin(dimension, who), self.end(dimension, who))
        ]

    def block(self, who: str) -> isl.Set:
        """`{ [p] }`: the values in the tiles of a block."""
        values = [f"p{dimension}" for dimension in range(len(self.ranges))]
        bounds = [
            f"{each.offset} + {each.stride} {self.begin(dimension, who)} <= {value} "
            f"< {each.offset} + {each.stride} {self.end(dimension, who)}"
            for dimension, (each, value) in enumerate(zip(self.ranges, values, strict=True))
        ]
        parameters = ", ".join(self.parameters(who))
        return isl.Set(f"[{parameters}] -> {{ [{', '.join(values)}] : {' and '.join(bounds)} }}")

    def context(self, who: str) -> isl.Set:
        """What is known of the parameters of each block."""
        parameters = ", ".join(self.parameters(who))
        known = " and ".join(
            f"{self.begin(dimension, who)} <= {self.end(dimension, who)}"
            for dimension in range(len(self.ranges))
        )
        return isl.Set(f"[{parameters}] -> {{ : {known} }}")


OWN = "own_"
PEER = "peer_"


def step_parameters(phase: Phase) -> list[str]:
    """The parameters for the values of the sequential loops around a phase."""
    return [f"{phase.stem}{position}" for position in range(phase.steps)]


class Elements:
    """The sets of a scop whose tree is divided into phases.

    `divisions` has the division of each phase by its name; a phase that one rank runs has none,
    and is a part of the first rank's work. The arrays `private` are not part of the sets: each rank
    has one for itself.
    """

    def __init__(
        self,
        scop: Scop,
        phases: Sequence[Phase],
        divisions: Mapping[str, Division],
        private: Collection[str] = (),
    ) -> None:
        self.scop = scop
        self.phases = tuple(phases)
        self.divisions = divisions
        self.private = private

    # ------------------------------------------------------------------------------ instances

    def run_by(self, phase: Phase, who: str) -> isl.UnionSet:
        """The instances of a phase that a rank runs, in all steps."""
        division = self.divisions[phase.name]
        block = isl.UnionSet.from_set(division.block(who))
        return phase.place.intersect_range(block).domain()

    def in_step(self, phase: Phase) -> isl.UnionSet:
        """The instances of a phase in one step."""
        names = step_parameters(phase)
        space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, len(names), len(names))
        here = isl.Set.universe(space)
        for position, name in enumerate(names):
            here = here.set_dim_name(isl.dim_type.param, position, name)
            here = here.equate(isl.dim_type.param, position, isl.dim_type.set, position)
        return phase.step.intersect_range(isl.UnionSet.from_set(here)).domain()

    # ------------------------------------------------------------------------------- accesses

    @cached_property
    def writes(self) -> isl.UnionMap:
        """`{ S[i] -> A[x] }`: also what may be written, which then keeps the value it had."""
        return self._accesses(AccessKind.WRITE, AccessKind.MAY_WRITE)

    @cached_property
    def reads(self) -> isl.UnionMap:
        """`{ S[i] -> A[x] }`: also what may be written, of which the old value may stay."""
        return self._accesses(AccessKind.READ, AccessKind.MAY_WRITE)

    def _accesses(self, *kinds: AccessKind) -> isl.UnionMap:
        accesses = self._shared(self.scop.accesses(*kinds))
        if all(each.certain for statement in self.scop.statements for each in statement.accesses):
            return accesses
        return accesses.intersect_range(existing_elements(self.scop))

    def _shared(self, accesses: isl.UnionMap) -> isl.UnionMap:
        """Accesses without those to arrays that are private."""
        if not self.private:
            return accesses
        shared = (
            isl.UnionMap.from_map(each)
            for each in maps_of(accesses)
            if each.get_tuple_name(isl.dim_type.out) not in self.private
        )
        return reduce(isl.UnionMap.union, shared, isl.UnionMap.empty(accesses.get_space()))

    @cached_property
    def _order(self) -> isl.UnionMap:
        """An order in which each read takes its value from the same write as in that of the tree.

        The order of the program is one, and simpler, where the tree respects all dependences.
        """
        known = self.scop.dependences
        if (
            known is None
            or known.order is None
            or any(each.kind is DependenceKind.REDUCTION for each in known.items)
        ):
            return self.scop.schedule.map.intersect_domain(self.scop.domain)
        return known.order.intersect_domain(self.scop.domain)

    @cached_property
    def _flow(self) -> isl.UnionFlow:
        return self._flow_to(self.reads, self._order)

    def _flow_to(self, sink: isl.UnionMap, order: isl.UnionMap) -> isl.UnionFlow:
        access = isl.UnionAccessInfo.from_sink(sink)
        return flow_by_dates(access.set_must_source(self.writes), order)

    @cached_property
    def flow(self) -> isl.UnionMap:
        """`{ S[i] -> [T[j] -> A[x]] }`: S[i] writes the value of A[x] that T[j] reads."""
        return self._flow.get_full_must_dependence()

    @cached_property
    def first_reads(self) -> isl.UnionMap:
        """`{ S[i] -> A[x] }`: reads of values that were there before."""
        return self._flow.get_must_no_source()

    @cached_property
    def last_writers(self) -> isl.UnionMap:
        """`{ S[i] -> A[x] }`: S[i] is the last instance that writes A[x]."""
        order = self._order
        dimensions = max((each.dim(isl.dim_type.out) for each in maps_of(order)), default=0)
        before = isl.UnionMap(f"{{ [{_names(dimensions)}] -> [0, {_names(dimensions)}] }}")
        if not dimensions:
            before = isl.UnionMap("{ [] -> [0] }")
        order = order.apply_range(before)
        after = isl.UnionMap(f"{{ End[] -> [{', '.join(['1', *['0'] * dimensions])}] }}")
        end = isl.UnionSet("{ End[] }")
        sink = isl.UnionMap.from_domain_and_range(end, self.writes.range())
        flow = self._flow_to(sink, order.union(after)).get_full_must_dependence()
        return flow.range_factor_range()

    # ----------------------------------------------------------------------------------- sets

    def held(self, who: str, division: Division | None = None) -> dict[str, isl.Set]:
        """The elements of each array that a rank accesses, in all phases or those of a division."""
        accesses = self.writes.union(self.reads)
        return self._of_arrays(
            accesses.intersect_domain(self.run_by(phase, who)).range()
            for phase in self.phases
            if division is None or self.divisions[phase.name] is division
        )

    def accessed(self) -> dict[str, isl.Set]:
        """The elements of each array that are accessed."""
        accesses = self.writes.union(self.reads)
        return self._of_arrays(
            accesses.intersect_domain(phase.domain).range() for phase in self.phases
        )

    def scattered(self, who: str) -> dict[str, isl.Set]:
        """The elements whose first values a rank needs."""
        return self._of_arrays(
            self.first_reads.intersect_domain(self.run_by(phase, who)).range()
            for phase in self.phases
        )

    def gathered(self, who: str) -> dict[str, isl.Set]:
        """The elements of which a rank has the last values."""
        return self._of_arrays(
            self.last_writers.intersect_domain(self.run_by(phase, who)).range()
            for phase in self.phases
        )

    def sent(self, phase: Phase, source: str, target: str) -> dict[str, isl.Set]:
        """What the rank `source` writes in a step of a phase, and the rank `target` reads later."""
        written_here = self.in_step(phase).intersect(self.run_by(phase, source))
        flow = self.flow.intersect_domain(written_here).range().unwrap()
        return self._of_arrays(
            self._read_by(reader, flow, phase, source, target) for reader in self.phases
        )

    def sent_by(self, phase: Phase, source: str, target: str) -> dict[str, tuple[isl.Map, ...]]:
        """`{ S[i] -> A[x] }` for each array A: S[i] writes what `sent` has.

        No element is there twice: if the rank wrote one twice in a step, another rank's read of
        the first value would be ordered before the second write, so in an earlier step, which is
        before the first write.
        """
        written_here = self.in_step(phase).intersect(self.run_by(phase, source))
        flow = self.flow.intersect_domain(written_here)
        found: dict[str, list[isl.Map]] = {}
        for reader in self.phases:
            read = flow.range().unwrap().intersect_domain(self.run_by(reader, target))
            both = flow.intersect_range(read.wrap())
            if self._is_apart(reader, phase, both, source, target):
                continue
            for each in maps_of(both.range_factor_range().intersect_params(self.scop.context)):
                array = each.get_tuple_name(isl.dim_type.out) or ""
                found.setdefault(array, []).append(each)
        maps = {
            array: reduce(isl.UnionMap.union, map(isl.UnionMap.from_map, each))
            for array, each in found.items()
        }
        return {array: maps_of(each) for array, each in maps.items()}

    def _is_apart(
        self, reader: Phase, writer: Phase, flow: isl.UnionMap, source: str, target: str
    ) -> bool:
        """Whether there is no flow between blocks that have no iteration in common."""
        division = self.divisions[reader.name]
        if division is not self.divisions[writer.name]:
            return False
        return bool(flow.intersect_params(apart(division, source, target)).is_empty())

    def _read_by(
        self, reader: Phase, flow: isl.UnionMap, writer: Phase, source: str, target: str
    ) -> isl.UnionSet:
        """What the rank `target` reads in a phase of `{ T[j] -> A[x] }`."""
        read = flow.intersect_domain(self.run_by(reader, target)).range()
        division = self.divisions[reader.name]
        if division is not self.divisions[writer.name]:
            return read
        between = read.intersect_params(apart(division, source, target))
        # In a grid, blocks are apart in many ways, each of which would be a piece of the set.
        return between if len(division.ranges) == 1 or between.is_empty() else read

    def _of_arrays(self, unions: Iterable[isl.UnionSet]) -> dict[str, isl.Set]:
        """The elements of each array, in the order of the names of arrays in the scop."""
        union = reduce(isl.UnionSet.union, unions).intersect_params(self.scop.context)
        found = {each.get_tuple_name() or "": coalesced(each) for each in sets_of(union)}
        return {
            name: found[name]
            for name in self.scop.arrays
            if name in found and not found[name].is_empty()
        }


def apart(division: Division, one: str, another: str) -> isl.Set:
    """The blocks of two ranks are different ones, which have no iteration in common."""
    return reduce(
        isl.Set.union,
        (
            isl.Set(f"[{end}, {begin}] -> {{ : {end} <= {begin} }}")
            for dimension in range(len(division.ranges))
            for first, second in ((one, another), (another, one))
            for end, begin in ((division.end(dimension, first), division.begin(dimension, second)),)
        ),
    )


def _names(count: int) -> str:
    return ", ".join(f"i{position}" for position in range(count))


def divisions_of(phases: Sequence[Phase], taken: Collection[str]) -> dict[str, Division]:
    """The divisions of phases by their names; loops whose values differ little share one.

    Their parameters have other names than those in `taken`.
    """
    groups: list[list[Phase]] = []
    for phase in phases:
        for group in groups:
            first = group[0]
            if len(first.ranges) == len(phase.ranges) and all(
                one.is_near(another)
                for one, another in zip(first.ranges, phase.ranges, strict=True)
            ):
                group.append(phase)
                break
        else:
            groups.append([phase])
    stem = unused_stem("d", [name.removeprefix(OWN).removeprefix(PEER) for name in taken])
    divisions: dict[str, Division] = {}
    for number, group in enumerate(groups):
        ranges = tuple(
            reduce(TiledRange.union, each) for each in zip(*(p.ranges for p in group), strict=True)
        )
        division = Division(f"{stem}{number}", ranges)
        divisions |= {phase.name: division for phase in group}
    return divisions
