"""How the loops of a schedule tree are named: `S0.1` is the second loop around S0.

Loops are the members of bands, counted from the outside, from 0. A loop around several
statements has an address by each of them, `S0.1` and `S1.1`.

A statement whose instances are split over several leaves of the tree has *parts*, counted from
0 in the order of the tree. `S0/1.2` is the third loop around the second part of S0; `S0.2` means
all parts, and is an address only where they share that loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.sets.lists import sets_of
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.names import check_statements

_ADDRESS = re.compile(r"(?P<statement>\w+)(/(?P<part>\d+))?\.(?P<loop>\d+)")
_REFERENCE = re.compile(r"(?P<statement>\w+)(/(?P<part>\d+))?")

TreePath = tuple[int, ...]
"""The positions of children on the way from the root to a node."""


@dataclass(frozen=True)
class StatementAddress:
    """A statement, or one part of it: `S0`, `S0/1`."""

    statement: str
    part: int | None = None

    WORD: ClassVar[str] = "statement"

    @classmethod
    def parse(cls, text: str) -> StatementAddress:
        """The statement that `text` names; raises `OptionError` if it is malformed."""
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise OptionError(
                f"'{text}' is not a statement: write S0, or S0/1 for the second part of S0",
                name="unknown-loop",
            )
        return _reference(match)

    def __str__(self) -> str:
        return self.statement if self.part is None else f"{self.statement}/{self.part}"


@dataclass(frozen=True)
class LoopAddress:
    """The loop number `loop` around a statement or a part of it: `S0.2`, `S0/1.2`."""

    reference: StatementAddress
    loop: int

    WORD: ClassVar[str] = "loop"

    @classmethod
    def parse(cls, text: str) -> LoopAddress:
        """The loop that `text` names; raises `OptionError` if it is malformed."""
        match = _ADDRESS.fullmatch(text)
        if match is None:
            raise OptionError(
                f"'{text}' is not a loop: write S0.1 for the second loop around S0; loops are "
                "counted from the outside, from 0",
                name="unknown-loop",
            )
        return LoopAddress(_reference(match), int(match["loop"]))

    @property
    def statement(self) -> str:
        """The name of the statement."""
        return self.reference.statement

    def __str__(self) -> str:
        return f"{self.reference}.{self.loop}"


def _reference(match: re.Match[str]) -> StatementAddress:
    return StatementAddress(
        match["statement"], None if match["part"] is None else int(match["part"])
    )


@dataclass(frozen=True)
class LoopPosition:
    """Where a loop stands in a tree: member number `member` of the band at the end of `path`."""

    path: TreePath
    member: int

    def is_around(self, other: LoopPosition) -> bool:
        """Is this loop outside the other one?"""
        if self.path == other.path:
            return self.member < other.member
        return other.path[: len(self.path)] == self.path


@dataclass(frozen=True)
class StatementPart:
    """The instances of one statement that reach one leaf, the way to it and the loops around."""

    reference: StatementAddress
    instances: isl.Set
    path: TreePath
    loops: tuple[LoopPosition, ...]


@dataclass(frozen=True)
class Loop:
    """A loop found in a tree: the band node, and which of its members it is."""

    address: LoopAddress
    place: LoopPosition
    band: ScheduleNode

    @property
    def member(self) -> int:
        """The position in the band."""
        return self.place.member

    def __str__(self) -> str:
        return str(self.address)


class Directory:
    """The statements, parts and loops of one schedule tree by their addresses."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        found: dict[str, list[StatementPart]] = {}
        for path, instances, loops in _leaves(schedule):
            for own in sets_of(instances):
                if not own.is_empty():
                    parts = found.setdefault(own.get_tuple_name(), [])
                    reference = StatementAddress(own.get_tuple_name(), len(parts))
                    parts.append(StatementPart(reference, own, path, loops))
        self.parts: Mapping[str, tuple[StatementPart, ...]] = {
            name: tuple(parts) if len(parts) > 1 else (_whole(parts[0]),)
            for name, parts in sorted(found.items(), key=lambda item: (len(item[0]), item[0]))
        }
        """The parts of each statement, in the order of the tree; S9 before S10."""

    def parts_of(self, reference: StatementAddress) -> tuple[StatementPart, ...]:
        """The parts that `reference` names; raises `OptionError` if there are none."""
        check_statements((reference.statement,), self._schedule)
        parts = self.parts.get(reference.statement, ())
        if reference.part is None:
            return parts
        if reference.part >= len(parts):
            raise OptionError(
                f"there is no part '{reference}': {reference.statement} has "
                f"{_count(len(parts), 'part')}",
                name="unknown-loop",
            )
        return (parts[reference.part],)

    def loop(self, address: LoopAddress) -> Loop:
        """The loop with the given address.

        Raises `OptionError` for an unknown statement or part, for a number beyond its loops,
        and where the parts of the statement do not share the loop.
        """
        parts = self.parts_of(address.reference)
        places: dict[LoopPosition, LoopAddress] = {}
        for part in parts:
            if address.loop >= len(part.loops):
                raise OptionError(
                    f"there is no loop '{address}': {part.reference} has "
                    f"{_count(len(part.loops), 'loop')}",
                    name="unknown-loop",
                )
            places.setdefault(part.loops[address.loop], LoopAddress(part.reference, address.loop))
        if len(places) != 1:
            found = ", ".join(map(str, places.values())) or "the statement has no instances"
            raise OptionError(f"'{address}' is not one loop: {found}", name="unknown-loop")
        (place,) = places
        return Loop(address, place, node_at(self._schedule, place.path))

    def addresses_of(self, place: LoopPosition) -> tuple[str, ...]:
        """All addresses of a loop, parts only where the parts do not share it."""
        found: list[str] = []
        for name, parts in self.parts.items():
            numbers = [part.loops.index(place) for part in parts if place in part.loops]
            if len(numbers) == len(parts) and len(set(numbers)) == 1:
                found.append(str(LoopAddress(StatementAddress(name), numbers[0])))
                continue
            inside = (part for part in parts if place in part.loops)
            found += [str(LoopAddress(part.reference, part.loops.index(place))) for part in inside]
        return tuple(found)


def node_at(schedule: Schedule, path: TreePath) -> ScheduleNode:
    """The node at the end of `path`."""
    node = schedule.root
    for position in path:
        node = node.child(position)
    return node


def _whole(part: StatementPart) -> StatementPart:
    """The only part of a statement, which is the statement."""
    return replace(part, reference=StatementAddress(part.reference.statement))


_Leaf = tuple[TreePath, isl.UnionSet, tuple[LoopPosition, ...]]
"""The way to a leaf, what reaches it, and the loops around it."""


def _leaves(schedule: Schedule) -> Iterator[_Leaf]:
    """The leaves in the order of the tree."""

    def visit(
        node: ScheduleNode, path: TreePath, loops: tuple[LoopPosition, ...]
    ) -> Iterator[_Leaf]:
        if node.n_children == 0:
            yield path, node.domain, loops
            return
        if node.kind is Kind.BAND:
            loops += tuple(LoopPosition(path, member) for member in range(len(node.members)))
        for position in range(node.n_children):
            yield from visit(node.child(position), (*path, position), loops)

    yield from visit(schedule.root, (), ())


def _count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number or 'no'} {what}s"
