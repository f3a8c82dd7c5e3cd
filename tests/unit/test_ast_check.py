"""The checks of what an AST executes, and in which order."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.codegen.ast import AstBlock, AstFor, AstInstance, AstName, AstNode, AstNumber
from polyir.codegen.ast_check import GeneratedNodes, executes_each_once, is_in_order
from polyir.tree.isl_border import from_text

TREE = from_text("""{
    domain: "{ S0[i] : 0 <= i < 10; S1[i] : 0 <= i < 10 }",
    child: { schedule: "[{ S0[i] -> [i]; S1[i] -> [i] }]",
             child: { sequence: [ { filter: "{ S0[i] }" }, { filter: "{ S1[i] }" } ] } } }""")


def one_loop(*statements: str, first: int = 0) -> AstNode:
    """A loop over c around the statements, numbered in this order from `first` on."""
    c = AstName("c")
    instances = tuple(
        AstInstance(name, (c,), number) for number, name in enumerate(statements, first)
    )
    return AstFor("c", AstNumber(0), AstNumber(10), True, 1, AstBlock(instances))


@pytest.mark.parametrize(
    ("statements", "dates", "in_order"),
    [
        (("S0", "S1"), ("{ S0[i] -> [i] }", "{ S1[i] -> [i] }"), True),
        (("S1", "S0"), ("{ S1[i] -> [i] }", "{ S0[i] -> [i] }"), False),
        # S1[i] is executed in the iteration after S0[i], before or after S0[i + 1].
        (("S1", "S0"), ("{ S1[i] -> [i + 1] }", "{ S0[i] -> [i] }"), True),
        (("S0", "S1"), ("{ S0[i] -> [i] }", "{ S1[i] -> [i + 1] }"), False),
        # S1[i] is executed in the iteration before S0[i].
        (("S0", "S1"), ("{ S0[i] -> [i] }", "{ S1[i] -> [i - 1] }"), False),
        (("S0",), ("{ S0[i] -> [9 - i] }",), False),
    ],
)
def test_order(statements: tuple[str, ...], dates: tuple[str, ...], in_order: bool) -> None:
    domain = TREE.domain
    nodes = [isl.UnionMap(date).intersect_domain(domain) for date in dates]
    maps = [isl.Map.from_union_map(node) for node in nodes]
    generated = GeneratedNodes(maps, ("c",), TREE)
    assert is_in_order(one_loop(*statements), generated, TREE.map) is in_order


@pytest.mark.parametrize(("first", "in_order"), [(0, False), (9, True)])
def test_order_of_two_loops(first: int, in_order: bool) -> None:
    """The sequence in the loop of the tree says nothing of statements in loops of their own."""
    loops = AstBlock((one_loop("S0"), one_loop("S1", first=1)))
    dates = [
        isl.Map("{ S0[i] -> [i] : 0 <= i < 10 }"),
        isl.Map(f"{{ S1[i] -> [i] : {first} <= i < 10 }}"),
    ]
    generated = GeneratedNodes(dates, ("c",), TREE)
    assert is_in_order(loops, generated, TREE.map) is in_order


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
    loops = one_loop(*("T" for _ in executed))
    generated = GeneratedNodes(dates, ("c",), CONDITIONS)
    context = isl.Set("[n] -> { : n > 0 }")
    assert executes_each_once(loops, generated, CONDITIONS, context) is is_right


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
    generated = GeneratedNodes(dates, ("c",), tree)
    context = isl.Set("[n] -> { : n > 0 }")
    loops = one_loop(*("S0" for _ in executed))
    assert executes_each_once(loops, generated, tree, context) is is_right
