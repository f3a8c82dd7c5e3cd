"""Simplification of reductions: the complexity that is reached, and that values stay the same."""

from __future__ import annotations

from itertools import pairwise

import islpy as isl
import numpy as np
import pytest
from simplified_systems import (
    FLOATS,
    INTEGERS,
    REASSOCIATED,
    a_system,
    applied,
    at,
    checked,
    index,
    over,
    show,
)

from polyir.base.diagnostics import PolyirError
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.simplification.complexity import (
    EMPTY,
    degree,
    degree_of_system,
    in_words,
    number_of_operations,
)
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.simplify import Simplified, simplify_reductions
from polyir.equations.system import (
    Case,
    Constant,
    Expression,
    Polynomial,
    Reduce,
    Restrict,
    System,
    Variable,
)


def _counts_agree(result: Simplified) -> None:
    """The numbers of operations are those of a polynomial of the degree that was reported."""

    def count(size: int) -> int:
        return number_of_operations(result.system, {"N": size})

    for size in (50, 100):
        assert count(2 * size) / count(size) == pytest.approx(2**result.after, rel=0.1)
    # For equidistant sizes, differences of an order above the degree are zero. There are strides:
    # polynomials of N modulo 60.
    differences = [count(size) for size in range(60, 361, 60)]
    for _ in range(result.after + 1):
        differences = [b - a for a, b in pairwise(differences)]
    assert not any(differences)


def _reduced(system: System, after: int, options: Options = INTEGERS) -> Simplified:
    result = checked(system, options)
    assert result.after == after, "\n".join(note.text for note in result.notes)
    assert degree_of_system(result.system) == after
    _counts_agree(result)
    return result


def _kept(system: System, options: Options, reason: str) -> None:
    result = simplify_reductions(system, options)
    assert result.system is system
    assert result.before == result.after
    assert any(note.is_missed and reason in note.text for note in result.notes), result.notes


# ------------------------------------------------------------------------------- degrees


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("[N] -> { [i] : 1 <= i <= N }", 1),
        ("[N] -> { [i, j] : 1 <= i <= N and i - 3 <= j <= i }", 1),
        ("[N] -> { [i, j] : 1 <= i <= N and 2j = i }", 1),
        ("[N] -> { [i, j, k] : 0 <= i, j, k < N and (i + j + k) mod 3 = 1 }", 3),
        ("[N] -> { [i, j] : 0 <= i < N and 4j <= i < 4j + 4 }", 1),
        ("[N] -> { [i, j] : 0 <= i <= 5 and 0 <= j <= 5 }", 0),
        ("[N] -> { [] }", 0),
        ("[N] -> { [i] : 1 <= i <= N and N < 1 }", EMPTY),
        ("[N, M] -> { [i, j] : 0 <= i < N and 0 <= j < M }", 2),
        ("[N, M] -> { [i, j] : 0 <= i < N and 0 <= j < M and N = M + 1 }", 2),
        ("[N] -> { [i] : 0 <= i < N and N <= 10 }", 0),
        ("[N] -> { [i, 0] : 0 <= i < N; [i, j] : 0 <= i, j < N and i > 2j }", 2),
    ],
)
def test_degree(points: str, expected: int) -> None:
    assert degree(isl.Set(points)) == expected


def test_degrees_in_words() -> None:
    assert in_words(3, ("N",)) == "cubic, O(N^3)"
    assert in_words(1, ("N", "M")) == "linear, O(n)"
    assert in_words(0, ("N",)) == "constant, O(1)"
    assert in_words(5, ("N",)) == "O(N^5)"


# ------------------------------------------------------------------------------- the paper


def equation_15_1() -> System:
    body = applied("*", at("A", "[i, j, k] -> [i, j + k]"), at("B", "[i, j, k] -> [k, j]"))
    domain = "[i, j, k] : 1 <= j <= i and 1 <= k <= i"
    return a_system(
        {"A": "[i, l] : 1 <= i <= N and 2 <= l <= 2i", "B": "[k, j] : 1 <= k, j <= N"},
        {"Y": ("[i] : 1 <= i <= N", over("+", "[i, j, k] -> [i]", domain, body))},
    )


def test_equation_15_1() -> None:
    result = _reduced(equation_15_1(), 2)
    assert result.before == 3
    assert any("factors are taken out of an inner reduction" in n.text for n in result.notes)


def test_equation_15_1_in_an_expression() -> None:
    """Equation 15.5: the reduction is a part of what is computed."""
    whole = equation_15_1()
    (equation,) = whole.body.equations
    inputs = {"A": "[i, l] : 1 <= i <= N and 2 <= l <= 2i", "B": "[k, j] : 1 <= k, j <= N"}
    right = applied("+", Constant(5), equation.expression)
    _reduced(a_system(inputs, {"Y": ("[i] : 1 <= i <= N", right)}), 2)


def prefix(operator: str) -> System:
    body = over(operator, "[i, j] -> [i]", "[i, j] : 1 <= j <= i", at("X", "[i, j] -> [j]"))
    return a_system({"X": "[j] : 1 <= j <= N"}, {"Y": ("[i] : 1 <= i <= N", body)})


@pytest.mark.parametrize("operator", ["+", "min", "max", "*"])
@pytest.mark.parametrize("options", [INTEGERS, FLOATS, Options(scans_only=True)])
def test_prefix(operator: str, options: Options) -> None:
    result = _reduced(prefix(operator), 1, options)
    (equation,) = result.system.body.equations
    assert not any(isinstance(each, Reduce) for each in equation.expression.walk())


def test_multidimensional_reuse() -> None:
    """The value is reused along i and k; only k is in the accumulation space as well."""
    domain = "[i, j, k] : 1 <= j <= k <= i"
    body = over("+", "[i, j, k] -> [i]", domain, at("A", "[i, j, k] -> [j]"))
    system = a_system({"A": "[j] : 1 <= j <= N"}, {"Y": ("[i] : 1 <= i <= N", body)})
    assert _reduced(system, 1).before == 3


def rectangles(operator: str) -> System:
    domain = "[i, j, k] : 1 <= j <= i and 1 <= k <= N - i"
    body = over(operator, "[i, j, k] -> [i]", domain, at("X", "[i, j, k] -> [j, k]"))
    inputs = {"X": "[j, k] : 1 <= j, k <= N"}
    return a_system(inputs, {"Y": ("[i] : 1 <= i < N", body)}, "N >= 2")


@pytest.mark.parametrize("operator", ["max", "min", "+"])
def test_decomposition_of_rectangles(operator: str) -> None:
    assert _reduced(rectangles(operator), 2, FLOATS).before == 3


def test_decomposition_along_a_diagonal() -> None:
    """The inner reduction must keep j + k: j + k >= i is the only bound that values leave by."""
    domain = "[i, j, k] : i <= j + k <= 2N and -i <= j - k <= i"
    body = over("max", "[i, j, k] -> [i]", domain, at("X", "[i, j, k] -> [j, k]"))
    inputs = {"X": "[j, k] : -N <= j, k <= 3N"}
    result = _reduced(a_system(inputs, {"Y": ("[i] : 0 <= i <= N", body)}), 2)
    assert result.before == 3
    assert any("inner reduction along (0, 1, -1)" in note.text for note in result.notes)


def test_decomposition_is_not_needed_with_an_inverse() -> None:
    result = _reduced(rectangles("+"), 2, INTEGERS)
    assert not any("inner reduction" in note.text for note in result.notes)


# ------------------------------------------------------------------------------- literature


def windows(operator: str) -> System:
    body = over(operator, "[i, j] -> [i]", "[i, j] : i <= j <= 2i", at("X", "[i, j] -> [j]"))
    return a_system({"X": "[j] : 0 <= j <= 2N"}, {"Y": ("[i] : 0 <= i <= N", body)})


def test_windows() -> None:
    _reduced(windows("+"), 1)
    _reduced(windows("+"), 1, REASSOCIATED)


def test_why_windows_stay() -> None:
    _kept(windows("max"), INTEGERS, "'max' has no inverse")
    _kept(windows("max"), INTEGERS, "such as that at [N] -> { [i = 2, j = 1] : N = 2 }")
    _kept(windows("+"), FLOATS, "it needs 'reassociate'")
    _kept(windows("*"), INTEGERS, "it may be 0")
    _kept(windows("+"), Options(is_integer=True, scans_only=True), "scans take nothing back")


def test_products_of_windows() -> None:
    result = simplify_reductions(windows("*"), REASSOCIATED)
    assert result.after == 1
    assert "/" in {
        getattr(e, "operator", "") for e in result.system.body.equations[-1].expression.walk()
    }


def test_exclusive_or() -> None:
    values = applied(">", at("X", "[i, j] -> [j]"), Constant(0))
    body = over("xor", "[i, j] -> [i]", "[i, j] : i <= j <= 2i", values)
    system = a_system({"X": "[j] : 0 <= j <= 2N"}, {"Y": ("[i] : 0 <= i <= N", body)})
    _reduced(system, 1)


def test_exclusive_or_of_an_even_number_of_equal_values() -> None:
    """Where the number is even, no value is left: the result is false."""
    body = over("xor", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", at("X", "[i, j] -> [i]"))
    _reduced(a_system({"X": "[i] : 0 <= i <= N"}, {"Y": ("[i] : 0 <= i <= N", body)}), 1)


@pytest.mark.parametrize("operator", ["and", "or", "xor"])
def test_single_numbers_as_booleans(operator: str) -> None:
    """The first result has one value, a number, of which the reduction makes 0 or 1."""
    _reduced(prefix(operator), 1)


def test_triangle_of_prefixes() -> None:
    domain = "[i, j, k] : 0 <= k <= 2N - 2i + j and k <= 2N + i - 2j and k <= i + j - N"
    body = over("+", "[i, j, k] -> [i, j]", domain, at("X", "[i, j, k] -> [k]"))
    points = "[i, j] : j >= N - i and j >= 2i - 2N and 2j <= 2N + i"
    result = _reduced(a_system({"X": "[k] : 0 <= k <= 2N"}, {"Y": (points, body)}), 2)
    assert result.before == 3


def test_four_dimensions() -> None:
    domain = "[i, j, k, l] : i <= k <= 2i and i + j <= l <= 2j"
    body = over("+", "[i, j, k, l] -> [i, j]", domain, at("X", "[i, j, k, l] -> [k, l]"))
    inputs = {"X": "[k, l] : 0 <= k <= l <= 2N"}
    result = _reduced(a_system(inputs, {"Y": ("[i, j] : 0 <= i <= j <= N", body)}), 2)
    assert result.before == 4


# ------------------------------------------------------------------------------- equal values


@pytest.mark.parametrize("operator", ["max", "and", "+", "xor"])
def test_equal_values(operator: str) -> None:
    """X[j, i] is reused along k only, which is in the accumulation space."""
    value: Expression = at("X", "[i, j, k] -> [j, i]")
    if operator in ("and", "xor"):
        value = applied(">", value, Constant(0))
    body = over(operator, "[i, j, k] -> [i]", "[i, j, k] : 0 <= j <= i and j <= k <= N", value)
    inputs = {"X": "[j, i] : 0 <= j, i <= N"}
    result = _reduced(a_system(inputs, {"Y": ("[i] : 0 <= i <= N", body)}), 2)
    if operator not in ("+", "xor"):
        assert any("equal values along (0, 0, 1)" in note.text for note in result.notes)


@pytest.mark.parametrize("stride", ["k mod 2 = 0", "(k + j) mod 3 = 1"])
def test_equal_values_with_a_stride(stride: str) -> None:
    domain = f"[i, j, k] : 0 <= j <= i <= N and j <= k <= N and {stride}"
    body = over("+", "[i, j, k] -> [i, j]", domain, at("X", "[i, j, k] -> [j, i]"))
    points = str(isl.Set(f"[N] -> {{ {domain} }}").project_out(isl.dim_type.set, 2, 1))
    inputs = {"X": "[j, i] : 0 <= j, i <= N"}
    result = _reduced(a_system(inputs, {"Y": (points[points.index("{") + 1 : -2], body)}), 2)
    assert any(
        isinstance(each, Polynomial)
        for equation in result.system.body.equations
        for each in equation.expression.walk()
    )


def test_counts_of_floats_need_reassociate() -> None:
    """Without it, there is no direction in which this sum could be computed otherwise."""
    domain = "[i, j, k] : 0 <= i <= N and 0 <= j <= N and 0 <= k <= i + j"
    body = over("+", "[i, j, k] -> [i, j]", domain, at("X", "[i, j, k] -> [j, i]"))
    inputs = {"X": "[j, i] : 0 <= j, i <= N"}
    system = a_system(inputs, {"Y": ("[i, j] : 0 <= i, j <= N", body)})
    _kept(system, FLOATS, "no way with fewer operations was found")
    result = _reduced(system, 2, REASSOCIATED)
    assert any("equal values along (0, 0, 1)" in note.text for note in result.notes)


# ------------------------------------------------------------------------------- other rules


def test_factors_are_taken_out() -> None:
    value = applied("*", at("A", "[i, j] -> [i]"), at("X", "[i, j] -> [j]"))
    body = over("+", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", value)
    inputs = {"A": "[i] : 0 <= i <= N", "X": "[i] : 0 <= i <= N"}
    system = a_system(inputs, {"Y": ("[i] : 0 <= i <= N", body)})
    _reduced(system, 1)
    assert simplify_reductions(system, FLOATS).after == 2


def maxima_of_sums() -> System:
    value = applied("+", at("A", "[i, j] -> [i]"), at("X", "[i, j] -> [j]"))
    body = over("max", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", value)
    inputs = {"A": "[i] : 0 <= i <= N", "X": "[i] : 0 <= i <= N"}
    return a_system(inputs, {"Y": ("[i] : 0 <= i <= N", body)})


@pytest.mark.parametrize("options", [FLOATS, Options(is_integer=True, reassociate=True)])
def test_sums_are_taken_out_of_maxima(options: Options) -> None:
    _reduced(maxima_of_sums(), 1, options)


def test_sums_that_wrap_stay_in_maxima() -> None:
    """The greatest of A + X need not be that with the greatest X."""
    system = maxima_of_sums()
    result = simplify_reductions(system, INTEGERS)
    greatest = np.iinfo(np.int32).max
    inputs = {"A": np.array([0, greatest], np.int32), "X": np.array([1, 0], np.int32)}
    for each in (system, result.system):
        found = evaluate(each, {"N": 1}, inputs, ElementType.I32)
        assert found.outputs["Y"].tolist() == [1, greatest]
    _kept(system, INTEGERS, "'reassociate' makes it linear, O(N)")


@pytest.mark.parametrize("operator", ["+", "-"])
def test_sums_of_sums(operator: str) -> None:
    value = applied(operator, at("A", "[i, j] -> [j]"), at("B", "[i, j] -> [i - j]"))
    body = over("+", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", value)
    inputs = {"A": "[i] : 0 <= i <= N", "B": "[i] : 0 <= i <= N"}
    _reduced(a_system(inputs, {"Y": ("[i] : 0 <= i <= N", body)}), 1)


def test_cases_in_the_body() -> None:
    domain = isl.Set("[N] -> { [i, j] : 0 <= j <= i <= N }")
    even = domain.intersect(isl.Set("[N] -> { [i, j] : j mod 2 = 0 }"))
    value = Case(
        (
            Restrict(at("A", "[i, j] -> [j]"), even),
            Restrict(at("B", "[i, j] -> [i - j]"), domain.subtract(even)),
        )
    )
    body = Reduce(value, "max", isl.MultiAff("[N] -> { [i, j] -> [i] }"))
    inputs = {"A": "[i] : 0 <= i <= N", "B": "[i] : 0 <= i <= N"}
    _reduced(a_system(inputs, {"Y": ("[i] : 0 <= i <= N", body)}), 1)


def test_lattices() -> None:
    """Results at even points only: the least step is 2."""
    domain = "[i, j] : 0 <= j <= i and i mod 2 = 0 and (i + j) mod 4 = 0"
    body = over("max", "[i, j] -> [i]", domain, at("X", "[i, j] -> [j]"))
    points = "[i] : 0 <= i <= 2N and i mod 2 = 0"
    _reduced(a_system({"X": "[i] : 0 <= i <= 2N"}, {"Y": (points, body)}), 1)


def test_reductions_over_reductions_are_one() -> None:
    inner = over("+", "[i, k, j] -> [i, k]", "[i, k, j] : 0 <= j <= k", at("X", "[i, k, j] -> [j]"))
    body = over("+", "[i, k] -> [i]", "[i, k] : 0 <= k <= i", inner)
    system = a_system({"X": "[i] : 0 <= i <= N"}, {"Y": ("[i] : 0 <= i <= N", body)})
    _reduced(system, 1)


def test_bounds_by_a_maximum() -> None:
    """Windows that shrink, then grow: each part is a scan, in the other direction."""
    domain = "[i, j] : i <= j <= N and N - i <= j"
    body = over("max", "[i, j] -> [i]", domain, at("X", "[i, j] -> [j]"))
    system = a_system({"X": "[i] : 0 <= i <= N"}, {"Y": ("[i] : 0 <= i <= N", body)})
    _reduced(system, 1)


# ------------------------------------------------------------------------------- dependences


def test_results_that_depend_on_results() -> None:
    """From i + 1 to i there would be a cycle, from i - 1 to i there is none."""
    body = over("+", "[i, j] -> [i]", "[i, j] : 0 <= j < i", at("Y", "[i, j] -> [j]"))
    right = Case(
        (
            Restrict(Constant(1), isl.Set("[N] -> { [0] }")),
            Restrict(body, isl.Set("[N] -> { [i] : i > 0 }")),
        )
    )
    system = a_system({}, {"Y": ("[i] : 0 <= i <= N", right)})
    _reduced(system, 1)


def test_no_recurrence_against_the_order() -> None:
    """Y[i] needs Y at all points after it, and the only scan goes from i - 1 to i."""
    body = over("max", "[i, j] -> [i]", "[i, j] : 0 <= j <= i < N", at("Z", "[i, j] -> [j, i]"))
    right = Case(
        (
            Restrict(Constant(1), isl.Set("[N] -> { [i] : i = N }")),
            Restrict(body, isl.Set("[N] -> { [i] : i < N }")),
        )
    )
    # Z[j, i] is the same for all i; isl does not see it, but its equation needs Y[i + 1].
    later = applied("+", at("Y", "[j, i] -> [i + 1]"), at("X", "[j, i] -> [j]"))
    system = a_system(
        {"X": "[j] : 0 <= j <= N"},
        {"Y": ("[i] : 0 <= i <= N", right), "Z": ("[j, i] : 0 <= j <= i < N", later)},
        local=("Z",),
    )
    assert checked(system).after == checked(system).before == 2


def test_forbidden_directions() -> None:
    value = applied("max", at("X", "[i, j] -> [j]"), at("Y", "[i, j] -> [j + 1]"))
    body = over("max", "[i, j] -> [i]", "[i, j] : i <= j < N", value)
    right = Case(
        (
            Restrict(Constant(1), isl.Set("[N] -> { [i] : i = N }")),
            Restrict(body, isl.Set("[N] -> { [i] : i < N }")),
        )
    )
    system = a_system({"X": "[j] : 0 <= j <= N"}, {"Y": ("[i] : 0 <= i <= N", right)})
    _reduced(system, 1)


# ------------------------------------------------------------------------------- what stays


def test_matrix_product_stays() -> None:
    body = applied("*", at("A", "[i, j, k] -> [i, k]"), at("B", "[i, j, k] -> [k, j]"))
    domain = "[i, j, k] : 0 <= i, j, k < N"
    system = a_system(
        {"A": "[i, k] : 0 <= i, k < N", "B": "[k, j] : 0 <= k, j < N"},
        {"C": ("[i, j] : 0 <= i, j < N", over("+", "[i, j, k] -> [i, j]", domain, body))},
    )
    _kept(system, INTEGERS, "no value contributes to more than one result")


def test_effort() -> None:
    result = simplify_reductions(equation_15_1(), Options(is_integer=True, effort=0))
    assert any("'effort' allows more" in note.text for note in result.notes)
    assert result.after == 3


def test_only_some_variables() -> None:
    body = over("max", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", at("X", "[i, j] -> [j]"))
    outputs = dict.fromkeys(("Y", "Z"), ("[i] : 0 <= i <= N", body))
    system = a_system({"X": "[i] : 0 <= i <= N"}, outputs)
    result = simplify_reductions(system, INTEGERS, ["Z"])
    assert result.system.body.equations[0] == system.body.equations[0]
    assert result.system.body.equations[1] != system.body.equations[1]


def test_it_is_deterministic() -> None:
    first = show(simplify_reductions(equation_15_1(), INTEGERS).system)
    assert first == show(simplify_reductions(equation_15_1(), INTEGERS).system)


def test_index_values_and_constants() -> None:
    value = applied("+", index("[i, j] -> [j + 2]"), Constant(3))
    body = over("+", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", value)
    _reduced(a_system({}, {"Y": ("[i] : 0 <= i <= N", body)}), 1)


def test_variables_without_dependence() -> None:
    body = over("max", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", Variable("X"))
    system = a_system({"X": "[i, j] : 0 <= i, j <= N"}, {"Y": ("[i] : 0 <= i <= N", body)})
    result = simplify_reductions(system, INTEGERS)
    assert result.system is system
    assert "as many values to combine" in result.notes[0].text
    assert not result.notes[0].is_missed


def test_dimensions_that_do_not_fit() -> None:
    body = over("max", "[i, j] -> [i]", "[i, j] : 0 <= j <= i", Variable("X"))
    system = a_system({"X": "[i] : 0 <= i <= N"}, {"Y": ("[i] : 0 <= i <= N", body)})
    with pytest.raises(PolyirError, match="of 2 dimensions is needed here, and this one has 1"):
        simplify_reductions(system, INTEGERS)
