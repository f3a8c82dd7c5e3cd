"""Random schedules of random programs: legality and band flags against enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import islpy as isl
from hypothesis import given, settings
from hypothesis import strategies as st
from instance_pairs import Instance, Pair, pairs_of
from loop_programs import (
    SIZE,
    Linear,
    Mode,
    Program,
    execute,
    linear,
    ordered_pairs,
    poly_text,
    programs,
)
from poly_text import poly_module, scops_of
from suites import examples

from polyir.dialects.dependence import Dependence, Dependences
from polyir.model.analysis import compute_dependences
from polyir.proofs.bands import annotate_bands, facts_of_band, merge_bands
from polyir.proofs.legality import violations
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.isl_border import from_text

bounded = settings(max_examples=examples(20, 60), deadline=None, derandomize=True)

Domains = dict[str, tuple[str, ...]]
"""The iterators of each statement."""


@dataclass(frozen=True)
class Band:
    """Members are functions of the iterators, one a statement."""

    members: tuple[dict[str, Linear], ...]
    child: Node


@dataclass(frozen=True)
class Split:
    """A sequence or set of two children: some statements before others.

    A statement in both goes left where its first iterator is below 2.
    """

    is_set: bool
    left_names: tuple[str, ...]
    right_names: tuple[str, ...]
    left: Node
    right: Node


Node = Band | Split | None


@st.composite
def trees(draw: st.DrawFn, domains: Domains, depth: int = 4) -> Node:
    if depth == 0:
        return None
    if draw(st.booleans()):
        names = list(domains)
        cut = draw(st.integers(0, len(names)))
        left, right = names[:cut], names[cut:]
        if right and domains[right[0]] and draw(st.booleans()):
            left.append(right[0])
        if draw(st.booleans()):
            left, right = right, left
        if left and right:
            return Split(
                draw(st.booleans()),
                tuple(left),
                tuple(right),
                draw(trees({name: domains[name] for name in left}, depth - 1)),
                draw(trees({name: domains[name] for name in right}, depth - 1)),
            )
    members = tuple(
        {name: draw(linear(iterators)) for name, iterators in domains.items()}
        for _ in range(draw(st.integers(1, 2)))
    )
    return Band(members, draw(trees(domains, depth - 1)))


def tree_text(node: Node, domains: Domains) -> str:
    """isl's notation of the tree."""
    if isinstance(node, Band):
        members = []
        for member in node.members:
            functions = (
                f"{name}[{', '.join(domains[name])}] -> [({function})]"
                for name, function in member.items()
            )
            members.append(f"{{ {'; '.join(functions)} }}")
        child = tree_text(node.child, domains)
        below = f", child: {child}" if child else ""
        return f'{{ schedule: "[{", ".join(members)}]"{below} }}'
    if isinstance(node, Split):
        left = filter_text(node, node.left_names, "<= 1", node.left, domains)
        right = filter_text(node, node.right_names, "> 1", node.right, domains)
        return f"{{ {'set' if node.is_set else 'sequence'}: [ {left}, {right} ] }}"
    return ""


def filter_text(
    split: Split, names: Sequence[str], half: str, child: Node, domains: Domains
) -> str:
    parts = []
    for name in names:
        is_cut = name in split.left_names and name in split.right_names
        condition = f" : {domains[name][0]} {half}" if is_cut else ""
        parts.append(f"{name}[{', '.join(domains[name])}]{condition}")
    text = tree_text(child, domains)
    below = f", child: {text}" if text else ""
    return f'{{ filter: "{{ {"; ".join(parts)} }}"{below} }}'


def goes_left(split: Split, instance: Instance) -> bool:
    name, values = instance
    if name in split.left_names and name in split.right_names:
        return values[0] <= 1
    return name in split.left_names


def values_of(member: dict[str, Linear], instance: Instance, domains: Domains) -> int:
    name, values = instance
    return member[name].evaluate(dict(zip(domains[name], values, strict=True)))


def is_respected(node: Node, source: Instance, target: Instance, domains: Domains) -> bool:
    """Does the tree run `source` before `target`?"""
    if isinstance(node, Band):
        for member in node.members:
            first = values_of(member, source, domains)
            second = values_of(member, target, domains)
            if first != second:
                return first < second
        return is_respected(node.child, source, target, domains)
    if isinstance(node, Split):
        first, second = goes_left(node, source), goes_left(node, target)
        if first != second:
            return first and not node.is_set
        return is_respected(node.left if first else node.right, source, target, domains)
    return False


Flags = tuple[bool, tuple[bool, ...], tuple[bool, ...]]
"""Permutable; coincident and parallel for each member."""


def expected_flags(node: Node, pairs: list[Pair], domains: Domains) -> Iterator[Flags]:
    """The flags of each band, parents first, from the pairs that are active there."""
    if isinstance(node, Band):
        distances = {
            pair: [
                values_of(member, pair[3], domains) - values_of(member, pair[2], domains)
                for member in node.members
            ]
            for pair in pairs
        }
        positions = range(len(node.members))
        yield (
            all(distance >= 0 for row in distances.values() for distance in row),
            tuple(all(row[p] == 0 for row in distances.values()) for p in positions),
            tuple(
                all(row[p] == 0 for row in distances.values() if not any(row[:p]))
                for p in positions
            ),
        )
        remaining = [pair for pair in pairs if not any(distances[pair])]
        yield from expected_flags(node.child, remaining, domains)
    if isinstance(node, Split):
        for child, is_left in ((node.left, True), (node.right, False)):
            inside = [
                pair
                for pair in pairs
                if goes_left(node, pair[2]) is is_left and goes_left(node, pair[3]) is is_left
            ]
            yield from expected_flags(child, inside, domains)


def bands_of(node: ScheduleNode) -> Iterator[ScheduleNode]:
    if node.kind is Kind.BAND:
        yield node
    for child in node.children():
        yield from bands_of(child)


def marked_flags(band: ScheduleNode) -> tuple[bool, tuple[bool, ...]]:
    members = range(len(band.members))
    return (
        band.permutable,
        tuple(band.members[member].is_coincident for member in members),
    )


@dataclass(frozen=True)
class Case:
    dependences: Dependences
    domains: Domains
    node: Node
    schedule: Schedule


def has_dependences(program: Program) -> bool:
    return any(
        Mode.READ not in (first.mode, second.mode)
        for first, second in ordered_pairs(execute(program))
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A program of exactly one size, so that enumeration at that size says all."""
    program = draw(programs().filter(has_dependences))
    (scop,) = scops_of(poly_module(poly_text(program, context=f"n = {SIZE}")))
    domains = {
        statement.name: tuple(f"i{p}" for p in range(statement.domain.dim(isl.dim_type.set)))
        for statement in scop.statements
    }
    node = draw(trees(domains))
    below = f", child: {tree_text(node, domains)}" if node else ""
    text = f'{{ domain: "{scop.domain}"{below} }}'
    schedule = from_text(text)
    return Case(compute_dependences(scop), domains, node, schedule)


@bounded
@given(cases())
def test_violations_are_the_pairs_out_of_order(case: Case) -> None:
    dependences = case.dependences
    found = violations(dependences, case.schedule)
    assert pairs_of(
        Dependence(item.dependence.kind, item.dependence.array, item.relation) for item in found
    ) == {
        pair
        for pair in pairs_of(dependences.items)
        if not is_respected(case.node, pair[2], pair[3], case.domains)
    }
    for item in found:
        relation = item.relation.params().is_empty(), item.example.parameters
        assert relation in ((False, f"n = {SIZE}"), (False, ""))
        point = f"{{ {item.example.source} -> {item.example.target} }}"
        assert isl.Map(point).is_subset(item.relation.project_out_all_params())


@bounded
@given(cases())
def test_flags_of_bands_are_exact(case: Case) -> None:
    dependences = case.dependences
    pairs = sorted(pairs_of(dependences.items), key=str)
    expected = list(expected_flags(case.node, pairs, case.domains))
    annotated = annotate_bands(case.schedule, dependences)
    assert [marked_flags(band) for band in bands_of(annotated.root)] == [
        flags[:2] for flags in expected
    ]
    facts = [facts_of_band(band, dependences) for band in bands_of(case.schedule.root)]
    assert [(fact.permutable, fact.coincident, fact.parallel) for fact in facts] == expected


@bounded
@given(cases())
def test_merged_bands_keep_the_order_and_are_permutable(case: Case) -> None:
    dependences = case.dependences
    merged = merge_bands(case.schedule, dependences)
    assert merged.map.is_equal(case.schedule.map)
    for band in bands_of(merged.root):
        facts = facts_of_band(band, dependences)
        assert marked_flags(band) == (facts.permutable, facts.coincident)
        assert facts.permutable or len(band.members) == 1
        assert not could_take_in_its_child(band, dependences)


def could_take_in_its_child(band: ScheduleNode, dependences: Dependences) -> bool:
    child = band.child(0)
    if child.kind is not Kind.BAND:
        return False
    merged = band.insert_band([*band.members, *child.members])
    return facts_of_band(merged, dependences).permutable
