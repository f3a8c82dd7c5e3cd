"""What `benchmarks/gpu.py` writes for a machine with a GPU, and the program that runs it there.

Where there is no GPU, a library stands in for CUDA's runtime: kernels do nothing, so that their
results are wrong, and a peer that computes on the host is right.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import gpu
import gpu_run
import pytest
from gpu_devices import STUBS
from kernels import KERNELS

PEER = """
extern "C" void kernel_gemm(long n, long m, long k, double alpha, double beta, double *C, long,
                            long c, double *A, long, long a, double *B, long, long b) {
  double *copy = nullptr;
  cudaMalloc(&copy, sizeof(double) * n * c);
  cudaMemcpy(copy, C, sizeof(double) * n * c, cudaMemcpyHostToDevice);
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++)
      copy[i * c + j] *= beta;
    for (long l = 0; l < k; l++)
      for (long j = 0; j < m; j++)
        copy[i * c + j] += alpha * A[i * a + l] * B[l * b + j];
  }
  cudaMemcpy(C, copy, sizeof(double) * n * c, cudaMemcpyDeviceToHost);
  cudaFree(copy);
}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    gpu.write_bundle(folder, {"default": gpu.PIPELINE}, ["gemm", "jacobi-2d"])
    return folder


def test_a_bundle_is_complete(bundle: Path) -> None:
    files = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    assert {"gpu_run.py", "gpu_machine.cu", "gpu_timing.h", "kernels.py", "bundle.json"} <= files
    assert {"default/gemm.cu", "default/jacobi-2d.cu", "reference/jacobi-2d.c"} <= files
    # Nothing of polyir is needed there.
    code = "import sys; sys.modules['polyir'] = None; import gpu_run; gpu_run.main(['--help'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=bundle, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "--peer NAME=FOLDER" in done.stdout


def test_the_work_of_a_kernel(bundle: Path) -> None:
    work = json.loads((bundle / "bundle.json").read_text())["work"]
    n, m, k = KERNELS["gemm"].data_sets["small"]
    # Each element of C is scaled, and gets k products with alpha.
    assert work["gemm"]["small"]["operations"] == n * m + 3 * n * m * k
    assert work["gemm"]["small"]["bytes"] == 8 * (2 * n * m + n * k + k * m)
    steps, size = KERNELS["jacobi-2d"].data_sets["small"]
    inside = (size - 2) ** 2
    assert work["jacobi-2d"]["small"]["operations"] == steps * 2 * 5 * inside
    moved = work["jacobi-2d"]["small"]["bytes"]
    assert moved % steps == 0
    assert moved // steps >= 8 * 3 * inside


@pytest.mark.matrix
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_a_run(
    bundle: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stub = tmp_path / "cudart.o"
    subprocess.run(["gcc", "-fPIC", "-c", STUBS / "cudart.c", "-o", stub], check=True)
    peers = tmp_path / "peers"
    peers.mkdir()
    (peers / "gemm.cu").write_text(PEER)
    monkeypatch.setattr(gpu_run, "COPY_BYTES", 2**16)
    options = ["--folder", str(bundle), "--size", "small", "--check", "mini", "--repeat", "2"]
    options += ["--peer", f"other={peers}", "--flags", f"-arch=sm_90 --cudart=none {stub}", "gemm"]
    assert gpu_run.main(options) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "device: a stub"
    # Two times the bytes in a microsecond.
    assert lines[1] == "copy on the device, read and written: 131.1 GB/s"
    ours, other = lines[-2:]
    assert re.match(r"gemm +default +\d+\.\d{3} +\d+\.\d{3} +\d+\.\d{3} ", ours)
    assert ours.endswith(" WRONG")
    assert re.match(r"gemm +other +\d+\.\d{3} +\d+\.\d{3} +\d+\.\d{3} ", other)
    assert other.endswith("same bits")
    assert float(other.split()[2]) > 0


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there may be a GPU")
def test_without_a_device(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CUDA's own runtime says what is missing."""
    copy = tmp_path / "bundle"
    shutil.copytree(bundle, copy, ignore=shutil.ignore_patterns("build"))
    options = ["--folder", str(copy), "--flags=-arch=sm_90", "--size=small"]
    assert gpu_run.main([*options, "gemm"]) == 1
    out = capsys.readouterr().out
    assert "device: none" in out
    assert re.search(r"gemm +default +failed: CUDA error \d+", out)


def test_unknown_kernels(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    with pytest.raises(SystemExit):
        gpu_run.main(["--folder", str(bundle), "gem"])
    assert "no kernel 'gem'; there are: gemm, jacobi-2d" in capsys.readouterr().err
