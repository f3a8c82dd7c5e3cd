"""Shared memory and registers of GPU kernels: results, races, what is promoted, undoing it."""

from __future__ import annotations

from pathlib import Path

import gpu_lockstep
import numpy as np
import pytest
from few_operations import allow
from kernel_runs import expected_results, loops_of
from kernels import KERNELS
from suites import rarely
from xdsl.dialects import affine, gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from polyir import api
from polyir.base.diagnostics import LegalityError, Remark, RemarkKind, remarks_to
from polyir.base.limits import CrashError
from polyir.choose.gpu import GENERIC_GPU
from polyir.codegen.lower import lower_scop
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import scops_in
from polyir.model.analysis import DataflowError
from polyir.model.dataflow import ArrayFlow, array_flow
from polyir.model.scop import Scop, scop_of
from polyir.passes import gpu_promote, gpu_synchronise, lower_poly
from polyir.passes.gpu_promote import GpuPromotePass
from polyir.runtime import compare_bits
from polyir.transform.gpu import promotion
from polyir.transform.gpu.barriers import Barriers
from polyir.transform.gpu.promotion import GpuPromoteOptions, plan_gpu_promotion
from polyir.transform.promoted_scop import apply_promotion
from polyir.transform.scop_state import ScopState

MAPPED = "pluto-schedule,gpu-kernels,gpu-tile,gpu-map"


def run_mini(name: str, module: ModuleOp) -> gpu_lockstep.Statistics:
    """Run a kernel of PolyBench in lockstep; the results must be those of the oracle."""
    kernel = KERNELS[name]
    expected, arguments = expected_results(name, "mini"), kernel.make_arguments("mini")
    with np.errstate(all="ignore"):
        statistics = gpu_lockstep.run(module, kernel.function, arguments)
    assert compare_bits(expected, arguments) is None
    return statistics


@pytest.mark.parametrize(
    ("name", "options"),
    [
        rarely("gemm", "{shared=auto registers=auto}"),
        rarely("gemm", "{tile=7 block=5,3 shared=auto registers=auto}"),
        ("gemm", "{tile=16,16,8 block=8,4 padding=1 shared=auto registers=auto}"),
        ("gemm", "{tile=8 grid=1,2 shared=auto registers=auto}"),
        ("gemm", "{shared=all registers=none tile=8}"),
        ("mvt", "{tile=7 block=5 shared=auto registers=auto}"),
        ("trmm", "{shared=auto registers=auto}"),
    ],
)
def test_results_and_races(name: str, options: str) -> None:
    loops = loops_of(KERNELS[name].path.read_text(), f"pluto-schedule,map-to-gpu{options}")
    statistics = run_mini(name, loops)
    assert statistics.shared_accesses > 0
    assert statistics.barriers > 0


def test_halo() -> None:
    pipeline = "isl-schedule{outer-coincidence=true},map-to-gpu{tile=8 shared=auto registers=auto}"
    loops = loops_of(KERNELS["jacobi-2d"].path.read_text(), pipeline)
    statistics = run_mini("jacobi-2d", loops)
    assert statistics.shared_accesses > 0


def test_less_is_loaded() -> None:
    text = KERNELS["gemm"].path.read_text()
    promoted = run_mini(
        "gemm", loops_of(text, "pluto-schedule,map-to-gpu{shared=auto registers=auto}")
    )
    options = "{shared=none registers=none}"
    plain = run_mini("gemm", loops_of(text, f"pluto-schedule,map-to-gpu{options}"))
    assert 10 * promoted.global_accesses < plain.global_accesses
    assert plain.shared_accesses == plain.barriers == 0


@pytest.mark.parametrize("missing", [0, 1])
def test_each_barrier_is_needed(missing: int) -> None:
    text = KERNELS["gemm"].path.read_text()
    loops = loops_of(text, "pluto-schedule,map-to-gpu{tile=8 shared=auto registers=auto}")
    barriers = [op for op in loops.walk() if isinstance(op, gpu.BarrierOp)]
    assert len(barriers) == 2
    Rewriter.erase_op(barriers[missing])
    with pytest.raises(gpu_lockstep.RaceError, match=r"threads .* access"):
        run_mini("gemm", loops)


def promoted_in(text: str, options: GpuPromoteOptions, mapping: str = "") -> dict[str, str]:
    """The arrays that are local, with their spaces and shapes: `workgroup 32x33`."""
    module = mapped(text, mapping)
    (scop,) = scops_in(module)
    plan = plan_gpu_promotion(scop_of(scop), options, GENERIC_GPU)
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
    (shape,) = promoted_in(TRANSPOSED, GpuPromotePass()).values()
    assert shape == "workgroup 32x33"
    (shape,) = promoted_in(TRANSPOSED, GpuPromotePass(padding=0)).values()
    assert shape == "workgroup 32x32"


def test_limit_counts_elements_of_their_size() -> None:
    enough = GpuPromotePass(limit=32 * 33 * 4)
    assert promoted_in(TRANSPOSED, enough)
    assert not promoted_in(TRANSPOSED, GpuPromotePass(limit=enough.limit - 1))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (GpuPromotePass(), {"A_shared", "B_shared", "C_private"}),
        (GpuPromotePass(shared="none"), {"C_private"}),
        (GpuPromotePass(registers="none"), {"A_shared", "B_shared"}),
        (GpuPromotePass(arrays=("A",)), {"A_shared"}),
        (GpuPromotePass(limit=8192), {"A_shared", "C_private"}),
    ],
)
def test_what_is_promoted(options: GpuPromoteOptions, expected: set[str]) -> None:
    assert set(promoted_in(KERNELS["gemm"].path.read_text(), options)) == expected


def test_registers_of_a_thread() -> None:
    text = KERNELS["gemm"].path.read_text()
    found = promoted_in(text, GpuPromotePass(shared="none"), "{block=8,16}")
    assert found == {"C_private": "private 2x4"}


def test_undo() -> None:
    module = mapped(KERNELS["gemm"].path.read_text())
    (scop,) = scops_in(module)
    before, state = str(module), ScopState.of(scop)
    promotion = plan_gpu_promotion(scop_of(scop), GpuPromotePass(), GENERIC_GPU)
    apply_promotion(scop, promotion)
    assert str(module) != before
    state.restore(scop)
    assert str(module) == before


def promoted_text(options: str) -> tuple[str, list[Remark]]:
    """A kernel after `gpu-promote`, and what the pass reports."""
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        text = KERNELS["gemm"].path.read_text()
        module = api.run_pipeline(api.parse(text), f"{MAPPED},gpu-promote{options}")
    return str(module), [each for each in remarks if each.pass_name == "gpu-promote"]


@pytest.mark.parametrize("limit", ["KERNEL_PROMOTION", "KERNEL_COPIES"])
@pytest.mark.parametrize(
    ("options", "kind"), [("", RemarkKind.REMARK), ("{arrays=A}", RemarkKind.MISSED)]
)
def test_what_isl_takes_too_long_for_stays_in_global_memory(
    limit: str, options: str, kind: RemarkKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, 1000, limit)
    text, (remark,) = promoted_text(options)
    assert "local_array" not in text
    assert remark.kind is kind
    assert remark.message.endswith("or isl fails: all arrays stay in global memory")


def test_an_array_whose_flow_isl_does_not_find_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(scop: Scop, array: str) -> ArrayFlow:
        if array == "A":
            raise DataflowError("isl's dataflow analysis fails")
        return array_flow(scop, array)

    monkeypatch.setattr(promotion, "array_flow", fails)
    text, remarks = promoted_text("")
    assert "@B_shared" in text
    assert "@A_shared" not in text
    reasons = [each.message for each in remarks]
    assert "S1: A stays in global memory: isl's dataflow analysis fails" in reasons


ROWS = """
func.func @rows(%n: index, %A: memref<?x?xTYPE>, %B: memref<?x?xTYPE>, %y: memref<?xTYPE>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xTYPE>
      %b = affine.load %B[%i, %j] : memref<?x?xTYPE>
      %c = affine.load %y[%i] : memref<?xTYPE>
      %0 = arith.addf %a, %b : TYPE
      %1 = arith.addf %c, %0 : TYPE
      affine.store %1, %y[%i] : memref<?xTYPE>
    }
  }
  return
}
"""


@pytest.mark.parametrize(
    ("type", "options", "expected"),
    [
        ("f64", "", "256 x 32"),
        ("f64", "{limit=49152}", "128 x 16"),
        ("f64", "{limit=98304}", "256 x 16"),
        ("f32", "{limit=49152}", "256 x 16"),
        ("f32", "{limit=0}", "256 x 32"),
        ("f64", "{tile=64 limit=49152}", "64 x 64"),
    ],
)
def test_default_tiles_fit_in_shared_memory(type: str, options: str, expected: str) -> None:
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        text = ROWS.replace("TYPE", type)
        api.run_pipeline(api.parse(text), f"pluto-schedule,gpu-kernels,gpu-tile{options}")
    assert f"tiled 2 loops around S0 by {expected}" in [each.message for each in remarks]


@pytest.mark.parametrize(
    ("failures", "messages"),
    [
        (1, ["all arrays stay in global memory"]),
        (2, ["all arrays stay in global memory", "the loops keep their original order"]),
    ],
)
def test_what_is_too_hard_to_generate_is_generated_without_promotion(
    failures: int, messages: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    attempts = 0

    def fails(scop: Scop) -> None:
        nonlocal attempts
        attempts += 1
        if attempts <= failures:
            raise CrashError("isl crashes")
        lower_scop(scop)

    monkeypatch.setattr(lower_poly, "lower_scop", fails)
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        module = api.parse(KERNELS["gemm"].path.read_text())
        loops = api.lower(api.run_pipeline(module, "pluto-schedule,map-to-gpu{tile=8}"))
    told = [each.message for each in remarks if each.kind is RemarkKind.MISSED]
    assert told == [f"isl crashes: {each}" for each in messages]
    launches = [op for op in loops.walk() if isinstance(op, gpu.LaunchOp)]
    assert bool(launches) == (failures == 1)
    assert not any(isinstance(op, gpu.BarrierOp) for op in loops.walk())
    assert run_mini("gemm", loops).shared_accesses == 0


BOUNDED = """
func.func @f(%n: index, %m: index, %A: memref<13xf32>, %B: memref<23xf32>) {
  affine.for %i = 0 to affine_map<()[s] -> (s - 1)>()[%n] {
    %0 = affine.load %A[%i * 2 - symbol(%m) + 4] : memref<13xf32>
    affine.store %0, %B[-%i + symbol(%n) * 3 + 1] : memref<23xf32>
  }
  return
}
"""


def test_extents_of_arrays_bound_parameters() -> None:
    # The scop is run for n <= 7 only, and keeps 11 elements of A.
    loops = loops_of(BOUNDED, "pluto-schedule,map-to-gpu{block=3 shared=all}")
    assert "memref<11xf32" in str(loops)


def test_wrong_copies_are_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(scop: Scop) -> None:
        raise LegalityError("S1[0] reads what is not there")

    monkeypatch.setattr(gpu_promote, "require_right_copies", refuse)
    text, (remark,) = promoted_text("")
    assert "local_array" not in text
    assert remark.kind is RemarkKind.MISSED
    assert remark.message == "S1[0] reads what is not there: all arrays stay in global memory"


@pytest.mark.parametrize("options", ["", "{shared=none registers=none}"])
def test_errors_of_steps_are_at_the_scop(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(scop: Scop, dependences: Dependences) -> Barriers:
        raise LegalityError("no")

    monkeypatch.setattr(gpu_synchronise, "plan_barriers", refuse)
    module = api.parse(KERNELS["gemm"].path.read_text(), "gemm.mlir")
    with pytest.raises(LegalityError) as error:
        api.run_pipeline(module, f"pluto-schedule,map-to-gpu{options}")
    assert error.value.render().startswith("gemm.mlir:")
    assert error.value.message == "no"


def test_marks_hold_for_sizes_that_occur() -> None:
    """What A0[i8] is for n <= 4, where i8 is 1, decides where a barrier is needed."""
    path = Path(__file__).parents[1] / "differential" / "regressions" / "shared_under_context.mlir"
    loops = loops_of(path.read_text(), "map-to-gpu{sequential=device}")
    assert "A0_shared" in str(loops)
    arrays = np.arange(17, dtype=np.int64), np.arange(9, dtype=np.int8)
    gpu_lockstep.run(loops, "program", (4, 4, *arrays))


def test_code_of_launches_at_known_dates() -> None:
    path = Path(__file__).parents[1] / "differential" / "regressions"
    text = (path / "launches_at_known_dates.mlir").read_text()
    loops = loops_of(text, "pluto-schedule{fuse=max input-dependences=true},map-to-gpu{block=3,2}")
    conditions = [op.condition.data for op in loops.walk() if isinstance(op, affine.IfOp)]
    assert conditions
    assert all(condition.num_dims + condition.num_symbols for condition in conditions)
