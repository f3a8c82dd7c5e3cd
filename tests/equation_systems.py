"""Random systems of equations, which have a value at each point, found in finitely many steps.

A variable is used where it has a value, which isl says exactly, and elsewhere something else
stands: so cases, unions and lattices come about. It may need itself, and variables of its group, at
points that come before in an order that the group has; other variables, if they are declared
before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import islpy as isl
import numpy as np

from polyir.equations.element_types import ElementType
from polyir.equations.layout import shape_of
from polyir.equations.system import (
    AutoRestrict,
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
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)

CONTEXT = "[N] -> { : N >= 1 }"

_DOMAINS = {
    1: (
        "0 <= i < N",
        "-1 <= i <= N",
        "0 <= i <= 2N and i mod 2 = 0",
        "0 <= i < N and i mod 3 != 1",
        "0 <= i < N or 2N <= i < 3N",
        "i = 0",
        "(0 <= i < 2N and i mod 2 = 0) or (0 <= i < 2N and i mod 3 = 0)",
    ),
    2: (
        "0 <= i < N and 0 <= j < N",
        "0 <= i < N and 0 <= j <= i",
        "1 <= i <= N and -1 <= j < N",
        "0 <= i < N and 0 <= j < N and (i + j) mod 2 = 0",
        "0 <= i < N and 0 <= j < N and (j = 0 or i >= 2)",
        "0 <= i <= 2N and i mod 2 = 0 and 0 <= j < 3",
        "0 <= j < N and j <= i < N + j",
    ),
}


def random_system(seed: int) -> System:
    """A system of up to five variables of one or two dimensions, and one or two inputs."""
    return _Generator(Random(seed)).system()


def random_inputs(
    system: System, parameters: dict[str, int], element_type: ElementType, seed: int = 0
) -> dict[str, np.ndarray]:
    """Arrays for the inputs of a system."""
    generator = np.random.default_rng(seed)
    values = [parameters[name] for name in system.parameters]
    arrays = {}
    for each in system.of_role(Role.INPUT):
        shape = shape_of(each.domain, values)
        if element_type.is_integer:
            array = generator.integers(-9, 10, shape)
        else:
            array = generator.uniform(-2, 2, shape)
        arrays[each.name] = array.astype(element_type.dtype)
    return arrays


def without_names(program: Program) -> Program:
    """The program without the names with which equations are written."""

    def changed(body: Body) -> Body:
        return replace(
            body, equations=tuple(replace(each, index_names=None) for each in body.equations)
        )

    systems = (
        replace(each, bodies=tuple(changed(body) for body in each.bodies))
        for each in program.systems
    )
    return replace(program, systems=tuple(systems))


@dataclass(frozen=True)
class _Target:
    """A variable that may be used: anywhere, or before the point at hand in its group's order."""

    declaration: Declaration
    before: isl.Map | None
    """From points of the equation at hand to those of the variable that come before."""


class _Generator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.context = isl.Set(CONTEXT)
        self.targets: list[_Target] = []
        self.here: isl.MultiAff | None = None

    def system(self) -> System:
        inputs = [self.declaration(f"A{n}", Role.INPUT) for n in range(self.random.randint(1, 2))]
        finished = list(inputs)
        equations: list[Equation] = []
        count = 0
        for _ in range(self.random.randint(1, 3)):
            group = self.group(count)
            count += len(group)
            order = self.order(group[0].domain.dim(isl.dim_type.set))
            for each in group:
                self.targets = [_Target(other, None) for other in finished]
                self.targets += [_Target(other, order) for other in group for _ in range(3)]
                equations.append(self.equation(each))
            finished += group
        declarations = [*finished[:-1], self.as_output(finished[-1])]
        return System(
            "random",
            ("N",),
            self.context,
            tuple(declarations),
            (Body(self.context, tuple(equations)),),
        )

    def group(self, count: int) -> list[Declaration]:
        dimensions = self.random.randint(1, 2)
        size = self.random.choice((1, 1, 2))
        roles = [self.random.choice((Role.LOCAL, Role.LOCAL, Role.OUTPUT)) for _ in range(size)]
        return [self.declaration(f"X{count + n}", role, dimensions) for n, role in enumerate(roles)]

    def as_output(self, declaration: Declaration) -> Declaration:
        return Declaration(declaration.name, declaration.domain, Role.OUTPUT)

    def declaration(self, name: str, role: Role, dimensions: int | None = None) -> Declaration:
        dimensions = dimensions or self.random.randint(1, 2)
        names = "ij"[:dimensions]
        text = self.random.choice(_DOMAINS[dimensions])
        return Declaration(
            name,
            isl.Set(f"[N] -> {{ [{', '.join(names)}] : N >= 1 and ({text}) }}"),
            role,
        )

    def order(self, dimensions: int) -> isl.Map:
        """`{ x -> y }` where y comes before x: in lexicographic order of directed dimensions."""
        places = self.random.sample(range(dimensions), dimensions)
        names = "ij"[:dimensions]
        directed = ", ".join(self.random.choice(("", "", "-")) + names[place] for place in places)
        position = isl.Map(f"[N] -> {{ [{', '.join(names)}] -> [{directed}] }}")
        later = isl.Map.lex_gt(position.get_space().range())
        return position.apply_range(later).apply_range(position.reverse())

    def equation(self, declaration: Declaration) -> Equation:
        self.here = isl.MultiAff.identity_on_domain_space(declaration.domain.get_space())
        expression = self.expression(declaration.domain, self.here, 3)
        return Equation(declaration.name, expression)

    def expression(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        """An expression that has a value at all `points`; `here` maps them to the equation's."""
        if depth <= 0 or points.is_empty():
            return self.leaf(points)
        makers = [self.access] * 5 + [self.operation] * 3
        makers += [self.split, self.conditional, self.leaf_of]
        if points.dim(isl.dim_type.set) <= 2:
            makers += [self.reduction] * 2
        return self.random.choice(makers)(points, here, depth)

    def leaf_of(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        return self.leaf(points)

    def leaf(self, points: isl.Set) -> Expression:
        if self.random.random() < 0.5:
            return Constant(self.random.randint(-3, 5))
        return Index(self.affine(points.get_space()))

    def affine(self, space: isl.Space) -> isl.Aff:
        """A random affine function on the points of a space: mostly one index and a constant."""
        local = isl.LocalSpace.from_space(space)
        result = isl.Aff.zero_on_domain(local).set_constant_val(
            isl.Val(self.random.choice((-2, -1, -1, 0, 0, 0, 1, 1, 2)))
        )
        dimensions = space.dim(isl.dim_type.set)
        for place in self.random.sample(range(dimensions), min(dimensions, self.chosen_count())):
            factor = self.random.choice((1, 1, 1, 1, 1, -1, 2))
            result = result.set_coefficient_val(isl.dim_type.in_, place, isl.Val(factor))
            if factor < 0:
                result = result.set_coefficient_val(isl.dim_type.param, 0, isl.Val(1))
        return result

    def chosen_count(self) -> int:
        return self.random.choice((0, 1, 1, 1, 1, 1, 2))

    def access(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        """A variable, where it may be used, and something else where not."""
        target = self.random.choice(self.targets)
        function = self.function_to(target.declaration, points.get_space())
        inside = points.intersect(target.declaration.domain.preimage_multi_aff(function))
        if target.before is not None:
            used = isl.Map.from_multi_aff(function)
            allowed = isl.Map.from_multi_aff(here).apply_range(target.before)
            inside = inside.intersect(used.intersect(allowed).domain())
        inside = inside.coalesce()
        outside = points.subtract(inside).coalesce()
        value = Dependence(Variable(target.declaration.name), function)
        if outside.is_empty():
            return value
        if inside.is_empty():
            return self.expression(points, here, depth - 1)
        other = self.expression(outside, here, depth - 1)
        if self.random.random() < 0.3:
            return Case((Restrict(value, inside), AutoRestrict(Restrict(other, points))))
        return Case((Restrict(value, inside), Restrict(other, outside)))

    def function_to(self, declaration: Declaration, space: isl.Space) -> isl.MultiAff:
        """A random function from the points of `space` to those of a variable's domain."""
        count = declaration.domain.dim(isl.dim_type.set)
        near = space.dim(isl.dim_type.set) >= count and self.random.random() < 0.6
        affines = isl.AffList.alloc(isl.DEFAULT_CONTEXT, count)
        for place in range(count):
            if near:
                local = isl.LocalSpace.from_space(space)
                value = isl.Aff.var_on_domain(local, isl.dim_type.set, place)
                value = value.add_constant_val(isl.Val(self.random.randint(-2, 1)))
            else:
                value = self.affine(space)
            affines = affines.add(value)
        target = space.map_from_domain_and_range(declaration.domain.get_space())
        return isl.MultiAff.from_aff_list(target, affines)

    def operation(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        operator = self.random.choice(("+", "+", "+", "-", "*", "min", "max", "/", "neg"))
        left = self.expression(points, here, depth - 1)
        if operator == "neg":
            return Operation((left,), "-")
        if operator == "/":
            return Operation((left, Constant(self.random.choice((2, 3, -2)))), "/")
        parts = [left, self.expression(points, here, depth - 1)]
        if operator in ("+", "min", "max") and self.random.random() < 0.2:
            parts.append(self.leaf(points))
        return Operation(tuple(parts), operator)

    def condition(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        operator = self.random.choice(("=", "!=", ">=", ">", "<", "<="))
        left = self.expression(points, here, depth - 1)
        compared = Operation((left, self.leaf(points)), operator)
        if self.random.random() < 0.3:
            other = Operation((self.leaf(points), self.leaf(points)), "<")
            return Operation((compared, other), self.random.choice(("and", "or", "xor")))
        return Operation((compared,), "not") if self.random.random() < 0.2 else compared

    def conditional(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        condition = self.condition(points, here, depth - 1)
        chosen = self.expression(points, here, depth - 1)
        return If((condition, chosen, self.expression(points, here, depth - 1)))

    def split(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        """A case by a half space, or by remainders."""
        function = isl.PwAff.from_aff(self.affine(points.get_space()))
        if self.random.random() < 0.5:
            modulus = isl.Val(self.random.choice((2, 3)))
            part = function.mod_val(modulus).zero_set()
        else:
            part = function.nonneg_set()
        inside, outside = points.intersect(part).coalesce(), points.subtract(part).coalesce()
        return Case(
            (
                Restrict(self.expression(inside, here, depth - 1), inside),
                Restrict(self.expression(outside, here, depth - 1), outside),
            )
        )

    def reduction(self, points: isl.Set, here: isl.MultiAff, depth: int) -> Expression:
        """A reduction of one more dimension: k is inserted somewhere, and indices are skewed."""
        count = points.dim(isl.dim_type.set)
        names = list("xy"[:count])
        upper = self.random.choice(["2", "N", "N - 1", *names])
        stride = self.random.choice(("", "", " and k mod 2 = 0"))
        point, body = ", ".join(names), [*names, "k"]
        self.random.shuffle(body)
        if count:
            place = self.random.randrange(count + 1)
            if body[place] != "k":
                body[place] += self.random.choice((" + k", " - k", ""))
        equal = " and ".join(f"b{n} = {text}" for n, text in enumerate(body))
        out = ", ".join(f"b{n}" for n in range(len(body)))
        positions = isl.Map(
            f"[N] -> {{ [{point}] -> [{out}] : exists k : {equal} and "
            f"(k = 0 or 0 <= k <= {upper}){stride} }}"
        ).intersect_domain(points)
        projection = self.inverse(names, body, points.get_space())
        domain = positions.range().coalesce()
        whole = here.pullback_multi_aff(projection)
        inner = Restrict(self.expression(domain, whole, depth - 1), domain)
        operator = self.random.choice(("+", "+", "+", "*", "min", "max"))
        return Reduce(inner, operator, projection)

    def inverse(self, names: list[str], body: list[str], space: isl.Space) -> isl.MultiAff:
        """The function from points of the body to the points to which they contribute."""
        places = [f"b{n}" for n in range(len(body))]
        k = places[body.index("k")]
        values = []
        for name in names:
            (place,) = (n for n, text in enumerate(body) if text.startswith(name))
            sign = {"+": "-", "-": "+"}.get(body[place][len(name) :].strip()[:1])
            values.append(places[place] + (f" {sign} {k}" if sign else ""))
        return isl.MultiAff(f"[N] -> {{ [{', '.join(places)}] -> [{', '.join(values)}] }}")
