"""Shared memory and registers of GPU kernels: results, races, what is promoted, undoing it."""

from __future__ import annotations

from pathlib import Path

import gpu_lockstep
import numpy as np
import pytest
from kernel_runs import loops_of
from kernels import KERNELS
from oracle import Oracle
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from polyir import api
from polyir.diagnostics import Remark, remarks_to
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import scops_in
from polyir.runtime import compare_bits
from polyir.transform.gpu.promotion import GpuPromoteOptions, plan_gpu_promotion
from polyir.transform.promote import apply_promotion, undo_promotion

MAPPED = "pluto-schedule,gpu-kernels,gpu-tile,gpu-map"


def run_mini(name: str, module: ModuleOp, folder: Path) -> gpu_lockstep.Statistics:
    """Run a kernel of PolyBench in lockstep; the results must be those of the oracle."""
    kernel = KERNELS[name]
    expected, arguments = kernel.make_arguments("mini"), kernel.make_arguments("mini")
    Oracle(kernel.path.read_text(), folder)(kernel.function, *expected)
    with np.errstate(all="ignore"):
        statistics = gpu_lockstep.run(module, kernel.function, arguments)
    assert compare_bits(expected, arguments) is None
    return statistics


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gemm", "{shared=auto registers=auto}"),
        ("gemm", "{tile=7 block=5,3 shared=auto registers=auto}"),
        ("gemm", "{tile=16,16,8 block=8,4 padding=1 shared=auto registers=auto}"),
        ("gemm", "{tile=8 grid=1,2 shared=auto registers=auto}"),
        ("gemm", "{shared=all registers=none tile=8}"),
        ("mvt", "{tile=7 block=5 shared=auto registers=auto}"),
        ("trmm", "{shared=auto registers=auto}"),
    ],
)
def test_results_and_races(name: str, options: str, tmp_path: Path) -> None:
    loops = loops_of(KERNELS[name].path.read_text(), f"pluto-schedule,map-to-gpu{options}")
    statistics = run_mini(name, loops, tmp_path)
    assert statistics.shared_accesses > 0
    assert statistics.barriers > 0


def test_halo(tmp_path: Path) -> None:
    pipeline = "isl-schedule{outer-coincidence=true},map-to-gpu{tile=8 shared=auto registers=auto}"
    loops = loops_of(KERNELS["jacobi-2d"].path.read_text(), pipeline)
    statistics = run_mini("jacobi-2d", loops, tmp_path)
    assert statistics.shared_accesses > 0


def test_less_is_loaded(tmp_path: Path) -> None:
    text = KERNELS["gemm"].path.read_text()
    promoted = run_mini(
        "gemm", loops_of(text, "pluto-schedule,map-to-gpu{shared=auto registers=auto}"), tmp_path
    )
    options = "{shared=none registers=none}"
    plain = run_mini("gemm", loops_of(text, f"pluto-schedule,map-to-gpu{options}"), tmp_path)
    assert 10 * promoted.global_accesses < plain.global_accesses
    assert plain.shared_accesses == plain.barriers == 0


@pytest.mark.parametrize("missing", [0, 1])
def test_each_barrier_is_needed(missing: int, tmp_path: Path) -> None:
    text = KERNELS["gemm"].path.read_text()
    loops = loops_of(text, "pluto-schedule,map-to-gpu{tile=8 shared=auto registers=auto}")
    barriers = [op for op in loops.walk() if isinstance(op, gpu.BarrierOp)]
    assert len(barriers) == 2
    Rewriter.erase_op(barriers[missing])
    with pytest.raises(gpu_lockstep.RaceError, match=r"threads .* access"):
        run_mini("gemm", loops, tmp_path)


def promoted_in(text: str, options: GpuPromoteOptions, mapping: str = "") -> dict[str, str]:
    """The arrays that are local, with their spaces and shapes: `workgroup 32x33`."""
    module = mapped(text, mapping)
    (scop,) = scops_in(module)
    plan = plan_gpu_promotion(scop_of(scop), options)
    return {
        array.name: " ".join([array.space, "x".join(map(str, array.shape))]).strip()
        for array in plan.arrays
    }


def mapped(text: str, mapping: str = "") -> ModuleOp:
    def ignore(remark: Remark) -> None:
        pass

    with remarks_to(ignore):
        return api.run_pipeline(api.parse(text), f"{MAPPED}{mapping}")


TRANSPOSED = """
func.func @transpose(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%j, %i] : memref<?x?xf32>
      affine.store %0, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
"""


def test_columns_are_padded() -> None:
    (shape,) = promoted_in(TRANSPOSED, GpuPromoteOptions()).values()
    assert shape == "workgroup 32x33"
    (shape,) = promoted_in(TRANSPOSED, GpuPromoteOptions(padding=0)).values()
    assert shape == "workgroup 32x32"


def test_limit_counts_elements_of_their_size() -> None:
    enough = GpuPromoteOptions(limit=32 * 33 * 4)
    assert promoted_in(TRANSPOSED, enough)
    assert not promoted_in(TRANSPOSED, GpuPromoteOptions(limit=enough.limit - 1))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (GpuPromoteOptions(), {"A_shared", "B_shared", "C_private"}),
        (GpuPromoteOptions(shared="none"), {"C_private"}),
        (GpuPromoteOptions(registers="none"), {"A_shared", "B_shared"}),
        (GpuPromoteOptions(arrays=("A",)), {"A_shared"}),
        (GpuPromoteOptions(limit=8192), {"A_shared", "C_private"}),
    ],
)
def test_what_is_promoted(options: GpuPromoteOptions, expected: set[str]) -> None:
    assert set(promoted_in(KERNELS["gemm"].path.read_text(), options)) == expected


def test_registers_of_a_thread() -> None:
    text = KERNELS["gemm"].path.read_text()
    found = promoted_in(text, GpuPromoteOptions(shared="none"), "{block=8,16}")
    assert found == {"C_private": "private 2x4"}


def test_undo() -> None:
    module = mapped(KERNELS["gemm"].path.read_text())
    (scop,) = scops_in(module)
    before, tree = str(module), scop.tree.clone()
    promotion = plan_gpu_promotion(scop_of(scop), GpuPromoteOptions())
    apply_promotion(scop, promotion)
    assert str(module) != before
    undo_promotion(scop, promotion, tree)
    assert str(module) == before
