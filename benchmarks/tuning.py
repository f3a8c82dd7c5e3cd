"""Tunes kernels, and compares what was found with the default pipeline and each fixed fusion.

    python benchmarks/tuning.py [--seconds=120] [--data-set=large] [--threads=2] [KERNEL ...]

Each kernel is tuned with PolyBench's sizes and the data of `kernels.py`. Then the default pipeline,
the tuned one, and each policy of fusion, with and without register tiles, take turns. It prints a
table in Markdown: the shortest times in milliseconds, and how much faster the tuned version is than
the default and than the best fixed policy. With `--folder`, the tuning files are kept there.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import get_args

from kernels import DATA_SETS, KERNELS, Kernel

from polyir import api
from polyir.base.limits import DEFAULT_TIME_LIMIT, processors, time_limited_to
from polyir.pipeline import DEFAULT_PIPELINE
from polyir.runtime import CompilerOptions
from polyir.tuning import kernel as tuned_kernel
from polyir.tuning.bayesian import SearchName, search_of
from polyir.tuning.evaluation import Candidate, Limits, ProcessEvaluator
from polyir.tuning.programs import Flags
from polyir.tuning.record import TuningRecord, record_of, this_machine
from polyir.tuning.search import Budget, State, tune
from polyir.tuning.space import space_of

DEFAULT_KERNELS = ("2mm", "3mm", "gemver", "doitgen", "covariance", "fdtd-2d", "jacobi-2d", "lu")

FIXED = {
    f"{fuse}{name}": f"pluto-schedule{{fuse={fuse}}},tile,mark-parallel{rest}"
    for name, rest in (("", ""), (" + blocks", ",register-tile,vectorize"))
    for fuse in ("none", "smart", "max")
}
"""The fixed policies by their names in the table."""

HEADING = (
    "| kernel | default | tuned | "
    + " | ".join(FIXED)
    + " | to default | to best fixed | tried | failed | pipeline |\n| --- |"
    + " ---: |" * (len(FIXED) + 6)
    + " --- |"
)


@dataclass(frozen=True)
class Row:
    """The result for a kernel: the seconds of each version, infinite if it failed."""

    record: TuningRecord
    times: dict[str, float]

    def line(self, name: str) -> str:
        """A line of the table."""
        tuned = self.times["tuned"]
        best_fixed = min(self.times[each] for each in FIXED)
        counts = self.record.counts
        failed = sum(counts[each] for each in ("refused", "wrong", "crashed", "timed_out"))
        columns = [
            name,
            *(_milliseconds(each) for each in self.times.values()),
            f"{self.times['default'] / tuned:.2f}x",
            f"{best_fixed / tuned:.2f}x",
            str(counts["tried"]),
            str(failed),
            f"`{self.record.pipeline}` ({self.record.threads})",
        ]
        return "| " + " | ".join(columns) + " |"


def _milliseconds(seconds: float) -> str:
    return "-" if seconds == inf else f"{1e3 * seconds:.3g}"


def row(kernel: Kernel, options: argparse.Namespace) -> Row:
    """Tune a kernel, then time all versions in turn."""
    start = time.monotonic()
    module = api.parse(kernel.path.read_text())
    subject = _subject(kernel, module, options.data_set)
    threads = tuple(dict.fromkeys((options.threads, 1)))
    base = Candidate(DEFAULT_PIPELINE, options.threads)
    flags = Flags(CompilerOptions(), CompilerOptions(), DEFAULT_TIME_LIMIT)
    space = space_of(subject, threads)
    search = search_of(options.search, space)
    budget = Budget(seconds=options.seconds)
    limits = Limits.within(options.seconds)
    with ProcessEvaluator(subject, base, flags, limits) as evaluator:
        print(f"{kernel.name}: base {1e3 * evaluator.base_seconds:.3g} ms", file=sys.stderr)
        found = tune(evaluator, base, evaluator.base_seconds, search, budget.after(start), _show)
        versions = {"default": base, "tuned": found.comparison.best}
        versions |= {name: Candidate(text, options.threads) for name, text in FIXED.items()}
        times = evaluator.compare(tuple(versions.values()), options.turns)
    return Row(
        record_of(subject, base, found), {name: times[each] for name, each in versions.items()}
    )


def _subject(kernel: Kernel, module: api.ModuleOp, data_set: str) -> tuned_kernel.Kernel:
    """The kernel with its own sizes and data instead of generated ones."""
    analysed = module.clone()
    tuned_kernel.analysed_scops(analysed)
    arguments = kernel.make_arguments(data_set)
    sizes = kernel.sizes(data_set)
    return tuned_kernel.Kernel(module, analysed, kernel.function, arguments, sizes)


def _show(state: State) -> None:
    if state.best is not None and state.best == state.last and state.best.ratio < 1:
        print(
            f"  {state.tried} tried; best so far {1 / state.best.ratio:.2f}x: "
            f"{state.best.candidate.pipeline}",
            file=sys.stderr,
        )


def main() -> int:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", default=DEFAULT_KERNELS, metavar="KERNEL")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--data-set", choices=DATA_SETS, default="large")
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--turns", type=int, default=7, help="of the comparison at the end")
    parser.add_argument("--search", choices=get_args(SearchName), default="auto")
    parser.add_argument("--folder", type=Path, help="keep the tuning files here")
    options = parser.parse_args()
    print(f"{this_machine()}; {options.threads} threads; data set {options.data_set}\n\n{HEADING}")
    with time_limited_to(DEFAULT_TIME_LIMIT):
        for name in options.kernels:
            result = row(KERNELS[name], options)
            print(result.line(name), flush=True)
            if options.folder is not None:
                options.folder.mkdir(parents=True, exist_ok=True)
                (options.folder / f"{name}.tuned.json").write_text(result.record.to_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
