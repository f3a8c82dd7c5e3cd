"""Programs on ranks that are chosen to go wrong, and a few random ones (`make fuzz-distributed`).

Each runs with several sizes, also with those for which there is little or nothing to do.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzzing.ranks import case_of, run_case
from rank_programs import SANITIZED, Argument, build, missing_mpi
from suites import examples

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.codegen.ast_build import IncorrectAstError
from polyir.codegen.lower import lower_scop
from polyir.dialects.scop import ScopOp
from polyir.model.scop import Scop
from polyir.passes import lower_poly
from polyir.runtime import CompilerOptions, compare_bits
from polyir.runtime.functions import CompiledFunction, numpy_type, public_signatures
from polyir.target.abi import ArrayParameter

pytestmark = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

FLAGS = ("-std=c99", "-O0", "-ffp-contract=off")
RANKS = (1, 2, 5)
SIZES = (0, 1, 2, 3, 9)
"""Values of each parameter; arrays have as many elements along each dimension, and three more."""

PLUTO = "pluto-schedule{fuse=none}"
TILES = "pluto-schedule,tile{sizes=3},wavefront"
TIME = "feautrier-schedule"

PROGRAMS = {
    # A store under a condition on data keeps the old value, which is another rank's.
    "conditional": (
        TIME,
        """
  func.func @program(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
    %zero = arith.constant 0.0 : f64
    affine.for %t = 0 to 3 {
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i + 1] : memref<?xf64>
        %b = affine.load %B[%i] : memref<?xf64>
        %less = arith.cmpf olt, %a, %b : f64
        scf.if %less {
          affine.store %a, %B[%i] : memref<?xf64>
        }
      }
      affine.for %i = 0 to %n {
        %b = affine.load %B[%n - %i] : memref<?xf64>
        %less = arith.cmpf ogt, %b, %zero : f64
        scf.if %less {
          affine.store %b, %A[%i + 1] : memref<?xf64>
        }
      }
    }
    return
  }""",
    ),
    # Loops divided along rows, then along columns: each rank needs something of each other one.
    "transposed": (
        PLUTO,
        """
  func.func @program(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
    affine.for %i = 0 to %n {
      affine.for %j = 1 to %n {
        %left = affine.load %A[%i, %j - 1] : memref<?x?xf32>
        %here = affine.load %A[%i, %j] : memref<?x?xf32>
        %s = arith.addf %left, %here : f32
        affine.store %s, %A[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %j = 0 to %n {
      affine.for %i = 1 to %n {
        %up = affine.load %A[%i - 1, %j] : memref<?x?xf32>
        %here = affine.load %A[%i, %j] : memref<?x?xf32>
        %s = arith.subf %up, %here : f32
        affine.store %s, %A[%i, %j] : memref<?x?xf32>
        affine.store %here, %B[%j, %i] : memref<?x?xf32>
      }
    }
    return
  }""",
    ),
    # A triangle whose rows are as long as their number, and a step from the last row to the first.
    "triangle": (
        TILES,
        """
  func.func @program(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %a = affine.load %A[%n - %i - 1, %j - 1] : memref<?x?xi64>
        %b = affine.load %A[%n - %i, %j - 1] : memref<?x?xi64>
        %s = arith.muli %a, %b : i64
        affine.store %s, %A[%n - %i - 1, %j] : memref<?x?xi64>
        affine.store %s, %B[%j, %i] : memref<?x?xi64>
      }
    }
    return
  }""",
    ),
    # Five types of elements in one step: a message for each.
    "types": (
        TIME,
        """
  func.func @program(%n: index, %A: memref<?xf64>, %B: memref<?xf32>, %C: memref<?xi32>,
                     %D: memref<?xi64>, %E: memref<?xi8>) {
    affine.for %t = 0 to 3 {
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i] : memref<?xf64>
        %b = affine.load %B[%i] : memref<?xf32>
        %c = affine.load %C[%i] : memref<?xi32>
        %d = affine.load %D[%i] : memref<?xi64>
        %e = affine.load %E[%i] : memref<?xi8>
        %a2 = arith.addf %a, %a : f64
        %b2 = arith.mulf %b, %b : f32
        %c2 = arith.muli %c, %c : i32
        %d2 = arith.addi %d, %d : i64
        %e2 = arith.xori %e, %e : i8
        affine.store %a2, %A[%i] : memref<?xf64>
        affine.store %b2, %B[%i] : memref<?xf32>
        affine.store %c2, %C[%i] : memref<?xi32>
        affine.store %d2, %D[%i] : memref<?xi64>
        affine.store %e, %E[%i] : memref<?xi8>
      }
      affine.for %i = 0 to %n {
        %a = affine.load %A[%n - %i] : memref<?xf64>
        %b = affine.load %B[%n - %i] : memref<?xf32>
        %c = affine.load %C[%n - %i] : memref<?xi32>
        %d = affine.load %D[%n - %i] : memref<?xi64>
        %e = affine.load %E[%n - %i] : memref<?xi8>
        affine.store %a, %A[%i + 1] : memref<?xf64>
        affine.store %b, %B[%i + 1] : memref<?xf32>
        affine.store %c, %C[%i + 1] : memref<?xi32>
        affine.store %d, %D[%i + 1] : memref<?xi64>
        affine.store %e, %E[%i + 1] : memref<?xi8>
      }
    }
    return
  }""",
    ),
    # One number that a sequential phase computes and all ranks read; and one that the last writes.
    "scalar": (
        PLUTO,
        """
  func.func @program(%n: index, %x: f64, %A: memref<?xf64>, %sum: memref<f64>, %last: memref<f64>) {
    affine.store %x, %sum[] : memref<f64>
    affine.for %i = 0 to %n {
      %s = affine.load %sum[] : memref<f64>
      %a = affine.load %A[%i] : memref<?xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %sum[] : memref<f64>
    }
    affine.for %i = 0 to %n {
      %s = affine.load %sum[] : memref<f64>
      %a = affine.load %A[%i] : memref<?xf64>
      %t = arith.divf %a, %s : f64
      affine.store %t, %A[%i] : memref<?xf64>
    }
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      affine.store %a, %last[] : memref<f64>
    }
    return
  }""",
    ),
    # Arrays that are allocated in the function: the first rank has none of them whole, either.
    "temporaries": (
        PLUTO,
        """
  func.func @program(%n: index, %A: memref<?xf64>) {
    %T = memref.alloc(%n) : memref<?xf64>
    %U = memref.alloca() : memref<f64>
    %two = arith.constant 2.0 : f64
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      %b = arith.mulf %a, %two : f64
      affine.store %b, %T[%n - %i - 1] : memref<?xf64>
    }
    affine.for %i = 1 to %n {
      %a = affine.load %T[%i] : memref<?xf64>
      %b = affine.load %T[%i - 1] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %U[] : memref<f64>
      %d = affine.load %U[] : memref<f64>
      affine.store %d, %A[%i] : memref<?xf64>
    }
    memref.dealloc %T : memref<?xf64>
    return
  }""",
    ),
    # The last loop writes over what another rank has written: the last writer has the result.
    "overwritten": (
        PLUTO,
        """
  func.func @program(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
    affine.for %i = 0 to %n {
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
    }
    affine.for %i = 0 to %m {
      %b = affine.load %B[%m - %i] : memref<?xf64>
      affine.store %b, %A[%m - %i] : memref<?xf64>
    }
    return
  }""",
    ),
    # Strides, and elements that no rank touches in the middle of parts.
    "strides": (
        TILES,
        """
  func.func @program(%n: index, %A: memref<20x?xf64>, %B: memref<?xf64>) {
    affine.for %t = 0 to 2 {
      affine.for %i = 0 to %n step 2 {
        %a = affine.load %A[2 * %t + 3, %i] : memref<20x?xf64>
        %b = affine.load %B[%i floordiv 2 + %t] : memref<?xf64>
        %c = arith.subf %a, %b : f64
        affine.store %c, %A[2 * %t + 5, %i + 1] : memref<20x?xf64>
        affine.store %a, %A[2 * %t + 5, %i] : memref<20x?xf64>
      }
    }
    return
  }""",
    ),
    # An affine condition on a parameter: a phase that runs for some sizes only.
    "guarded": (
        PLUTO,
        """
  func.func @program(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      affine.store %a, %B[%i + 1] : memref<?xf64>
    }
    affine.if affine_set<()[s0, s1] : (s0 - s1 - 1 >= 0)>()[%n, %m] {
      affine.for %i = 0 to %m {
        %b = affine.load %B[%m - %i + 1] : memref<?xf64>
        affine.store %b, %A[%i] : memref<?xf64>
      }
    } else {
      affine.for %i = 0 to %n {
        %b = affine.load %B[%n - %i] : memref<?xf64>
        affine.store %b, %A[%i] : memref<?xf64>
      }
    }
    return
  }""",
    ),
    # Subscripts that lead out of the arrays where a condition does not hold that no model has.
    "out-of-bounds": (
        PLUTO,
        """
  func.func @program(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
    affine.for %i = 0 to affine_map<()[s0] -> (3 * s0 + 30)>()[%n] {
      %square = arith.muli %i, %i : index
      %is_inside = arith.cmpi slt, %square, %n : index
      scf.if %is_inside {
        %a = affine.load %A[%i] : memref<?xf64>
        affine.store %a, %B[%i] : memref<?xf64>
      }
    }
    return
  }""",
    ),
    # More ranks than tiles: what a rank without a tile reads is nothing, though no bound says so.
    "idle-ranks": (
        "tile{sizes=5}",
        """
  func.func @program(%A: memref<11x10x12xi64>) {
    affine.for %i = 0 to 3 {
      %a = affine.load %A[2, %i, %i * 2] : memref<11x10x12xi64>
      affine.store %a, %A[2, 0, 0] : memref<11x10x12xi64>
    }
    affine.for %i = 0 to 9 step 2 {
      affine.for %j = 0 to 10 step 3 {
        %a = affine.load %A[0, %i + 1, %j + 2] : memref<11x10x12xi64>
        %b = affine.load %A[2, %i, %j + 1] : memref<11x10x12xi64>
        %c = arith.minsi %a, %b : i64
        affine.store %c, %A[%i + 2, 0, 0] : memref<11x10x12xi64>
      }
    }
    return
  }""",
    ),
    # One place for statements of which each has other sizes: no hull of all places has an end.
    "places": (
        "isl-schedule{fusion=typed}",
        """
  func.func @program(%n: index, %m: index, %A: memref<1x64xf64>, %B: memref<41x41xf64>) {
    %C = memref.alloc() : memref<41x39xf64>
    affine.for %i = 0 to 41 {
      affine.for %j = 0 to 39 {
        %b = affine.load %B[%j, %i] : memref<41x41xf64>
        affine.store %b, %C[%i, %j] : memref<41x39xf64>
      }
    }
    affine.for %i = 0 to %m {
      %b = affine.load %B[0, %i] : memref<41x41xf64>
      affine.store %b, %A[0, %i] : memref<1x64xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %b = affine.load %C[%i + 2, 40 - %n + %i] : memref<41x39xf64>
      affine.store %b, %A[0, %n + %i] : memref<1x64xf64>
    }
    return
  }""",
    ),
    # Ends of a box as functions of five sizes: in the order of all four accesses, isl fails.
    "ends": (
        PLUTO,
        """
  func.func @program(%n: index, %m: index, %S: memref<i64>, %x: i64, %A: memref<?x?xi64>,
                     %B: memref<?xi64>) {
    %less = arith.cmpi slt, %x, %x : i64
    affine.for %i = 0 to %n {
      affine.store %x, %B[%i] : memref<?xi64>
    }
    affine.for %i = 1 to %n {
      scf.if %less {
        %a0 = affine.load %A[%i, %i + 1] : memref<?x?xi64>
        %a1 = affine.load %A[%i, symbol(%m) + 3] : memref<?x?xi64>
        %as = affine.load %S[] : memref<i64>
        %at0 = arith.addi %as, %a0 : i64
        %at1 = arith.addi %at0, %a1 : i64
        affine.store %at1, %S[] : memref<i64>
      }
    }
    affine.for %i = 2 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
      scf.if %less {
        %b0 = affine.load %A[symbol(%m) - 1, symbol(%n) * 3 + %i * 3 - 1] : memref<?x?xi64>
        %b1 = affine.load %A[symbol(%m) + 1, %i] : memref<?x?xi64>
        %bs = affine.load %S[] : memref<i64>
        %bt0 = arith.addi %bs, %b0 : i64
        %bt1 = arith.addi %bt0, %b1 : i64
        affine.store %bt1, %S[] : memref<i64>
      }
    }
    return
  }""",
    ),
}

OPTIONS = {
    "blocks": "",
    "cyclic": "distribution=cyclic",
    "block-cyclic": "distribution=block-cyclic block=2",
    "grid": "grid=2",
    "cyclic-grid": "grid=2 distribution=cyclic",
}


def check(name: str, options: str, folder: Path, flags: tuple[str, ...] = FLAGS) -> None:
    """Run a program with all sizes on all numbers of ranks, and the original beside it."""
    pipeline, text = PROGRAMS[name]
    with remarks_to(lambda remark: None):
        original = api.parse(text)
        distributed = api.run_pipeline(
            api.parse(text), f"{pipeline},distribute-memory{{{OPTIONS[options]}}}"
        )
        source = api.emit(distributed, "c")
    module = api.compile_loops(original, CompilerOptions(flags=FLAGS), "c")
    calls = [arguments(module["program"], size) for size in SIZES]
    expected = [arguments(module["program"], size) for size in SIZES]
    for each in expected:
        module["program"](*each)
    program = build(source, public_signatures(original)[0], folder / "program", flags)
    for ranks in RANKS:
        results = program.run(calls, ranks)
        for size, right, call in zip(SIZES, expected, results, strict=True):
            assert compare_bits(right, call.arguments) is None, f"{size} on {ranks} ranks"
    assert compare_bits(expected[-1], calls[-1]) is not None


def arguments(function: CompiledFunction, size: int) -> list[Argument]:
    """Arguments for a size; of two parameters, the second one is larger or smaller."""
    random = np.random.default_rng(size)
    values: list[Argument] = []
    for parameter in function.signature.parameters:
        if isinstance(parameter, ArrayParameter):
            shape = tuple(size + 7 if each is None else each for each in parameter.type.extents)
            numbers = np.asarray(random.uniform(-100, 100, shape))
            values.append(numbers.astype(numpy_type(parameter.type.element)).reshape(shape))
        elif parameter.type.is_float:
            values.append(1.25)
        else:
            values.append(size if not values else max(0, size + (4 if size % 2 else -2)))
    return values


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_in_blocks(name: str, tmp_path: Path) -> None:
    is_checked = name in ("out-of-bounds", "idle-ranks")
    check(name, "blocks", tmp_path, SANITIZED if is_checked else FLAGS)


@pytest.mark.parametrize("name", ["transposed", "scalar", "types"])
def test_program_dealt_out(name: str, tmp_path: Path) -> None:
    check(name, "cyclic-grid", tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize("options", ["cyclic", "block-cyclic", "grid", "cyclic-grid"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, options: str, tmp_path: Path) -> None:
    check(name, options, tmp_path, SANITIZED)


def test_steps_in_the_original_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As isl was made to fail: what a rank runs in a step then has the order of the program."""
    refused: list[ScopOp] = []

    def lower(scop: Scop) -> None:
        function = scop.op.function
        if scop.op not in refused and function and "_compute_" in function.sym_name.data:
            refused.append(scop.op)
            raise IncorrectAstError("no loops")
        lower_scop(scop)

    monkeypatch.setattr(lower_poly, "lower_scop", lower)
    check("triangle", "blocks", tmp_path)
    assert refused


def test_random_programs() -> None:
    """Those of some that have something to divide."""
    outcomes = [run_case(case_of(number)) for number in range(examples(3, 12))]
    assert [each.reason for each in outcomes if each.kind == "failed"] == []
    assert sum(each.kind == "ran" for each in outcomes) >= len(outcomes) // 2
