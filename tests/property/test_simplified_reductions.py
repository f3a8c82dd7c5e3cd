"""Random reductions have the same values after they are simplified, and never a higher degree."""

from __future__ import annotations

from random import Random

import islpy as isl
import pytest
from equation_systems import random_system
from simplified_systems import checked
from suites import examples

from polyir.equations.domains import Domains
from polyir.equations.simplification.bodies import branches
from polyir.equations.simplification.complexity import degree_of_system
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.simplify import simplify_reductions
from polyir.equations.system import (
    Body,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Index,
    Operation,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)

COUNT = examples(48, 500)


class _Random:
    """Reductions whose values are mostly reused."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = "ijkl"[: self.random.choice((2, 3, 3, 4))]

    def system(self) -> System:
        domain = self.domain()
        results = self.random.randint(1, max(1, len(self.names) - 1))
        projection = self.function(results, self.random.random() < 0.7)
        operator = self.random.choice(("+", "+", "+", "min", "max", "*", "xor", "and"))
        inputs: list[Declaration] = []
        value = self.value(domain, inputs, 2)
        if operator in ("xor", "and"):
            value = Operation((value, Constant(0)), ">")
        reduction = Reduce(Restrict(value, domain), operator, projection)
        image = domain.apply(isl.Map.from_multi_aff(projection)).coalesce()
        right: Expression = reduction
        if self.random.random() < 0.2 and operator not in ("xor", "and"):
            right = Operation((Constant(1), reduction), "+")
        context = isl.Set("[N] -> { : N >= 1 }")
        output = Declaration("Y", image, Role.OUTPUT)
        body = Body(context, (Equation("Y", right),))
        return System("random", ("N",), context, (*inputs, output), (body,))

    def domain(self) -> isl.Set:
        while True:
            lists = ", ".join(self.names)
            size = self.random.choice(("N", "N", "2N"))
            bounds = [f"0 <= {name} <= {size}" for name in self.names]
            bounds += [
                f"{self.form()} <= {self.form()} + {self.random.choice(('0', '0', 'N', '1'))}"
                for _ in range(self.random.randint(1, 3))
            ]
            if self.random.random() < 0.25:
                bounds.append(f"({self.form()}) mod {self.random.choice((2, 2, 3))} = 0")
            found = isl.Set(f"[N] -> {{ [{lists}] : N >= 1 and {' and '.join(bounds)} }}")
            if self.random.random() < 0.15:
                cut = isl.Set(f"[N] -> {{ [{lists}] : {self.form()} = {self.form()} + 1 }}")
                found = found.subtract(cut).coalesce()
            if not found.is_empty():
                return found

    def form(self) -> str:
        chosen = self.random.sample(self.names, self.random.choice((1, 1, 1, 2)))
        return " + ".join(f"{self.random.choice(('', '', '', '2'))}{name}" for name in chosen)

    def function(self, count: int, by_axes: bool) -> isl.MultiAff:
        if by_axes:
            values = sorted(self.random.sample(self.names, count))
        else:
            values = [self.form() for _ in range(count)]
        return isl.MultiAff(f"[N] -> {{ [{', '.join(self.names)}] -> [{', '.join(values)}] }}")

    def value(self, domain: isl.Set, inputs: list[Declaration], depth: int) -> Expression:
        choice = self.random.random()
        if depth and choice < 0.35:
            operator = self.random.choice(("*", "*", "+", "+", "-", "max"))
            parts = [self.value(domain, inputs, depth - 1) for _ in range(2)]
            return Operation(tuple(parts), operator)
        if choice > 0.95:
            return Index(self.function(1, False).get_at(0))
        function = self.function(self.random.choice((1, 1, 2)), self.random.random() < 0.6)
        name = f"X{len(inputs)}"
        used = domain.apply(isl.Map.from_multi_aff(function))
        inputs.append(Declaration(name, used, Role.INPUT))
        return Dependence(Variable(name), function)


def _check(system: System, options: Options, sizes: tuple[int, ...]) -> None:
    result = checked(system, options, sizes)
    assert result.after <= result.before
    assert result.after == degree_of_system(result.system)


def _divides(system: System) -> bool:
    return any(
        isinstance(each, Operation) and each.operator == "/"
        for equation in system.body.equations
        for each in equation.expression.walk()
    )


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_reductions(seed: int) -> None:
    _check(_Random(seed).system(), Options(is_integer=True), (1, 2, 4))


def test_domains_do_not_grow_with_the_values_in_a_body() -> None:
    """Both values of this body have domains of two parts: each would square the number."""
    system = _Random(111).system()
    (equation,) = system.body.equations
    reduction = equation.expression
    assert isinstance(reduction, Reduce)
    ((domain, _),) = branches(reduction.operand, 3, Domains(system))
    assert domain.n_basic_set() <= 2 * 2 * 2


@pytest.mark.parametrize("seed", range(COUNT // 4))
def test_random_reductions_of_floats(seed: int) -> None:
    options = Options(reassociate=seed % 2 == 0, scans_only=seed % 4 == 1)
    system = _Random(seed).system()
    # A product is divided by factors that leave it: none must be 0, as values of indices are.
    if not _divides(simplify_reductions(system, options).system):
        _check(system, options, (1, 3))


@pytest.mark.parametrize("seed", range(COUNT // 2))
def test_random_systems(seed: int) -> None:
    """Reductions anywhere in systems that need themselves."""
    _check(random_system(seed), Options(is_integer=True), (1, 3))
