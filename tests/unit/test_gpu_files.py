"""Emitted CUDA and OpenCL files: they compile without warnings, and find and report every error.

Where there is no GPU, small libraries stand in for CUDA's runtime and for an OpenCL driver
(`tests/gpu_stubs`): they note the calls, and let one of them fail. With PoCL, OpenCL files run.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gpu_devices import STUBS, missing_opencl, opencl_library

from polyir import api
from polyir.target.gpu import Language, gpu_text

TESTS = Path(__file__).parents[1]
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
NVCC_FLAGS = ("-arch=sm_90", "-Xcompiler", "-Wall,-Wextra,-fPIC", "--Werror", "all-warnings")
C_FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")

PROGRAM = """
module attributes {gpu.container_module} {
  gpu.module @scale_kernels {
    gpu.func @scale_0(%n: index, %k: f64, %A: memref<?x?xf64>, %B: memref<4x8xf64>) kernel
        attributes {known_block_size = array<i32: 4, 2, 1>} {
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      affine.if affine_set<(b, t)[n] : (n - b * 4 - t - 1 >= 0)>(%bx, %tx)[%n] {
        %v = affine.load %A[symbol(%bx) * 4 + symbol(%tx), symbol(%ty)] : memref<?x?xf64>
        %s = affine.load %B[symbol(%tx), symbol(%ty)] : memref<4x8xf64>
        %x = arith.mulf %v, %s : f64
        %y = arith.addf %x, %k : f64
        affine.store %y, %A[symbol(%bx) * 4 + symbol(%tx), symbol(%ty)] : memref<?x?xf64>
      }
      gpu.return
    }
  }
  func.func @scale(%n: index, %steps: index, %k: f64, %A: memref<?x?xf64>, %B: memref<4x8xf64>)
      -> f64 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %A_dev = gpu.alloc(%n, %c2) : memref<?x?xf64>
    %B_dev = gpu.alloc() : memref<4x8xf64>
    gpu.memcpy %A_dev, %A : memref<?x?xf64>, memref<?x?xf64>
    gpu.memcpy %B_dev, %B : memref<4x8xf64>, memref<4x8xf64>
    affine.for %t = 0 to %steps {
      %g = affine.apply affine_map<()[n] -> (n ceildiv 4)>()[%n]
      gpu.launch_func @scale_kernels::@scale_0 blocks in (%g, %c1, %c1) threads in (%c4, %c2, %c1)
          args(%n : index, %k : f64, %A_dev : memref<?x?xf64>, %B_dev : memref<4x8xf64>)
    }
    gpu.memcpy %A, %A_dev : memref<?x?xf64>, memref<?x?xf64>
    gpu.dealloc %B_dev : memref<4x8xf64>
    gpu.dealloc %A_dev : memref<?x?xf64>
    return %k : f64
  }
}
"""

WHOLE_RUN = "malloc malloc in in launch(3,1,1;4,2,1) launch(3,1,1;4,2,1) out free free wait "


def _text(language: Language, program: str = PROGRAM) -> str:
    module = api.parse(program)
    if "gpu.launch blocks" in program:
        module = api.run_pipeline(module, "gpu-outline")
    return gpu_text(module, language)


def _run(*command: str | Path) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _cuda_library(folder: Path, program: str = PROGRAM) -> ctypes.CDLL:
    source, object_file = folder / "file.cu", folder / "file.o"
    source.write_text(_text(Language.CUDA, program))
    _run("nvcc", *NVCC_FLAGS, "-c", source, "-o", object_file)
    library = folder / "file.so"
    _run("g++", "-shared", "-fPIC", object_file, "-x", "c", STUBS / "cudart.c", "-o", library)
    return ctypes.CDLL(str(library))


def _opencl_library(folder: Path, *linked: str | Path) -> ctypes.CDLL:
    source, library = folder / "file.c", folder / "file.so"
    source.write_text(_text(Language.OPENCL))
    flags = (*C_FLAGS, "-Wno-overlength-strings", f"-I{STUBS}")
    _run("gcc", *flags, source, *linked, "-o", library)
    return ctypes.CDLL(str(library))


@pytest.fixture(scope="module", params=[pytest.param(Language.CUDA, marks=NVCC), Language.OPENCL])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> _Library:
    folder = tmp_path_factory.mktemp("library")
    if request.param is Language.CUDA:
        return _Library(_cuda_library(folder), "polyir_cuda_error")
    return _Library(_opencl_library(folder, STUBS / "opencl.c"), "polyir_opencl_error")


class _Library:
    """An emitted file with a library that stands in for the device's."""

    def __init__(self, handle: ctypes.CDLL, error: str) -> None:
        self.handle = handle
        self.error: Callable[[], int] = getattr(handle, error)

    def reset(self, fails_at: int = -1) -> None:
        self.handle.stub_reset(fails_at)

    @property
    def log(self) -> str:
        """The calls, without those that make an OpenCL program, which is kept."""
        text: bytes = (ctypes.c_char * 4096).in_dll(self.handle, "stub_log").value
        return text.decode().removeprefix("context queue program build ")

    def number(self, name: str) -> int:
        return ctypes.c_int.in_dll(self.handle, name).value


def _scale(library: ctypes.CDLL, n: int = 10, steps: int = 2) -> np.ndarray:
    a, b = np.arange(2.0 * n).reshape(n, 2), np.arange(32.0).reshape(4, 8)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b)]
    sizes = [ctypes.c_int64(size) for size in (n, steps, n, 2)]
    k = ctypes.c_double(0.5)
    library.scale.restype = ctypes.c_double
    result = library.scale(sizes[0], sizes[1], k, pointers[0], sizes[2], sizes[3], pointers[1])
    assert result == 0.5
    return a


def test_calls_of_a_run(library: _Library) -> None:
    library.reset()
    _scale(library.handle)
    assert library.log == WHOLE_RUN
    assert library.number("stub_live") == 0
    assert library.error() == 0


def test_a_grid_without_blocks_is_not_launched(library: _Library) -> None:
    library.reset()
    _scale(library.handle, n=0)
    assert "launch" not in library.log
    assert library.error() == 0


@NVCC
def test_a_kernel_gets_memory_that_it_cannot_declare(tmp_path: Path) -> None:
    """The launch asks for it."""
    program = (TESTS / "filecheck" / "gpu" / "emit_large.mlir").read_text()
    expected = "malloc attribute(8,67264) launch(5,5,5;5,5,5) free wait "
    library = _Library(_cuda_library(tmp_path, program), "polyir_cuda_error")
    library.reset()
    library.handle.host()
    assert library.log == expected


def test_every_error_is_found_and_nothing_is_done_after_it(
    library: _Library, capfd: pytest.CaptureFixture[str]
) -> None:
    library.reset()
    _scale(library.handle)
    for position in range(library.number("stub_calls")):
        capfd.readouterr()
        library.reset(position)
        _scale(library.handle)
        assert library.number("stub_live") == 0, position
        message = capfd.readouterr().err
        assert message.startswith("polyir: ")
        assert message.count("\n") == 1
        # What failed is the last call but those that free memory.
        whole, done = _without_free(WHOLE_RUN), _without_free(library.log)
        assert done == whole[: len(done)]
        # Until the error is fetched, calls do nothing.
        library.reset()
        _scale(library.handle)
        assert not _without_free(library.log)
        assert library.error() != 0
        assert library.error() == 0
        _scale(library.handle)
        assert library.error() == 0


def _without_free(log: str) -> list[str]:
    return [call for call in log.split() if call != "free"]


def test_an_opencl_program_that_cannot_be_made(tmp_path: Path) -> None:
    for position, call in enumerate(("context", "queue", "program", "build")):
        folder = tmp_path / call
        folder.mkdir()
        library = _opencl_library(folder, STUBS / "opencl.c")
        library.stub_reset(position)
        _scale(library)
        log = (ctypes.c_char * 4096).in_dll(library, "stub_log").value.decode()
        assert log.split()[-1] == call
        assert library.polyir_opencl_error() != 0
        if call != "build":
            library.stub_reset(-1)
            _scale(library)
            assert library.polyir_opencl_error() == 0


def test_an_opencl_file_runs_on_pocl(tmp_path: Path) -> None:
    found = opencl_library()
    if found is None:
        pytest.skip(missing_opencl() or "the library that pyopencl loads is not found")
    library = _opencl_library(tmp_path, found.path)
    expected = np.arange(20.0).reshape(10, 2)
    factors = np.tile(np.arange(32.0).reshape(4, 8)[:, :2], (3, 1))[:10]
    for _ in range(2):
        expected = expected * factors + 0.5
    assert (_scale(library) == expected).all()
    assert library.polyir_opencl_error() == 0


INPUTS = ("emit", "emit_memory", "emit_outlined", "emit_large", "emit_vectors")


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("language", [pytest.param(Language.CUDA, marks=NVCC), Language.OPENCL])
def test_files_compile_without_a_warning(name: str, language: Language, tmp_path: Path) -> None:
    program = (TESTS / "filecheck" / "gpu" / f"{name}.mlir").read_text()
    for number, part in enumerate(program.split("// -----")):
        source = tmp_path / f"{number}.{'cu' if language is Language.CUDA else 'c'}"
        source.write_text(_text(language, part))
        if language is Language.CUDA:
            _run("nvcc", *NVCC_FLAGS, "-c", source, "-o", tmp_path / "file.o")
        else:
            flags = (*C_FLAGS, "-Wno-overlength-strings", f"-I{STUBS}")
            _run("gcc", *flags, source, "-o", tmp_path / "file.so")


@NVCC
def test_vectors_are_loaded_at_once(tmp_path: Path) -> None:
    program = (TESTS / "filecheck" / "gpu" / "emit_vectors.mlir").read_text()
    source = tmp_path / "vectors.cu"
    source.write_text(_text(Language.CUDA, program))
    _run("nvcc", *NVCC_FLAGS, "-ptx", source, "-o", tmp_path / "vectors.ptx")
    code = (tmp_path / "vectors.ptx").read_text()
    # Four words of 32 bits, or two of 64.
    for access in ("ld.global", "st.global", "ld.shared", "st.shared"):
        assert re.search(rf"{access}(\.nc)?\.v[24]", code), access
