"""Copies of vectors and copies ahead: results and races in lockstep, what is done if they fail."""

from __future__ import annotations

import gpu_lockstep
import islpy as isl
import numpy as np
import pytest
from kernel_runs import loops_of, oracle_of
from kernels import KERNELS, Sizes
from static_kernels import static_text
from suites import rarely
from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute

from polyir import api
from polyir.base.diagnostics import LegalityError, Remark, RemarkKind, remarks_to
from polyir.model.scop import Scop
from polyir.model.vectors import element_number, vector_width
from polyir.passes import gpu_promote
from polyir.proofs.copies import require_right_copies
from polyir.runtime import compare_bits
from polyir.transform.gpu.double_buffers import FirstAndLater, iterations_ahead
from polyir.transform.reference_groups import body_of_loop
from polyir.tree import Schedule
from polyir.tree.addresses import LoopPosition

SIZES: dict[str, Sizes] = {
    "gemm": {"ni": 20, "nj": 26, "nk": 30},
    "trmm": {"m": 20, "n": 30},
    "mvt": {"n": 40},
}


@pytest.mark.parametrize(
    ("name", "options", "is_static"),
    [
        ("gemm", "tile=8,8,4 block=4,2 limit=2048", True),
        rarely("gemm", "tile=7 block=5,3 limit=2000", False),
        rarely("gemm", "tile=8 grid=1,2 limit=4096", True),
        ("mvt", "tile=8 block=4 shared=all padding=0 limit=2000", False),
        ("trmm", "tile=6 block=3,2 limit=1500", True),
        rarely("gemm", "tile=8,8,4 block=4,2 limit=2048", False),
        rarely("gemm", "tile=7 block=5,3 limit=2000", True),
        rarely("mvt", "tile=8 block=4 shared=all padding=0 limit=2000", True),
        rarely("trmm", "tile=6 block=3,2 limit=1500", False),
    ],
)
def test_results_and_races(name: str, options: str, is_static: bool) -> None:
    kernel, sizes = KERNELS[name], SIZES[name]
    text = static_text(name, sizes) if is_static else kernel.path.read_text()
    loops = loops_of(text, f"pluto-schedule,map-to-gpu{{{options} buffers=2}}")
    expected, arguments = kernel.make_arguments(sizes), kernel.make_arguments(sizes)
    oracle_of(name)(kernel.function, *expected)
    with np.errstate(all="ignore"):
        statistics = gpu_lockstep.run(loops, kernel.function, arguments)
    assert compare_bits(expected, arguments) is None
    assert statistics.shared_accesses > 0
    has_vectors = any(isinstance(op, affine.VectorLoadOp) for op in loops.walk())
    # What a tile of a triangle needs ends anywhere.
    assert has_vectors == (is_static and name != "trmm")


def barriers_run(options: str) -> int:
    """How many barriers the threads of all blocks wait at in a product."""
    kernel, sizes = KERNELS["gemm"], SIZES["gemm"]
    text = kernel.path.read_text()
    loops = loops_of(text, f"pluto-schedule,map-to-gpu{{tile=8,8,4 block=4,2 {options}}}")
    with np.errstate(all="ignore"):
        return gpu_lockstep.run(loops, kernel.function, kernel.make_arguments(sizes)).barriers


def test_an_iteration_has_one_barrier() -> None:
    # 3 x 4 blocks have 8 tiles each, and one barrier more before the first of them.
    assert barriers_run("buffers=1") / barriers_run("buffers=2") == 16 / 9


def test_wrong_copies_ahead_are_made_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_halves(scop: Scop) -> None:
        if any(len(array.memory.type.get_shape()) == 3 for array in scop.op.local_arrays):
            raise LegalityError("S1[0] reads what is not there")
        require_right_copies(scop)

    monkeypatch.setattr(gpu_promote, "require_right_copies", refuse_halves)
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        text = KERNELS["gemm"].path.read_text()
        mapped = api.parse(text)
        pipeline = "pluto-schedule,gpu-kernels,gpu-tile,gpu-map,gpu-promote{buffers=2}"
        promoted = str(api.run_pipeline(mapped, pipeline))
    (told,) = [each for each in remarks if each.kind is RemarkKind.MISSED]
    assert told.message == "S1[0] reads what is not there: no tile is copied ahead"
    assert "@A_shared workgroup : memref<32x32xf64>" in promoted


def test_a_single_iteration_copies_nothing_ahead() -> None:
    instances = isl.UnionSet("[n] -> { S[i, k] : 0 <= i < n and k = 3 }")
    partial = isl.MultiUnionPwAff("[{ S[i, k] -> [i] }, { S[i, k] -> [k] }]")
    schedule = Schedule.from_functions(partial, instances)
    band = schedule.root.child(0)
    reasons = []
    for member in range(2):
        loop = LoopPosition((0,), member)
        place = body_of_loop(schedule, loop, "an iteration")
        assert place is not None
        found = iterations_ahead(loop, place, band, is_written=False)
        reasons.append(found if isinstance(found, str) else "")
    assert reasons == ["", "the loop around it has a single iteration"]


def test_first_iterations() -> None:
    instances = isl.UnionSet("[n] -> { S[k] : 5 <= k < n }")
    partial = isl.MultiUnionPwAff("[{ S[k] -> [k - k mod 4] }]")
    schedule = Schedule.from_functions(partial, instances)
    place = body_of_loop(schedule, LoopPosition((0,), 0), "an iteration")
    assert place is not None
    found = FirstAndLater.of_place(place, 4)
    assert found.first.is_equal(isl.Set("[n] -> { [4] : n > 5 }"))
    assert found.later.is_equal(isl.Set("[n] -> { [t] : t mod 4 = 0 and 8 <= t < n }"))


@pytest.mark.parametrize(
    ("element", "width"),
    [
        (Float64Type(), 2),
        (Float32Type(), 4),
        (IntegerType(64), 2),
        (IntegerType(32), 4),
        (IntegerType(16), 1),
        (IntegerType(1), 1),
        (Float16Type(), 1),
        (IndexType(), 1),
    ],
)
def test_widths(element: Attribute, width: int) -> None:
    assert vector_width(MemRefType(element, [8])) == width


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([6], "{ [t, i] -> [i] }"),
        ([DYNAMIC_INDEX, 4, 6], "{ [t, i, j, k] -> [24i + 6j + k] }"),
        ([4, DYNAMIC_INDEX], None),
    ],
)
def test_numbers_of_elements(shape: list[int], expected: str | None) -> None:
    space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, len(shape) + 1)
    number = element_number(space, MemRefType(Float64Type(), shape))
    assert (number is None) == (expected is None)
    if number is not None and expected is not None:
        assert number.is_equal(isl.PwAff(expected))
