"""Reductions whose updates are divided among ranks, against the original order.

Integers have the same bits. Floating-point sums and products are rounded in another way, the same
one in each run; minima and maxima are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kernels import KERNELS
from rank_programs import SANITIZED, Argument, build, missing_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompilerOptions, compare_bits
from polyir.runtime.functions import CompiledFunction, numpy_type, public_signatures
from polyir.target.abi import ArrayParameter

pytestmark = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

FLAGS = ("-std=c99", "-O0", "-ffp-contract=off")
RANKS = (1, 2, 3, 4)
SIZES = (0, 1, 2, 9)
"""Values of each parameter, so also those for which some ranks, or all, have nothing to do."""

REDUCTIONS = "poly-dependences{reassociate=true}"
PLUTO = f"{REDUCTIONS},pluto-schedule"


def updates(type: str, operations: dict[str, str]) -> str:
    """A loop for each operation: s[0] = s[0] op A[i] for an s of its own."""
    names = [f"s{number}" for number in range(len(operations))]
    lines = ", ".join(f"%{name}: memref<{type}>" for name in names)
    text = f"func.func @program(%n: index, %A: memref<?x{type}>, {lines}) {{\n"
    for name, operation in zip(names, operations.values(), strict=True):
        text += f"""affine.for %i = 0 to %n {{
          %a = affine.load %A[%i] : memref<?x{type}>
          %old = affine.load %{name}[] : memref<{type}>
          {operation}
          affine.store %new, %{name}[] : memref<{type}>
        }}\n"""
    return text + "return }"


def plain(type: str, *names: str) -> dict[str, str]:
    return {name: f"%new = arith.{name} %old, %a : {type}" for name in names}


FLOATS = {
    "dot": "%p = arith.mulf %a, %a : f64\n%new = arith.addf %old, %p : f64",
    "minus": "%p = arith.mulf %a, %a : f64\n%new = arith.subf %old, %p : f64",
    **plain("f64", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"),
    "largest": "%c = arith.cmpf olt, %old, %a : f64\n%new = arith.select %c, %a, %old : f64",
    "least": "%c = arith.cmpf olt, %a, %old : f64\n%new = arith.select %c, %a, %old : f64",
}
INTEGERS = ("addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori")


@dataclass(frozen=True)
class Reduction:
    """A program, the passes before `distribute-memory`, and how many arrays MPI combines."""

    text: str
    pipeline: str
    combined: int
    options: str = ""


PROGRAMS = {
    "floats": Reduction(updates("f64", FLOATS), PLUTO, len(FLOATS)),
    "integers": Reduction(updates("i32", plain("i32", *INTEGERS)), PLUTO, len(INTEGERS)),
    # Without dependences of the kind before: the option finds them.
    "bytes": Reduction(
        updates("i8", plain("i8", "addi", "maxui", "andi")), "pluto-schedule", 3, "reassociate=true"
    ),
    # Sums and maxima of columns, of all but the first ones: rows of partial results begin at 0.
    "columns": Reduction(
        """
  func.func @program(%n: index, %A: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
    affine.for %i = 0 to %n {
      affine.for %j = 3 to affine_map<(d0) -> (d0 + 3)>(%n) {
        %a = affine.load %A[%i, %j] : memref<?x?xf32>
        %y0 = affine.load %y[%j] : memref<?xf32>
        %y1 = arith.addf %a, %y0 : f32
        affine.store %y1, %y[%j] : memref<?xf32>
        %z0 = affine.load %z[%j - 2] : memref<?xf32>
        %z1 = arith.maximumf %a, %z0 : f32
        affine.store %z1, %z[%j - 2] : memref<?xf32>
      }
    }
    return
  }""",
        REDUCTIONS,
        2,
    ),
    # Products of a column and a row: the loop over them is outside.
    "products": Reduction(
        """
  func.func @program(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>, %C: memref<?x?xi64>) {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
          %a = affine.load %A[%i, %k] : memref<?x?xi64>
          %b = affine.load %B[%k, %j] : memref<?x?xi64>
          %p = arith.muli %a, %b : i64
          %c0 = affine.load %C[%i, %j] : memref<?x?xi64>
          %c1 = arith.addi %c0, %p : i64
          affine.store %c1, %C[%i, %j] : memref<?x?xi64>
        }
      }
    }
    return
  }""",
        REDUCTIONS,
        1,
    ),
    # In each step, a sum over all ranks that all of them read; and a row of its own of Y.
    "steps": Reduction(
        """
  func.func @program(%n: index, %A: memref<?x?xf64>, %Y: memref<?x?xf64>, %s: memref<f64>) {
    affine.for %t = 0 to 3 {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %a = affine.load %A[%i, %j] : memref<?x?xf64>
          %q = arith.mulf %a, %a : f64
          %s0 = affine.load %s[] : memref<f64>
          %s1 = arith.addf %s0, %q : f64
          affine.store %s1, %s[] : memref<f64>
          %y0 = affine.load %Y[2 * %t + 1, %j] : memref<?x?xf64>
          %y1 = arith.addf %y0, %a : f64
          affine.store %y1, %Y[2 * %t + 1, %j] : memref<?x?xf64>
        }
      }
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %a = affine.load %A[%i, %j] : memref<?x?xf64>
          %norm = affine.load %s[] : memref<f64>
          %y = affine.load %Y[2 * %t + 1, %n - %j - 1] : memref<?x?xf64>
          %b = arith.divf %a, %norm : f64
          %c = arith.addf %b, %y : f64
          affine.store %c, %A[%i, %j] : memref<?x?xf64>
        }
      }
    }
    return
  }""",
        REDUCTIONS,
        2,
    ),
    # Updates of the sum of a plane run in any order, so that the band in which they go back is
    # permutable. And a sum of all sums, whose updates are divided.
    "planes": Reduction(
        """
  func.func @program(%n: index, %A: memref<?x?x?xi64>, %x: memref<?xi64>, %s: memref<i64>) {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %a = affine.load %A[%i, %j, %k] : memref<?x?x?xi64>
          %x0 = affine.load %x[%i] : memref<?xi64>
          %x1 = arith.addi %x0, %a : i64
          affine.store %x1, %x[%i] : memref<?xi64>
        }
      }
    }
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %x0 = affine.load %x[%k] : memref<?xi64>
          %s0 = affine.load %s[] : memref<i64>
          %s1 = arith.addi %s0, %x0 : i64
          affine.store %s1, %s[] : memref<i64>
        }
      }
    }
    return
  }""",
        f"{REDUCTIONS},pluto-schedule{{fuse=none}},tile{{sizes=2}}",
        1,
    ),
    "atax": Reduction(KERNELS["atax"].path.read_text(), REDUCTIONS, 1),
    "bicg": Reduction(KERNELS["bicg"].path.read_text(), REDUCTIONS, 1),
}


def arguments(function: CompiledFunction, size: int) -> list[Argument]:
    """Arguments for a size; of several parameters, the later ones are larger."""
    random = np.random.default_rng(size)
    values: list[Argument] = []
    for parameter in function.signature.parameters:
        if isinstance(parameter, ArrayParameter):
            shape = tuple(size + 9 if each is None else each for each in parameter.type.extents)
            numbers = np.asarray(random.uniform(-3, 3, shape))
            numbers = numbers * (1 if parameter.type.element.is_float else 40)
            values.append(np.array(numbers, numpy_type(parameter.type.element)))
        else:
            values.append(size + len(values))
    return values


def not_a_number(values: list[Argument]) -> list[Argument]:
    """Arguments with NaN and zeros of both signs in arrays."""
    for each in values:
        if isinstance(each, np.ndarray) and each.ndim == 1:
            each[1::3], each[::3] = np.nan, -0.0
    return values


@cache
def distributed(name: str, options: str) -> tuple[str, api.ModuleOp]:
    """The C of a distributed program, and the original."""
    program = PROGRAMS[name]
    chosen = " ".join(filter(None, (program.options, options)))
    with remarks_to(lambda remark: None):
        original = api.parse(program.text)
        module = api.run_pipeline(
            api.parse(program.text), f"{program.pipeline},distribute-memory{{{chosen}}}"
        )
        combined = [op for op in module.walk() if op.name in ("mpi.reduce", "mpi.allreduce")]
        assert len(combined) == program.combined
        return api.emit(module, "c"), original


def check(name: str, options: str, folder: Path, flags: tuple[str, ...] = FLAGS) -> None:
    """Run a program with all sizes on all numbers of ranks, and the original beside it."""
    source, original = distributed(name, options)
    signature = public_signatures(original)[0]
    module = api.compile_loops(original, CompilerOptions(flags=FLAGS), "c")
    function = module[signature.symbol]
    calls = [arguments(function, size) for size in SIZES]
    expected = [arguments(function, size) for size in SIZES]
    if name == "floats":
        calls.append(not_a_number(arguments(function, 9)))
        expected.append(not_a_number(arguments(function, 9)))
    for each in expected:
        function(*each)
    assert compare_bits(expected[-1], calls[-1]) is not None
    program = build(source, signature, folder / "program", flags)
    for ranks in RANKS:
        results = program.run(calls, ranks)
        for right, call in zip(expected, results, strict=True):
            require_near(right, call.arguments)
        if ranks == 3:
            again = program.run(calls, ranks)
            for one, another in zip(results, again, strict=True):
                assert compare_bits(one.arguments, another.arguments) is None


def require_near(right: list[Argument], found: list[Argument]) -> None:
    """Integers are equal, and other numbers but for rounding."""
    for one, another in zip(right, found, strict=True):
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            tolerance = 1e-5 if one.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(another, one, rtol=tolerance, atol=tolerance)
        else:
            assert np.array_equal(one, another)


@pytest.mark.parametrize("name", PROGRAMS)
def test_reduction_in_blocks(name: str, tmp_path: Path) -> None:
    check(name, "", tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize("options", ["distribution=cyclic", "grid=2", "replicate=A"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_reduction(name: str, options: str, tmp_path: Path) -> None:
    check(name, options, tmp_path, SANITIZED)
