"""The schedule tree as operations: lossless from and to `isl.Schedule` and text."""

from __future__ import annotations

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
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
from polyir.isl_trees import (
    Objects,
    TreeNode,
    build_tree,
    describe_tree,
    objects_of,
    with_objects,
)
from polyir.model.tree import schedule_from_tree, tree_from_schedule

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


def schedule_of(text: str) -> isl.Schedule:
    return isl.Schedule.read_from_str(isl.DEFAULT_CONTEXT, text)


def parse_tree(text: str) -> DomainOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Poly)
    root = Parser(context, text).parse_operation()
    assert isinstance(root, DomainOp)
    return root


def assert_lossless(schedule: isl.Schedule) -> None:
    """Through operations and their text and back, the schedule is the same."""
    root = tree_from_schedule(schedule)
    root.verify()
    again = parse_tree(str(root))
    again.verify()
    assert root.is_structurally_equivalent(again)
    # What extension nodes add is in the domain now.
    inside = schedule_from_tree(root)
    assert same(inside, schedule_from_tree(again))
    assert same(inside, limited("the way through a pipe", lambda: inside))
    if "extension" in str(schedule):
        # The names of the loops around are not kept.
        assert same(inside, schedule_from_tree(tree_from_schedule(inside)))
    else:
        assert root.is_structurally_equivalent(tree_from_schedule(inside))
        assert same(schedule, inside)


def same(left: isl.Schedule, right: isl.Schedule) -> bool:
    """Are the trees equal, with the objects of their marks and members?"""
    if str(left) != str(right):
        return False
    return "expansion" in str(left) or objects(left) == objects(right)


def objects(schedule: isl.Schedule) -> Objects:
    return objects_of(describe_tree(schedule))


@pytest.mark.parametrize("text", TREES.values(), ids=TREES.keys())
def test_every_node_type_is_lossless(text: str) -> None:
    schedule = schedule_of(text)
    if "mark" in text:
        tree = describe_tree(schedule)
        pairs = zip(kinds_of(tree), objects_of(tree), strict=True)
        given = ((UnrollAttr(2),) if kind == "mark" else items for kind, items in pairs)
        schedule = build_tree(with_objects(tree, tuple(given)))
    assert_lossless(schedule)


@st.composite
def schedules(draw: st.DrawFn) -> isl.Schedule:
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

    schedule = schedule_of(with_child(f'domain: "{DOMAIN}"', ("S", "T"), 5))
    tree = describe_tree(schedule)
    given: list[tuple[object, ...]] = []
    for kind, items in zip(kinds_of(tree), objects_of(tree), strict=True):
        if kind == "mark":
            given.append((draw(st.sampled_from(ATTRIBUTES)),))
        else:
            loops = st.lists(st.sampled_from(ATTRIBUTES), max_size=2, unique_by=lambda a: a.name)
            given.append(tuple(tuple(draw(loops)) or None for _ in items))
    return build_tree(with_objects(tree, tuple(given)))


ATTRIBUTES = (
    ParallelAttr(),
    VectorAttr(8),
    UnrollAttr(4),
    MapAttr(GpuDimension("block", "x")),
    TileAttr(SymbolicTiles("box", ("T0", "T1"), 1)),
)


def kinds_of(tree: TreeNode) -> list[str]:
    """The marks and bands of a tree, parents first."""
    own = [tree.kind] if tree.kind in ("mark", "band") else []
    return own + [kind for child in tree.children for kind in kinds_of(child)]


@settings(max_examples=60, deadline=None)
@given(schedules())
def test_random_trees_are_lossless(schedule: isl.Schedule) -> None:
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
