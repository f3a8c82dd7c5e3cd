"""The checks of what an AST executes, and in which order."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.proofs.generated_code import (
    GeneratedInstance,
    GeneratedLoop,
    executes_each_once,
    is_in_order,
)
from polyir.tree.isl_border import from_text

TREE = from_text("""{
    domain: "{ S0[i] : 0 <= i < 10; S1[i] : 0 <= i < 10 }",
    child: { schedule: "[{ S0[i] -> [i]; S1[i] -> [i] }]",
             child: { sequence: [ { filter: "{ S0[i] }" }, { filter: "{ S1[i] }" } ] } } }""")


def in_one_loop(*dates: isl.Map) -> tuple[GeneratedInstance, ...]:
    """A loop around instances, in this order."""
    loop = GeneratedLoop(0)
    return tuple(GeneratedInstance((loop,), date) for date in dates)


@pytest.mark.parametrize(
    ("dates", "in_order"),
    [
        (("{ S0[i] -> [i] }", "{ S1[i] -> [i] }"), True),
        (("{ S1[i] -> [i] }", "{ S0[i] -> [i] }"), False),
        # S1[i] is executed in the iteration after S0[i], before or after S0[i + 1].
        (("{ S1[i] -> [i + 1] }", "{ S0[i] -> [i] }"), True),
        (("{ S0[i] -> [i] }", "{ S1[i] -> [i + 1] }"), False),
        # S1[i] is executed in the iteration before S0[i].
        (("{ S0[i] -> [i] }", "{ S1[i] -> [i - 1] }"), False),
        (("{ S0[i] -> [9 - i] }",), False),
    ],
)
def test_order(dates: tuple[str, ...], in_order: bool) -> None:
    domain = TREE.domain
    nodes = [isl.UnionMap(date).intersect_domain(domain) for date in dates]
    maps = [isl.Map.from_union_map(node) for node in nodes]
    assert is_in_order(in_one_loop(*maps), TREE, TREE.map) is in_order


@pytest.mark.parametrize(("first", "in_order"), [(0, False), (9, True)])
def test_order_of_two_loops(first: int, in_order: bool) -> None:
    """The sequence in the loop of the tree says nothing of statements in loops of their own."""
    first_loop = in_one_loop(isl.Map("{ S0[i] -> [i] : 0 <= i < 10 }"))
    second_loop = in_one_loop(isl.Map(f"{{ S1[i] -> [i] : {first} <= i < 10 }}"))
    assert is_in_order((*first_loop, *second_loop), TREE, TREE.map) is in_order


CONDITIONS = from_text("""{
    domain: "[n] -> { S0[i] : 0 <= i < n }",
    child: { context: "[n] -> { [] : n > 5 }",
    child: { schedule: "[{ S0[i] -> [i] }]",
    child: { guard: "[n] -> { [i] : i > 3 }",
    child: { expansion: "{ S0[i] -> T[i, j] : 0 <= j < 2 }",
             contraction: "{ T[i, j] -> S0[i] }",
             child: { schedule: "[{ T[i, j] -> [j] }]" } } } } } }""")
FROM_FOUR = "4 <= i < n and 0 <= j < 2"


@pytest.mark.parametrize(
    ("executed", "is_right"),
    [
        ([FROM_FOUR], True),
        (["4 <= i < n and j = 0", "4 <= i < n and j = 1"], True),
        # Where the context does not hold, it may do anything that the guard allows.
        ([f"{FROM_FOUR} and n > 5"], True),
        ([f"{FROM_FOUR} and n > 6"], False),
        (["4 <= i < n and j = 0"], False),
        (["0 <= i < n and 0 <= j < 2"], False),
        (["4 <= i <= n and 0 <= j < 2"], False),
        ([FROM_FOUR, "i = 4 and n > 5 and j = 0"], False),
    ],
)
def test_instances(executed: list[str], is_right: bool) -> None:
    dates = [isl.Map(f"[n] -> {{ T[i, j] -> [i, j] : {each} }}") for each in executed]
    context = isl.Set("[n] -> { : n > 0 }")
    assert executes_each_once(in_one_loop(*dates), CONDITIONS, context) is is_right


@pytest.mark.parametrize(
    ("executed", "is_right"),
    [
        (["0 <= i < 10"], True),
        # The context of the scop says that n is positive.
        (["0 <= i < 10 or n < 0"], True),
        (["0 <= i < 10", "i = 9"], False),
        (["0 <= i < 9"], False),
        (["0 <= i <= 10"], False),
    ],
)
def test_instances_of_a_tree_without_conditions(executed: list[str], is_right: bool) -> None:
    tree = from_text('{ domain: "{ S0[i] : 0 <= i < 10 }" }')
    dates = [isl.Map(f"[n] -> {{ S0[i] -> [i] : {each} }}") for each in executed]
    context = isl.Set("[n] -> { : n > 0 }")
    assert executes_each_once(in_one_loop(*dates), tree, context) is is_right
