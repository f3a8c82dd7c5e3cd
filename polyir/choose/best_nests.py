"""The best of several schedules for each nest: trees that agree on what runs in turn are mixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.sets.lists import sets_of
from polyir.transform.loop_attributes import settled
from polyir.tree import Domain, Filter, Kind, Schedule, SequenceNode


@dataclass(frozen=True)
class ScoredSchedule:
    """A schedule, and what each child of the sequence at its root costs, in any unit.

    Children that are sequences, too, count as their children. There are no `costs` if there is no
    such sequence.
    """

    schedule: Schedule
    costs: tuple[float, ...]

    @property
    def nests(self) -> tuple[Filter, ...]:
        """The children of the sequence at the root, one for each cost."""
        if not self.costs:
            return ()
        nests = tuple(_in_turn(self.schedule.tree))
        return nests if len(nests) == len(self.costs) else ()


@dataclass(frozen=True)
class Replacement:
    """Statements that run as in another schedule, its position in the `others`, and both costs."""

    statements: tuple[str, ...]
    other: int
    cost: float
    cost_before: float


@dataclass(frozen=True)
class _Section:
    """Children `first` to `last` of the best sequence, and those of another one in their place."""

    first: int
    last: int
    children: tuple[Filter, ...]
    replacement: Replacement

    @property
    def gain(self) -> float:
        return self.replacement.cost_before - self.replacement.cost


def best_nests(
    best: ScoredSchedule,
    others: Sequence[ScoredSchedule],
    margins: Sequence[float],
    dependences: Dependences,
) -> tuple[Outcome, tuple[Replacement, ...]]:
    """The `best` schedule with the nests of `others` that cost less, and which those are.

    Two sequences at the root of trees agree at a place if the same instances run before it in both:

        sequence                  sequence
          filter A                  filter B
          filter B                  filter A
          -- both agree here --
          filter C                  filter C; D
          filter D

    What is between two such places may run as in either tree: the order of all else stays. It runs
    as in the other tree if it costs less than the margin of that one there: 0.9 is for 90 %.

    Raises `LegalityError` if the result violates a dependence, as one of the schedules does then.
    """
    root = best.schedule.tree
    nests = best.nests
    sections: list[_Section] = []
    for number, (other, margin) in enumerate(zip(others, margins, strict=True)):
        for each in _sections(root.instances, nests, best.costs, other, number):
            now, before = each.replacement.cost, each.replacement.cost_before
            if now != before and now < margin * before:
                sections.append(each)
    chosen: list[_Section] = []
    for section in sorted(sections, key=lambda each: -each.gain):
        if all(each.last <= section.first or section.last <= each.first for each in chosen):
            chosen.append(section)
    if not chosen:
        return Outcome(best.schedule), ()
    chosen.sort(key=lambda each: each.first)
    children: list[Filter] = []
    place = 0
    for section in chosen:
        children += [*nests[place : section.first], *section.children]
        place = section.last
    sequence = SequenceNode((*children, *nests[place:]))
    schedule = Schedule(root.with_children([sequence]))
    outcome = settled(
        best.schedule, schedule, dependences, "running each nest as in its best schedule"
    )
    return outcome, tuple(each.replacement for each in chosen)


def _in_turn(node: Domain | Filter) -> Iterator[Filter]:
    """The filters of the sequence below a node; of sequences right below them, theirs instead."""
    below = node.children[0]
    if below.kind not in (Kind.SEQUENCE, Kind.SET):
        if isinstance(node, Filter):
            yield node
        return
    for child in below.children:
        assert isinstance(child, Filter)
        both = child.instances.intersect(node.instances)
        yield from _in_turn(child if isinstance(node, Domain) else replace(child, instances=both))


def _sections(
    domain: isl.UnionSet,
    nests: Sequence[Filter],
    costs: Sequence[float],
    other: ScoredSchedule,
    number: int,
) -> Iterator[_Section]:
    """What is between the places where two sequences agree, if that is not all of them."""
    other_nests = other.nests
    ours, theirs = _before(domain, nests), _before(domain, other_nests)
    first = other_first = 0
    for last in range(1, len(ours)):
        same = (n for n in range(other_first + 1, len(theirs)) if _are_equal(ours[last], theirs[n]))
        other_last = next(same, None)
        if other_last is None:
            continue
        if last - first < len(nests):
            children = other_nests[other_first:other_last]
            cost = sum(other.costs[other_first:other_last])
            names = tuple(sorted({part for each in children for part in names_of(each)}))
            replacement = Replacement(names, number, cost, sum(costs[first:last]))
            yield _Section(first, last, children, replacement)
        first, other_first = last, other_last


_Instances = Mapping[str, isl.Set]


def _before(domain: isl.UnionSet, nests: Sequence[Filter]) -> list[_Instances]:
    """The instances of each statement that run before each place of a sequence, and at its end."""
    found: list[_Instances] = [{}]
    for nest in nests:
        now = dict(found[-1])
        for part in sets_of(nest.instances.intersect(domain)):
            name = part.get_tuple_name()
            now[name] = now[name].union(part) if name in now else part
        found.append(now)
    return found


def _are_equal(one: _Instances, other: _Instances) -> bool:
    return one.keys() == other.keys() and all(one[name].is_equal(other[name]) for name in one)


def names_of(nest: Filter) -> tuple[str, ...]:
    """The statements of a child of a sequence."""
    return tuple(part.get_tuple_name() for part in sets_of(nest.instances))
