"""Dependences of small scops, said by hand."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest
from few_operations import allow
from poly_text import poly_module, scops_of
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from polyir.base.diagnostics import Remark, remarks_to
from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.model.analysis import DataflowError, compute_dependences
from polyir.model.dependence_text import describe, format_dependences, relation_text
from polyir.model.distance import Distance
from polyir.model.scop import Scop
from polyir.passes.print_dependences import PrintDependencesPass

ALL_KINDS = tuple(DependenceKind)


def scop_with(statements: str, tree: str, context: str = "[n] -> { : n > 0 }") -> Scop:
    """A scop over vectors `%A`, `%B` and a scalar `%s`."""
    text = (
        "func.func @f(%A: memref<?xf64>, %B: memref<?xf64>, %s: memref<f64>, %n: index, "
        f'%c: i1, %x: f64) {{ poly.scop (%n as "n") context "{context}" {{ {statements} {tree} }} '
        "func.return }"
    )
    (scop,) = scops_of(poly_module(text))
    return scop


def loop(body: str) -> Scop:
    """`for i in 0 ..< n` around one statement."""
    domain = "[n] -> { S0[i] : 0 <= i < n }"
    return scop_with(
        f'poly.stmt @S0 domain "{domain}" (%i) {{ {body} }}',
        f'poly.domain "{domain}" {{ poly.band "[{{ S0[i] -> [(i)] }}]" coincident [false] }}',
    )


def shown(dependences: Dependences) -> list[tuple[str, str, isl.Map]]:
    return [(item.kind.value, item.array, item.relation) for item in dependences.items]


def assert_relations(dependences: Dependences, expected: list[tuple[str, str, str]]) -> None:
    found = shown(dependences)
    assert [item[:2] for item in found] == [item[:2] for item in expected]
    for (_, _, relation), (_, _, text) in zip(found, expected, strict=True):
        assert relation.is_equal(isl.Map(text)), (str(relation), text)


ACCUMULATE = """%0 = affine.load %s[] : memref<f64>
    affine.store %0, %s[] : memref<f64>"""
NEXT = "[n] -> { S0[i] -> S0[i + 1] : 0 <= i < n - 1 }"
LATER = "[n] -> { S0[i] -> S0[j] : 0 <= i < j < n }"


def test_accumulation_value_based_goes_from_one_instance_to_the_next() -> None:
    dependences = compute_dependences(loop(ACCUMULATE), kinds=ALL_KINDS)
    assert_relations(
        dependences,
        [("flow", "s", NEXT), ("anti", "s", NEXT), ("output", "s", NEXT), ("input", "s", NEXT)],
    )


def test_accumulation_memory_based_goes_to_all_later_instances() -> None:
    dependences = compute_dependences(loop(ACCUMULATE), value_based=False)
    assert not dependences.value_based
    assert_relations(
        dependences, [("flow", "s", LATER), ("anti", "s", LATER), ("output", "s", LATER)]
    )


def test_may_writes_do_not_hide_earlier_writes() -> None:
    body = "scf.if %c { affine.store %x, %s[] : memref<f64> }"
    assert_relations(compute_dependences(loop(body)), [("output", "s", LATER)])


def test_a_read_of_what_the_instance_wrote_before_is_no_flow() -> None:
    body = """affine.store %x, %s[] : memref<f64>
        %0 = affine.load %s[] : memref<f64>"""
    assert_relations(compute_dependences(loop(body)), [("output", "s", NEXT)])
    memory = compute_dependences(loop(body), value_based=False)
    assert [item.kind.value for item in memory.items] == ["flow", "anti", "output"]


def test_only_the_kinds_asked_for() -> None:
    dependences = compute_dependences(loop(ACCUMULATE), kinds=(DependenceKind.ANTI,))
    assert_relations(dependences, [("anti", "s", NEXT)])


def test_the_context_bounds_the_relations() -> None:
    domain = "[n] -> { S0[i] : 0 <= i < n }"
    scop = scop_with(
        f'poly.stmt @S0 domain "{domain}" (%i) {{ {ACCUMULATE} }}',
        f'poly.domain "{domain}" {{ poly.band "[{{ S0[i] -> [(i)] }}]" coincident [false] }}',
        context="[n] -> { : n = 1 }",
    )
    assert compute_dependences(scop).items == ()


def two_loops(read: str = "%i") -> Scop:
    """`A[i] = B[read]` in one loop, then `B[i] = A[n - 1 - i]` in a second."""
    first, second = "S0[i] : 0 <= i < n", "S1[i] : 0 <= i < n"
    return scop_with(
        f"""poly.stmt @S0 domain "[n] -> {{ {first} }}" (%i) {{
          %0 = affine.load %B[{read}] : memref<?xf64>
          affine.store %0, %A[%i] : memref<?xf64>
        }}
        poly.stmt @S1 domain "[n] -> {{ {second} }}" (%i) {{
          %0 = affine.load %A[%n - %i - 1] : memref<?xf64>
          affine.store %0, %B[%i] : memref<?xf64>
        }}""",
        f"""poly.domain "[n] -> {{ {first}; {second} }}" {{ poly.sequence {{
          poly.filter "[n] -> {{ {first} }}" {{
            poly.band "[{{ S0[i] -> [(i)] }}]" coincident [false] }}
          poly.filter "[n] -> {{ {second} }}" {{
            poly.band "[{{ S1[i] -> [(i)] }}]" coincident [false] }} }} }}""",
    )


def test_dependences_of_arrays_that_do_not_change_are_not_computed_again() -> None:
    before = two_loops()
    known = compute_dependences(before)
    before.op.dependences = DependencesAttr(known)
    changed = two_loops("%n - %i - 1")
    found = compute_dependences(changed, before=before)
    assert shown(found) == shown(compute_dependences(changed)) != shown(known)
    through = {array: [each for each in found.items if each.array == array] for array in "AB"}
    assert [any(each is old for old in known.items) for each in through["A"]] == [True]
    assert not any(each is old for each in through["B"] for old in known.items)


def test_dependences_of_another_order_or_kind_are_computed_again() -> None:
    scop = two_loops()
    known = compute_dependences(scop)
    backwards = isl.UnionMap("[n] -> { S0[i] -> [1, i]; S1[i] -> [0, i] }")
    for old in (replace(known, order=backwards), replace(known, order=None)):
        scop.op.dependences = DependencesAttr(old)
        found = compute_dependences(scop, before=scop)
        assert not any(each is item for each in found.items for item in known.items)
    scop.op.dependences = DependencesAttr(known)
    found = compute_dependences(scop, value_based=False, before=scop)
    assert not any(each is item for each in found.items for item in known.items)


def test_dependences_between_statements() -> None:
    assert_relations(
        compute_dependences(two_loops(), kinds=ALL_KINDS),
        [
            ("flow", "A", "[n] -> { S0[i] -> S1[n - 1 - i] : 0 <= i < n }"),
            ("anti", "B", "[n] -> { S0[i] -> S1[i] : 0 <= i < n }"),
        ],
    )


def test_instances_that_run_twice_are_refused() -> None:
    domain = "[n] -> { S0[i] : 0 <= i < n }"
    with pytest.raises(VerifyException, match="executes instances twice"):
        scop_with(
            f'poly.stmt @S0 domain "{domain}" (%i) {{ {ACCUMULATE} }}',
            f"""poly.domain "{domain}" {{ poly.band "[{{ S0[i] -> [(i)] }}]" coincident [false] {{
            poly.extension "{{ [i] -> S0[i + 100] }}" {{ poly.sequence {{
            poly.filter "{{ S0[i] : i >= 100 }}" poly.filter "{{ S0[i] : i < 100 }}" }} }} }} }}""",
        )


def test_printed_lines() -> None:
    scop = two_loops()
    lines = format_dependences(scop, compute_dependences(scop)).splitlines()
    assert [line.split("[n]")[0].split() for line in lines] == [
        ["flow", "A", "S0", "->", "S1"],
        ["anti", "B", "S0", "->", "S1"],
    ]
    scop = loop(ACCUMULATE)
    lines = format_dependences(scop, compute_dependences(scop, value_based=False)).splitlines()
    assert lines[0].startswith("flow    s  S0 -> S0  (+)  [n] -> { S0[i] -> S0[i'] :")
    assert format_dependences(scop, Dependences(True, ())) == ""


@pytest.mark.parametrize(
    ("minimum", "maximum", "text"),
    [
        (3, 3, "3"),
        (1, 4, "1..4"),
        (1, 28, "+"),
        (1, None, "+"),
        (2, None, "2.."),
        (0, None, "0+"),
        (0, 1, "0..1"),
        (None, -1, "-"),
        (None, -2, "..-2"),
        (-3, 0, "-3..0"),
        (-1, 1, "-1..1"),
        (-99, 0, "0-"),
        (-99, 1, "*"),
        (None, None, "*"),
    ],
)
def test_notation_of_distances(minimum: int | None, maximum: int | None, text: str) -> None:
    assert str(Distance(minimum, maximum)) == text


@pytest.mark.parametrize(
    ("distance", "text"),
    [
        (Distance(1, 7, 2, 1), "1..7 step 2"),
        (Distance(3, None, 3), "3.. step 3"),
        (Distance(None, -4, 4), "..-4 step 4"),
        (Distance(-99, 101, 4, 1), "1 mod 4"),
    ],
)
def test_notation_of_steps(distance: Distance, text: str) -> None:
    assert str(distance) == text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Distance(1, 7), Distance(1, 7, 2, 1)),
        (Distance(1, None, 2, 1), Distance(3, 11, 4, 3)),
        (Distance(None, None, 3, 1), Distance(-2, -2)),
        (Distance(2, 6, 2), Distance(4, 4)),
    ],
)
def test_containment_respects_steps(first: Distance, second: Distance) -> None:
    assert first.contains(second)
    assert not second.contains(first)


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        (
            "[n] -> { S[i] -> S[i'] : 0 <= i < n and i' > i and 0 <= i' < n }",
            "[n] -> { S[i] -> S[i'] : i >= 0 and i < i' < n }",
        ),
        (
            "{ S[i] -> S[i']: i mod 3 = 0 and i' mod 6 = 0 and 2i < i' <= 2i + 6 and 0 <= i < 12}",
            "{ S[i] -> S[i' = 6 + 2i] : i mod 3 = 0 and 0 <= i <= 11 }",
        ),
        (
            "{ S[i, j] -> S[i + 1, j'] : 5*floor(i/5) >= j and (i + j') mod 7 = 2 }",
            "{ S[i, j] -> S[1 + i, j'] : (-2 + i + j') mod 7 = 0 and 5*floor(i/5) >= j }",
        ),
    ],
)
def test_relations_as_text(relation: str, text: str) -> None:
    assert relation_text(isl.Map(relation)) == text
    assert isl.Map(text).is_equal(isl.Map(relation))


CONDITIONAL = """
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = arith.cmpf ogt, %0, %0 : f64
    scf.if %1 {
      affine.store %0, %s[] : memref<f64>
    }
    %2 = affine.load %s[] : memref<f64>
    affine.store %2, %A[%i] : memref<?xf64>"""


def test_accesses_under_conditions_on_data_are_marked() -> None:
    scop = loop(CONDITIONAL)
    lines = format_dependences(scop, compute_dependences(scop, value_based=False)).splitlines()
    assert [line.split("(+)")[0].rstrip() for line in lines] == [
        "flow    s  S0 (may) -> S0",
        "anti    s  S0 -> S0 (may)",
        "output  s  S0 (may) -> S0 (may)",
    ]


def test_a_certain_access_beside_a_conditional_one_is_not_marked() -> None:
    scop = loop(CONDITIONAL + "\naffine.store %2, %s[] : memref<f64>")
    lines = format_dependences(scop, compute_dependences(scop)).splitlines()
    assert [line.split("(1)")[0].rstrip() for line in lines] == [
        "flow    s  S0 -> S0",
        "anti    s  S0 -> S0",
        "output  s  S0 -> S0",
    ]


def test_what_all_relations_assume_is_said_once() -> None:
    scop = two_loops()
    shorter = scop.context.intersect(isl.Set("[n] -> { : 10 < n <= 20 }"))
    scop = replace(scop, context=shorter)
    found = compute_dependences(scop)
    lines = format_dependences(scop, found).splitlines()
    assert lines[0] == "assuming 11 <= n <= 20:"
    for line, dependence in zip(lines[1:], found.items, strict=True):
        assert "20" not in line
        relation = isl.Map(line[line.index("[n]") :])
        assert relation.intersect_params(shorter).is_equal(dependence.relation)


def test_distances_that_take_too_long_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    scop = loop(ACCUMULATE)
    found = compute_dependences(scop)
    assert describe(scop, found).unknown == ()
    allow(monkeypatch, 2, "SHOWN_DEPENDENCE")
    text = describe(scop, found)
    assert text.unknown == found.items
    assert "S0 -> S0  (*)" in text.lines[0]
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        module = scop.op.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        PrintDependencesPass().apply(Context(), module)
    assert [remark.message for remark in remarks] == [
        "the distances of 3 dependences take isl more than 2 operations each: "
        "they are printed as '*'"
    ]


@pytest.mark.parametrize("value_based", [True, False])
def test_dependences_that_take_too_long_are_refused(
    value_based: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, 2, "VALUE_DEPENDENCES", "MEMORY_DEPENDENCES")
    with pytest.raises(DataflowError, match="takes isl more than 2 operations"):
        compute_dependences(loop(ACCUMULATE), value_based)
