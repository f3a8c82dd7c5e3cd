"""Writes docs/performance.md and its picture from the saved results of a benchmark.

    make bench BENCH="--suite=all --write-docs"     # measure, then write
    make bench-docs                                 # write from what was measured last

What a kernel's code is limited by is computed from the operations and bytes of `counts.py` and
the rates of `machine.py`; what was done to it are the remarks of polyir's passes.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from beyond_kernels import ALL_KERNELS, SUITES
from kernels import DATA_SETS, Kernel

from .calls import ScalarType
from .counts import Work
from .limits import OUTPUT_FOLDER, KernelLimit, is_busy
from .machine import MachineLimits
from .originals import number_type
from .plot import bars_svg
from .report import Ratios, geometric_mean, saved_results
from .results import Result
from .variants import BASE

DOCS_FOLDER: Final = Path(__file__).parents[2] / "docs"
FAR: Final = 5.0
"""From this many times the roofline on, neither operations nor bytes are what limits a kernel."""

Explain = Callable[[Kernel, Sequence[str]], str]
"""What a tool, given as a command, has done to a kernel, in a line."""


class NoResultsError(Exception):
    """A file of results or limits is missing."""


@dataclass(frozen=True)
class Measured:
    """A saved run: its results, which variants are polyir's and their commands, its machine."""

    results: tuple[Result, ...]
    tools: Mapping[str, tuple[str, ...]]
    machine: Mapping[str, Any]
    settings: Mapping[str, Any]


def read_measured(path: Path) -> Measured:
    """The results that `make bench` has saved. Raises `NoResultsError`."""
    content = _read_json(path, "make bench")
    tools = {v["name"]: tuple(v["tool"]) for v in content["variants"] if v["is_polyir"]}
    return Measured(saved_results(content), tools, content["machine"], content["settings"])


def read_limits(
    path: Path,
) -> tuple[dict[int, MachineLimits], dict[str, KernelLimit], dict[str, int]]:
    """The rates by threads, the kernels' work, and the sizes of caches in bytes.

    From what `make bench-limits` has saved. Raises `NoResultsError`.
    """
    content = _read_json(path, "make bench-limits")
    machines = {
        item["threads"]: MachineLimits(
            item["threads"],
            {ScalarType(name): rate for name, rate in item["peak"].items()},
            {int(size): rate for size, rate in item["copies"].items()},
            item["gemm"],
        )
        for item in content["limits"]
    }
    fields = ("operations", "read_bytes", "written_bytes", "footprint")
    kernels: dict[str, KernelLimit] = {}
    for item in content["kernels"]:
        kernel = ALL_KERNELS[item["kernel"]]
        work = Work(**{name: item[name] for name in fields})
        kernels[kernel.name] = KernelLimit(kernel, work, number_type(kernel))
    return machines, kernels, dict(content.get("caches", {}))


def _read_json(path: Path, source: str) -> Any:
    if not path.exists():
        raise NoResultsError(f"{path} is missing: run `{source}` first")
    return json.loads(path.read_text())


def what_was_done(kernel: Kernel, tool: Sequence[str]) -> str:
    """The remarks of polyir's passes on a kernel, each once, in a line."""
    passes = tool[tool.index("-p") + 1]
    command = [sys.executable, "-m", "polyir.tools.polyir_opt", "-p", passes]
    command += ["--remarks", "--emit=none", str(kernel.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return summary_of_remarks(done.stderr)


def summary_of_remarks(printed: str) -> str:
    """What passes other than the scheduler did, without places and names of statements."""
    said = re.findall(r"remark: \[([\w-]+)\] (.*)", printed)
    said = [(name, text) for name, text in said if name != "optimize" or "chosen: " in text]
    chosen = [text for name, text in said if "schedule" not in name] or [t for _, t in said]
    texts = [
        re.sub(r" (?:over|around|for|of) S\w+(?:, S\w+)*(?: and \d+ more)?", "", t) for t in chosen
    ]
    return "; ".join(dict.fromkeys(texts)) or "nothing"


def what_limits(
    item: KernelLimit, limits: MachineLimits, seconds: float, caches: Mapping[str, int]
) -> str:
    """The rate that is nearest to its limit; or that neither is near."""
    work, least = item.work, item.seconds(limits)
    level = next((name for name, size in caches.items() if work.footprint <= size), "memory")
    what = f"{level} bandwidth" if item.is_memory_bound(limits) else "compute"
    return f"latency or scalar code, not {what}" if seconds / least >= FAR else what


def rate(item: KernelLimit, limits: MachineLimits, seconds: float) -> str:
    """GFLOP/s if operations are the limit, else GB/s."""
    if item.is_memory_bound(limits):
        return f"{item.work.bytes / seconds / 1e9:.1f} GB/s"
    return f"{item.work.operations / seconds / 1e9:.1f} GFLOP/s"


def milliseconds(seconds: float) -> str:
    """Three digits that count, without an exponent."""
    return f"{float(f'{1e3 * seconds:.3g}'):g}"


def page(
    measured: Measured,
    machines: Mapping[int, MachineLimits],
    limits: Mapping[str, KernelLimit],
    caches: Mapping[str, int],
    explain: Explain,
) -> str:
    """The text of docs/performance.md."""
    ratios = Ratios(measured.results)
    threads = [int(count) for count in measured.settings["threads"]]
    busy = is_busy(list(machines.values()))
    lines = [
        "# Performance",
        "",
        "This file is written by `make bench-docs`: do not edit it. How it is measured is in "
        "[benchmarks.md](benchmarks.md).",
        "",
        *_conditions(measured),
        *(["- the machine was busy when its rates were measured: no limits"] if busy else []),
        "",
        f"![speed-up over {BASE.name}](performance.svg)",
        "",
    ]
    for suite in ("polybench", "beyond"):
        kernels = [name for name in ratios.kernels if name in SUITES[suite]]
        if not kernels:
            continue
        lines += [f"## {suite.capitalize()}", "", *_means(ratios, kernels, threads, measured), ""]
        for count in threads:
            lines += [f"### {count} thread{'s' if count > 1 else ''}", ""]
            lines += _head()
            entries = [_Entry(measured, ratios, name, count) for name in kernels]
            for entry in entries:
                item, machine = limits.get(entry.kernel), machines.get(count)
                lines.append(entry.row(item, machine, caches))
            lines += [
                "",
                *_details(f"- {entry.kernel}: {entry.done(explain)}" for entry in entries),
            ]
    return "\n".join(lines)


def _conditions(measured: Measured) -> list[str]:
    machine = measured.machine
    return [
        f"- machine: {machine['processor']}, {machine['cores']} cores; {machine['system']}",
        f"- compilers: {machine['gcc']}; {machine['clang']}",
        f"- commit: {machine['commit']}",
        f"- data set: {measured.settings['data_set']}; the shortest of all runs counts; "
        f"`-ffp-contract={measured.settings['contraction']}`",
    ]


def best_of(
    measured: Measured, kernel: str, threads: int, *, is_ours: bool, at_most: bool = False
) -> Result | None:
    """The fastest right result of polyir, or of all others but the base.

    With `at_most`, results with fewer threads count too: a peer may be faster with one.
    """
    candidates = [
        result
        for result in measured.results
        if result.kernel == kernel
        and (result.threads == threads or (at_most and result.threads < threads))
        and result.minimum is not None
        and (result.variant in measured.tools) is is_ours
        and result.variant != BASE.name
    ]
    return min(candidates, key=lambda result: result.minimum or 0.0, default=None)


def _means(
    ratios: Ratios, kernels: Sequence[str], threads: Sequence[int], measured: Measured
) -> list[str]:
    """The geometric means over the base: each pipeline, their best, the best of the others."""
    names = list(measured.tools)
    titles = ["threads", *names, *(["best polyir"] if len(names) > 1 else []), "best other"]
    lines = [f"| {' | '.join(titles)} |", f"| ---: |{' ---: |' * (len(titles) - 1)}"]
    for count in threads:
        columns = [
            [ratios.ratio(kernel, f"{name}@{count}") for kernel in kernels] for name in names
        ]
        for is_ours in (True, False) if len(names) > 1 else (False,):
            best = [
                best_of(measured, kernel, count, is_ours=is_ours, at_most=not is_ours)
                for kernel in kernels
            ]
            columns.append(
                [None if each is None else ratios.ratio(each.kernel, each.column) for each in best]
            )
        means = [geometric_mean([ratio or 1.0 for ratio in column]) for column in columns]
        cells = ["-" if mean is None else f"{mean:.2f}" for mean in means]
        lines.append(f"| {count} | {' | '.join(cells)} |")
    return [
        f"Geometric means of the speed-ups over gcc of {len(kernels)} kernels; what failed or was "
        "wrong counts as 1. The best is chosen kernel by kernel.",
        "",
        *lines,
    ]


def _head() -> list[str]:
    titles = ["kernel", "gcc ms", "polyir ms", "ratio", "best other", "its ratio", "rate"]
    titles += ["times the roofline", "what limits it"]
    ruler = ["---", *["---:"] * 3, "---", *["---:"] * 3, "---"]
    return [f"| {' | '.join(titles)} |", f"| {' | '.join(ruler)} |"]


def _details(items: Iterable[str]) -> list[str]:
    """A list that is opened by a click."""
    return ["<details><summary>What was done</summary>", "", *items, "", "</details>", ""]


@dataclass(frozen=True)
class _Entry:
    """A kernel with a number of threads."""

    measured: Measured
    ratios: Ratios
    kernel: str
    threads: int

    @property
    def best(self) -> Result | None:
        """The fastest right result of polyir."""
        return best_of(self.measured, self.kernel, self.threads, is_ours=True)

    def row(
        self, item: KernelLimit | None, machine: MachineLimits | None, caches: Mapping[str, int]
    ) -> str:
        """The line of the table: a number, or a name, in each cell."""
        base, best = self.ratios.base_seconds(self.kernel), self.best
        cells = [self.kernel, "-" if base is None else milliseconds(base)]
        if best is None or best.minimum is None:
            return f"| {' | '.join([*cells, *['-'] * 2, *self._other(), *['-'] * 2, ''])} |"
        ratio = self.ratios.ratio(self.kernel, best.column)
        cells += [milliseconds(best.minimum), "-" if ratio is None else f"{ratio:.2f}"]
        cells += self._other()
        if item is None or machine is None:
            return f"| {' | '.join([*cells, '-', '-', 'not counted'])} |"
        distance = best.minimum / item.seconds(machine)
        cells += [rate(item, machine, best.minimum), f"{distance:.1f}"]
        return f"| {' | '.join([*cells, what_limits(item, machine, best.minimum, caches)])} |"

    def _other(self) -> tuple[str, str]:
        """The name of the best other variant, and its ratio."""
        other = best_of(self.measured, self.kernel, self.threads, is_ours=False, at_most=True)
        ratio = None if other is None else self.ratios.ratio(self.kernel, other.column)
        return ("-", "-") if other is None or ratio is None else (other.variant, f"{ratio:.2f}")

    def done(self, explain: Explain) -> str:
        """What was done to the kernel, or why there is no time."""
        best = self.best
        if best is None:
            return self._reason()
        tool = self.measured.tools[best.variant]
        return f"{best.variant}: {explain(ALL_KERNELS[self.kernel], tool)}"

    def _reason(self) -> str:
        """Why there is no time."""
        for result in self.measured.results:
            if result.kernel == self.kernel and result.variant in self.measured.tools:
                return f"{result.status}: {result.reason}"
        return "not measured"


def picture(measured: Measured) -> str:
    """The best of polyir with each number of threads, and the best of the others, as SVG."""
    ratios = Ratios(measured.results)
    threads = [int(count) for count in measured.settings["threads"]]
    bars: dict[str, dict[str, float | None]] = {}
    for is_ours, count in [(True, n) for n in threads] + [(False, max(threads))]:
        name = f"polyir, {count} thread{'s' if count > 1 else ''}" if is_ours else "best other"
        bars[name] = {}
        for kernel in ratios.kernels:
            best = best_of(measured, kernel, count, is_ours=is_ours, at_most=not is_ours)
            bars[name][kernel] = None if best is None else ratios.ratio(kernel, best.column)
    return bars_svg(ratios.kernels, bars, f"speed-up over {BASE.name} -O3 -march=native")


def results_path(folder: Path, suite: str, data_set: str, prefix: str = "") -> Path:
    """Where `make bench` saves; PolyBench's files have no suite in their names."""
    stem = data_set if suite == "polybench" else f"{suite}-{data_set}"
    return folder / f"{prefix}{stem}.json"


def write_docs(results: Path, limits: Path, docs: Path, explain: Explain = what_was_done) -> None:
    """Write the page and the picture. Raises `NoResultsError` and `NoPlotError`."""
    measured = read_measured(results)
    machines, kernels, caches = read_limits(limits)
    drawn = picture(measured)
    text = page(measured, machines, kernels, caches, explain)
    (docs / "performance.md").write_text(text)
    (docs / "performance.svg").write_text(drawn)
    print(f"written: {docs / 'performance.md'} and {docs / 'performance.svg'}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write from saved files; 1 if one is missing."""
    parser = argparse.ArgumentParser(prog="make bench-docs", description=__doc__)
    add = parser.add_argument
    add("--suite", choices=SUITES, default="all", help="the suite that was measured (all)")
    add("--size", choices=DATA_SETS, default="large", help="the data set (large)")
    add("--results", type=Path, help="times from `make bench`")
    add("--limits", type=Path, help="limits from `make bench-limits`")
    add("--docs", type=Path, default=DOCS_FOLDER, help="the folder to write to (docs)")
    options = parser.parse_args(arguments)
    results = options.results or results_path(OUTPUT_FOLDER, options.suite, options.size)
    limits = options.limits or results_path(OUTPUT_FOLDER, options.suite, options.size, "limits-")
    try:
        write_docs(results, limits, options.docs)
    except NoResultsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
