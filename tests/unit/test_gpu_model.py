"""The model of GPUs: which of several pipelines was fastest on a device."""

from __future__ import annotations

import json
from pathlib import Path

import gpu_model
import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.gpu import GENERIC_GPU
from polyir.choose.gpu_model import GpuModel
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of

MEASURED = json.loads(Path(gpu_model.__file__).with_name("gpu_measured.json").read_text())

PIPELINES = {
    # Copies in shared memory pay where each element is used often.
    "gemm": ("isl", "isl, no shared memory", "isl, tiles of 8 x 8 x 32"),
    # They do not for a few neighbours, and small blocks take longest to start.
    "jacobi-2d": ("isl", "isl, no shared memory", "isl, tiles of 64 x 32"),
    # Rows of a thousand iterations fill a device in small blocks only.
    "atax": ("isl", "isl, no shared memory", "isl, blocks of 32, no shared memory"),
    "heat-3d": ("isl, no shared memory", "isl, tiles of 8 x 8 x 32"),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_ranks_measured_pipelines(name: str) -> None:
    """The pipeline that the model likes best takes at most 1.3 times as long as the fastest."""
    labels = {label: MEASURED["milliseconds"][name][label] for label in PIPELINES[name]}
    found = list(gpu_model.comparisons(name, {**MEASURED, "milliseconds": {name: labels}}))
    assert gpu_model.regret(found) <= 1.3
    # No time is off by more than a factor of two.
    assert all(0.5 < each.predicted / each.measured < 2 for each in found)


def test_few_kernels_in_shared_memory() -> None:
    """Only the kernels that `kernels` names have arrays in shared memory."""
    path = KERNELS["2mm"].path
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(path.read_text()), "isl-schedule,map-to-gpu{kernels=1}")
        text = api.emit(module, "cuda")
    first, second = text.split("__global__")[1:3]
    assert "__shared__" not in first
    assert "__shared__" in second


def test_more_work_costs_more() -> None:
    """Twice as large matrices take about eight times as long."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(
            api.parse(KERNELS["gemm"].path.read_text()), "isl-schedule,map-to-gpu{shared=none}"
        )
    (scop,) = map(scop_of, scops_in(module))

    def cost(size: int) -> float:
        sizes = dict.fromkeys(scop.op.parameter_values, size)
        return GpuModel(scop, GENERIC_GPU, sizes).estimate(scop.schedule).cycles

    assert 7 < cost(4000) / cost(2000) < 9
