"""Sequential parts between kernels, on the host and on the device: the bits of the C target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gpu_devices import missing_opencl
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import compare_bits

pytestmark = pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl())

# The kernels of PolyBench with sequential parts, under the schedules that have them.
PARTS = (
    ("cholesky", "spatial-schedule{target=gpu}"),
    ("correlation", "pluto-schedule"),
    ("durbin", "isl-schedule"),
    ("gramschmidt", "pluto-schedule"),
    ("trisolv", "spatial-schedule{target=gpu}"),
)


@pytest.mark.parametrize(("name", "scheduler"), PARTS)
def test_kernels_with_parts_on_the_host(name: str, scheduler: str) -> None:
    kernel, text = KERNELS[name], KERNELS[name].path.read_text()
    expected, actual = kernel.make_arguments("mini"), kernel.make_arguments("mini")
    api.compile(text, "", backend="c")[kernel.function](*expected)
    messages: list[str] = []
    with remarks_to(lambda remark: messages.append(remark.message)):
        pipeline = f"{scheduler},map-to-gpu{{sequential=host}}"
        ours = api.compile(text, pipeline, target="opencl")
    assert any("runs on the host" in message for message in messages)
    ours[kernel.function](*actual)
    assert compare_bits(expected, actual) is None
    assert compare_bits(kernel.make_arguments("mini"), actual) is not None


@pytest.mark.parametrize("where", ["auto", "device", "host"])
def test_a_recurrence_between_parallel_loops(where: str) -> None:
    path = Path(__file__).parents[1] / "filecheck" / "gpu" / "sequential.mlir"
    text = path.read_text()
    with remarks_to(lambda remark: None):
        pipeline = f"isl-schedule,map-to-gpu{{sequential={where}}}"
        ours = api.compile(text, pipeline, target="opencl")
        theirs = api.compile(text, "", backend="c")
    random = np.random.default_rng(1)
    for n in (0, 3):
        arrays = [random.random(5), random.random(100), np.array(0.5)]
        copies = [array.copy() for array in arrays]
        theirs.between(n, *arrays)
        ours.between(n, *copies)
        assert compare_bits(arrays, copies) is None
    array = random.random(7)
    copy = array.copy()
    theirs.alone(7, array)
    ours.alone(7, copy)
    assert compare_bits([array], [copy]) is None
