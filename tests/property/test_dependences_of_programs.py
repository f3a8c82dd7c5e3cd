"""Dependences of random programs against those found by executing the program."""

from __future__ import annotations

from hypothesis import given, settings
from instance_pairs import Instance, Pair, pairs_of
from loop_programs import (
    Mode,
    Program,
    Step,
    execute,
    ordered_pairs,
    poly_text,
    programs,
)
from poly_text import poly_module, scops_of

from polyir.dialects.dependence import DependenceKind
from polyir.model.analysis import compute_dependences

bounded = settings(max_examples=80, deadline=None, derandomize=True)


def kind_of(first: Step, second: Step) -> DependenceKind:
    reads = (first.mode is Mode.READ, second.mode is Mode.READ)
    return {
        (False, True): DependenceKind.FLOW,
        (True, False): DependenceKind.ANTI,
        (False, False): DependenceKind.OUTPUT,
        (True, True): DependenceKind.INPUT,
    }[reads]


def memory_based(steps: list[Step]) -> set[Pair]:
    return {
        (kind_of(first, second), first.element[0], first.instance, second.instance)
        for first, second in ordered_pairs(steps)
    }


def value_based(steps: list[Step]) -> set[Pair]:
    """By the definition: nothing that hides the source strictly between the two."""
    exposed = [step for position, step in enumerate(steps) if not is_internal(steps, position)]
    pairs = set()
    for first, second in ordered_pairs(exposed):
        kind = kind_of(first, second)
        hiding = [Mode.WRITE] if kind is not DependenceKind.INPUT else [Mode.WRITE, Mode.READ]
        hidden = any(
            first.time < step.time < second.time
            and step.element == first.element
            and step.mode in hiding
            for step in exposed
        )
        if not hidden:
            pairs.add((kind, first.element[0], first.instance, second.instance))
    return pairs


def is_internal(steps: list[Step], position: int) -> bool:
    """Does the access read what its own instance surely wrote before?"""
    step = steps[position]
    return step.mode is Mode.READ and any(
        earlier.time == step.time and earlier.element == step.element and earlier.mode is Mode.WRITE
        for earlier in steps[:position]
    )


def transitive_closure(pairs: set[Pair]) -> set[tuple[str, Instance, Instance]]:
    """Which instances are ordered through accesses to which array."""
    after: dict[tuple[str, Instance], set[Instance]] = {}
    for kind, array, source, target in pairs:
        if kind is not DependenceKind.INPUT:
            after.setdefault((array, source), set()).add(target)
    closure = set()
    for array, source in after:
        reached, todo = set(), [source]
        while todo:
            for target in after.get((array, todo.pop()), ()):
                if target not in reached:
                    reached.add(target)
                    todo.append(target)
        closure |= {(array, source, target) for target in reached}
    return closure


@bounded
@given(programs())
def test_dependences_are_those_of_the_execution(program: Program) -> None:
    (scop,) = scops_of(poly_module(poly_text(program)))
    steps = execute(program)
    kinds = tuple(DependenceKind)
    memory = pairs_of(compute_dependences(scop, value_based=False, kinds=kinds).items)
    value = pairs_of(compute_dependences(scop, value_based=True, kinds=kinds).items)
    assert memory == memory_based(steps)
    assert value == value_based(steps)
    assert transitive_closure(value) == transitive_closure(memory)
