"""Compares the cost model's choice between pipelines with measured times.

Measures all kernels through the harness, or reads what it measured before, and prints for each
kernel the measured and the estimated times, which pipeline each calls the best, and how much
slower the model's choice is than the best one:

    python benchmarks/cost_model.py --size=medium --threads=2
    python benchmarks/cost_model.py --read build/cost-model/medium.json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from math import exp, log
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from kernels import DATA_SETS, KERNELS, Kernel
from xdsl.dialects.func import FuncOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.machine import Machine
from polyir.choose.model import Cost, CostModel
from polyir.choose.this_machine import machine_of_system
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of

PIPELINES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "plain": "pluto-schedule",
        "tiled": "pluto-schedule,tile,mark-parallel",
        "waves": "pluto-schedule,tile,wavefront,mark-parallel",
        "spatial": "spatial-schedule,tile,wavefront,intra-tile-order,mark-parallel",
    }
)
NAMES: Final = ("gcc", *PIPELINES)
"""`gcc` is the program as it was written."""

GOOD: Final = 1.15
"""A choice is right if it is at most so much slower than the best."""


def estimated(
    kernel: Kernel, passes: str, machine: Machine, sizes: Mapping[str, int], threads: int
) -> tuple[Cost, float]:
    """The cost of a kernel after some passes, and the seconds that it took to find it."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(kernel.path.read_text()), passes)
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    (scop,) = map(scop_of, scops_in(module))
    numbers = dict(zip(function.body.block.args, kernel.size_names, strict=False))
    given = {
        name: sizes[numbers[value]]
        for name, value in scop.op.parameter_values.items()
        if value in numbers
    }
    start = time.perf_counter()
    cost = CostModel(scop, machine, given, threads).estimate(scop.schedule)
    return cost, time.perf_counter() - start


def measured(path: Path) -> dict[str, dict[str, float]]:
    """The shortest times by kernel and variant, in seconds."""
    found: dict[str, dict[str, float]] = {}
    for result in json.loads(path.read_text())["results"]:
        if result["minimum"] is not None:
            found.setdefault(result["kernel"], {})[result["variant"]] = result["minimum"]
    return found


def measure(options: argparse.Namespace) -> Path:
    """Run the harness; the file with its results."""
    command = [sys.executable, "-m", "harness", f"--size={options.size}", "--variants=gcc"]
    command += [f"--threads={options.threads}", "--rounds=3", "--turn-seconds=0.05"]
    command += [f"--output={options.output.absolute()}"]
    command += [f"--pipeline={name}={passes}" for name, passes in PIPELINES.items()]
    if options.kernels:
        command.append(f"--kernels={options.kernels}")
    subprocess.run(command, cwd=Path(__file__).parent, check=True, stdout=subprocess.DEVNULL)
    path: Path = options.output / f"{options.size}.json"
    return path


def main() -> None:
    """Print the table."""
    options = _parse()
    path = options.read or measure(options)
    settings = json.loads(path.read_text())["settings"]
    size, threads = settings["data_set"], settings["threads"][-1]
    machine = machine_of_system()
    print(f"{size}, {threads} threads; ms measured / estimated")
    print(f"{'kernel':15}" + "".join(f"{name:>17}" for name in NAMES) + "  best / choice, loss")
    losses: list[float] = []
    for name, times in measured(path).items():
        if options.kernels and name not in options.kernels.split(","):
            continue
        losses.append(_row(name, times, machine, size, threads, options.why))
    good = sum(loss <= GOOD for loss in losses)
    mean = exp(sum(map(log, losses)) / len(losses))
    print(f"right within {GOOD - 1:.0%}: {good} of {len(losses)}; mean loss {mean:.3f}")


def _row(
    name: str, times: dict[str, float], machine: Machine, size: str, threads: int, why: bool
) -> float:
    """Print a kernel's line; how much slower the model's choice is than the best."""
    kernel = KERNELS[name]
    sizes = kernel.sizes(size)
    costs: dict[str, Cost] = {}
    slowest = 0.0
    for variant in NAMES:
        passes = PIPELINES.get(variant, "poly-dependences")
        costs[variant], seconds = estimated(kernel, passes, machine, sizes, threads)
        slowest = max(slowest, seconds)
    shown = [f"{_ms(times.get(v))} / {_ms(costs[v].seconds)}" for v in NAMES]
    best = min((v for v in NAMES if v in times), key=lambda v: times[v])
    choice = min((v for v in NAMES if v in times), key=lambda v: costs[v].seconds)
    loss = times[choice] / times[best]
    mark = "" if loss <= GOOD else " <<<"
    cells = "".join(f"{text:>17}" for text in shown)
    print(f"{name:15}{cells}  {best} / {choice} {loss:.2f} ({slowest * 1e3:.0f} ms){mark}")
    for variant in NAMES if why else ():
        print(f"  {variant}: {'; '.join(costs[variant].why)}")
    return loss


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3g}"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add: Any = parser.add_argument
    add("--size", choices=DATA_SETS, default="medium", help="PolyBench's data set (medium)")
    add("--threads", type=int, default=2, help="threads of parallel loops (2)")
    add("--kernels", help="names, separated by commas (all)")
    add("--read", type=Path, help="a JSON file of the harness instead of measuring")
    add("--output", type=Path, default=Path("build/cost-model"), help="folder for times")
    add("--why", action="store_true", help="print what the model says of each pipeline")
    return parser.parse_args()


if __name__ == "__main__":
    main()
