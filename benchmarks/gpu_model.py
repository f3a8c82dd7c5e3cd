"""What the model of GPUs says of pipelines, beside what they were measured to take.

python benchmarks/gpu_model.py [kernel ...]

`gpu_measured.json` has the times of kernels of PolyBench on a device, without copies, of several
pipelines each. A line for each of them: measured and predicted milliseconds, and what limits them
by the model. Then, for each kernel, how much longer the pipeline that the model likes best takes
than the fastest one, and the geometric mean of predicted over measured times.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any

from kernels import KERNELS, Kernel

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.gpu import GENERIC_GPU
from polyir.choose.gpu_model import GpuModel
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of


@dataclass(frozen=True)
class Comparison:
    """The milliseconds of a pipeline: measured, and by the model, with what it says why."""

    pipeline: str
    measured: float
    predicted: float
    why: str


def predicted(kernel: Kernel, pipeline: str, data_set: str) -> tuple[float, str]:
    """The milliseconds of a kernel after some passes by the model, and why."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(kernel.path.read_text()), pipeline)
    sizes = {name.lower(): size for name, size in kernel.sizes(data_set).items()}
    total, reasons = 0.0, []
    for op in scops_in(module):
        scop = scop_of(op)
        known = {name: sizes[name.lower()] for name in op.parameter_values if name.lower() in sizes}
        cost = GpuModel(scop, GENERIC_GPU, known).estimate(scop.schedule)
        total += 1e3 * cost.seconds
        reasons += cost.why
    return total, "; ".join(reasons)


def comparisons(name: str, measured: Mapping[str, Any]) -> Iterator[Comparison]:
    """All measured pipelines of a kernel."""
    for label, time in measured["milliseconds"][name].items():
        pipeline, data_set = measured["pipelines"][label], measured["data_set"]
        yield Comparison(label, time, *predicted(KERNELS[name], pipeline, data_set))


def regret(found: Sequence[Comparison]) -> float:
    """The time of the pipeline that the model likes best over that of the fastest one."""
    chosen = min(found, key=lambda each: each.predicted)
    return chosen.measured / min(each.measured for each in found)


def mean(numbers: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(sum(map(log, numbers)) / len(numbers))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="default: all")
    names = parser.parse_args().kernels
    measured = json.loads(Path(__file__).with_name("gpu_measured.json").read_text())
    unknown = [name for name in names if name not in measured["milliseconds"]]
    if unknown:
        known = ", ".join(measured["milliseconds"])
        parser.error(f"no measured times of '{unknown[0]}'; there are those of {known}")
    print(f"{measured['device']}, {measured['data_set']}, milliseconds: measured, predicted")
    regrets, ratios = [], []
    for name in names or measured["milliseconds"]:
        found = list(comparisons(name, measured))
        for each in found:
            times = f"{each.measured:10.3f}{each.predicted:10.3f}"
            print(f"{name:14}{each.pipeline:38}{times}  {each.why}", flush=True)
        regrets.append(regret(found))
        ratios += [each.predicted / each.measured for each in found]
        print(f"{name:14}chosen over fastest: {regrets[-1]:.2f}")
    print(f"chosen over fastest: {mean(regrets):.2f}, at most {max(regrets):.2f}")
    print(f"predicted over measured: {mean(ratios):.2f}")


if __name__ == "__main__":
    main()
