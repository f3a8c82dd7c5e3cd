"""Each rewriting of systems of equations leaves the values of all outputs as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import islpy as isl
import numpy as np
import pytest
from equation_systems import random_inputs, random_system
from suites import examples

from polyir.base.diagnostics import PolyirError
from polyir.equations.basis import change_of_basis, change_reduction_basis
from polyir.equations.checks import check_program
from polyir.equations.distribution import DISTRIBUTES, factor_out_of_reduction
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.ir import module_of, program_of
from polyir.equations.normal_form import normalized
from polyir.equations.reductions import (
    decompose_reduction,
    hoist_reduction,
    permutation_case_reduce,
)
from polyir.equations.substitution import substitute
from polyir.equations.system import (
    Body,
    Case,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    If,
    Index,
    Operation,
    Polynomial,
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)
from polyir.equations.unions import split_union_into_case, split_union_of_reduction

Rewriting = tuple[str, Callable[[], System]]

REFUSALS = (
    "not a case of several branches",
    "not an operator on several operands",
    "is a case: 'permutation-case-reduce'",
    "does not distribute over",
    "depends on the result only",
    "is all that",
    "not one affine function",
    "is not a function of",
    "not injective",
)
"""What rewritings may say that they cannot do; anything else is an error in them."""


def assert_same_values(before: System, after: System, seed: int, sizes: tuple[int, ...]) -> None:
    """Both systems have the same outputs, and the second comes back from IR."""
    module = module_of(Program((after,)))
    module.verify()
    assert program_of(module) == Program((after,))
    for size in sizes:
        parameters = {"N": size}
        inputs = random_inputs(before, parameters, ElementType.I64, seed)
        expected = evaluate(before, parameters, inputs, ElementType.I64).outputs
        found = evaluate(after, parameters, inputs, ElementType.I64).outputs
        assert expected.keys() == found.keys()
        for name, array in expected.items():
            assert np.array_equal(array, found[name]), (name, size)


@pytest.mark.parametrize("seed", range(examples(24, 500)))
def test_normal_form(seed: int) -> None:
    system = random_system(seed)
    result = normalized(system)
    assert_same_values(system, result, seed, (1, 2, 5))
    for equation in result.body.equations:
        expression = equation.expression
        assert_normal(expression.operand if isinstance(expression, Reduce) else expression)
    assert check_program(Program((result,))) == []


def assert_normal(expression: Expression) -> None:
    """A case of restrictions of operators on constants, and variables at affine functions."""
    branches = expression.parts if isinstance(expression, Case) else (expression,)
    for branch in branches:
        value = branch.operand if isinstance(branch, Restrict) else branch
        assert isinstance(branch, Restrict) or not isinstance(expression, Case)
        for part in value.walk():
            assert isinstance(
                part, Constant | Variable | Index | Polynomial | Dependence | Operation | If
            )
            if isinstance(part, Dependence):
                assert isinstance(part.operand, Variable | Polynomial)


@pytest.mark.parametrize("seed", range(examples(8, 300)))
def test_rewritings_of_random_systems(seed: int) -> None:
    random = Random(seed)
    system = random_system(seed)
    for start in (system, normalized(system)):
        candidates = list(rewritings(start, random))
        for name, rewrite in random.sample(candidates, min(len(candidates), 5)):
            result = rewritten(rewrite)
            if result is not None:
                print(name)
                assert_same_values(start, result, seed, (1, 4))


def rewritten(rewrite: Callable[[], System]) -> System | None:
    """The result, or `None` if the rewriting says that it cannot be done."""
    try:
        return rewrite()
    except PolyirError as error:
        if not any(text in error.message for text in REFUSALS):
            raise
        return None


def rewritings(system: System, random: Random) -> Iterator[Rewriting]:
    """All that can be asked for, with random functions."""
    for equation in system.body.equations:
        variable = equation.variable
        domain = system.variables[variable].domain
        dimensions = domain.dim(isl.dim_type.set)
        if system.variables[variable].role is Role.LOCAL:
            function = random_basis(random, dimensions)
            yield (
                f"basis of {variable}: {function}",
                lambda v=variable, f=function: change_of_basis(system, v, f),
            )
        yield f"split {variable}", lambda v=variable: split_union_into_case(system, v)
        names = {each.name for each in equation.expression.walk() if isinstance(each, Variable)}
        for used in sorted(names):
            if system.variables[used].role is not Role.INPUT:
                yield (
                    f"{used} in {variable}",
                    lambda v=variable, u=used: substitute(system, v, u),
                )
        reductions = [each for each in equation.expression.walk() if isinstance(each, Reduce)]
        for number, reduction in enumerate(reductions):
            yield from reduction_rewritings(system, variable, number, reduction, random)


def reduction_rewritings(
    system: System, variable: str, number: int, reduction: Reduce, random: Random
) -> Iterator[Rewriting]:
    """All that can be asked for a reduction."""
    place = f"{variable}, {number}"
    dimensions = reduction.projection.dim(isl.dim_type.in_)
    function = random_basis(random, dimensions)
    other = random_basis(random, dimensions)
    further = reduction.projection.flat_range_product(random_sum(random, dimensions))
    yield (
        f"basis of {place}: {function}",
        lambda: change_reduction_basis(system, variable, number, function),
    )
    yield f"split {place}", lambda: split_union_of_reduction(system, variable, number)
    yield f"hoist {place}", lambda: hoist_reduction(system, variable, number)
    yield f"permute {place}", lambda: permutation_case_reduce(system, variable, number)

    def split_first() -> System:
        split = split_union_of_reduction(system, variable, number)
        return permutation_case_reduce(split, variable, number)

    yield f"split, permute {place}", split_first
    yield f"factor {place}", lambda: factor_out_of_reduction(system, variable, number)
    yield (
        f"decompose {place}: {other}",
        lambda: decompose_reduction(system, variable, number, other),
    )
    yield (
        f"decompose {place}: {further}",
        lambda: decompose_reduction(system, variable, number, further),
    )


def random_basis(random: Random, dimensions: int) -> isl.MultiAff:
    """An injective function: a permutation, skewing, shifts, and sometimes a stride."""
    names = list("ijkl"[:dimensions])
    values = random.sample(names, dimensions)
    function = of_names(names, values)
    for _ in range(2):
        values = list(names)
        first, second = random.randrange(dimensions), random.randrange(dimensions)
        if first != second:
            values[first] += random.choice((" + ", " - ")) + names[second]
        values[random.randrange(dimensions)] += random.choice((" + N", " - 1", ""))
        function = of_names(names, values).pullback_multi_aff(function)
    if random.random() < 0.3:
        values = list(names)
        place = random.randrange(dimensions)
        values[place] = f"2{values[place]}"
        if random.random() < 0.3:
            values.append(f"{values[0]} + 1")
        function = of_names(names, values).pullback_multi_aff(function)
    return function


def random_sum(random: Random, dimensions: int) -> isl.MultiAff:
    names = "ijkl"[:dimensions]
    return of_names(names, [f"{random.choice(names)} + {random.choice(names)}"])


def of_names(names: str | list[str], values: list[str]) -> isl.MultiAff:
    return isl.MultiAff(f"[N] -> {{ [{', '.join(names)}] -> [{', '.join(values)}] }}")


@pytest.mark.parametrize("seed", range(examples(16, 300)))
def test_factors(seed: int) -> None:
    random = Random(seed)
    is_constant = random.random() < 0.6
    system = random_product(random, is_constant)
    result = rewritten(lambda: factor_out_of_reduction(system, "X"))
    assert result is not None or not is_constant
    if result is not None:
        assert_same_values(system, result, seed, (1, 4))


def random_product(random: Random, is_constant: bool) -> System:
    """A reduction of three operands over a box; if asked, one depends on the result only."""
    context = isl.Set("[N] -> { : N >= 1 }")
    box = isl.Set("[N] -> { [i, j, k] : 0 <= i < N and 0 <= j <= i and 0 <= k < N }")
    reduction = random.choice(sorted({"+", "min", "max"} & set(DISTRIBUTES)))
    operator = random.choice(DISTRIBUTES[reduction])
    projection = random_basis(random, 3).get_at(0)
    result = isl.MultiAff.from_aff(projection)
    if random.random() < 0.5:
        result = result.flat_range_product(isl.MultiAff.from_aff(random_basis(random, 3).get_at(1)))
    functions = [random_sum(random, 3) for _ in range(3)]
    if is_constant:
        names = "ab"[: result.dim(isl.dim_type.out)]
        behind = of_names(names, [f"{random.choice(names)} + {random.randint(-2, 2)}"])
        functions[random.randrange(3)] = behind.pullback_multi_aff(result)
    declarations = [
        Declaration(f"A{n}", box.apply(isl.Map.from_multi_aff(function)), Role.INPUT)
        for n, function in enumerate(functions)
    ]
    image = box.apply(isl.Map.from_multi_aff(result))
    declarations.append(Declaration("X", image, Role.OUTPUT))
    reads = [Dependence(Variable(f"A{n}"), function) for n, function in enumerate(functions)]
    parts: tuple[Expression, ...] = tuple(reads)
    if random.random() < 0.5:
        parts = (reads[0], Operation((reads[1], reads[2]), operator))
    body: Expression = Operation(parts, operator)
    if random.random() < 0.7:
        body = Restrict(body, box)
    else:
        body = Operation((Restrict(parts[0], box), *parts[1:]), operator)
    equation = Equation("X", Reduce(body, reduction, result))
    return System("s", ("N",), context, tuple(declarations), (Body(context, (equation,)),))
