"""Outlined kernels go on through MLIR's own tools: to NVVM and PTX, and to LLVM IR for the host."""

from __future__ import annotations

import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from oracle import MISSING_TOOLS_REASON, MLIR_OPT, MLIR_TRANSLATE, mlir_opt_available
from suites import rarely

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.target.mlir import print_module
from polyir.universe import PASS_NAMES

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

KERNELS = Path(__file__).parents[2] / "benchmarks" / "polybench"
PTXAS = shutil.which("ptxas")

TO_PTX = (
    "builtin.module(func.func(gpu-async-region),arith-expand,convert-scf-to-cf,"
    "nvvm-attach-target{chip=sm_90},gpu.module(convert-gpu-to-nvvm,reconcile-unrealized-casts),"
    "gpu-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts,"
    "gpu-module-to-binary{format=isa})"
)

# Blocks of 32 x 8 threads transpose tiles of 32 x 32 elements through shared memory.
TRANSPOSE = """
func.func @transpose(%n: index, %x: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
  %d0 = memref.dim %A, %c0 : memref<?x?xf64>
  %d1 = memref.dim %A, %c1 : memref<?x?xf64>
  %A_dev = gpu.alloc(%d0, %d1) : memref<?x?xf64>
  %B_dev = gpu.alloc(%d1, %d0) : memref<?x?xf64>
  gpu.memcpy %A_dev, %A : memref<?x?xf64>, memref<?x?xf64>
  affine.for %t = 0 to 2 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %blocks, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c8, %sz = %c1) {
      %tile = memref.alloca() : memref<32x33xf64, #gpu.address_space<workgroup>>
      %own = memref.alloca() : memref<4xf64>
      affine.for %i = 0 to 4 {
        affine.if affine_set<(d0)[s0, s1, s2, s3, s4] :
            (s4 - s0 * 32 - s1 - d0 * 8 - 1 >= 0, s4 - s2 * 32 - s3 - 1 >= 0)>
            (%i)[%by, %ty, %bx, %tx, %n] {
          %v = affine.load %A_dev[symbol(%by) * 32 + symbol(%ty) + %i * 8,
            symbol(%bx) * 32 + symbol(%tx)] : memref<?x?xf64>
          affine.store %v, %tile[symbol(%ty) + %i * 8, symbol(%tx)]
            : memref<32x33xf64, #gpu.address_space<workgroup>>
          affine.store %v, %own[%i] : memref<4xf64>
        }
      }
      gpu.barrier
      affine.for %i = 0 to 4 {
        affine.if affine_set<(d0)[s0, s1, s2, s3, s4] :
            (s4 - s0 * 32 - s1 - d0 * 8 - 1 >= 0, s4 - s2 * 32 - s3 - 1 >= 0)>
            (%i)[%bx, %ty, %by, %tx, %n] {
          %v = affine.load %tile[symbol(%tx), symbol(%ty) + %i * 8]
            : memref<32x33xf64, #gpu.address_space<workgroup>>
          %w = affine.load %own[%i] : memref<4xf64>
          %scaled = arith.mulf %w, %x : f64
          %y = arith.addf %v, %scaled : f64
          affine.store %y, %B_dev[symbol(%bx) * 32 + symbol(%ty) + %i * 8,
            symbol(%by) * 32 + symbol(%tx)] : memref<?x?xf64>
        }
      }
      gpu.terminator
    }
  }
  gpu.memcpy %B, %B_dev : memref<?x?xf64>, memref<?x?xf64>
  gpu.dealloc %B_dev : memref<?x?xf64>
  gpu.dealloc %A_dev : memref<?x?xf64>
  return
}
"""


def outlined(text: str, passes: str) -> str:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), passes)
    stream = StringIO()
    print_module(module, stream)
    return stream.getvalue()


def run(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def compiled() -> str:
    """The module with PTX for the device, and the llvm dialect for the host."""
    text = outlined(TRANSPOSE, "gpu-outline,convert-affine-to-scf")
    return run([MLIR_OPT, f"--pass-pipeline={TO_PTX}"], text)


def ptx_of(module: str) -> str:
    found = re.search(r'gpu.binary @\w+_kernels .*assembly = "(.*?)"', module)
    assert found is not None
    return re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), found[1]).rstrip("\0")


def test_kernels_become_ptx(compiled: str) -> None:
    ptx = ptx_of(compiled)
    assert ".visible .entry transpose_0(" in ptx
    assert ".maxntid 32, 8, 1" in ptx
    (shared,) = re.findall(r"\.shared .*\[(\d+)\];", ptx)
    assert int(shared) == 32 * 33 * 8
    assert ptx.count("bar.sync") == 1
    assert "st.shared.f64" in ptx
    assert "ld.shared.f64" in ptx
    # A product and a sum are two roundings.
    assert "fma" not in ptx


@pytest.mark.skipif(PTXAS is None, reason="needs ptxas of CUDA")
def test_ptxas_takes_it(compiled: str, tmp_path: Path) -> None:
    assert PTXAS is not None
    source = tmp_path / "kernels.ptx"
    source.write_text(ptx_of(compiled))
    done = subprocess.run(
        [PTXAS, "-arch=sm_90", "-v", str(source), "-o", str(tmp_path / "kernels.cubin")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "8448 bytes smem" in done.stderr


def test_the_host_becomes_llvm_ir(compiled: str) -> None:
    host = run([MLIR_TRANSLATE, "--mlir-to-llvmir"], compiled)
    # Two launches of one kernel in a loop, with the blocks computed from %n.
    (launch,) = re.findall(r"call void @mgpuLaunchKernel\((.*)\)", host)
    blocks = re.findall(r"i64 (\S+),", launch)
    assert blocks[0] == blocks[1]
    assert blocks[0].startswith("%")
    assert blocks[2:6] == ["1", "32", "8", "1"]
    assert len(re.findall(r"call ptr @mgpuMemAlloc\(", host)) == 2
    assert len(re.findall(r"call void @mgpuMemcpy\(", host)) == 2


@pytest.mark.parametrize("passes", ["gpu-outline,convert-affine-to-scf", "convert-affine-to-scf"])
def test_mlir_outlines_the_same(passes: str) -> None:
    """mlir-opt's own outlining makes a kernel of the same shape as polyir's."""
    text = run([MLIR_OPT, "--gpu-kernel-outlining"], outlined(TRANSPOSE, passes))
    (sizes,) = re.findall(r"known_block_size = array<i32: ([^>]*)>", text)
    assert sizes == "32, 8, 1"
    (threads,) = re.findall(r"gpu.launch_func .* threads in \((.*?)\)", text)
    assert threads == "%c32, %c8, %c1"


FEW = ("gemm", "jacobi-2d", "lu", "correlation")


@pytest.mark.skipif("map-to-gpu" not in PASS_NAMES, reason="needs the pass map-to-gpu")
@pytest.mark.parametrize(
    "kernel",
    [
        path.stem if path.stem in FEW else rarely(path.stem)
        for path in sorted(KERNELS.glob("*.mlir"))
    ],
)
def test_polybench_becomes_ptx(kernel: str) -> None:
    passes = "map-to-gpu{sequential=device},gpu-outline,convert-affine-to-scf"
    text = outlined((KERNELS / f"{kernel}.mlir").read_text(), passes)
    names = re.findall(r"gpu\.func @(\w+)", text)
    command = [MLIR_OPT, "--allow-unregistered-dialect", f"--pass-pipeline={TO_PTX}"]
    assert names
    assert re.findall(r"\.visible \.entry (\w+)\(", ptx_of(run(command, text))) == names
