"""The evaluator of equations, on systems whose values are known."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from equation_systems import random_inputs, random_system

import polyir
from polyir.base.diagnostics import PolyirError
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.system import (
    Body,
    Case,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Index,
    Operation,
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Use,
    Variable,
)
from polyir.equations.text import read_program


def a_system(
    variables: dict[str, tuple[Role, str]],
    equations: dict[str, Expression],
    context: str = "N >= 1",
    uses: tuple[Use, ...] = (),
    name: str = "equations",
) -> System:
    whole = isl.Set(f"[N] -> {{ : {context} }}")
    declarations = tuple(
        Declaration(each, isl.Set(f"[N] -> {{ {domain} }}"), role)
        for each, (role, domain) in variables.items()
    )
    body = Body(whole, tuple(Equation(each, value) for each, value in equations.items()), uses)
    return System(name, ("N",), whole, declarations, (body,))


def at(name: str, function: str) -> Dependence:
    return Dependence(Variable(name), isl.MultiAff(f"[N] -> {{ {function} }}"))


def where(domain: str, value: Expression) -> Restrict:
    return Restrict(value, isl.Set(f"[N] -> {{ {domain} }}"))


def reduce(operator: str, projection: str, body: Expression) -> Reduce:
    return Reduce(body, operator, isl.MultiAff(f"[N] -> {{ {projection} }}"))


def test_matrix_product_combines_in_order() -> None:
    square = "[i, j] : 0 <= i < N and 0 <= j < N"
    product = Operation((at("A", "[i, j, k] -> [i, k]"), at("B", "[i, j, k] -> [k, j]")), "*")
    system = a_system(
        {"A": (Role.INPUT, square), "B": (Role.INPUT, square), "C": (Role.OUTPUT, square)},
        {"C": reduce("+", "[i, j, k] -> [i, j]", product)},
    )
    rng = np.random.default_rng(1)
    a, b = rng.random((6, 6)), rng.random((6, 6))
    result = evaluate(system, {"N": 6}, {"A": a, "B": b})
    expected = np.zeros((6, 6))
    for k in range(6):
        expected += a[:, k : k + 1] * b[k : k + 1, :]
    assert np.array_equal(result.outputs["C"], expected)
    assert result.operations == 36 + 216


def test_long_chains_need_no_recursion_of_python() -> None:
    line = "[i] : 0 <= i < N"
    step = Operation((at("X", "[i] -> [i - 1]"), at("A", "[i] -> [i]")), "+")
    value = Case((where("[i] : i = 0", Variable("A")), where("[i] : i > 0", step)))
    system = a_system({"A": (Role.INPUT, line), "X": (Role.OUTPUT, line)}, {"X": value})
    numbers = np.arange(20000)
    result = evaluate(system, {"N": 20000}, {"A": numbers}, ElementType.I64)
    assert np.array_equal(result.outputs["X"], np.cumsum(numbers))
    assert result.operations == 20000


def test_arrays_begin_at_the_least_index_and_holes_are_zero() -> None:
    domain = "[i, j] : -2 <= i <= N and i mod 2 = 0 and 5 <= j <= 6"
    index = Index(isl.Aff("[N] -> { [i, j] -> [(10 * i + j)] }"))
    system = a_system({"X": (Role.OUTPUT, domain)}, {"X": index})
    result = evaluate(system, {"N": 1}, {}, ElementType.I32).outputs["X"]
    assert result.tolist() == [[-15, -14], [0, 0], [5, 6]]
    assert result.dtype == np.int32


def test_points_with_a_body_combine_only_its_points() -> None:
    triangle = where("[i, k] : 0 <= k <= i", at("A", "[i, k] -> [k]"))
    line = "[i] : 0 <= i < N"
    system = a_system(
        {"A": (Role.INPUT, line), "X": (Role.OUTPUT, line)},
        {"X": reduce("max", "[i, k] -> [i]", triangle)},
    )
    result = evaluate(system, {"N": 4}, {"A": [3.0, 1.0, 4.0, 2.0]})
    assert result.outputs["X"].tolist() == [3, 3, 4, 4]


def test_integers_wrap_and_division_truncates() -> None:
    i32 = ElementType.I32
    assert i32.combined("*", 1 << 30, 6) == -(1 << 31)
    assert i32.combined("/", -7, 2) == -3
    assert i32.combined("/", 7, -2) == -3
    assert i32.number(2**31) == -(2**31)
    assert ElementType.F32.combined("+", 1.0, 2.0**-30) == 1.0
    assert ElementType.F64.combined("min", 0.0, -0.0) == 0.0
    assert str(ElementType.F64.combined("min", 0.0, -0.0)) == "-0.0"
    assert str(ElementType.F64.combined("max", -0.0, 0.0)) == "0.0"
    with pytest.raises(PolyirError, match="division by zero"):
        i32.combined("/", 1, 0)


def test_a_use_has_an_instance_for_each_point() -> None:
    line = "[i] : 0 <= i < N"
    total = a_system(
        {"A": (Role.INPUT, line), "S": (Role.OUTPUT, "[]")},
        {"S": reduce("+", "[i] -> []", Variable("A"))},
        name="total",
    )
    use = Use(
        "total",
        isl.Set("[N] -> { [r] : 0 <= r < N }"),
        isl.MultiAff("[N] -> { [r] -> [r + 1] }"),
        (at("B", "[r, i] -> [r, i]"),),
        (Variable("T"),),
    )
    rows = a_system(
        {"B": (Role.INPUT, "[i, j] : 0 <= i < N and 0 <= j < N"), "T": (Role.OUTPUT, line)},
        {},
        uses=(use,),
    )
    matrix = np.arange(9.0).reshape(3, 3)
    result = evaluate(rows, {"N": 3}, {"B": matrix}, program=Program((total, rows)))
    assert result.outputs["T"].tolist() == [0, 3 + 4, 6 + 7 + 8]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (at("X", "[i] -> [i]"), r"needed for itself: X\[0\] needs X\[0\]"),
        (at("X", "[i] -> [i - 1]"), r"'X' has no value at \[-1\]"),
        (where("[i] : i > 0", Constant(1)), r"no value at \[0\]"),
        (Case((Constant(1), where("[i] : i < 2", Constant(2)))), r"several branches"),
        (reduce("+", "[i, k] -> [i]", Constant(1)), "not bounded"),
    ],
)
def test_what_has_no_value_is_an_error(value: Expression, message: str) -> None:
    system = a_system({"X": (Role.OUTPUT, "[i] : 0 <= i < N")}, {"X": value})
    with pytest.raises(PolyirError, match=message):
        evaluate(system, {"N": 3}, {})


@pytest.mark.parametrize("seed", range(60))
def test_random_systems_have_values(seed: int) -> None:
    system = random_system(seed)
    for n in (1, 4):
        inputs = random_inputs(system, {"N": n}, ElementType.I64, seed)
        first = evaluate(system, {"N": n}, inputs, ElementType.I64)
        assert first.operations > 0


def test_spellings_of_alphaz(tmp_path: Path) -> None:
    text = """affine blur [N] -> { : N > 3 && N < 1000 }
        inputs X: {[i]: 0 <= i < N} W: {[k]: -1 <= k && k <= 1}
        outputs Y, Z, R: {[i]: 0 <= i < N}
        let
          Y[i] = case {
            {: i == 0 || i == N-1}: X[i];
            {: i > 0 && i < N-1}: conv({[k]: -1 <= k & k <= 1}, W[k], X[i+k]);
          };
          Z[i] = select {[i] -> [j]: j == N-1-i} from X[j];
          R = select {[i] -> [j]: j == i && i < 2; [i] -> [j]: j == 2 && i >= 2} from (X[j] * 2.0);
        ."""
    numbers, weights = np.random.default_rng(1).random(9), np.array([0.25, -2.0, 4.0])
    blurred = numbers.copy()
    blurred[1:-1] = np.correlate(numbers, weights, "valid")
    selected = 2 * numbers[[0, 1, 2, 2, 2, 2, 2, 2, 2]]
    result = evaluate(read_program(text, "blur").systems[0], {"N": 9}, {"X": numbers, "W": weights})
    np.testing.assert_allclose(result.outputs["Y"], blurred)
    np.testing.assert_array_equal(result.outputs["Z"], numbers[::-1])
    np.testing.assert_array_equal(result.outputs["R"], selected)
    compiled = [np.zeros(9) for _ in range(3)]
    file = tmp_path / "blur.alpha"
    file.write_text(text)
    polyir.compile(str(file), "")["blur"](9, numbers, weights, *compiled)
    for name, values in zip("YZR", compiled, strict=True):
        np.testing.assert_allclose(result.outputs[name], values)
