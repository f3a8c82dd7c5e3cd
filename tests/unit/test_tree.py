"""The schedule tree as operations: lossless from and to `Schedule` and text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from polyir.base.limits import limited
from polyir.dialects.loop_attributes import (
    GpuDimension,
    MapAttr,
    ParallelAttr,
    UnrollAttr,
    VectorAttr,
)
from polyir.dialects.mark_attributes import SymbolicTiles, TileAttr
from polyir.dialects.poly import Poly
from polyir.dialects.schedule_tree import DomainOp
from polyir.tree import Band, Domain, Mark, Node, Schedule
from polyir.tree.isl_border import from_text
from polyir.tree.nodes import is_same
from polyir.tree.operations import operations_of, schedule_of

DOMAIN = "[n] -> { S[i, j] : 0 <= i, j < n; T[i] : 0 <= i < n }"

TREES = {
    "leaf": f'{{ domain: "{DOMAIN}" }}',
    "band": f"""{{ domain: "{DOMAIN}", child: {{
        schedule: "[{{ S[i, j] -> [(i)]; T[i] -> [(i)] }}, {{ S[i, j] -> [(j)]; T[i] -> [(0)] }}]",
        permutable: 1, coincident: [ 1, 0 ] }} }}""",
    "loop kinds and isolation": f"""{{ domain: "{DOMAIN}", child: {{
        schedule: "[n] -> [{{ S[i, j] -> [(i)]; T[i] -> [(i)] }}]",
        options: "{{ separate[0]; isolate[[] -> [x]] : 4 <= x <= 8; [isolate[] -> unroll[0]] }}"
        }} }}""",
    "sequence": f"""{{ domain: "{DOMAIN}", child: {{ sequence: [
        {{ filter: "{{ T[i] }}" }},
        {{ filter: "{{ S[i, j] }}", child: {{ schedule: "[{{ S[i, j] -> [(j)] }}]" }} }} ] }} }}""",
    "set": f"""{{ domain: "{DOMAIN}", child: {{ set: [
        {{ filter: "{{ S[i, j] }}" }}, {{ filter: "{{ T[i] }}" }} ] }} }}""",
    "context, guard and mark": f"""{{ domain: "{DOMAIN}", child: {{
        context: "[n] -> {{ [] : n > 3 }}",
        child: {{ guard: "[n] -> {{ [] : n < 9 }}", child: {{ mark: "attribute", child: {{
        schedule: "[{{ S[i, j] -> [(j)]; T[i] -> [(i)] }}]" }} }} }} }} }}""",
    "extension": f"""{{ domain: "{DOMAIN}", child: {{
        schedule: "[{{ S[i, j] -> [(i)]; T[i] -> [(i)] }}]", child: {{
        extension: "[n] -> {{ [i] -> copy[i, x] : 0 <= x < n }}", child: {{ sequence: [
        {{ filter: "{{ copy[i, x] }}" }}, {{ filter: "{{ S[i, j]; T[i] }}" }} ] }} }} }} }}""",
    "expansion": """{ domain: "{ G[i] : 0 <= i < 8 }", child: {
        contraction: "{ S[i, j] -> G[(i)] }", expansion: "{ G[i] -> S[i, j] : 0 <= j < 4 }",
        child: {
        schedule: "[{ S[i, j] -> [(j)] }]" } } }""",
}


def parse_tree(text: str) -> DomainOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Poly)
    root = Parser(context, text).parse_operation()
    assert isinstance(root, DomainOp)
    return root


def assert_lossless(schedule: Schedule) -> None:
    """Through operations and their text and back, the schedule is the same."""
    root = operations_of(schedule)
    root.verify()
    again = parse_tree(str(root))
    again.verify()
    assert root.is_structurally_equivalent(again)
    # What extension nodes add is in the domain now.
    inside = schedule_of(root)
    assert same(inside, schedule_of(again))
    assert same(inside, limited("the way through a pipe", lambda: inside))
    assert root.is_structurally_equivalent(operations_of(inside))
    assert same(schedule, inside)


def same(left: Schedule, right: Schedule) -> bool:
    """Are the trees equal, with the attributes of their marks and members?"""
    return str(left) == str(right) and attributes(left) == attributes(right)


def attributes(schedule: Schedule) -> list[object]:
    return [
        node.attribute if isinstance(node, Mark) else [each.attributes for each in node.members]
        for node in schedule.tree.walk()
        if isinstance(node, Mark | Band)
    ]


def with_attributes(
    node: Node, mark: Callable[[], object], member: Callable[[], tuple[Attribute, ...]]
) -> Node:
    """The tree with other attributes."""
    node = node.with_children([with_attributes(each, mark, member) for each in node.children])
    match node:
        case Mark(attribute=str()):
            return replace(node, attribute=mark())
        case Band(members=members):
            return replace(
                node, members=tuple(replace(each, attributes=member()) for each in members)
            )
        case _:
            return node


@pytest.mark.parametrize("text", TREES.values(), ids=TREES.keys())
def test_every_node_type_is_lossless(text: str) -> None:
    tree = with_attributes(from_text(text).tree, lambda: UnrollAttr(2), tuple)
    assert isinstance(tree, Domain)
    assert_lossless(Schedule(tree))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Random trees of bands, marks, filters, sequences and sets over two statements."""

    def affine(iterators: str) -> str:
        terms = [f"{draw(st.integers(-3, 3))} * {name}" for name in iterators]
        return " + ".join([*terms, str(draw(st.integers(-5, 5)))])

    def node(statements: tuple[str, ...], depth: int) -> str | None:
        choices = ["leaf"] if depth == 0 else ["leaf", "band", "mark", "branch"]
        kind = draw(st.sampled_from(choices))
        if kind == "leaf":
            return None
        if kind == "branch" and len(statements) > 1:
            children = [branch((name,), depth) for name in draw(st.permutations(statements))]
            return f"{{ {draw(st.sampled_from(['sequence', 'set']))}: [ {', '.join(children)} ] }}"
        if kind == "mark":
            return with_child('mark: "attribute"', statements, depth)
        width = draw(st.integers(1, 3))
        members = ", ".join(
            "{ " + "; ".join(instance(name) for name in statements) + " }" for _ in range(width)
        )
        flags = ", ".join(str(draw(st.integers(0, 1))) for _ in range(width))
        permutable = draw(st.integers(0, 1))
        fields = f'schedule: "[{members}]", permutable: {permutable}, coincident: [ {flags} ]'
        kinds = draw(st.lists(st.sampled_from(["separate", "atomic", "unroll"]), max_size=width))
        options = "; ".join(f"{kind}[{position}]" for position, kind in enumerate(kinds))
        if options:
            fields += f', options: "{{ {options} }}"'
        return with_child(fields, statements, depth)

    def instance(name: str) -> str:
        iterators = "ij" if name == "S" else "i"
        return f"{name}[{', '.join(iterators)}] -> [({affine(iterators)})]"

    def branch(statements: tuple[str, ...], depth: int) -> str:
        spaces = "; ".join("S[i, j]" if name == "S" else "T[i]" for name in statements)
        return with_child(f'filter: "{{ {spaces} }}"', statements, depth)

    def with_child(fields: str, statements: tuple[str, ...], depth: int) -> str:
        child = node(statements, depth - 1) if depth else None
        return f"{{ {fields}, child: {child or '{ leaf }'} }}"

    schedule = from_text(with_child(f'domain: "{DOMAIN}"', ("S", "T"), 5))
    one = st.sampled_from(ATTRIBUTES)
    loops = st.lists(one, max_size=2, unique_by=lambda attribute: attribute.name).map(tuple)
    tree = with_attributes(schedule.tree, lambda: draw(one), lambda: draw(loops))
    assert isinstance(tree, Domain)
    return Schedule(tree)


ATTRIBUTES = (
    ParallelAttr(),
    VectorAttr(8),
    UnrollAttr(4),
    MapAttr(GpuDimension("block", "x")),
    TileAttr(SymbolicTiles("box", ("T0", "T1"), 1)),
)


@settings(max_examples=60, deadline=None)
@given(schedules())
def test_random_trees_are_lossless(schedule: Schedule) -> None:
    assert_lossless(schedule)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { poly.sequence { '
            'poly.filter "{ S[i] : i < 5 }" poly.filter "{ S[i] : i > 5 }" } }',
            "do not cover all instances",
        ),
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { poly.sequence { '
            'poly.filter "{ S[i] : i <= 5 }" poly.filter "{ S[i] : i >= 5 }" } }',
            "filters that overlap",
        ),
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { '
            'poly.band "[{ S[i] -> [(i)] : i > 2 }]" coincident [false] }',
            "not defined on all instances",
        ),
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { '
            'poly.band "[{ S[i] -> [(i)] }]" coincident [false, true] }',
            "one coincident flag per member",
        ),
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { '
            'poly.band "[{ S[i] -> [(i)] }]" coincident [false] loops [fast] }',
            "unknown loop kind 'fast'",
        ),
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { poly.context "{ : }" poly.context "{ : }" }',
            "at most one child",
        ),
        (
            'poly.domain "{ S[i] : 0 <= i < 9 }" { poly.sequence { poly.mark #poly.parallel } }',
            "must not be a direct child of a sequence",
        ),
    ],
)
def test_malformed_trees_do_not_verify(text: str, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        parse_tree(text).verify()


def test_malformed_isl_text_is_a_parse_error() -> None:
    with pytest.raises(ParseError, match=r"malformed isl object for poly\.union_set"):
        parse_tree('poly.domain "{ S[i : }"')


def test_a_band_with_options_is_not_the_same_as_one_without() -> None:
    band = Band((), ())
    other = replace(band, options=isl.UnionSet("{ isolate[[] -> [i]] : i = 3 }"))
    assert not is_same(band, other)
    assert not is_same(other, band)
    assert is_same(other, replace(other))
