"""Total preorders of statements, level below level: how many there are, and which.

A preorder is a first block and a preorder of the statements that are left. So the number of
preorders of a set is a sum over the blocks that may come first, which is computed once for each
set of statements that may be left (dynamic programming over sets).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb

from polyir.interleaving.point import Block, Level
from polyir.schedule.components import Pair


@dataclass(frozen=True)
class Restrictions:
    """What is not allowed at one level, of statements that share the loops of the levels above it.

    The statements of a set of `apart` are not all in one block. For a pair of `never_before`, the
    first statement does not precede the second one.
    """

    apart: frozenset[frozenset[int]] = frozenset()
    never_before: frozenset[Pair] = frozenset()

    def allow(self, level: Level) -> bool:
        """Whether a total preorder of some statements obeys them."""
        place = {each: number for number, block in enumerate(level) for each in block}
        return not any(each <= set(block) for each in self.apart for block in level) and all(
            place[first] >= place[second]
            for first, second in self.never_before
            if first in place and second in place
        )

    def joined(self, others: Restrictions) -> Restrictions:
        """These and others."""
        return Restrictions(self.apart | others.apart, self.never_before | others.never_before)


NO_RESTRICTIONS = Restrictions()


@cache
def number_of_interleavings(count: int, depth: int) -> int:
    """The number of interleavings of so many statements at so many levels, without restrictions.

    For one level: 1, 3, 13, 75, 541, 4683, ... (the ordered Bell numbers).
    """
    if not count or not depth:
        return 1
    return sum(
        comb(count, first)
        * number_of_interleavings(first, depth - 1)
        * number_of_interleavings(count - first, depth)
        for first in range(1, count + 1)
    )


class Preorders:
    """The total preorders of sets of statements at some levels; a set is a mask of bits."""

    def __init__(self, restrictions: tuple[Restrictions, ...], count: int) -> None:
        self._levels = tuple(_Blocks.of(each, count) for each in restrictions)
        self._sizes: dict[tuple[int, int], int] = {}

    def size(self, statements: int, level: int = 0) -> int:
        """The number of interleavings of a set at `level`, which counts from 0, and below it."""
        if level == len(self._levels) or not statements:
            return 1
        if (level, statements) not in self._sizes:
            self._sizes[level, statements] = sum(
                self._weight(block, statements, level)
                for block in self._levels[level].first_blocks(statements)
            )
        return self._sizes[level, statements]

    def _weight(self, block: int, statements: int, level: int) -> int:
        """The number of interleavings with a given first block."""
        inside = self.size(block, level + 1)
        return inside and inside * self.size(statements & ~block, level)

    def all_of(self, statements: int, level: int = 0) -> Iterator[tuple[Level, ...]]:
        """All interleavings of a set; first those whose first block is the largest."""
        if level == len(self._levels):
            yield ()
            return
        if not statements:
            yield ((),) * (len(self._levels) - level)
            return
        for block in self._in_order(statements, level):
            if not self._weight(block, statements, level):
                continue
            for inside in self.all_of(block, level + 1):
                for after in self.all_of(statements & ~block, level):
                    yield _joined(_block_of(block), inside, after)

    def draw(self, statements: int, chooser: random.Random, level: int = 0) -> tuple[Level, ...]:
        """An interleaving of a set, each equally likely. There must be one."""
        if level == len(self._levels):
            return ()
        if not statements:
            return ((),) * (len(self._levels) - level)
        left = chooser.randrange(self.size(statements, level))
        for block in self._in_order(statements, level):
            left -= self._weight(block, statements, level)
            if left < 0:
                break
        inside = self.draw(block, chooser, level + 1)
        return _joined(_block_of(block), inside, self.draw(statements & ~block, chooser, level))

    def _in_order(self, statements: int, level: int) -> list[int]:
        blocks = self._levels[level].first_blocks(statements)
        return sorted(blocks, key=lambda each: (-each.bit_count(), _block_of(each)))


@dataclass(frozen=True)
class _Blocks:
    """The blocks of one level.

    `needs` are, for each statement, those that must not run after it, itself included. No block
    contains all of a mask of `apart`.
    """

    needs: tuple[int, ...]
    apart: tuple[int, ...]

    @classmethod
    def of(cls, restrictions: Restrictions, count: int) -> _Blocks:
        """Those that obey some restrictions."""
        needs = [1 << each for each in range(count)]
        for first, second in restrictions.never_before:
            needs[first] |= 1 << second
        apart = [sum(1 << each for each in group) for group in restrictions.apart]
        return cls(tuple(needs), tuple(sorted(apart)))

    def first_blocks(self, statements: int) -> Iterator[int]:
        """The blocks that may be the first one of a preorder of a set of statements."""
        needs = self._all_needs(statements)
        waiting = [(0, statements)]
        while waiting:
            block, undecided = waiting.pop()
            if not undecided:
                if block:
                    yield block
                continue
            each = (undecided & -undecided).bit_length() - 1
            without = [user for user in _block_of(undecided) if not needs[user] >> each & 1]
            waiting.append((block, sum(1 << user for user in without)))
            larger = block | needs[each]
            if not any(group & larger == group for group in self.apart):
                waiting.append((larger, undecided & ~larger))

    def _all_needs(self, statements: int) -> dict[int, int]:
        """For each statement of a set, those of the set that it needs, and what these need."""
        members = _block_of(statements)
        needs = {each: self.needs[each] & statements for each in members}
        for middle in members:
            for each in members:
                if needs[each] >> middle & 1:
                    needs[each] |= needs[middle]
        return needs


def _block_of(mask: int) -> Block:
    return tuple(each for each in range(mask.bit_length()) if mask >> each & 1)


def _joined(block: Block, inside: tuple[Level, ...], after: tuple[Level, ...]) -> tuple[Level, ...]:
    """The levels of a first block and of what follows it."""
    return tuple(first + second for first, second in zip(((block,), *inside), after, strict=True))
