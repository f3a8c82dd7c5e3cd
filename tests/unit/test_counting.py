"""What `make count` counts: a tree is read once, and the same is not converted again."""

from __future__ import annotations

from counting import PROGRAM, RUNS, count, lines


def test_a_tree_is_converted_once() -> None:
    counts = count(PROGRAM, RUNS[0])

    assert counts["trees read from operations"] == 1
    assert counts["operations made of a tree"] == 1
    # For the dependences, and for the loops.
    assert counts["isl schedules made"] == 2
    assert counts["isl schedules read"] == 0
    assert counts["steps with a limit"] == 3
    assert 50 < counts["modules that did something"] < counts["modules imported"]


def test_lines_are_counted_by_folder() -> None:
    assert lines()["polyir/tree"] > 1000
    assert {"dialects", "passes", "polyir", "tools"} < lines().keys()
