"""`make nightly`: every case of the tests, then all random testers with fresh seeds; one summary.

The cases come first, on all cores. What is left of the time is shared among the testers, which run
side by side, each in chunks, one after the other: the next chunk begins where the last one ended.
All that they print is kept in `build/nightly`. The first seed is made from the date, so that
every night tries other programs.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "nightly"
TOOLS = Path(sys.executable).parent
WORKERS = 2

MOST_FOR_CASES = 0.85
"""Of all time."""

SECONDS_FOR_CHUNK = 900
"""A chunk that takes longer hangs: chunks are made for one or two minutes."""


@dataclass(frozen=True)
class RandomTester:
    """A random tester: `command` has places for the size of a chunk and its first seed."""

    name: str
    command: str
    chunk: int
    share: float
    variables: Mapping[str, str] = field(default_factory=dict)

    def line(self, seed: int) -> str:
        """A command of a shell for the chunk that begins at a seed."""
        count = str(self.chunk)
        values = {
            name: text.format(count=count, seed=seed) for name, text in self.variables.items()
        }
        values |= {"PYTHONPATH": "tests:benchmarks", "POCL_CACHE_DIR": "build/pocl"}
        words = [f"{name}={value}" for name, value in values.items()]
        return " ".join([*words, self.command.format(count=count, seed=seed)])


def _module(name: str, module: str, chunk: int, share: float, options: str = "") -> RandomTester:
    python = shlex.quote(sys.executable)
    return RandomTester(
        name, f"{python} -m {module} {{count}} {{seed}} {options}".strip(), chunk, share
    )


def _cases(name: str, file: str, variable: str, chunk: int, share: float) -> RandomTester:
    pytest = f"{shlex.quote(sys.executable)} -m pytest -q {file}"
    variables = {variable: "{count}", "POLYIR_FUZZ_FIRST": "{seed}"}
    return RandomTester(name, pytest, chunk, share, variables)


TESTERS = (
    _module("programs", "fuzzing", 50, 4),
    _module("vectors", "fuzzing", 25, 2, "--vectors"),
    _module("gpu", "fuzzing", 25, 2, "--gpu"),
    _module("distributed", "fuzzing.ranks", 25, 2),
    _module("irregular", "fuzzing.irregular", 50, 2),
    _module("aliases", "fuzzing.aliases", 50, 2),
    _module("c", "fuzzing.c_files", 40, 6),
    _module("inputs", "fuzzing.inputs", 500, 5),
    _cases(
        *("equations", "tests/differential/test_random_equations.py", "POLYIR_FUZZ_EQUATIONS"),
        *(50, 2),
    ),
    _cases("edits", "tests/differential/test_hand_edits.py", "POLYIR_FUZZ_EDITS", 50, 1),
    _cases(
        *("schedules", "tests/differential/test_random_transformations.py", "POLYIR_FUZZ"), 1, 2
    ),
)


@dataclass
class Report:
    """What a part came to: how many inputs or tests of each kind, and how to see failures again."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0
    seeds: str = ""
    failures: list[str] = field(default_factory=list)

    def line(self) -> str:
        counts = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        seeds = f", {self.seeds}" if self.seeds else ""
        verdict = f"{len(self.failures)} FAILED" if self.failures else "ok"
        return f"{self.name:12} {verdict:10} {counts}{seeds}, {self.seconds / 60:.1f} minutes"


@dataclass(frozen=True)
class _Ended:
    code: int | None
    text: str


def run_cases(minutes: float, paths: Sequence[str] = ()) -> list[Report]:
    """lit's tests, and all cases of pytest; `paths` are those to run instead of all."""
    begin = time.monotonic()
    reports: list[Report] = []
    if not paths:
        lit = Report("filecheck")
        ended = _run(f"{TOOLS / 'lit'} tests/filecheck", "filecheck", minutes * 60)
        lit.counts.update(_numbers(r"^\s*(\w+)\s*:\s*(\d+) \(", ended.text))
        lit.failures += re.findall(r"^FAIL: .* :: (\S+)", ended.text, re.MULTILINE)
        reports.append(_closed(lit, ended, begin))
    begin, left = time.monotonic(), minutes * 60 - (time.monotonic() - begin)
    cases = Report("cases")
    # With a line for each case, those that failed are known even if the time is not enough for all.
    # A case that does not end keeps no other from being run.
    options = f"-vv --durations=100 -n {WORKERS} --dist worksteal"
    line = f"POLYIR_TEST_ALL=1 {sys.executable} -m pytest {options} {' '.join(paths)}"
    ended = _run(line, "cases", left)
    ends = re.findall(r"^.* in [\d.]+s.*$", ended.text, re.MULTILINE)
    found = re.findall(r"(\d+) (passed|failed|skipped|errors?)", ends[-1] if ends else "")
    cases.counts.update({what: int(count) for count, what in found})
    lines = re.findall(
        r"^(?:\[gw\d+\] \[ *\d+%\] )?(?:FAILED|ERROR) (\S+)", ended.text, re.MULTILINE
    )
    cases.failures += dict.fromkeys(lines)
    if ended.code is None:
        cases.failures += [f"{case} had not ended" for case in _running(ended.text)]
    reports.append(_closed(cases, ended, begin))
    return reports


def _running(text: str) -> list[str]:
    """The cases that have begun and not ended, from what pytest prints."""
    begun = re.findall(r"^([^\s\[]\S*::.*?)\s*$", text, re.MULTILINE)
    ended = re.findall(r"^\[gw\d+\] \[ *\d+%\] [A-Z]+ (.*?)\s*$", text, re.MULTILINE)
    return [case for case in begun if case not in set(ended)]


def run_tester(tester: RandomTester, first: int, seconds: float) -> Report:
    """Chunks of a tester for so long, from a seed on: at least one, and no more than fit."""
    report, begin, seed = Report(tester.name), time.monotonic(), first
    while (
        seed == first or (time.monotonic() - begin) * (1 + tester.chunk / (seed - first)) < seconds
    ):
        ended = _run(tester.line(seed), tester.name, SECONDS_FOR_CHUNK)
        if ended.code != 0:
            report.failures.append(f"{_reason(ended)}\n    {tester.line(seed)}")
        report.counts["tried"] += tester.chunk
        seed += tester.chunk
    report.seconds = time.monotonic() - begin
    report.seeds = f"seeds {first} to {seed - 1}"
    return report


def _closed(report: Report, ended: _Ended, begin: float) -> Report:
    report.seconds = time.monotonic() - begin
    if ended.code is None or (ended.code != 0 and not report.failures):
        report.failures.append(_reason(ended))
    return report


def _reason(ended: _Ended) -> str:
    if ended.code is None:
        return "no end in the time that it has"
    lines = [line for line in ended.text.strip().split("\n") if line.strip()]
    return f"exit code {ended.code}: {lines[-1][:200] if lines else 'nothing printed'}"


def _numbers(pattern: str, text: str) -> dict[str, int]:
    return {what.lower(): int(count) for what, count in re.findall(pattern, text, re.MULTILINE)}


def _run(line: str, name: str, seconds: float) -> _Ended:
    """Run a command in a shell, in a group of processes that ends with it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.log").open("a+") as log:
        log.write(f"$ {line}\n")
        log.flush()
        start = log.tell()
        process = subprocess.Popen(
            ["bash", "-c", line],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(max(seconds, 1))
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        log.seek(start)
        return _Ended(code, log.read())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make nightly", description=__doc__)
    names = ["cases", *(tester.name for tester in TESTERS)]
    parser.add_argument("--minutes", type=float, default=115, help="for all of it")
    parser.add_argument("--seed", type=int, default=int(time.time()) // 86_400 * 100_000)
    parser.add_argument("--only", help=f"names between commas, of {', '.join(names)}")
    parser.add_argument("--paths", help="tests to run instead of all cases, between commas")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else names
    if unknown := set(options.only) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    """Run; the exit code is 1 if anything failed."""
    options = _options()
    begin = time.monotonic()
    for log in FOLDER.glob("*.log"):
        log.unlink()
    reports: list[Report] = []
    if "cases" in options.only:
        paths = options.paths.split(",") if options.paths else ()
        reports += run_cases(options.minutes * MOST_FOR_CASES, paths)
        for report in reports:
            print(report.line(), flush=True)
    testers = [tester for tester in TESTERS if tester.name in options.only]
    left = WORKERS * (options.minutes * 60 - (time.monotonic() - begin))
    total = sum(tester.share for tester in testers)
    with ThreadPoolExecutor(WORKERS) as pool:
        running = [
            pool.submit(run_tester, tester, options.seed, left * tester.share / total)
            for tester in sorted(testers, key=lambda tester: -tester.share)
        ]
        for each in running:
            reports.append(each.result())
            print(reports[-1].line(), flush=True)
    return print_summary(reports, time.monotonic() - begin)


def print_summary(reports: Sequence[Report], seconds: float) -> int:
    """Print what failed, and how it is run again; returns the exit code."""
    failed = [report for report in reports if report.failures]
    print(f"\n== {seconds / 60:.0f} minutes; what was printed is in {FOLDER.relative_to(ROOT)}")
    for report in reports:
        print(report.line())
    for report in failed:
        print(f"\n{report.name}:")
        for failure in report.failures:
            print(f"  {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
