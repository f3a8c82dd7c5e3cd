"""Measure what the machine can do, and say how far each kernel is from its limit."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from beyond_kernels import ALL_KERNELS, SUITES
from kernels import DATA_SETS, Kernel

from .arguments import absolute_path, counts, kernel_names
from .build import ToolError
from .calls import ScalarType
from .counts import CountError, Work, work_of
from .machine import GEMM_SIZE, MachineLimits, cache_sizes, measure_machine
from .originals import number_type
from .report import aligned, machine

OUTPUT_FOLDER = Path(__file__).parents[2] / "build" / "bench"

Best = Mapping[tuple[str, int], tuple[float, str]]
"""The shortest time in seconds of a kernel with a number of threads, and whose it is."""


@dataclass(frozen=True)
class KernelLimit:
    """A kernel's work, and what the machine would need for it."""

    kernel: Kernel
    work: Work
    type: ScalarType

    def seconds(self, limits: MachineLimits) -> float:
        """The least time."""
        work = self.work
        return limits.seconds(work.operations, self.type, work.bytes, work.footprint)

    def is_memory_bound(self, limits: MachineLimits) -> bool:
        """Whether the bytes take longer than the operations."""
        work = self.work
        return self.seconds(limits) > work.operations / limits.peak[self.type]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; 1 if the machine cannot be measured."""
    options = _parse(arguments)
    try:
        limits = [measure_machine(threads, options.seconds) for threads in options.threads]
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    stem = options.size if options.suite == "polybench" else f"{options.suite}-{options.size}"
    results: Path = options.results or options.output / f"{stem}.json"
    best = read_best(results) if results.exists() else {}
    kernels: list[KernelLimit] = []
    for name in options.kernels or SUITES[options.suite]:
        kernel = ALL_KERNELS[name]
        try:
            work = work_of(kernel, kernel.sizes(options.size))
        except CountError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
        else:
            kernels.append(KernelLimit(kernel, work, number_type(kernel)))
    print(f"{machine()['processor']}, {machine()['cores']} cores; data set {options.size}\n")
    print(machine_table(limits))
    if is_busy(limits):
        print("the machine is busy: more threads reach less than fewer; these are not limits")
    print()
    print(kernel_table(kernels, limits, best))
    source = f"times: {results}" if best else f"no times: run `make bench` first ({results})"
    print(f"\n{source}")
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"limits-{stem}.json"
    path.write_text(_as_json(kernels, limits))
    return 0


def read_best(path: Path) -> Best:
    """The shortest time of each kernel and number of threads in a file of `make bench`."""
    best: dict[tuple[str, int], tuple[float, str]] = {}
    for result in json.loads(path.read_text())["results"]:
        if result["minimum"] is None:
            continue
        key = result["kernel"], result["threads"]
        candidate = result["minimum"], result["variant"]
        best[key] = min(best.get(key, candidate), candidate)
    return best


def is_busy(limits: Sequence[MachineLimits]) -> bool:
    """Whether a larger number of threads has a lower peak, which other programs must cause."""
    ordered = sorted(limits, key=lambda limit: limit.threads)
    peaks = [limit.peak[ScalarType.DOUBLE] for limit in ordered]
    return any(after < before for before, after in pairwise(peaks))


def machine_table(limits: Sequence[MachineLimits]) -> str:
    """The rates of the machine, a column for each number of threads."""
    sizes = limits[0].copies
    rows = [["", *(f"{limit.threads} threads" for limit in limits)]]
    for type in (ScalarType.DOUBLE, ScalarType.FLOAT):
        rates = [f"{limit.peak[type] / 1e9:.1f}" for limit in limits]
        rows.append([f"multiply-add, {type}, GFLOP/s", *rates])
    gemm = [f"{limit.gemm / 1e9:.1f}" for limit in limits]
    rows.append([f"NumPy's matrix product, N = {GEMM_SIZE}, GFLOP/s", *gemm])
    for size in sizes:
        rates = [f"{limit.copies[size] / 1e9:.1f}" for limit in limits]
        rows.append([f"copy within {size // 1024} KiB, GB/s", *rates])
    return aligned(rows)


def kernel_table(
    kernels: Sequence[KernelLimit], limits: Sequence[MachineLimits], best: Best
) -> str:
    """Each kernel's work, its limit, the best measured time and how many limits that is."""
    titles = ["kernel", "MFLOP", "MB", "FLOP/byte"]
    for limit in limits:
        titles += [f"limit ms@{limit.threads}", "bound", "best ms", "distance", "variant"]
    rows = [titles]
    for item in kernels:
        work = item.work
        cells = [item.kernel.name, f"{work.operations / 1e6:.4g}", f"{work.bytes / 1e6:.4g}"]
        cells.append(f"{work.operations / work.bytes:.2f}")
        for limit in limits:
            cells += _limit_cells(item, limit, best.get((item.kernel.name, limit.threads)))
        rows.append(cells)
    return aligned(rows)


def _limit_cells(
    item: KernelLimit, limits: MachineLimits, best: tuple[float, str] | None
) -> list[str]:
    least = item.seconds(limits)
    bound = "memory" if item.is_memory_bound(limits) else "compute"
    if best is None:
        return [f"{least * 1e3:.3g}", bound, "-", "-", "-"]
    seconds, variant = best
    return [f"{least * 1e3:.3g}", bound, f"{seconds * 1e3:.3g}", f"{seconds / least:.1f}", variant]


def _as_json(kernels: Sequence[KernelLimit], limits: Sequence[MachineLimits]) -> str:
    content = {
        "machine": machine(),
        "caches": cache_sizes(),
        "limits": [asdict(limit) for limit in limits],
        "kernels": [
            {"kernel": item.kernel.name, "type": item.type}
            | asdict(item.work)
            | {"seconds": {limit.threads: item.seconds(limit) for limit in limits}}
            for item in kernels
        ],
    }
    return json.dumps(content, indent=1)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-limits", description=__doc__)
    add = parser.add_argument
    add("--size", choices=DATA_SETS, default="large", help="PolyBench's data set (large)")
    add("--suite", choices=SUITES, default="polybench", help="the kernels to measure (polybench)")
    add("--kernels", type=kernel_names, help="names, separated by commas (all)")
    add("--threads", type=counts, default=(1, 2), help="numbers of threads (1,2)")
    add("--seconds", type=float, default=0.5, help="time for each rate (0.5)")
    add("--results", type=Path, help="times from `make bench` (build/bench/SIZE.json)")
    add("--output", type=absolute_path, default=OUTPUT_FOLDER, help="folder for JSON")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
