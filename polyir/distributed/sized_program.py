"""The sets of a distributed program for given sizes, with blocks and steps as parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import Final

import islpy as isl
from xdsl.dialects.builtin import FixedBitwidthType, MemRefType
from xdsl.ir import Attribute

from polyir.base.diagnostics import PolyirError, location_of
from polyir.distributed.counting import fixed
from polyir.distributed.divided_reductions import has_divided_reductions
from polyir.distributed.elements import OWN, PEER, Division, Elements, divisions_of
from polyir.distributed.options import DistributionOptions
from polyir.distributed.phases import Phase, divided, instances_of_steps
from polyir.distributed.requirements import require_parallel_loops
from polyir.model.scop import Scop
from polyir.sets.lists import sets_of

BLOCK_EACH: Final = DistributionOptions()
"""The default: each rank has one block, in a line."""

ElementsOfType = tuple[int, tuple[isl.Set, ...]]
"""The bytes of an element, and sets of elements that have one type."""


@dataclass(frozen=True)
class Message:
    """The elements of one type that go from one rank to another in a step of a phase."""

    phase: Phase
    bytes: int
    elements: tuple[isl.Set, ...]


class SizedProgram:
    """A distributed program for given sizes: sets without the parameters of the scop.

    `sizes` gives a value to each parameter of the scop. Raises `PolyirError` if one is missing, or
    if the values are outside the scop's context. `options` are those of `distribute-memory`, of
    which `replicate` changes no message. Raises `NotDistributedError` if no loop can be divided,
    and `PolyirError` if updates of a reduction are.
    """

    def __init__(
        self,
        scop: Scop,
        sizes: Mapping[str, int],
        options: DistributionOptions = BLOCK_EACH,
    ) -> None:
        missing = [name for name in scop.op.parameter_values if name not in sizes]
        if missing:
            raise PolyirError(
                f"no size is given for {', '.join(missing)}", location_of(scop.op), name="sizes"
            )
        self.sizes = dict(sizes)
        if fixed(scop.context, self.sizes).is_empty():
            raise PolyirError(
                "the sizes are outside the context of the scop", location_of(scop.op), name="sizes"
            )
        if has_divided_reductions(scop):
            why = "partial results of a reduction, which MPI combines, are not counted"
            raise PolyirError(why, location_of(scop.op), name="sizes")
        self.scop, self.options = scop, options
        self.phases = divided(scop, options.grid).phases
        require_parallel_loops(scop, self.phases)
        divisions = divisions_of(self.phases, scop.op.parameter_values)
        self.elements = Elements(scop, self.phases, divisions)

    @cached_property
    def divisions(self) -> tuple[Division, ...]:
        """The divisions, each once."""
        return tuple({d.name: d for d in self.elements.divisions.values()}.values())

    @cached_property
    def sent(self) -> tuple[Message, ...]:
        """What ranks send to each other, with parameters for the step and the two blocks."""
        return tuple(
            Message(phase, size, sets)
            for phase in self.phases
            for size, sets in self._by_type(self.elements.sent(phase, OWN, PEER))
        )

    @cached_property
    def scattered(self) -> tuple[ElementsOfType, ...]:
        """What the first rank sends before all steps: bytes of an element, and the elements."""
        return tuple(self._by_type(self._arguments(self.elements.scattered(PEER))))

    @cached_property
    def gathered(self) -> tuple[ElementsOfType, ...]:
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

    def _by_type(self, sets: Mapping[str, isl.Set]) -> Iterator[ElementsOfType]:
        """Elements of one type, which share a message: the bytes of one, and the sets."""
        groups: dict[Attribute, list[isl.Set]] = {}
        for name, elements in sets.items():
            type = self.scop.arrays[name].type
            assert isinstance(type, MemRefType)
            groups.setdefault(type.element_type, []).append(fixed(elements, self.sizes))
        for element, members in groups.items():
            assert isinstance(element, FixedBitwidthType)
            yield element.size, tuple(members)
