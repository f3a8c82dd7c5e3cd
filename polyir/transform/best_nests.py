"""The best of several schedules for each nest: trees that agree on what runs in turn are mixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.isl_trees import TreeNode, build_tree, describe_tree
from polyir.model.outcome import Outcome
from polyir.sets.lists import sets_of
from polyir.transform.loop_attributes import settled


@dataclass(frozen=True)
class ScoredSchedule:
    """A schedule, and what each child of the sequence at its root costs, in any unit.

    Children that are sequences, too, count as their children. There are no `costs` if there is no
    such sequence.
    """

    schedule: isl.Schedule
    costs: tuple[float, ...]

    @property
    def nests(self) -> tuple[TreeNode, ...]:
        """The children of the sequence at the root, one for each cost."""
        if not self.costs:
            return ()
        nests = tuple(_in_turn(describe_tree(self.schedule)))
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
    children: tuple[TreeNode, ...]
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
    root = describe_tree(best.schedule)
    nests = best.nests
    sections: list[_Section] = []
    for number, (other, margin) in enumerate(zip(others, margins, strict=True)):
        for each in _sections(root.content, nests, best.costs, other, number):
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
    children: list[TreeNode] = []
    place = 0
    for section in chosen:
        children += [*nests[place : section.first], *section.children]
        place = section.last
    sequence = TreeNode("sequence", None, (*children, *nests[place:]))
    schedule = build_tree(replace(root, children=(sequence,)))
    outcome = settled(
        best.schedule, schedule, dependences, "running each nest as in its best schedule"
    )
    return outcome, tuple(each.replacement for each in chosen)


def _in_turn(node: TreeNode) -> Iterator[TreeNode]:
    """The filters of the sequence below a node; of sequences right below them, theirs instead."""
    assert isinstance(node.content, isl.UnionSet)
    if [child.kind in ("sequence", "set") for child in node.children] != [True]:
        yield node
        return
    for child in node.children[0].children:
        assert isinstance(child.content, isl.UnionSet)
        both = child.content.intersect(node.content)
        yield from _in_turn(child if node.kind == "domain" else replace(child, content=both))


def _sections(
    domain: object,
    nests: Sequence[TreeNode],
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


def _before(domain: object, nests: Sequence[TreeNode]) -> list[_Instances]:
    """The instances of each statement that run before each place of a sequence, and at its end."""
    assert isinstance(domain, isl.UnionSet)
    found: list[_Instances] = [{}]
    for nest in nests:
        assert isinstance(nest.content, isl.UnionSet)
        now = dict(found[-1])
        for part in sets_of(nest.content.intersect(domain)):
            name = part.get_tuple_name()
            now[name] = now[name].union(part) if name in now else part
        found.append(now)
    return found


def _are_equal(one: _Instances, other: _Instances) -> bool:
    return one.keys() == other.keys() and all(one[name].is_equal(other[name]) for name in one)


def names_of(nest: TreeNode) -> tuple[str, ...]:
    """The statements of a child of a sequence."""
    assert isinstance(nest.content, isl.UnionSet)
    return tuple(part.get_tuple_name() for part in sets_of(nest.content))
