"""The summary of `make nightly`: what is counted, what fails, and how it is run again."""

from __future__ import annotations

from pathlib import Path

import nightly
import pytest
from nightly import RandomTester, print_summary, run_cases, run_tester


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nightly, "FOLDER", tmp_path)
    monkeypatch.setattr(nightly, "ROOT", tmp_path)


def test_chunks_follow_each_other_until_the_time_is_up(tmp_path: Path) -> None:
    tester = RandomTester("quick", f"echo {{count}} {{seed}} >> {tmp_path / 'seen'}", 10, 1)
    report = run_tester(tester, 500, 0.05)
    seen = (tmp_path / "seen").read_text().split("\n")[:-1]
    assert seen[:2] == ["10 500", "10 510"]
    assert report.counts == {"tried": 10 * len(seen)}
    assert report.seeds == f"seeds 500 to {499 + 10 * len(seen)}"
    assert not report.failures


def test_a_failing_chunk_says_how_to_run_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    tester = RandomTester("bad", "sh -c 'echo wrong; exit 3' {count} {seed}", 5, 1, {"A": "{seed}"})
    report = run_tester(tester, 70, 0)
    assert print_summary([report], 60) == 1
    output = capsys.readouterr().out
    assert "bad          1 FAILED   5 tried, seeds 70 to 74" in output
    assert "exit code 3: wrong" in output
    assert "    A=70 PYTHONPATH=tests:benchmarks" in output
    assert "sh -c 'echo wrong; exit 3' 5 70" in output


def test_a_chunk_without_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nightly, "SECONDS_FOR_CHUNK", 1)
    report = run_tester(RandomTester("endless", "sleep 60 # {count} {seed}", 5, 1), 0, 0)
    assert report.failures[0].startswith("no end in the time that it has")
    assert report.seconds < 30


def test_cases_are_counted_and_failures_named(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import pytest\ndef test_good(): pass\ndef test_bad(): assert False\n"
        "@pytest.mark.skip\ndef test_left(): pass\n"
    )
    (report,) = run_cases(5, ["test_some.py"])
    assert report.counts == {"passed": 1, "failed": 1, "skipped": 1}
    assert report.failures == ["test_some.py::test_bad"]
    (tmp_path / "test_some.py").write_text("def test_good(): pass\n")
    (report,) = run_cases(5, ["test_some.py"])
    assert report.counts == {"passed": 1}
    assert not report.failures


def test_a_case_without_end_is_named() -> None:
    text = (
        "tests/a.py::test_one[1 2] \n"
        "[gw0] [ 33%] PASSED tests/a.py::test_one[1 2] \n"
        "tests/a.py::test_endless \n"
        "tests/a.py::test_two \n"
        "[gw1] [ 66%] FAILED tests/a.py::test_two \n"
    )
    assert nightly._running(text) == ["tests/a.py::test_endless"]
