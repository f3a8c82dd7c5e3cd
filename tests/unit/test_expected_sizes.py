"""Sizes that programs from Python are expected to have."""

from __future__ import annotations

from pathlib import Path

import pytest

import polyir
from polyir.base.diagnostics import OptionError, Remark, remarks_to
from polyir.tuning.kernel import digest_of

MLIR = """func.func @scale(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i, 0] : memref<?x?xf64>
    %s = arith.addf %a, %a : f64
    affine.store %s, %A[%i, 0] : memref<?x?xf64>
  }
  return
}"""
C = """void scale(int n, double *restrict a) {
  for (int i = 0; i < n; i++) a[i] *= 2;
}"""
EQUATIONS = Path(__file__).parents[2] / "examples" / "equations" / "convolved-triangle.alpha"
PASSES = "optimize{machine=generic}"


def sizes(source: str, expected: dict[str, int], cache: bool = False) -> list[str]:
    found: list[Remark] = []
    with remarks_to(found.append):
        polyir.compile(source, PASSES, sizes=expected, cache=cache)
    return [each.message for each in found if each.message.startswith("sizes: ")]


@pytest.mark.parametrize("source", [MLIR, C])
def test_arguments_have_sizes(source: str) -> None:
    assert sizes(source, {"n": 70}) == ["sizes: n = 70 (stated)"]


def test_extents_have_sizes() -> None:
    assert sizes(MLIR, {"A_0": 50}) == ["sizes: n = 50 (from arrays)"]


def test_what_is_expected_makes_no_other_kernel() -> None:
    sized = MLIR.replace("%n: index", "%n: index {polyir.size = 70 : index}")
    assert digest_of(polyir.parse(sized)) == digest_of(polyir.parse(MLIR))
    sized = MLIR.replace("%n: index", "%n: index {llvm.noundef}")
    assert digest_of(polyir.parse(sized)) != digest_of(polyir.parse(MLIR))


def test_equations_have_sizes() -> None:
    found: list[Remark] = []
    with remarks_to(found.append):
        polyir.compile(EQUATIONS, sizes={"N": 90}, cache=False)
    assert any("N = 90 (stated)" in each.message for each in found)


def test_a_module_stays_as_it_is() -> None:
    module = polyir.parse(MLIR)
    before = str(module)
    polyir.compile(module, PASSES, sizes={"n": 3}, cache=False)
    assert str(module) == before


@pytest.mark.parametrize(
    ("source", "expected", "message"),
    [
        (MLIR, {"m": 3}, "no function has the size 'm' (there are: n, A_0, A_1)"),
        (C, {"m": 3}, "no region has the integer 'm' (there are: n)"),
        (MLIR, {"n": 0}, "the size of 'n' is not a positive integer: 0"),
        (C, {"n": -1}, "the size of 'n' is not a positive integer: -1"),
    ],
)
def test_wrong_sizes(source: str, expected: dict[str, int], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        sizes(source, expected)
    assert message in raised.value.message
