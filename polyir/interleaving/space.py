"""The space of all statement interleavings: who shares loops with whom, and who comes first.

At each level, an interleaving is a total preorder of the statements: those of a block share the
loop of that level, and the blocks run one after the other. The binary variables, and the linear
conditions that make each interleaving one point and each point one interleaving, are those of
Pouchet et al., "Loop Transformations: Convexity, Pruning and Optimization", 2011, section 3.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from polyir.interleaving.linear_form import Condition, LinearForm, Variable, linear_form
from polyir.interleaving.point import Interleaving, Level
from polyir.interleaving.preorders import (
    NO_RESTRICTIONS,
    Preorders,
    Restrictions,
    number_of_interleavings,
)


@dataclass(frozen=True)
class InterleavingSpace:
    """The interleavings of the statements 0 to `count` - 1 at the levels 1 to `depth`.

    `restrictions` are those of each level from the first one on; missing ones restrict nothing.
    `conditions` hold for all points. Raises `ValueError` without a statement or a level.
    """

    count: int
    depth: int = 1
    restrictions: tuple[Restrictions, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        if self.count < 1 or self.depth < 1:
            raise ValueError("a space needs a statement and a level")

    def restricted(self, level: int, further: Restrictions) -> InterleavingSpace:
        """The points that obey further restrictions at a level, which counts from 1."""
        levels = list(self.all_restrictions)
        levels[level - 1] = levels[level - 1].joined(further)
        return replace(self, restrictions=tuple(levels))

    @property
    def all_restrictions(self) -> tuple[Restrictions, ...]:
        """The restrictions of each level."""
        missing = self.depth - len(self.restrictions)
        return (*self.restrictions, *(NO_RESTRICTIONS,) * missing)

    def __contains__(self, point: Interleaving) -> bool:
        if [len(point.place(number)) for number in range(1, len(point.levels) + 1)] != (
            [self.count] * self.depth
        ):
            return False
        everything: Level = (tuple(range(self.count)),)
        above = (everything, *point.levels)
        return self._meets(point) and all(
            restrictions.allow(tuple(each for each in level if set(each) <= set(block)))
            for restrictions, level, upper in zip(
                self.all_restrictions, point.levels, above, strict=False
            )
            for block in upper
        )

    def size(self) -> int:
        """The number of points. With `conditions`, they are listed to count them."""
        if self.conditions:
            return sum(1 for _ in self.points())
        if all(each == NO_RESTRICTIONS for each in self.all_restrictions):
            return number_of_interleavings(self.count, self.depth)
        return self._preorders.size(self._all)

    def points(self) -> Iterator[Interleaving]:
        """All points, each once: first those whose first block is the largest."""
        for levels in self._preorders.all_of(self._all):
            point = Interleaving(levels)
            if self._meets(point):
                yield point

    def sample(self, number: int, seed: int) -> list[Interleaving]:
        """`number` different points, each equally likely; all of them if there are not more.

        With `conditions`, they are listed for this.
        """
        chooser = random.Random(seed)
        if self.conditions or self.size() <= 2 * number:
            found = list(self.points())
            return found if len(found) <= number else chooser.sample(found, number)
        drawn: dict[Interleaving, None] = {}
        while len(drawn) < number:
            drawn[Interleaving(self._preorders.draw(self._all, chooser))] = None
        return list(drawn)

    @cached_property
    def linear_form(self) -> LinearForm:
        """The binary variables of the space, and the linear conditions on them."""
        form = linear_form(self.count, self.all_restrictions)
        return form.with_conditions(self.conditions)

    def best(self, weights: Mapping[Variable, int]) -> Interleaving | None:
        """A point with the largest sum of the weights of its variables; `None` if it is empty.

        For example, as many pairs of statements as possible that share a loop, each with the
        reuse between them as its weight.
        """
        values = self.linear_form.maximum(weights)
        return None if values is None else self.linear_form.point(values)

    def _meets(self, point: Interleaving) -> bool:
        values = LinearForm.values(point) if self.conditions else {}
        return all(each.holds(values) for each in self.conditions)

    @property
    def _all(self) -> int:
        return (1 << self.count) - 1

    @cached_property
    def _preorders(self) -> Preorders:
        return Preorders(self.all_restrictions, self.count)
