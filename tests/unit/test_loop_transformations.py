"""The classical loop transformations: the order that they make, flags, marks, refusals."""

from __future__ import annotations

import pytest
from execution import Instance, assert_respects, execution, flow, schedule

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.transform.affine_change import (
    ScaleOptions,
    ShiftOptions,
    SkewOptions,
    reverse,
    scale,
    shift,
    skew,
)
from polyir.transform.given_schedule import apply_schedule, parse_schedule
from polyir.transform.interchange import InterchangeOptions, interchange
from polyir.transform.parallel import PARALLEL, mark_parallel
from polyir.transform.split import SplitOptions, split
from polyir.transform.strip_mine import (
    StripMineOptions,
    UnrollJamOptions,
    UnrollOptions,
    strip_mine,
    unroll,
    unroll_jam,
)
from polyir.tree.addresses import LoopAddress, StatementAddress

NEST = schedule(
    """{ domain: "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n; T[i] : 0 <= i < n }",
  child: { schedule: "[n] -> [{ S[i, j] -> [i]; T[i] -> [i] }]", child: { sequence: [
  { filter: "{ T[i] }" },
  { filter: "{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [j] }]" } }
] } } }"""
)
SQUARE = schedule(
    """{ domain: "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
  child: { schedule: "[n] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]" } }"""
)
NOTHING = flow()
DIAGONAL = flow("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 0 < j < n }")
ROW = flow("[n] -> { T[i] -> S[i, j] : 0 <= i < n and 0 <= j < n }")
SIZE = 5
POINTS = [(i, j) for i in range(SIZE) for j in range(SIZE)]


def order(outcome: Outcome, dependences: Dependences = NOTHING) -> list[Instance]:
    """What runs, in order, of which the dependences are checked by counting."""
    found = execution(outcome.schedule, n=SIZE)
    assert_respects(found, dependences, n=SIZE)
    return found


def names(loops: str) -> InterchangeOptions:
    return InterchangeOptions(tuple(map(LoopAddress.parse, loops.split(","))))


def test_interchange_within_a_band() -> None:
    outcome = interchange(SQUARE, NOTHING, names("S.0,S.1"))
    assert order(outcome) == [("S", (i, j)) for j in range(SIZE) for i in range(SIZE)]
    assert outcome.schedule.root.child(0).coincident == (True, True)


def test_interchange_of_the_outermost_and_the_innermost_of_three_bands() -> None:
    tree = schedule(
        """{ domain: "{ S[i, j, k] : 0 <= i < 2 and 0 <= j < 3 and 0 <= k < 4 }",
      child: { schedule: "[{ S[i, j, k] -> [i] }]", child: { schedule: "[{ S[i, j, k] -> [j] }]",
      child: { schedule: "[{ S[i, j, k] -> [k] }]" } } } }"""
    )
    expected = [("S", (i, j, k)) for k in range(4) for j in range(3) for i in range(2)]
    assert order(interchange(tree, NOTHING, names("S.2,S.0"))) == expected


def test_skewing_makes_the_diagonal_interchangeable() -> None:
    with pytest.raises(LegalityError, match=r"S\[0, 1\] must run before S\[1, 0\]"):
        interchange(SQUARE, DIAGONAL, names("S.0,S.1"))
    skewed = skew(SQUARE, DIAGONAL, SkewOptions(LoopAddress.parse("S.1"), LoopAddress.parse("S.0")))
    band = skewed.schedule.root.child(0)
    assert band.permutable
    assert band.coincident == (False, True)
    exchanged = interchange(skewed.schedule, DIAGONAL, names("S.0,S.1"))
    expected = sorted(POINTS, key=lambda point: (sum(point), point[0]))
    assert order(exchanged, DIAGONAL) == [("S", point) for point in expected]


def test_an_outer_loop_is_skewed_by_an_inner_one() -> None:
    options = SkewOptions(LoopAddress.parse("S.0"), LoopAddress.parse("S.1"), factor=2)
    expected = sorted(POINTS, key=lambda point: (point[0] + 2 * point[1], point[1]))
    assert order(skew(SQUARE, NOTHING, options)) == [("S", point) for point in expected]


def test_a_loop_is_not_skewed_by_a_loop_of_some_of_its_statements() -> None:
    with pytest.raises(OptionError, match=r"cannot skew S\.0 by S\.1: .* S\.1 contains only S$"):
        skew(NEST, ROW, SkewOptions(LoopAddress.parse("S.0"), LoopAddress.parse("S.1")))


def test_shifting_one_statement() -> None:
    options = ShiftOptions(LoopAddress.parse("T.0"), "1 - n", (StatementAddress("T"),))
    found = order(shift(NEST, ROW, options), ROW)
    # T[i] has the date i - n + 1: all but the last run before all of S.
    assert found[: SIZE + 1] == [*(("T", (i,)) for i in range(SIZE)), ("S", (0, 0))]
    late = ShiftOptions(LoopAddress.parse("T.0"), "1", (StatementAddress("T"),))
    with pytest.raises(LegalityError, match=r"shifting T by 1 along T\.0 violates the flow"):
        shift(NEST, ROW, late)


def test_shifting_one_part() -> None:
    parts = split(
        SQUARE, NOTHING, SplitOptions((StatementAddress("S"),), "j < 2", LoopAddress.parse("S.1"))
    )
    options = ShiftOptions(LoopAddress.parse("S.0"), "2", (StatementAddress("S", 1),))
    expected = sorted(POINTS, key=lambda point: (point[0] + 2 * (point[1] >= 2), point[1] >= 2))
    assert order(shift(parts.schedule, NOTHING, options)) == [("S", point) for point in expected]


def test_reversal() -> None:
    found = order(reverse(SQUARE, NOTHING, LoopAddress.parse("S.0")))
    assert found == [("S", (i, j)) for i in reversed(range(SIZE)) for j in range(SIZE)]
    with pytest.raises(LegalityError, match=r"reversing S\.0 violates the flow dependence"):
        reverse(SQUARE, DIAGONAL, LoopAddress.parse("S.0"))


def test_scaling_one_statement_meets_the_other_less_often() -> None:
    options = ScaleOptions(LoopAddress.parse("S.0"), 2, (StatementAddress("S"),))
    found = order(scale(NEST, ROW, options), ROW)
    assert found[: SIZE + 4][-3:] == [("T", (1,)), ("T", (2,)), ("S", (1, 0))]


def test_strip_mining_keeps_the_order_and_gives_a_tile_with_interchange() -> None:
    mined = strip_mine(SQUARE, DIAGONAL, StripMineOptions(LoopAddress.parse("S.1"), 2))
    assert order(mined, DIAGONAL) == [("S", point) for point in POINTS]
    tiled = interchange(mined.schedule, NOTHING, names("S.0,S.1"))
    expected = sorted(POINTS, key=lambda point: (point[1] // 2, point))
    assert order(tiled) == [("S", point) for point in expected]


def test_splitting_at_a_loop_keeps_what_is_around() -> None:
    options = SplitOptions((StatementAddress("S"),), "j >= 3", LoopAddress.parse("S.1"))
    expected = sorted(POINTS, key=lambda point: (point[0], point[1] < 3, point[1]))
    assert order(split(SQUARE, NOTHING, options)) == [("S", point) for point in expected]


def test_what_nothing_meets_splits_nothing() -> None:
    for condition, count in (("i > n", "none"), ("i < n", "all")):
        outcome = split(SQUARE, NOTHING, SplitOptions((StatementAddress("S"),), condition))
        assert outcome.missed == (
            f"nothing was split: '{condition}' holds for {count} of the instances in S.0",
        )
        assert outcome.schedule is SQUARE


@pytest.mark.parametrize("factor", [2, 3, 7])
def test_unrolling_keeps_the_order(factor: int) -> None:
    for loop in ("S.0", "S.1"):
        outcome = unroll(SQUARE, DIAGONAL, UnrollOptions(LoopAddress.parse(loop), factor))
        assert order(outcome, DIAGONAL) == [("S", point) for point in POINTS]


def test_unrolling_and_jamming() -> None:
    outcome = unroll_jam(SQUARE, NOTHING, UnrollJamOptions(LoopAddress.parse("S.0"), 2))
    expected = sorted(POINTS, key=lambda point: (point[0] // 2, point[1], point[0]))
    assert order(outcome) == [("S", point) for point in expected]
    with pytest.raises(LegalityError, match=r"unrolling S\.0 by 2 into its inner loops violates"):
        unroll_jam(SQUARE, DIAGONAL, UnrollJamOptions(LoopAddress.parse("S.0"), 2))


def test_jamming_reaches_each_statement_of_an_imperfect_nest() -> None:
    outcome = unroll_jam(NEST, ROW, UnrollJamOptions(LoopAddress.parse("T.0"), 2))
    found = order(outcome, ROW)
    assert found[:4] == [("T", (0,)), ("T", (1,)), ("S", (0, 0)), ("S", (1, 0))]


def test_an_attribute_stays_with_its_loop_as_long_as_it_is_true() -> None:
    skewed = skew(SQUARE, DIAGONAL, SkewOptions(LoopAddress.parse("S.1"), LoopAddress.parse("S.0")))
    marked = mark_parallel(skewed.schedule, DIAGONAL).schedule
    band = marked.root.child(0)
    assert band.loop_attributes == ((), (PARALLEL,))
    outcome = interchange(marked, DIAGONAL, names("S.0,S.1"))
    band = outcome.schedule.root.child(0)
    assert band.loop_attributes == ((PARALLEL,), ())
    assert outcome.missed == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ S[i, j] -> [1, j, i]; T[i] -> [0, -i] }", ("T", (SIZE - 1,))),
        ("{ S[i, j] -> [i, 1, j]; T[i] -> [i] }", ("T", (0,))),
        ("[n] -> { S[i, j] -> [i + n, j]; T[i] -> [i] }", ("T", (0,))),
    ],
)
def test_union_maps_are_applied(text: str, expected: Instance) -> None:
    given = parse_schedule(text)
    found = order(apply_schedule(NEST, ROW, given), ROW)
    assert found[0] == expected
    assert len(found) == SIZE * SIZE + SIZE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{ domain: "{ S[i, j] }" }', r"leaves out T\[0\] \(n = 1\)"),
        (
            '{ domain: "{ S[i, j]; T[i] }", child: { sequence: [ { filter: "{ T[i] }" } ] } }',
            "not a well-formed tree",
        ),
        ("{ S[i, j] -> [i]; T[i] -> [a] : a > 0 }", "several dates for an instance of T"),
        ("{ S[i, j] -> [i]; T[i] -> [i] : i > 2 }", r"leaves out T\[0\] \(n = 1\)"),
        (
            '{ domain: "{ S[i, j]; T[i] }", child: { extension: "{ [] -> C[i] : 0 <= i < 4 }", '
            'child: { sequence: [ { filter: "{ C[i] }" }, { filter: "{ S[i, j]; T[i] }" } ] } } }',
            "orders 'C', which is not a statement",
        ),
    ],
)
def test_schedules_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        apply_schedule(NEST, ROW, parse_schedule(text))
