"""Systems of equations: what is compiled gives the values that the evaluator gives, bit for bit."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from _pytest.mark import ParameterSet
from equation_runs import OPTIONS, assert_same, compiled
from equation_systems import random_inputs
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.equations.element_types import ElementType
from polyir.equations.inlining import inlined, merged_bodies
from polyir.equations.system import Constant, Role, System
from polyir.equations.text.reader import read_program

EQUATIONS = Path(__file__).parents[2] / "benchmarks" / "equations"


def read(text: str) -> System:
    """The last system of a text."""
    return merged_bodies(read_program(text).systems[-1])


HAND_MADE = {
    "product": """
        affine product [N, M] -> {: N, M > 0}
        inputs A : {[i, k] : 0 <= i < N and 0 <= k < M}  B : {[k, j] : 0 <= k < M and 0 <= j < N}
        outputs C : {[i, j] : 0 <= i < N and 0 <= j < N}
        let C[i, j] = reduce(+, [k], A[i, k] * B[k, j]); .""",
    "prefix": """
        affine prefix [N, M] -> {: N, M > 0}
        inputs A : {[i] : 0 <= i < N}
        outputs S, L : {[i] : 0 <= i < N}
        let S[i] = reduce(+, [j], {: 0 <= j <= i} : A[j]);
            L[i] = reduce(max, (i, j -> i), {: 0 <= j <= i < N} : (i, j -> j)@A); .""",
    "red_black": """
        affine red_black [N, M] -> {: N > 2 and M > 0}
        inputs U : {[i, j] : 0 <= i < N and 0 <= j < N}
        outputs R : {[i, j] : 0 <= i < N and 0 <= j < N}
        locals C : {[t, i, j] : 0 <= t <= M and 0 <= i < N and 0 <= j < N}
        let C[t, i, j] = case {
              {: t = 0 or i = 0 or j = 0 or i = N - 1 or j = N - 1} : U[i, j];
              {: t > 0 and 0 < i < N - 1 and 0 < j < N - 1 and (i + j) mod 2 = 0} :
                0.25 * (C[t-1, i-1, j] + C[t-1, i+1, j] + C[t-1, i, j-1] + C[t-1, i, j+1]);
              {: t > 0 and 0 < i < N - 1 and 0 < j < N - 1 and (i + j) mod 2 = 1} :
                0.25 * (C[t, i-1, j] + C[t, i+1, j] + C[t, i, j-1] + C[t, i, j+1]);
            };
            R[i, j] = C[M, i, j]; .""",
    "strided": """
        affine strided [N, M] -> {: N > 0}
        inputs A : {[i] : 0 <= i < N}
        outputs X : {[i] : 0 <= i < N and (i mod 2 = 0 or i mod 3 = 0)}
        let X[i] = case {
              {: i mod 6 = 3 or i mod 6 = 4} : X[i - 1] * A[i];
              {: i mod 6 = 0 or i mod 6 = 2} : A[i] + 1;
            }; .""",
    "external_of_a_package": """
        package outer.inner {
          external abs(1)
          affine distances [N, M] -> {: N, M > 0}
          inputs A : {[i] : 0 <= i < N}
          outputs D : {[i, j] : 0 <= i < N and 0 <= j < M}
          let D[i, j] = abs(A[i] - val[j]); .
        }""",
    "two_lattices": """
        affine two_lattices [N, M] -> {: N > 0}
        outputs X : {[i] : 0 <= i <= 2N}
        let X[i] = case {
              {: i = 0} : 1;
              {: i mod 2 = 0 and i > 0} : X[i - 1] + val[i];
              {: i mod 2 = 1 and exists(e : 2e = i - 1)} : (i -> i - 1)@X + 2;
            }; .""",
}


@pytest.mark.parametrize("element_type", ElementType)
@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made_systems(name: str, element_type: ElementType) -> None:
    system = read(HAND_MADE[name])
    if element_type.is_integer and name == "red_black":
        pytest.skip("has fractions")
    function = compiled(system, element_type)
    for n, m in ((3, 1), (8, 4)):
        parameters = {"N": n, "M": m}
        inputs = random_inputs(system, parameters, element_type)
        assert_same(system, parameters, inputs, element_type, function)


RESULTS = {
    "2mm": {"tmp": "tmp", "R": "D"},
    "3mm": {"E": "E", "F": "F", "G": "G"},
    "adi": {"R": "u"},
    "atax": {"y": "y", "tmp": "tmp"},
    "bicg": {"s": "s", "q": "q"},
    "cholesky": {"R": "A"},
    "correlation": {"X": "data", "corr": "corr", "mean": "mean", "stddev": "stddev"},
    "covariance": {"X": "data", "cov": "cov", "mean": "mean"},
    "deriche": {"imgOut": "imgOut"},
    "doitgen": {"R": "A"},
    "durbin": {"y": "y"},
    "fdtd-2d": {"RX": "ex", "RY": "ey", "RZ": "hz"},
    "floyd-warshall": {"R": "path"},
    "gemm": {"R": "C"},
    "gemver": {"B": "A", "W": "w", "X": "x"},
    "gesummv": {"tmp": "tmp", "y": "y"},
    "gramschmidt": {"RA": "A", "Q": "Q", "R": "R"},
    "heat-3d": {"RA": "A", "RB": "B"},
    "jacobi-1d": {"RA": "A", "RB": "B"},
    "jacobi-2d": {"RA": "A", "RB": "B"},
    "lu": {"R": "A"},
    "ludcmp": {"R": "A", "x": "x", "y": "y"},
    "mvt": {"R1": "x1", "R2": "x2"},
    "nussinov": {"R": "table"},
    "seidel-2d": {"R": "A"},
    "symm": {"R": "C"},
    "syr2k": {"R": "C"},
    "syrk": {"R": "C"},
    "trisolv": {"x": "x"},
    "trmm": {"R": "B"},
}
"""For each kernel of PolyBench the array that each output of the equations stands for. What is
missing are the temporary arrays of adi (v, p, q), deriche (y1, y2) and doitgen (sum)."""

ELEMENT_TYPES = {
    "deriche": ElementType.F32,
    "floyd-warshall": ElementType.I32,
    "nussinov": ElementType.I32,
}
"""The types of kernels that are not in double precision."""


def test_all_of_polybench_is_there() -> None:
    assert set(RESULTS) == set(KERNELS)


MEMORY_PIPELINE = "pluto-schedule,allocate-memory"
SLOW = ("heat-3d", "jacobi-2d", "seidel-2d")
"""Kernels that take several seconds with `MEMORY_PIPELINE`: `make test-all` has them."""


def with_pipelines() -> list[ParameterSet]:
    """Each kernel, with the first schedule and with `MEMORY_PIPELINE`."""
    slow = [pytest.param(name, MEMORY_PIPELINE, marks=pytest.mark.matrix) for name in SLOW]
    quick = [pytest.param(name, MEMORY_PIPELINE) for name in RESULTS if name not in SLOW]
    return [pytest.param(name, "") for name in RESULTS] + quick + slow


@pytest.mark.parametrize(("name", "pipeline"), with_pipelines())
def test_polybench_as_equations(name: str, pipeline: str) -> None:
    """The arrays that PolyBench's loops leave, bit for bit: the order of sums is kept."""
    kernel = KERNELS[name]
    arguments = kernel.make_arguments("mini")
    values = arguments[len(kernel.size_names) :]
    named = {each.name: value for each, value in zip(kernel.arguments, values, strict=True)}
    before = {name: np.array(value) for name, value in named.items()}
    with remarks_to(lambda remark: None):
        loops = api.compile(kernel.path.read_text(), pipeline="", options=OPTIONS)
    loops[kernel.function](*arguments)
    system = read((EQUATIONS / f"{name}.alpha").read_text())
    element_type = ELEMENT_TYPES.get(name, ElementType.F64)
    inputs = [before[each.name].astype(element_type.dtype) for each in system.of_role(Role.INPUT)]
    arrays = {each.name: RESULTS[name][each.name] for each in system.of_role(Role.OUTPUT)}
    # Elements that are not in the set of an output keep their first values, as in PolyBench.
    outputs = {output: before[array].copy() for output, array in arrays.items()}
    function = compiled(system, element_type, pipeline)
    function(*arguments[: len(kernel.size_names)], *inputs, *outputs.values())
    for output, array in outputs.items():
        assert array.tobytes() == named[arrays[output]].tobytes(), output


EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "equations").glob("*.alpha"))


@pytest.mark.parametrize("element_type", [ElementType.F64, ElementType.I64])
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples(file: Path, element_type: ElementType) -> None:
    program = read_program(file.read_text(), str(file))
    system = inlined(program, program.systems[-1].name)
    fractions = (
        isinstance(each, Constant) and isinstance(each.value, float)
        for equation in system.body.equations
        for each in equation.expression.walk()
    )
    if element_type.is_integer and any(fractions):
        pytest.skip("has fractions")
    if program.externals:
        pytest.skip("has external functions")
    function = compiled(system, element_type)
    for n in (3, 7):
        parameters = dict.fromkeys(system.parameters, n)
        if system.context.is_disjoint(of_parameters(parameters)):
            continue
        inputs = random_inputs(system, parameters, element_type)
        for array in inputs.values():
            # Divisors must not be 0.
            array[array == 0] = 1
        assert_same(system, parameters, inputs, element_type, function)


def of_parameters(values: dict[str, int]) -> isl.Set:
    """The set of one point of parameters."""
    equal = " and ".join(f"{name} = {value}" for name, value in values.items())
    return isl.Set(f"[{', '.join(values)}] -> {{ : {equal} }}")
