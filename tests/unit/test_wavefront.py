"""Wavefronts: order, parallel instances, flags, tiles of different sizes, what is left alone."""

from __future__ import annotations

import pytest
from execution import assert_respects, execution, flow, schedule

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.transform.tile import TileOptions, tile
from polyir.transform.wavefront import WavefrontOptions, wavefront
from polyir.tree.nodes import is_same

PAPER = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]", permutable: 1 } }"""
"""Bondhugula et al., figure 4: a[i, j] = a[i - 1, j] + a[i, j - 1]."""

PAPER_DEPENDENCES = flow(
    "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }",
    "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
)

CUBE = """{ domain: "[n] -> { S[i, j, k] : 0 <= i, j, k < n }", child: {
  schedule: "[n] -> [{ S[i, j, k] -> [i] }, { S[i, j, k] -> [j] }, { S[i, j, k] -> [k] }]",
  permutable: 1 } }"""

CUBE_DEPENDENCES = flow(
    "[n] -> { S[i, j, k] -> S[i + 1, j, k] : 0 <= i < n - 1 and 0 <= j, k < n }",
    "[n] -> { S[i, j, k] -> S[i, j + 1, k] : 0 <= j < n - 1 and 0 <= i, k < n }",
    "[n] -> { S[i, j, k] -> S[i, j, k + 1] : 0 <= k < n - 1 and 0 <= i, j < n }",
)


@pytest.mark.parametrize(("sizes", "first", "second"), [((3,), 3, 3), ((4, 2), 4, 2)])
def test_tiles_run_along_antidiagonals(sizes: tuple[int, ...], first: int, second: int) -> None:
    tiled = tile(schedule(PAPER), PAPER_DEPENDENCES, TileOptions(sizes)).schedule
    outcome = wavefront(tiled, PAPER_DEPENDENCES)
    order = execution(outcome.schedule, n=8)
    assert len(order) == 64
    assert order == sorted(
        order,
        key=lambda at: (at[1][0] // first + at[1][1] // second, at[1][1] // second, at[1]),
    )
    assert_respects(order, PAPER_DEPENDENCES, n=8)
    waves = outcome.schedule.root.child(0)
    assert [waves.coincident, waves.child(0).coincident] == [(False,), (True,)]
    assert outcome.done == (
        "skewed loops 1 to 2 of the band of 2 over S into wavefronts: "
        "1 loop inside can run in parallel",
    )
    assert outcome.missed == ()


def test_points_without_tiles() -> None:
    order = execution(wavefront(schedule(PAPER), PAPER_DEPENDENCES).schedule, n=5)
    assert order == sorted(order, key=lambda at: (sum(at[1]), at[1][1]))


@pytest.mark.parametrize("degrees", [1, 2])
def test_degrees_of_a_band_of_three(degrees: int) -> None:
    outcome = wavefront(schedule(CUBE), CUBE_DEPENDENCES, WavefrontOptions(degrees))
    order = execution(outcome.schedule, n=4)
    assert len(order) == 64
    assert order == sorted(order, key=lambda at: (sum(at[1][: degrees + 1]), at[1][1:]))
    assert_respects(order, CUBE_DEPENDENCES, n=4)
    rest = outcome.schedule.root.child(0).child(0)
    assert rest.coincident == (True,) * degrees + (False,) * (2 - degrees)


def test_all_degrees_there_are() -> None:
    outcome = wavefront(schedule(CUBE), CUBE_DEPENDENCES, WavefrontOptions("all"))
    two = wavefront(schedule(CUBE), CUBE_DEPENDENCES, WavefrontOptions(2))
    assert is_same(outcome.schedule.tree, two.schedule.tree)
    assert outcome.missed == ()


def test_more_degrees_than_there_are() -> None:
    outcome = wavefront(schedule(PAPER), PAPER_DEPENDENCES, WavefrontOptions(2))
    assert outcome.missed == ("the band of 2 over S allows 1 degree of parallelism, not 2",)


def test_a_parallel_band_is_left_alone() -> None:
    text = PAPER.replace("permutable: 1", "permutable: 1, coincident: [1, 0]")
    outcome = wavefront(schedule(text), flow())
    assert is_same(outcome.schedule.tree, schedule(text).tree)
    assert outcome.missed == (
        "no wavefronts were created: loop 1 of the band of 2 over S is already parallel",
    )


def test_loops_that_are_not_permutable_are_left_alone() -> None:
    text = PAPER.replace("permutable: 1", "permutable: 0")
    back = flow(
        "[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }",
        "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
    )
    outcome = wavefront(schedule(text), back)
    assert is_same(outcome.schedule.tree, schedule(text).tree)
    assert outcome.missed == (
        "no wavefronts were created: there is no permutable band of 2 or more: the loops from the "
        "band of 1 over S down are not permutable, because array A carries (1,-1): S[0, 1] must "
        "run before S[1, 0] (n = 2)",
    )


def test_a_band_wrongly_called_permutable_is_refused() -> None:
    backward = flow("[n] -> { S[i, j] -> S[i + 1, j - 2] : 0 <= i < n - 1 and 2 <= j < n }")
    with pytest.raises(LegalityError, match="the wavefront violates the flow dependence through A"):
        wavefront(schedule(PAPER), backward)


def test_degrees_must_be_positive() -> None:
    with pytest.raises(OptionError, match="degrees must be 1 or more, or all: degrees=0"):
        WavefrontOptions(0)
