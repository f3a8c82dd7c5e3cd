"""The part of each array that each rank passes, if `data=distributed`.

The parts of an array are blocks of the smallest box around the elements that the program accesses.
Each element of the box is in the part of one rank, its owner. A dimension that the subscripts of
an array have in common with a divided loop is cut where the blocks of the loop are, so that a rank
owns mostly what it writes itself; else the first dimension is cut into equal blocks. A grid of
ranks cuts two dimensions of an array that has so many.

Arrays without dimensions, and those that each rank holds whole (`replicate`), have no owner: every
rank passes all of the box.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.distributed.elements import OWN, PEER, Division, Elements
from polyir.distributed.phases import Phase, unused_stem
from polyir.sets.hulls import coalesced
from polyir.sets.lists import maps_of


@dataclass(frozen=True)
class Cut:
    """A dimension of an array that is cut into blocks, along one side of the grid of ranks.

    With `shift`, a block begins at the first value of the block of the divided loop, plus `shift`;
    else all blocks have the same size, or one less.
    """

    dimension: int
    shift: int | None = None


@dataclass(frozen=True)
class ArrayPart:
    """The boxes that ranks pass of an array with `rank` dimensions.

    There are no `cuts` if all ranks pass the same box, else one for all ranks in a line, or one
    for each side of their grid. `division` has the loops that they follow. `accessed` are sets of
    elements `{ A[x] }`, around which the boxes are.
    """

    array: str
    name: str
    rank: int
    accessed: tuple[isl.Set, ...]
    cuts: tuple[Cut, ...]
    division: Division | None

    def begin(self, dimension: int, who: str = "") -> str:
        """The parameter for the first subscript of a box."""
        return f"{who}{self.name}b{dimension}"

    def end(self, dimension: int, who: str = "") -> str:
        """The parameter for the subscript after the last one."""
        return f"{who}{self.name}e{dimension}"

    def parameters(self, who: str = "") -> list[str]:
        """The parameters of a box."""
        return [
            name
            for dimension in range(self.rank)
            for name in (self.begin(dimension, who), self.end(dimension, who))
        ]

    def owned(self, who: str) -> isl.Set:
        """`{ A[x] }`: those in the box of a rank, of the elements that are accessed."""
        cut = [each.dimension for each in self.cuts]
        bounds = [f"{self.begin(d, who)} <= x{d} < {self.end(d, who)}" for d in cut]
        names = [name for d in cut for name in (self.begin(d, who), self.end(d, who))]
        element = f"{self.array}[{', '.join(f'x{d}' for d in range(self.rank))}]"
        return isl.Set(f"[{', '.join(names)}] -> {{ {element} : {' and '.join(bounds)} }}")


class Ownership:
    """The parts of the arrays `arrays`, which are arguments of the function.

    `sides` is 2 if the ranks are a grid, else 1.
    """

    def __init__(
        self,
        elements: Elements,
        arrays: Collection[str],
        replicated: Collection[str],
        sides: int,
    ) -> None:
        self._elements, self._sides = elements, sides
        taken = [name.removeprefix(OWN).removeprefix(PEER) for name in _parameters(elements)]
        stem = unused_stem("part", taken)
        self.number = unused_stem("rank", taken) + "0"
        """The parameter for the number of a rank."""
        self.parts: dict[str, ArrayPart] = {}
        for array in elements.scop.arrays:
            accessed = self._accessed(array) if array in arrays else ()
            if accessed:
                name = f"{stem}{len(self.parts)}"
                self.parts[array] = self._part(name, array, accessed, array in replicated)

    @property
    def parameters(self) -> list[str]:
        """What is known of each rank: its boxes, and its number if it passes something whole."""
        boxes = [name for each in self.parts.values() for name in each.parameters()]
        return boxes if all(each.cuts for each in self.parts.values()) else [self.number, *boxes]

    # ----------------------------------------------------------------------------------- sets

    def scattered(self) -> dict[str, isl.Set]:
        """The elements whose first values the rank PEER needs, and the rank OWN passes.

        Of an array that all pass whole, a rank takes its own.
        """
        own, peer = f"{OWN}{self.number}", f"{PEER}{self.number}"
        itself = isl.Set(f"[{own}, {peer}] -> {{ : {own} = {peer} }}")
        return {
            array: needed.intersect(self.parts[array].owned(OWN))
            if self.parts[array].cuts
            else needed.intersect_params(itself)
            for array, needed in self._elements.scattered(PEER).items()
            if array in self.parts
        }

    def gathered(self) -> dict[str, isl.Set]:
        """The elements of which the rank OWN has the last values, and the rank PEER passes."""
        return {
            array: last.intersect(self.parts[array].owned(PEER)) if self.parts[array].cuts else last
            for array, last in self._elements.gathered(OWN).items()
            if array in self.parts
        }

    # ----------------------------------------------------------------------------------- cuts

    def _accessed(self, array: str) -> tuple[isl.Set, ...]:
        """The elements of an array that each statement accesses."""
        scop = self._elements.scop
        accesses = self._elements.writes.union(self._elements.reads).intersect_domain(scop.domain)
        ranges = (each.range() for each in _of_array(accesses, array))
        found = (coalesced(elements.intersect_params(scop.context)) for elements in ranges)
        return tuple(each for each in found if not each.is_empty())

    def _part(
        self, name: str, array: str, accessed: tuple[isl.Set, ...], is_whole: bool
    ) -> ArrayPart:
        rank = accessed[0].dim(isl.dim_type.set)
        if is_whole or not rank:
            return ArrayPart(array, name, rank, accessed, (), None)
        for phase, relations in self._candidates(array):
            division = self._elements.divisions[phase.name]
            loops = range(len(division.ranges))
            if len(loops) > rank:
                continue
            found = [_common(phase, division, relations, loop, rank) for loop in loops]
            if any(found):
                return ArrayPart(array, name, rank, accessed, _completed(found, rank), division)
        count = self._sides if rank >= self._sides else 1
        cuts = tuple(Cut(dimension) for dimension in range(count))
        return ArrayPart(array, name, rank, accessed, cuts, None)

    def _candidates(self, array: str) -> Iterator[tuple[Phase, list[isl.Map]]]:
        """Phases that access an array, with the accesses: the last one that writes it first."""
        phases = [each for each in self._elements.phases if each.is_divided]
        for order, relation in (
            (reversed(phases), self._elements.writes),
            (phases, self._elements.reads),
        ):
            for phase in order:
                accesses = _of_array(relation.intersect_domain(phase.domain), array)
                if accesses:
                    yield phase, accesses


def _parameters(elements: Elements) -> list[str]:
    divisions = elements.divisions.values()
    return [*elements.scop.op.parameter_values, *(n for d in divisions for n in d.parameters(""))]


def _of_array(accesses: isl.UnionMap, array: str) -> list[isl.Map]:
    return [each for each in maps_of(accesses) if each.get_tuple_name(isl.dim_type.out) == array]


def _completed(found: Sequence[Cut | None], rank: int) -> tuple[Cut, ...]:
    """Cuts, with a dimension that is left, the first one, where there is none."""
    used: list[int] = []
    kept: list[Cut | None] = []
    for cut in found:
        # The diagonal of an array follows two loops.
        kept.append(None if cut is None or cut.dimension in used else cut)
        used += [] if cut is None else [cut.dimension]
    rest = iter([dimension for dimension in range(rank) if dimension not in used])
    return tuple(cut or Cut(next(rest)) for cut in kept)


def _common(
    phase: Phase, division: Division, accesses: Sequence[isl.Map], loop: int, rank: int
) -> Cut | None:
    """The dimension whose subscript is the value of a divided loop, plus what is bounded."""
    found: list[tuple[int, int, Cut]] = []
    stride = division.ranges[loop].stride
    for dimension in range(rank):
        ends = within_operations(
            budgets.DISTRIBUTED_SET, partial(_distances, phase, accesses, loop, dimension)
        )
        if ends is not None:
            least, greatest = ends
            shift = (least + greatest - (stride - 1)) // 2
            found.append((greatest - least, dimension, Cut(dimension, shift)))
    return min(found)[2] if found else None


def _distances(
    phase: Phase, accesses: Sequence[isl.Map], loop: int, dimension: int
) -> tuple[int, int] | None:
    """The least and the greatest difference of a subscript and a loop, if there are such."""
    ends: list[int] = []
    for access in accesses:
        places = phase.place.reverse().apply_range(isl.UnionMap.from_map(access))
        for pairs in maps_of(places):
            subscript = pairs.dim(isl.dim_type.in_) + dimension
            points = pairs.wrap().flatten()
            space = points.get_space()
            difference = isl.Aff.var_on_domain(space, isl.dim_type.set, subscript).sub(
                isl.Aff.var_on_domain(space, isl.dim_type.set, loop)
            )
            for value in (points.min_val(difference), points.max_val(difference)):
                if not value.is_int():
                    return None
                ends.append(int(value.to_python()))
    return (min(ends), max(ends)) if ends else None
