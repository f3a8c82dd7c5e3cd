"""The attribute of parallel loops: which loops have it, and the reasons."""

from __future__ import annotations

import pytest
from execution import execution, flow, schedule

from polyir.dialects.dependence import Dependences
from polyir.transform.parallel import PARALLEL, Which, mark_parallel
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.nodes import is_same

BAND = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]" } }"""

ALONG_I = flow("[n] -> { S[i, j] -> S[i + 1, j + 1] : 0 <= i, j < n - 1 }")
ALONG_J = flow("[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }")
BOTH = Dependences(False, ALONG_I.items + ALONG_J.items)
NOTHING = flow()

TWO_NESTS = """{ domain: "{ S[i]: 0 <= i < 4; T[i, j]: 0 <= i, j < 4 }", child: { sequence: [
  { filter: "{ S[i] }", child: { schedule: "[{ S[i] -> [i] }]" } },
  { filter: "{ T[i, j] }", child: { schedule: "[{ T[i, j] -> [i] }]",
    child: { schedule: "[{ T[i, j] -> [j] }]" } } }
] } }"""


def marked(tree: Schedule) -> list[str]:
    """The members with the attribute, in the order of the tree."""
    found: list[str] = []

    def visit(node: ScheduleNode) -> bool:
        if node.kind is Kind.BAND:
            for position, attributes in enumerate(node.loop_attributes):
                if PARALLEL in attributes:
                    function = node.members[position].function
                    found.append(str(function).split("->")[-1].strip())
        return True

    assert tree.root.every(visit)
    return [text.removesuffix("}").strip() for text in found]


@pytest.mark.parametrize(
    ("dependences", "which", "expected"),
    [
        (NOTHING, "outermost", ["[(i)]"]),
        (NOTHING, "inner", ["[(j)]"]),
        (NOTHING, "all", ["[(i)]", "[(j)]"]),
        (ALONG_I, "outermost", ["[(j)]"]),
        (ALONG_J, "outermost", ["[(i)]"]),
        (ALONG_J, "inner", ["[(i)]"]),
        (ALONG_J, "all", ["[(i)]"]),
    ],
)
def test_which_loops(dependences: Dependences, which: Which, expected: list[str]) -> None:
    outcome = mark_parallel(schedule(BAND), dependences, which)
    assert marked(outcome.schedule) == expected
    assert outcome.missed == ()
    assert execution(outcome.schedule, n=3) == execution(schedule(BAND), n=3)


def test_a_loop_inside_the_carrying_one_is_parallel_though_not_coincident_in_its_band() -> None:
    # (1, 1) moves along j too, but i carries it.
    outcome = mark_parallel(schedule(BAND), ALONG_I)
    assert outcome.done == ("loop 2 around S is parallel",)


def test_coincident_flags_are_not_trusted() -> None:
    text = BAND.replace("[j] }]", "[j] }]").replace('" } }', '", coincident: [1, 1] } }')
    outcome = mark_parallel(schedule(text), BOTH)
    assert marked(outcome.schedule) == []
    assert outcome.missed == (
        "nothing was marked parallel: no loop around S is parallel: "
        "loop 1 carries dependences through A; loop 2 carries dependences through A",
    )


def test_each_child_of_a_sequence_is_a_nest() -> None:
    carried = flow(
        "{ S[i] -> S[i + 1] : 0 <= i < 3 }",
        "{ T[i, j] -> T[i + 1, j] : 0 <= i < 3 and 0 <= j < 4 }",
    )
    outcome = mark_parallel(schedule(TWO_NESTS), carried)
    assert marked(outcome.schedule) == ["[(j)]"]
    assert outcome.done == ("loop 2 around T is parallel",)
    assert outcome.missed == ("no loop around S is parallel: loop 1 carries dependences through A",)


def test_a_loop_that_runs_once_is_passed_over() -> None:
    text = BAND.replace("[i] }", "[0] }")
    assert marked(mark_parallel(schedule(text), NOTHING).schedule) == ["[(j)]"]
    tiled = BAND.replace("[i] }", "[floor(i / 4)] }").replace("i, j < n", "i, j < n and n <= 4")
    assert marked(mark_parallel(schedule(tiled), NOTHING).schedule) == ["[(j)]"]


def test_marking_twice_changes_nothing() -> None:
    once = mark_parallel(schedule(BAND), ALONG_I)
    again = mark_parallel(once.schedule, ALONG_I)
    assert is_same(again.schedule.tree, once.schedule.tree)
    assert again.missed == (
        "nothing was marked parallel: loop 2 around S is already marked parallel",
    )


def test_nested_bands_give_one_reason() -> None:
    text = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
      schedule: "[n] -> [{ S[i, j] -> [i] }]", child: {
      schedule: "[n] -> [{ S[i, j] -> [j] }]" } } }"""
    assert mark_parallel(schedule(text), BOTH).missed == (
        "nothing was marked parallel: no loop around S is parallel: "
        "loop 1 carries dependences through A; loop 2 carries dependences through A",
    )


def test_a_tree_without_loops() -> None:
    outcome = mark_parallel(schedule('{ domain: "{ S[] }" }'), NOTHING)
    assert outcome.missed == ("nothing was marked parallel: there is no loop",)
