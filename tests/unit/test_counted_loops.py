"""Loops over tiles: the AST with steps executes what the AST over tile numbers executes."""

from pathlib import Path

import islpy as isl
from ast_execution import executed
from hypothesis import given, settings
from hypothesis import strategies as st
from suites import examples
from xdsl.dialects import affine

from polyir import api
from polyir.codegen.ast import (
    AstBlock,
    AstExpression,
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstMark,
    AstName,
    AstNode,
    AstNumber,
    AstOperation,
    LocalAccess,
    Operator,
    ast_nodes,
)
from polyir.codegen.counted_loops import Count, CountedBelow, with_counting_loops, with_steps
from polyir.tree import Schedule

ROOT = Path(__file__).parents[2]
ITERATORS = ("c0", "c1", "c2")


def operation(operator: Operator, *arguments: AstExpression) -> AstExpression:
    return AstOperation(operator, arguments)


OFFSETS = (
    None,
    operation(Operator.MUL, AstNumber(7), AstName("n")),
    operation(Operator.SUB, AstNumber(5), AstName("n")),
)


def expressions(names: tuple[str, ...]) -> st.SearchStrategy[AstExpression]:
    leaves = st.one_of(
        st.integers(-40, 40).map(AstNumber), st.sampled_from((*names, "n")).map(AstName)
    )
    two = (Operator.ADD, Operator.SUB, Operator.MIN, Operator.MAX)

    def larger(inner: st.SearchStrategy[AstExpression]) -> st.SearchStrategy[AstExpression]:
        numbers = st.integers(2, 12).map(AstNumber)
        factors = st.integers(-8, 8).map(AstNumber)
        return st.one_of(
            st.builds(operation, st.sampled_from(two), inner, inner),
            st.builds(operation, st.just(Operator.MINUS), inner),
            st.builds(operation, st.just(Operator.MUL), factors, inner),
            st.builds(operation, st.just(Operator.FLOORDIV), inner, numbers),
            st.builds(operation, st.just(Operator.MOD), inner, numbers),
            st.builds(operation, st.just(Operator.SELECT), conditions(inner), inner, inner),
        )

    return st.recursive(leaves, larger, max_leaves=5)


def conditions(values: st.SearchStrategy[AstExpression]) -> st.SearchStrategy[AstExpression]:
    compared = st.sampled_from((Operator.EQ, Operator.LE, Operator.LT, Operator.GE, Operator.GT))
    return st.builds(operation, compared, values, values)


@st.composite
def nests(draw: st.DrawFn) -> AstNode:
    """Three nested loops, some over tiles, with an instance below a conditional and another."""
    values = expressions(ITERATORS)
    local = LocalAccess(0, "copy", (draw(values),))
    arguments = (*map(AstName, ITERATORS), draw(values))
    instance = AstInstance("S", arguments, 0, (local,))
    node: AstNode = AstBlock((AstIf(draw(conditions(values)), instance, None), instance))
    for depth in reversed(range(3)):
        around = expressions(ITERATORS[:depth])
        first = draw(around)
        if draw(st.integers(0, 5)) == 0:
            node = AstLet(ITERATORS[depth], first, node)
        else:
            # Few iterations, and bounds with minima of any expressions.
            few = operation(Operator.ADD, first, AstNumber(draw(st.integers(-1, 3))))
            bound = operation(Operator.MIN, few, draw(around))
            if draw(st.booleans()):
                bound = operation(Operator.MAX, bound, operation(Operator.SUB, few, AstNumber(2)))
            step = draw(st.sampled_from((1, 1, 2)))
            node = AstFor(ITERATORS[depth], first, bound, draw(st.booleans()), step, node)
        if draw(st.booleans()):
            count = Count(draw(st.integers(2, 12)), draw(st.sampled_from(OFFSETS)))
            node = AstMark(CountedBelow(depth, (count,)), node)
    return node


@settings(max_examples=examples(12, 200))
@given(nests(), st.integers(-20, 20))
def test_the_same_instances_in_the_same_order(root: AstNode, n: int) -> None:
    stepped = with_steps(root, ITERATORS)
    assert list(executed(stepped, {"n": n})) == list(executed(root, {"n": n}))
    assert not any(isinstance(node, AstMark) for node in ast_nodes(stepped))


def test_bounds_and_subscripts_are_those_of_first_points() -> None:
    last = operation(
        Operator.FLOORDIV, operation(Operator.SUB, AstName("n"), AstNumber(1)), AstNumber(32)
    )
    origin = operation(Operator.MUL, AstNumber(32), AstName("c0"))
    body = AstInstance("S", (origin,), 0)
    loop = AstFor("c0", AstNumber(0), last, True, 1, body)
    expected = AstFor(
        "c0",
        AstNumber(0),
        operation(Operator.SUB, AstName("n"), AstNumber(1)),
        True,
        32,
        AstInstance("S", (AstName("c0"),), 0),
    )
    assert with_steps(AstMark(CountedBelow(0, (Count(32),)), loop), ITERATORS) == expected


def test_only_loops_over_tiles_count() -> None:
    instances = isl.UnionSet("[n] -> { S[i, j] : 0 <= i, j < n }")
    members = isl.MultiUnionPwAff("[n] -> [{ S[i, j] -> [4*floor(i/4)] }, { S[i, j] -> [3*j] }]")
    mark = with_counting_loops(Schedule.from_functions(members, instances)).root.child(0)
    assert mark.attribute == CountedBelow(0, (Count(4), None))
    counted = isl.MultiUnionPwAff("[n] -> [{ S[i, j] -> [floor(i/4)] }, { S[i, j] -> [3*j] }]")
    assert mark.child(0).band.partial_schedule.plain_is_equal(counted)


def test_the_shorter_of_two_asts() -> None:
    """For diamonds, isl repeats statements more often in loops over tile numbers."""
    text = (ROOT / "benchmarks" / "polybench" / "fdtd-2d.mlir").read_text()
    module = api.run_pipeline(api.parse(text), "pluto-schedule,diamond-tile{size=8},lower-poly")
    stores = sum(isinstance(op, affine.StoreOp) for op in module.walk())
    assert stores < 50
