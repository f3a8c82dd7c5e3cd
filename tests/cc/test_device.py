"""Regions as GPU kernels: programs print the same with OpenCL on PoCL, and compile with nvcc."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from c_runs import compiled, output_of, reference, transformed
from gpu_devices import OpenclLibrary, missing_opencl, opencl_library
from kernels import KERNELS
from suites import rarely

from polyir.tools.polyir_cc import LEFT, main

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.c"))
POLYBENCH = HERE.parents[1] / "benchmarks" / "polybench_c"
MEMORY = HERE / "device" / "memory.c"
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")


@pytest.fixture
def library() -> OpenclLibrary:
    found = opencl_library()
    if found is None:
        pytest.skip(missing_opencl() or "the library that pyopencl loads is not found")
    return found


def check_on_pocl(source: Path, folder: Path, library: OpenclLibrary, *options: str) -> str:
    """Check that a program prints the same with its kernels on PoCL; the text that calls them."""
    original, target = folder / f"original_{source.name}", folder / source.name
    original.write_bytes(source.read_bytes())
    assert transformed(source, target, "--target=opencl", *options) in (0, LEFT)
    kernels = folder / f"{source.stem}_kernels.c"
    more = [str(kernels), "-lpthread"] if kernels.exists() else []
    flags = ("-iquote", str(source.parent))
    program = compiled(target, *WARNINGS, "-Wno-overlength-strings", *more, *library.flags, *flags)
    done = subprocess.run(
        [str(program)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **library.environment},
        timeout=120,
    )
    assert done.stderr == ""
    assert done.stdout == output_of(reference(original, "-Wno-unknown-pragmas", *flags))
    return target.read_text()


FEW = ("aliases", "downward")

ON_THE_HOST = ("members", "once", "row_tables", "sizes")
"""Functions of the host are called, or members of structures or rows by pointers are accessed."""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(path, marks=[] if path.stem in FEW else [pytest.mark.matrix], id=path.stem)
        for path in PROGRAMS
    ],
)
def test_same_output(program: Path, tmp_path: Path, library: OpenclLibrary) -> None:
    text = check_on_pocl(program, tmp_path, library)
    assert ("polyir_opencl_error" in text) is (program.stem not in ON_THE_HOST)


# Parameters of variable size, static arrays, launches in a loop.
QUICK = ("bicg", "gemm", "jacobi-1d")

SEQUENTIAL = ("durbin", "ludcmp", "trisolv")
"""Kernels that stay C: no check of aliases is possible, or the host is faster."""


@pytest.mark.parametrize(
    "kernel",
    [name if name in QUICK else rarely(name) for name in KERNELS],
)
def test_polybench(kernel: str, tmp_path: Path, library: OpenclLibrary) -> None:
    text = check_on_pocl(POLYBENCH / f"{kernel}.c", tmp_path, library)
    assert ("polyir_opencl_error" in text) is (kernel not in SEQUENTIAL)


def test_only_what_a_region_accesses_is_copied(tmp_path: Path, library: OpenclLibrary) -> None:
    """Arrays end where memory ends, and pointers lead to one array."""
    text = check_on_pocl(MEMORY, tmp_path, library)
    assert text.count("__builtin_abort()") == 6
    assert "#pragma scop" not in text


@pytest.mark.matrix
def test_temporaries_of_iterations(tmp_path: Path, library: OpenclLibrary) -> None:
    """Sums, arrays and other variables of single iterations leave loops parallel by default."""
    text = check_on_pocl(HERE / "device" / "temporaries.c", tmp_path, library)
    assert text.count("__builtin_abort()") == 8
    assert "#pragma scop" not in text


def test_kernel_that_pocl_optimises_wrongly(tmp_path: Path, library: OpenclLibrary) -> None:
    mapping = "--map-to-gpu=tile=7,7,8 grid=100,1,3 sequential=device"
    source = HERE / "device" / "lost_stores.c"
    text = check_on_pocl(source, tmp_path, library, "--pluto-schedule", mapping)
    assert "polyir_opencl_error" in text


def test_compile(tmp_path: Path, library: OpenclLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libOpenCL.so").symlink_to(library.path)
    program = tmp_path / "program"
    flags = [f"-L{tmp_path}", *(flag for flag in library.flags if flag.startswith("-"))]
    assert main(["--target=opencl", "--compile", str(MEMORY), "-o", str(program), *flags]) == 0
    monkeypatch.setattr(os, "environ", {**os.environ, **library.environment})
    assert output_of(program) == output_of(reference(_copied(MEMORY, tmp_path), "-w"))


def _copied(source: Path, folder: Path) -> Path:
    target = folder / source.name
    target.write_bytes(source.read_bytes())
    return target


@NVCC
@pytest.mark.parametrize(
    "source", [MEMORY, *(rarely(path) for path in PROGRAMS if path.stem == "types")]
)
def test_cuda_compiles(source: Path, tmp_path: Path) -> None:
    target = tmp_path / source.name
    assert transformed(source, target, "--target=cuda") in (0, LEFT)
    kernels = tmp_path / f"{source.stem}_kernels.cu"
    flags = ["-arch=sm_90", "-Xcompiler", "-Wall,-Wextra", "--Werror", "all-warnings"]
    for command in (
        ["nvcc", *flags, "-c", str(kernels), "-o", str(tmp_path / "kernels.o")],
        ["gcc", *WARNINGS, "-c", str(target), "-o", str(tmp_path / "host.o")],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    symbols = subprocess.run(
        ["nm", str(tmp_path / "kernels.o")], capture_output=True, text=True, check=True
    ).stdout
    called = {
        line.split()[-1]
        for line in subprocess.run(
            ["nm", "-u", str(tmp_path / "host.o")], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    }
    ours = {name for name in called if name.startswith(("gpu_", "polyir_"))}
    assert ours
    assert all(f" {name}\n" in symbols for name in ours)


@NVCC
def test_cuda_program(tmp_path: Path) -> None:
    """It prints the same where there is a GPU, and says what is wrong where there is none."""
    program = tmp_path / "program"
    assert main(["--target=cuda", "--compile", str(MEMORY), "-o", str(program)]) == 0
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        assert done.stdout == output_of(reference(_copied(MEMORY, tmp_path), "-w"))
    else:
        assert done.stderr.startswith("polyir: CUDA error: ")


def test_what_cannot_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--target=opencl", str(MEMORY)]) == 1
    assert capsys.readouterr().err.startswith("error: --target writes two files, and needs -o")
    options = ["--target=opencl", "--compile", "-c", "-o", str(tmp_path / "x.o")]
    assert main([*options, str(HERE / "programs" / "downward.c")]) == 1
    assert "-c is not possible" in capsys.readouterr().err
