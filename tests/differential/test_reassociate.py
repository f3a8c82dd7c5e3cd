"""Reductions as trees, run as OpenCL and as C, against MLIR's lowering.

Where all values are integers, sums are exact in every order, and the bits must be the same.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from gpu_devices import missing_opencl
from kernel_runs import oracle_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import rarely

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module
from polyir.target.gpu import Language, gpu_text

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)
needs_opencl = pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl())

Arguments = list[object]


@dataclass(frozen=True)
class Reduction:
    """A function `f(n, m, ...)` on an array A and others, and the numbers that it is called with.

    `arrays` are the shapes of its arrays, with the numbers as names; an empty one is for a number
    in memory.
    """

    loops: str
    arrays: Mapping[str, tuple[str, ...]]
    sizes: tuple[tuple[int, int], ...]
    element: str = "f64"
    most: int = 4

    @property
    def text(self) -> str:
        def type_of(shape: tuple[str, ...]) -> str:
            return f"memref<{'?x' * len(shape)}{self.element}>"

        arrays = "".join(f", %{name}: {type_of(shape)}" for name, shape in self.arrays.items())
        loops = self.loops
        for name, shape in self.arrays.items():
            loops = loops.replace(f"@{name}", type_of(shape))
        loops = loops.replace("@", self.element)
        return f"func.func @f(%n: index, %m: index{arrays}) {{\n{loops}\n  return\n}}"

    def arguments(self, n: int, m: int) -> Arguments:
        random = np.random.default_rng(n + m)
        extents = {"n": n, "m": m}
        made: Arguments = [n, m]
        for shape in self.arrays.values():
            values = random.integers(-self.most, self.most + 1, [extents[each] for each in shape])
            made.append(np.asarray(values).astype(ELEMENTS[self.element]))
        return made


ELEMENTS = {"f64": np.float64, "f32": np.float32, "i32": np.int32, "i64": np.int64}
SIZES = ((1, 1), (7, 3), (33, 70), (130, 41))


def nest(subscripts: str, body: str, inner: str = "affine.for %j = 0 to %m") -> str:
    """Two loops around an update of X at some subscripts."""
    return f"""
  affine.for %i = 0 to %n {{
    {inner} {{
      %old = affine.load %X[{subscripts}] : @X
      %a = affine.load %A[%i, %j] : @A
{body}
      affine.store %new, %X[{subscripts}] : @X
    }}
  }}"""


ADD = "      %new = arith.addf %old, %a : @"
MATRIX = ("n", "m")

REDUCTIONS = {
    "dot": Reduction(
        """
  affine.for %i = 0 to %n {
    %old = affine.load %X[] : @X
    %a = affine.load %A[%i] : @A
    %b = affine.load %B[%i] : @B
    %product = arith.mulf %a, %b : @
    %new = arith.addf %product, %old : @
    affine.store %new, %X[] : @X
  }""",
        {"A": ("n",), "B": ("n",), "X": ()},
        ((0, 0), (1, 0), (300, 0), (70_000, 0)),
    ),
    "norm": Reduction(
        nest("", "      %p = arith.mulf %a, %a : @\n      %new = arith.addf %old, %p : @"),
        {"A": MATRIX, "X": ()},
        SIZES,
        element="f32",
    ),
    "rows": Reduction(nest("%i", ADD), {"A": MATRIX, "X": ("n",)}, SIZES),
    "columns": Reduction(nest("%j", ADD), {"A": MATRIX, "X": ("m",)}, SIZES),
    "triangle": Reduction(
        nest("%i", ADD, "affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i)"),
        {"A": ("n", "n"), "X": ("n",)},
        ((1, 0), (70, 0)),
    ),
    "solver": Reduction(
        nest(
            "%i",
            """      %x = affine.load %X[%j] : @X
      %p = arith.muli %a, %x : @
      %new = arith.subi %old, %p : @""",
            "affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i)",
        ),
        {"A": ("n", "n"), "X": ("n",)},
        ((1, 0), (50, 0)),
        element="i64",
    ),
    "several terms": Reduction(
        nest(
            "%i",
            """      %b = affine.load %B[%j] : @B
      %0 = arith.subf %old, %a : @
      %1 = arith.addf %b, %0 : @
      %new = arith.subf %1, %b : @""",
        ),
        {"A": MATRIX, "B": ("m",), "X": ("n",)},
        SIZES,
    ),
    "largest of a row": Reduction(
        nest("%i", "      %new = arith.maximumf %old, %a : @"), {"A": MATRIX, "X": ("n",)}, SIZES
    ),
    "least number": Reduction(
        nest("", "      %new = arith.minnumf %old, %a : @"), {"A": MATRIX, "X": ()}, SIZES
    ),
    "largest integer": Reduction(
        nest("", "      %new = arith.maxsi %old, %a : @"),
        {"A": MATRIX, "X": ()},
        SIZES,
        element="i32",
        most=1 << 30,
    ),
    "product": Reduction(
        nest("%j", "      %new = arith.muli %old, %a : @"),
        {"A": MATRIX, "X": ("m",)},
        SIZES,
        element="i64",
        most=1 << 40,
    ),
    "bits": Reduction(
        nest("%i", "      %new = arith.xori %a, %old : @"),
        {"A": MATRIX, "X": ("n",)},
        SIZES,
        element="i32",
        most=1 << 30,
    ),
    "one after the other": Reduction(
        """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %old = affine.load %X[] : @X
      %a = affine.load %A[%i, %j] : @A
      %new = arith.addf %old, %a : @
      affine.store %new, %X[] : @X
    }
    %sum = affine.load %X[] : @X
    affine.store %sum, %B[%i] : @B
  }""",
        {"A": MATRIX, "B": ("n",), "X": ()},
        SIZES[:3],
    ),
}
SIMILAR = ("norm", "rows", "columns", "largest integer", "bits")
"""Reductions that are computed as others are, or that are among the rest of `ON_GPU`."""

ISL = "isl-schedule{outer-coincidence=true},"
ON_GPU = [
    *(
        (name, ISL, "", "sequential=device")
        for name in REDUCTIONS
        if name not in (*SIMILAR, "solver")
    ),
    *(rarely(name, ISL, "", "sequential=device") for name in SIMILAR),
    ("solver", "", "", "sequential=device"),
    ("dot", "", "{lanes=4 blocks=8}", "shared=none registers=none sequential=device"),
    ("norm", "pluto-schedule,", "{lanes=8 blocks=4}", "block=5 sequential=device"),
    ("rows", "pluto-schedule,", "{lanes=4}", "block=3,5 sequential=device"),
    ("columns", ISL, "{lanes=16}", "shared=none registers=none grid=2 sequential=device"),
]


def expected(name: str) -> list[Arguments]:
    """The arguments for each size after MLIR's lowering ran."""
    reduction = REDUCTIONS[name]
    oracle = Oracle(reduction.text)
    made = [special(reduction, n, m) for n, m in reduction.sizes]
    for arguments in made:
        oracle("f", *arguments)
    return made


def special(reduction: Reduction, n: int, m: int) -> Arguments:
    """The arguments; among the numbers of minima and maxima are a NaN and both zeros."""
    arguments = reduction.arguments(n, m)
    if "num" in reduction.loops or "maximumf" in reduction.loops:
        for position, value in enumerate((np.nan, -0.0, 0.0)):
            flat = np.asarray(arguments[2]).reshape(-1)
            flat[position * 5 : position * 5 + 1] = value
    return arguments


def check(name: str, module: CompiledModule) -> None:
    reduction = REDUCTIONS[name]
    for (n, m), wanted in zip(reduction.sizes, expected(name), strict=True):
        arguments = special(reduction, n, m)
        module["f"](*arguments)
        assert compare_bits(wanted, arguments) is None, (n, m)


def quietly(make: Callable[[], CompiledModule]) -> CompiledModule:
    with remarks_to(lambda remark: None):
        return make()


@needs_opencl
@pytest.mark.parametrize(("name", "scheduler", "options", "mapping"), ON_GPU)
def test_same_bits_on_gpu(name: str, scheduler: str, options: str, mapping: str) -> None:
    pipeline = f"{scheduler}reassociate{options},map-to-gpu{{{mapping}}}"
    text = REDUCTIONS[name].text
    module = quietly(lambda: api.compile(text, pipeline, target="opencl"))
    assert "barrier(" in module.source
    check(name, module)


NVCC_FLAGS = ("-arch=sm_90", "-Xcompiler", "-Wall,-Wextra", "--Werror", "all-warnings")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
@pytest.mark.parametrize(
    "name", ["dot", rarely("least number"), rarely("columns"), rarely("largest of a row")]
)
def test_nvcc_compiles(name: str, tmp_path: Path) -> None:
    source = tmp_path / "file.cu"
    with remarks_to(lambda remark: None):
        module = api.parse(REDUCTIONS[name].text)
        mapped = api.run_pipeline(module, f"{ISL}reassociate,map-to-gpu{{sequential=device}}")
        outlined = api.run_pipeline(api.lower(mapped), "gpu-outline")
    source.write_text(gpu_text(outlined, Language.CUDA))
    command = ["nvcc", *NVCC_FLAGS, "-c", str(source), "-o", str(tmp_path / "file.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


@pytest.mark.parametrize("name", ["dot", "norm", "rows", "columns", "solver", "bits"])
def test_same_bits_in_c(name: str) -> None:
    def compiled() -> CompiledModule:
        pipeline = "reassociate{lanes=4 blocks=8},mark-parallel"
        loops = api.lower(api.run_pipeline(api.parse(REDUCTIONS[name].text), pipeline))
        return compile_module(loops, CompilerOptions(flags=FLAGS))

    module = quietly(compiled)
    assert "#pragma omp parallel for" in module.source
    with module.threads(2):
        check(name, module)


@needs_opencl
@pytest.mark.parametrize("name", ["atax", "trisolv", *map(rarely, ("gemver", "mvt", "gesummv"))])
def test_kernels_nearly(name: str) -> None:
    kernel = KERNELS[name]
    scheduler = "" if name == "trisolv" else ISL
    pipeline = f"{scheduler}map-to-gpu{{reassociate=true sequential=device}}"
    module = quietly(lambda: api.compile(kernel.path.read_text(), pipeline, target="opencl"))
    wanted, arguments = kernel.make_arguments("small"), kernel.make_arguments("small")
    oracle_of(name)(kernel.function, *wanted)
    module[kernel.function](*arguments)
    for one, other in zip(wanted, arguments, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12)
    assert "_partial" in module.source
