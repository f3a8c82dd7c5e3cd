"""Fusion and distribution by request: order, shape, flags, refusals."""

from __future__ import annotations

import pytest
from execution import execution, flow, schedule

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.transform.distribute import DistributeOptions, distribute
from polyir.transform.fuse import FuseOptions, fuse
from polyir.transform.tile import TileOptions, tile
from polyir.tree.addresses import LoopAddress
from polyir.tree.nodes import is_same

NESTS = """{ domain: "{ S[i]: 0 <= i < 3; T[i, j]: 0 <= i, j < 3; U[i, j]: 0 <= i, j < 3 }",
  child: { sequence: [
  { filter: "{ S[i] }", child: { schedule: "[{ S[i] -> [i] }]" } },
  { filter: "{ T[i, j] }", child: { schedule: "[{ T[i, j] -> [i] }]",
    child: { schedule: "[{ T[i, j] -> [j] }]" } } },
  { filter: "{ U[i, j] }", child: { schedule: "[{ U[i, j] -> [i] }, { U[i, j] -> [j] }]" } }
] } }"""

ALONG = flow("{ S[i] -> T[i, j] : 0 <= i, j < 3 }", "{ T[i, j] -> U[i, j] : 0 <= i, j < 3 }")
AHEAD = flow("{ S[i] -> T[i - 1, j] : 1 <= i < 3 and 0 <= j < 3 }")
NOTHING = flow()


def test_neighbours_are_fused_and_the_third_stays() -> None:
    outcome = fuse(schedule(NESTS), ALONG, FuseOptions(("S", "T")))
    order = execution(outcome.schedule)
    assert order[:5] == [("S", (0,)), ("T", (0, 0)), ("T", (0, 1)), ("T", (0, 2)), ("S", (1,))]
    assert order[12:] == [("U", (i, j)) for i in range(3) for j in range(3)]
    assert outcome.done == ("fused the outermost loop of S, T",)
    band = outcome.schedule.root.child(0).child(0).child(0)
    assert band.coincident == (True,)


def test_two_loops_deep_the_last_nests_first_stays() -> None:
    outcome = fuse(schedule(NESTS), ALONG, FuseOptions(("U", "T"), depth=2))
    order = execution(outcome.schedule)
    assert order[:3] == [("S", (i,)) for i in range(3)]
    assert order[3:] == [(name, (i, j)) for i in range(3) for j in range(3) for name in "TU"]


def test_all_three() -> None:
    order = execution(fuse(schedule(NESTS), ALONG, FuseOptions(("S", "T", "U"))).schedule)
    assert [name for name, _ in order[:7]] == ["S", "T", "T", "T", "U", "U", "U"]


def test_loops_fused_one_by_one_can_be_tiled() -> None:
    once = fuse(schedule(NESTS), ALONG, FuseOptions(("T", "U"))).schedule
    twice = fuse(once, ALONG, FuseOptions(("T", "U"))).schedule
    outcome = tile(twice, ALONG, TileOptions((2,)))
    assert outcome.done[0] == "tiled the band of 2 over T, U by 2 x 2"
    order = [at for at in execution(outcome.schedule) if at[0] != "S"]
    assert order == sorted(order, key=lambda at: ([k // 2 for k in at[1]], at[1], at[0]))


def test_illegal_fusion_is_refused_with_an_example() -> None:
    with pytest.raises(LegalityError, match=r"fusing S, T violates .* through A: S\[1\]"):
        fuse(schedule(NESTS), AHEAD, FuseOptions(("S", "T")))


@pytest.mark.parametrize(
    ("statements", "depth", "message"),
    [
        (("S", "U"), 1, "the nests of S, U are not adjacent: T runs between them"),
        (("S", "T"), 2, "cannot fuse 2 loops: S has 1 that can be fused"),
        (("S", "V"), 1, r"there is no statement 'V' \(statements: S, T, U\)"),
    ],
)
def test_impossible_fusions(statements: tuple[str, ...], depth: int, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        fuse(schedule(NESTS), NOTHING, FuseOptions(statements, depth))


@pytest.mark.parametrize(
    ("statements", "depth", "message"),
    [(("S", "S"), 1, "two statements or more"), (("S", "T"), 0, "depth must be 1 or more")],
)
def test_bad_fuse_options(statements: tuple[str, ...], depth: int, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        FuseOptions(statements, depth)


FUSED = """{ domain: "{ S[t, i]: 0 <= t, i < 2; T[t, i]: 0 <= t, i < 2; U[t, i]: 0 <= t, i < 2 }",
  child: { schedule: "[{ S[t, i] -> [t]; T[t, i] -> [t]; U[t, i] -> [t] }, \
                       { S[t, i] -> [i]; T[t, i] -> [i]; U[t, i] -> [i] }]",
  child: { sequence: [
  { filter: "{ S[t, i] }" }, { filter: "{ T[t, i] }" }, { filter: "{ U[t, i] }" } ] } } }"""


@pytest.mark.parametrize(
    ("statement", "keep", "expected"),
    [
        ("T", 0, "SSSSTTTTUUUU"),
        ("S", 0, "SSSSTUTUTUTU"),
        ("U", 0, "STSTSTSTUUUU"),
        ("U", 1, "STSTUUSTSTUU"),
    ],
)
def test_distribution(statement: str, keep: int, expected: str) -> None:
    outcome = distribute(schedule(FUSED), NOTHING, DistributeOptions((statement,), keep))
    order = execution(outcome.schedule)
    assert "".join(name for name, _ in order) == expected
    others = ", ".join(name for name in "STU" if name != statement)
    assert outcome.done == (f"separated {statement} from {others}: it now has its own loop nest",)
    assert outcome.missed == ()


def test_distribution_frees_loops() -> None:
    ahead = flow("{ S[t, i] -> T[t, k] : 0 <= t < 2 and i = 0 and k = 1 }")
    result = distribute(schedule(FUSED), ahead, DistributeOptions(("S",))).schedule
    flags = [result.root.child(0).child(k).child(0).coincident for k in (0, 1)]
    assert flags == [(True, True), (True, True)]


def test_a_cycle_is_not_distributed() -> None:
    cycle = flow("{ S[t, i] -> T[t, i] : 0 <= t, i < 2 }", "{ T[0, i] -> S[1, i] : 0 <= i < 2 }")
    with pytest.raises(LegalityError, match="distributing S violates"):
        distribute(schedule(FUSED), cycle, DistributeOptions(("S",)))
    kept = distribute(schedule(FUSED), cycle, DistributeOptions(("S",), keep=1)).schedule
    assert "".join(name for name, _ in execution(kept)) == "SSTUTUSSTUTU"


def test_a_statement_alone_is_left_alone() -> None:
    outcome = distribute(schedule(NESTS), NOTHING, DistributeOptions(("S",)))
    assert is_same(outcome.schedule.tree, schedule(NESTS).tree)
    assert outcome.missed == ("S was not distributed: it shares no loop",)


def test_distribution_undoes_fusion() -> None:
    fused = fuse(schedule(NESTS), ALONG, FuseOptions(("S", "T"))).schedule
    apart = distribute(fused, ALONG, DistributeOptions(("T",))).schedule
    assert execution(apart) == execution(schedule(NESTS))


@pytest.mark.parametrize(
    ("statements", "keep", "message"),
    [((), 0, "give a statement to distribute"), (("S",), -1, "keep must be 0 or more: keep=-1")],
)
def test_bad_distribute_options(statements: tuple[str, ...], keep: int, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        DistributeOptions(statements, keep)


def addresses(*texts: str) -> tuple[LoopAddress, ...]:
    return tuple(map(LoopAddress.parse, texts))


@pytest.mark.parametrize(
    ("loops", "statements", "depth"),
    [(("S.0", "T.0"), ("S", "T"), 1), (("T.1", "U.1"), ("T", "U"), 2)],
)
def test_fusion_by_address(loops: tuple[str, ...], statements: tuple[str, ...], depth: int) -> None:
    by_address = fuse(schedule(NESTS), NOTHING, FuseOptions(loops=addresses(*loops)))
    by_name = fuse(schedule(NESTS), NOTHING, FuseOptions(statements, depth))
    assert is_same(by_address.schedule.tree, by_name.schedule.tree)
    assert by_address.done == (f"fused {', '.join(loops)}",)


def test_an_inner_loop_below_a_common_one_is_fused() -> None:
    outer = fuse(schedule(NESTS), NOTHING, FuseOptions(("T", "U"))).schedule
    inner = fuse(outer, NOTHING, FuseOptions(loops=addresses("T.1", "U.1"))).schedule
    at_once = fuse(schedule(NESTS), NOTHING, FuseOptions(("T", "U"), 2)).schedule
    assert execution(inner) == execution(at_once)
    again = fuse(inner, NOTHING, FuseOptions(loops=addresses("T.1", "U.1")))
    assert again.missed == ("nothing was fused: T.1, U.1 are the same loop",)


@pytest.mark.parametrize(
    ("loops", "message"),
    [
        (("S.0", "U.0"), "the nests of S.0, U.0 are not adjacent: T runs between them"),
        (
            ("S.0", "T.1"),
            "different depths: below the loops they share, S.0 is loop 1, T.1 is loop 2",
        ),
        (("T.0", "T.1"), "cannot fuse T.0 and T.1: one is inside the other"),
        (("S.0", "T.2"), "there is no loop 'T.2': T has 2 loops"),
    ],
)
def test_impossible_fusions_by_address(loops: tuple[str, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        fuse(schedule(NESTS), NOTHING, FuseOptions(loops=addresses(*loops)))


def test_distribution_by_address_is_that_by_name() -> None:
    for name, keep in (("T", 0), ("U", 1)):
        by_name = distribute(schedule(FUSED), NOTHING, DistributeOptions((name,), keep))
        loops = addresses(f"{name}.{keep}")
        by_address = distribute(schedule(FUSED), NOTHING, DistributeOptions(loops=loops))
        assert is_same(by_address.schedule.tree, by_name.schedule.tree)
        assert by_address.done == by_name.done


def test_a_part_is_distributed_and_the_others_stay() -> None:
    parts = """{ domain: "{ S[i] : 0 <= i < 4; T[i] : 0 <= i < 4 }",
      child: { schedule: "[{ S[i] -> [i]; T[i] -> [i] }]", child: { sequence: [
      { filter: "{ S[i] : i < 2 }" }, { filter: "{ T[i] }" }, { filter: "{ S[i] : i >= 2 }" }
    ] } } }"""
    options = DistributeOptions(loops=addresses("S/1.0"))
    order = execution(distribute(schedule(parts), NOTHING, options).schedule)
    assert order == [
        *((name, (i,)) for i in range(2) for name in "ST"),
        *(("T", (i,)) for i in (2, 3)),
        *(("S", (i,)) for i in (2, 3)),
    ]
