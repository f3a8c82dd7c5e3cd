"""`polyir-run` on examples, and the arguments that it makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import polyir
from polyir.base.diagnostics import PolyirError
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of
from polyir.runtime.data import make_arguments
from polyir.runtime.measure import compare_rounded
from polyir.tools.polyir_run import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_results_agree_and_are_timed(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--pluto-schedule", "--tile=8", "--mark-parallel", "--size", "n=20", "--repeat=1"]
    assert main([*flags, str(EXAMPLES / "fig9-matmul-chain.mlir")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("@matmul_chain: outputs are bit-identical")
    assert [line.split("  ")[1] for line in lines[1:]] == [
        "original, 1 thread",
        "result, 1 thread",
        "result, 2 threads",
    ]


def test_results_of_reassociation_are_compared_up_to_rounding(
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = str(EXAMPLES.parent / "benchmarks" / "polybench" / "atax.mlir")
    assert main(["--optimize=strategy=reductions reassociate=true", "--repeat=1", program]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("@kernel_atax: outputs are equal up to rounding")


def test_rounding_is_all_that_may_differ() -> None:
    array = np.array([1.0, 1e-12, np.nan, np.inf])
    near = array + np.array([1e-9, 1e-9, 0.0, 0.0])
    assert compare_rounded([array, 3], [near, 3]) is None
    for place, value in ((0, 1.001), (2, 0.0), (3, 1e300)):
        other = array.copy()
        other[place] = value
        found = compare_rounded([array], [other])
        assert found is not None
        assert found.index == (place,)
    assert compare_rounded([np.array([1])], [np.array([2])]) is not None


def test_both_programs_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    passes = ["--pluto-schedule", "--tile=32"]
    program = str(EXAMPLES / "fig4-stencil.mlir")
    assert main([*passes, "--show", "--size=n=9", "--repeat=1", program]) == 0
    original, result = capsys.readouterr().out.split("== result")
    assert "for (int64_t i = 1; i < n + 1; i++)" in original
    assert "ti += 32" in result


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--size=m=3", "fig9-matmul-chain.mlir"], "no size argument named 'm'; known sizes: n"),
        (
            ["--function=g", "fig9-matmul-chain.mlir"],
            "no function named 'g'; known functions: matmul_chain",
        ),
        (["no-such-file.mlir"], "cannot read"),
        (["--tile=x", "fig9-matmul-chain.mlir"], "option 'sizes' of pass 'tile'"),
        (["--repeat=0", "fig9-matmul-chain.mlir"], "argument --repeat"),
        (["--tilee", "fig9-matmul-chain.mlir"], "unrecognized arguments: --tilee"),
        ([], "the following arguments are required: file"),
    ],
)
def test_mistakes_are_one_diagnostic(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    *flags, name = arguments or [""]
    assert main([*flags, str(EXAMPLES / name)] if name else []) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


PROGRAM = """
func.func @f(%n: index, %A: memref<?x?xf64>, %B: memref<?xi32>, %s: f32, %C: memref<4x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 * 2)>(%i) {
      %0 = affine.load %A[%i, %j + 3] : memref<?x?xf64>
      affine.store %0, %A[%i, %j] : memref<?x?xf64>
    }
    %1 = affine.load %B[%i * 3] : memref<?xi32>
    affine.store %1, %B[%i] : memref<?xi32>
    affine.store %s, %C[2, %i] : memref<4x?xf32>
  }
  return
}
"""


def test_arrays_are_as_large_as_the_accesses() -> None:
    module = polyir.run_pipeline(polyir.parse(PROGRAM), "poly-raise")
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    scops = tuple(scop_of(op) for op in scops_in(module))
    n, a, b, s, c = make_arguments(function, scops, {"n": 10}, default_size=7)
    assert n == 10
    assert isinstance(s, float)
    shapes = [array.shape for array in (a, b, c) if isinstance(array, np.ndarray)]
    assert shapes == [(10, 21), (28,), (4, 10)]
    dtypes = [array.dtype for array in (a, b, c) if isinstance(array, np.ndarray)]
    assert dtypes == [np.float64, np.int32, np.float32]
    with pytest.raises(PolyirError, match="no size argument named 'm'"):
        make_arguments(function, scops, {"m": 10}, default_size=7)


STATIC = """
func.func @sum(%A: memref<16xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %A[%i + %j] : memref<16xf64>
      affine.store %0, %B[%j] : memref<?xf64>
    }
  }
  return
}
"""


@pytest.mark.parametrize(
    ("flags", "n", "m"),
    [
        ([], 16, 1),
        (["--size=m=4"], 13, 4),
        (["--size=n=8", "--size=m=9"], 8, 9),
        (["--default-size=5"], 5, 5),
        (["--pluto-schedule", "--tile=4", "--lower-poly", "--size=m=4"], 13, 4),
    ],
)
def test_sizes_are_drawn_within_the_context(
    flags: list[str], n: int, m: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sum.mlir"
    path.write_text(STATIC)
    assert main([*flags, "--repeat=1", "--threads=1", str(path)]) == 0
    output = capsys.readouterr()
    assert "bit-identical" in output.out
    notes = [line.split("[polyir-run] ")[1] for line in output.err.splitlines() if "-run]" in line]
    default = 5 if "--default-size=5" in flags else 200
    drawn = [f"{name} is {value}" for name, value in (("n", n), ("m", m)) if value != default]
    given = " ".join(flags)
    expected = [each for each in drawn if f"size={each[0]}=" not in given]
    assert [note.split(":")[0] for note in notes] == expected


def test_sizes_outside_the_context_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sum.mlir"
    path.write_text(STATIC)
    assert main(["--size=n=9", "--size=m=9", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"{path}:2:1: error: n = 9, m = 9 are outside the context [n, m] -> {{" in error
    assert "n + m <= 17" in error or "m <= 17 - n" in error
