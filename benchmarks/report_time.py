"""Times `polyir-opt --report` on every kernel, and Chromium on its page; `make bench-report`.

The time of a report is that of polyir-opt with it less that without it, each a process of its own,
start-up included; the best of `--repeat` runs counts. A page is opened in a browser that runs
already, until its scripts have run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from beyond_kernels import ALL_KERNELS, SUITES
from browser import Browser, headless
from compile_time import seconds_of
from kernels import Kernel

PIPELINE: Final = "pluto-schedule,tile{sizes=32},wavefront,mark-parallel"

REPORT_LIMIT: Final = 2.0
OPEN_LIMIT: Final = 1.0
SIZE_LIMIT: Final = 2.0
"""What issue 19 allows: seconds for a report and for opening its page, and megabytes of it."""

LOADED: Final = "const t = performance.timing; return t.loadEventEnd - t.navigationStart"


@dataclass(frozen=True)
class ReportTime:
    """Seconds of the compilation, of the report on top, and until the page is open; its size."""

    compilation: float
    report: float
    opening: float
    megabytes: float


def time_of(
    kernel: Kernel, pipeline: str, repeat: int, browser: Browser, folder: Path
) -> ReportTime:
    """The best of several runs of polyir-opt with and without a report, and of the browser."""
    page = folder / f"{kernel.name}.html"
    tool = str(Path(sys.executable).parent / "polyir-opt")
    plain = [tool, "-p", pipeline, "--emit=none", str(kernel.path)]
    compilation = min(seconds_of(plain) for _ in range(repeat))
    with_report = min(seconds_of([*plain, f"--report={page}"]) for _ in range(repeat))
    opening: list[float] = []
    for _ in range(repeat):
        browser.open(page)
        opening.append(browser.script(LOADED) / 1000)
    size = page.stat().st_size / 1e6
    return ReportTime(compilation, with_report - compilation, min(opening), size)


def row(name: str, time: ReportTime) -> str:
    """A line of the table, in Markdown."""
    return (
        f"| {name} | {time.compilation:.2f} | {time.report:.2f} | {time.opening:.2f} "
        f"| {time.megabytes:.2f} |"
    )


def against(what: str, figures: dict[str, float], limit: float, unit: str) -> str:
    """The worst case beside its limit."""
    worst = max(figures, key=lambda name: figures[name])
    verdict = "within" if figures[worst] < limit else "ABOVE"
    return f"{what}, worst: {worst} {figures[worst]:.2f} {unit}, {verdict} {limit:.1f} {unit}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="make bench-report", description=__doc__)
    add = parser.add_argument
    add("--pipeline", default=PIPELINE, help=f"what polyir-opt runs ({PIPELINE})")
    add("--repeat", type=int, default=1, help="runs a kernel (1)")
    add("kernels", nargs="*", metavar="KERNEL", help="names of kernels (all of PolyBench)")
    options = parser.parse_args(arguments)
    for name in options.kernels:
        if name not in ALL_KERNELS:
            parser.error(f"no kernel '{name}'")
    print(f"polyir-opt -p '{options.pipeline}' --emit=none --report=...\n")
    print("| kernel | compilation, s | report, s | opening, s | page, MB |")
    print("| --- | --- | --- | --- | --- |")
    times: dict[str, ReportTime] = {}
    with tempfile.TemporaryDirectory() as scratch, headless() as browser:
        for name in options.kernels or SUITES["polybench"]:
            kernel = ALL_KERNELS[name]
            times[name] = time_of(kernel, options.pipeline, options.repeat, browser, Path(scratch))
            print(row(name, times[name]), flush=True)
    reports = {name: each.report for name, each in times.items()}
    openings = {name: each.opening for name, each in times.items()}
    sizes = {name: each.megabytes for name, each in times.items()}
    print()
    print(against("report", reports, REPORT_LIMIT, "s"))
    print(against("opening", openings, OPEN_LIMIT, "s"))
    print(against("page", sizes, SIZE_LIMIT, "MB"))


if __name__ == "__main__":
    main()
