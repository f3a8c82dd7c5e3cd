"""The tool `polyir-simulate-ranks`."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyir.tools.polyir_simulate_ranks import main

JACOBI = str(Path(__file__).parents[2] / "benchmarks" / "polybench" / "jacobi-2d.mlir")
STEPS = ["--feautrier-schedule", "--distribute-memory", JACOBI]
SIZES = ["--size=n=18", "--size=tsteps=3"]


def test_the_table_has_a_line_for_each_number_of_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    """2 (P - 1) (2 T - 1) messages of n - 2 doubles: see test_simulated_ranks.py."""
    assert main([*STEPS, *SIZES, "--ranks=1,4"]) == 0
    sizes, header, *lines = capsys.readouterr().out.splitlines()
    assert sizes == "sizes: tsteps=3, n=18"
    assert header.split()[:2] == ["ranks", "messages"]
    found = [[int(number) for number in line.split()[:4]] for line in lines]
    messages = 2 * 3 * 5
    assert found == [[1, 0, 0, 6 * 16 * 16], [4, messages, messages * 16 * 8, 6 * 4 * 16]]


def test_rows_dealt_out_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    """Two ranks have every other one of 16 rows.

    Each row goes to the other rank once, which has both neighbours, in one message a step.
    """
    passes = [STEPS[0], "--distribute-memory=distribution=cyclic", JACOBI]
    assert main([*passes, *SIZES, "--ranks=2"]) == 0
    line = capsys.readouterr().out.splitlines()[-1].split()
    assert line[:4] == ["2", str(2 * 5), str(5 * 16 * 16 * 8), str(6 * 8 * 16)]


def test_ranks_and_steps_are_printed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STEPS, *SIZES, "--ranks=2", "--by-step"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "rank 0 of 2: 768 instances, sends 5 messages of 640 bytes, receives 5 of 640" in lines
    assert "  P0[0]: 128 instances, sends 1 of 128, receives 1 of 128" in lines


def test_passes_after_the_division_and_the_default_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*STEPS[:2], "--mark-parallel", JACOBI, *SIZES, "--ranks=2"]) == 0
    first = capsys.readouterr().out
    assert main([*STEPS, *SIZES, "--ranks=2"]) == 0
    assert capsys.readouterr().out == first
    assert main([JACOBI, *SIZES, "--ranks=2"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*STEPS, "--alpha=-1"], "negative"),
        ([*STEPS, "--size=m=4"], "no size named 'm'"),
        ([*STEPS, "--function=other"], "--function"),
    ],
)
def test_what_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--ranks=2"]) == 1
    assert message in capsys.readouterr().err


def test_a_size_for_which_nothing_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STEPS, "--size=n=2", "--size=tsteps=3", "--ranks=2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[:4] == ["2", "0", "0", "0"]
