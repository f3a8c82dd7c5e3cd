"""The legality check and the facts about bands, on schedules said by hand."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.model.distance import vectors_of
from polyir.proofs.bands import annotate_bands, facts_of_band, facts_of_nest, merge_bands
from polyir.proofs.legality import require_legal, violations
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.isl_border import from_text

STENCIL = Dependences(
    True,
    (
        Dependence(
            DependenceKind.FLOW,
            "A",
            isl.Map("""[n] -> { S[t, i] -> S[t + 1, j] :
                0 <= t < n - 1 and 0 <= i, j < n and i - 1 <= j <= i + 1 }"""),
        ),
    ),
)
DOMAIN = "[n] -> { S[t, i] : 0 <= t, i < n }"


def nest(*members: str) -> Schedule:
    """Directly nested bands of one member each."""
    text = ""
    for member in reversed(members):
        below = f", child: {text}" if text else ""
        text = f'{{ schedule: "[{{ S[t, i] -> [({member})] }}]"{below} }}'
    return schedule(f'{{ domain: "{DOMAIN}", child: {text} }}')


def schedule(text: str) -> Schedule:
    return from_text(text)


def only_band(tree: Schedule) -> ScheduleNode:
    return tree.root.child(0)


def test_the_original_order_is_legal() -> None:
    assert violations(STENCIL, nest("t", "i")) == ()
    require_legal(STENCIL, nest("t", "i"), "nothing")


def test_interchange_of_a_stencil_is_illegal() -> None:
    with pytest.raises(
        LegalityError,
        match=r"^interchange violates the flow dependence through A: "
        r"S\[0, 0\] must run before S\[1, 0\] \(n = 2\)$",
    ):
        # Equal in the outer band, and then the wrong way round.
        require_legal(STENCIL, nest("i", "-t"), "interchange")
    (violation,) = violations(STENCIL, nest("i", "t"))
    assert violation.relation.is_equal(
        isl.Map("[n] -> { S[t, i] -> S[t + 1, i - 1] : 0 <= t < n - 1 and 1 <= i < n }")
    )
    assert violation.example == ("S[0, 1]", "S[1, 0]", "n = 2")


def test_equal_times_violate() -> None:
    (violation,) = violations(STENCIL, nest("0"))
    assert violation.relation.is_equal(STENCIL.items[0].relation)


def test_input_dependences_order_nothing() -> None:
    reuse = Dependence(DependenceKind.INPUT, "A", STENCIL.items[0].relation)
    assert violations(Dependences(True, (reuse,)), nest("-t")) == ()


@pytest.mark.parametrize(
    ("kind", "first", "second", "legal"),
    [
        ("sequence", "S", "T", True),
        ("sequence", "T", "S", False),
        ("set", "S", "T", False),
        ("set", "T", "S", False),
    ],
)
def test_children_of_sequences_and_sets(kind: str, first: str, second: str, legal: bool) -> None:
    flow = Dependence(DependenceKind.FLOW, "B", isl.Map("{ S[] -> T[i] : 0 <= i < 4 }"))
    points = {"S": "S[]", "T": "T[i]"}
    tree = schedule(
        f'{{ domain: "{{ S[]; T[i] : 0 <= i < 4 }}", child: {{ {kind}: [ '
        f'{{ filter: "{{ {points[first]} }}" }}, {{ filter: "{{ {points[second]} }}" }} ] }} }}'
    )
    found = violations(Dependences(True, (flow,)), tree)
    assert [item.example for item in found] == ([] if legal else [("S[]", "T[0]", "")])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("i <= 1", "i > 1", []),
        ("i > 1", "i <= 1", ["{ S[1] -> S[2] }"]),
        ("i mod 2 = 0", "i mod 2 = 1", ["{ S[1] -> S[2] }"]),
        ("i mod 2 = 1", "i mod 2 = 0", ["{ S[0] -> S[1]; S[2] -> S[3] }"]),
    ],
)
def test_a_statement_in_two_children(first: str, second: str, expected: list[str]) -> None:
    flow = Dependence(DependenceKind.FLOW, "A", isl.Map("{ S[i] -> S[i + 1] : 0 <= i < 3 }"))
    band = 'child: { schedule: "[{ S[i] -> [(i)] }]" }'
    tree = schedule(
        '{ domain: "{ S[i] : 0 <= i < 4 }", child: { sequence: [ '
        f'{{ filter: "{{ S[i] : {first} }}", {band} }}, '
        f'{{ filter: "{{ S[i] : {second} }}", {band} }} ] }} }}'
    )
    found = violations(Dependences(True, (flow,)), tree)
    assert len(found) == len(expected)
    for item, text in zip(found, expected, strict=True):
        assert item.relation.is_equal(isl.Map(text))


def test_facts_of_a_nest_name_the_obstacle() -> None:
    facts = facts_of_nest(only_band(nest("t", "i")), STENCIL)
    assert not facts.permutable
    text = "array A carries (1,-1): S[0, 1] must run before S[1, 0] (n = 2)"
    assert str(facts.not_permutable) == text
    assert facts.coincident == (False, False)
    assert facts.parallel == (False, True)
    outer = facts_of_band(only_band(nest("t", "i")), STENCIL)
    assert (outer.permutable, outer.coincident) == (True, (False,))
    inner = facts_of_band(only_band(nest("t", "i")).child(0), STENCIL)
    assert (inner.permutable, inner.coincident) == (True, (True,))


def test_bands_that_are_permutable_together_become_one() -> None:
    merged = only_band(merge_bands(nest("t", "t + i", "0"), STENCIL))
    assert len(merged.members) == 3
    assert merged.permutable
    assert [merged.members[i].is_coincident for i in range(3)] == [False, False, True]


def test_a_band_that_is_not_permutable_is_split() -> None:
    tree = schedule(
        f'{{ domain: "{DOMAIN}", child: '
        '{ schedule: "[{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]", permutable: 1 } }'
    )
    assert not only_band(annotate_bands(tree, STENCIL)).permutable
    outer = only_band(merge_bands(tree, STENCIL))
    assert (len(outer.members), len(outer.child(0).members)) == (1, 1)


def test_a_part_of_a_split_band_is_merged_too() -> None:
    tree = schedule(
        f'{{ domain: "{DOMAIN}", child: {{ schedule: "[{{ S[t, i] -> [(0)] }}]", child: '
        '{ schedule: "[{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]" } } }'
    )
    outer = only_band(merge_bands(tree, STENCIL))
    assert (len(outer.members), len(outer.child(0).members)) == (2, 1)


def test_bands_with_build_options_are_not_merged() -> None:
    tree = only_band(nest("t", "t + i")).with_member(0, kind=isl.ast_loop_type.unroll)
    merged = only_band(merge_bands(tree.schedule, STENCIL))
    assert len(merged.members) == 1
    assert merged.members[0].kind == isl.ast_loop_type.unroll


@pytest.mark.parametrize(
    ("relation", "vectors"),
    [
        ("{ S[t, i] -> S[t + 1, i + 2] }", ["(1,2)"]),
        ("{ S[t, i] -> S[t + 1, j] : i - 1 <= j <= i + 1 }", ["(1,-1)", "(1,0)", "(1,1)"]),
        ("{ S[t, i] -> S[t, j] : i < j }", ["(0,+)"]),
        ("{ S[t, i] -> S[s, j] : s > t and j <= i }", ["(+,0-)"]),
        ("[n] -> { S[t, i] -> S[t + n, j] : n > 0 and j < i }", ["(+,-)"]),
        ("{ S[t, i] -> S[s, j] : s >= t; S[t, i] -> S[t, i + 1] }", ["(0+,*)"]),
    ],
)
def test_vectors(relation: str, vectors: list[str]) -> None:
    members = (only_band(nest("t"))).band.functions_by_statement + (
        only_band(nest("i"))
    ).band.functions_by_statement
    assert [str(vector) for vector in vectors_of(isl.Map(relation), members)] == vectors
