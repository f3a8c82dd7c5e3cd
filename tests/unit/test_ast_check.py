"""The check of the order of the instances of an AST."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.codegen.ast import AstBlock, AstFor, AstInstance, AstName, AstNode, AstNumber
from polyir.codegen.ast_check import GeneratedNodes, is_in_order
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
