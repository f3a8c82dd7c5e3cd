"""The values of a system of equations, found by demand: the meaning of the language.

A value is computed when it is first needed, from what its equation says, and kept. Nothing here is
fast; what other parts of polyir make of a system is compared with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import islpy as isl
import numpy as np

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.equations.domains import Domains
from polyir.equations.element_types import ElementType, Value
from polyir.equations.errors import NoValueError
from polyir.equations.functions import (
    Point,
    at_parameters,
    function_of,
    functions_of,
    membership_of,
    points_of,
    polynomial_of,
)
from polyir.equations.inlining import output_variable
from polyir.equations.layout import first_point, shape_of
from polyir.equations.library import library_functions, unqualified
from polyir.equations.system import (
    AutoRestrict,
    Body,
    Case,
    Constant,
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
    Use,
    Variable,
)
from polyir.sets.values import isl_value

Array = np.ndarray[Any, np.dtype[Any]]

External = Callable[..., Any]
"""A function that a system calls by name, of numbers or booleans."""


@dataclass(frozen=True)
class Evaluation:
    """What a system gives for some parameters and inputs.

    `operations` counts the points at which equations were evaluated, and the values that
    reductions combined.
    """

    outputs: dict[str, Array]
    operations: int


def evaluate(
    system: System,
    parameters: Mapping[str, int],
    inputs: Mapping[str, Any],
    element_type: ElementType = ElementType.F64,
    externals: Mapping[str, External] | None = None,
    program: Program | None = None,
) -> Evaluation:
    """The outputs of a system, as arrays that `polyir.equations.layout` describes.

    `program` has the systems that this one uses, and `externals` its external functions, by their
    names with or without packages; those of `polyir.equations.library` are known. Elements outside
    a variable's domain are 0.

    Numbers have the element type. Integers wrap in two's complement, and their division truncates
    as C's does; the values of index expressions and of constants are converted. Comparisons give
    booleans; a variable keeps them as 0 or 1. A reduction starts from the operator's identity and
    combines the values of the body in lexicographic order of its points; one by an external
    function starts from the first value. Operators of more than two operands go from left to right.
    Only the part of an `if` that is chosen is evaluated.

    Raises `PolyirError` if the parameters are not in the context or an array has another shape,
    where a value is undefined, doubly defined or needed for itself, for a division of integers by
    0, and for reductions without bound.
    """
    values = tuple(parameters[name] for name in system.parameters)
    arrays = {
        each.name: _checked_input(each.name, each.domain, values, inputs, element_type)
        for each in system.of_role(Role.INPUT)
    }
    run = _Run(element_type, library_functions(element_type) | dict(externals or {}), program)
    instance = _Instance(run, system, values, _from_arrays(system, values, arrays))
    outputs = {}
    with np.errstate(all="ignore"):
        for each in system.of_role(Role.OUTPUT):
            first = first_point(each.domain, values)
            array = np.zeros(shape_of(each.domain, values), element_type.dtype)
            for point in points_of(each.domain, values):
                place = tuple(at - low for at, low in zip(point, first, strict=True))
                array[place] = run.value(instance, each.name, point)
            outputs[each.name] = array
    return Evaluation(outputs, run.operations)


def _checked_input(
    name: str,
    domain: isl.Set,
    parameters: Point,
    inputs: Mapping[str, Any],
    element_type: ElementType,
) -> Array:
    if name not in inputs:
        raise NoValueError(f"the input '{name}' is missing")
    array = np.asarray(inputs[name], element_type.dtype)
    expected = shape_of(domain, parameters)
    if array.shape != expected:
        raise NoValueError(f"the input '{name}' needs shape {expected}, not {array.shape}")
    return array


_Request = tuple["_Instance", str, Point]

_Steps = Generator[_Request, Value, Value]
"""A computation that stops where it needs the value of a variable, to be given it."""

_Source = Callable[[str, Point], _Steps]


def _from_arrays(system: System, parameters: Point, arrays: Mapping[str, Array]) -> _Source:
    first = {name: first_point(system.variables[name].domain, parameters) for name in arrays}

    def value(name: str, point: Point) -> _Steps:
        place = tuple(at - low for at, low in zip(point, first[name], strict=True))
        item: Value = arrays[name][place].item()
        return item
        yield

    return value


class _Run:
    """The values found so far, of all instances of systems."""

    def __init__(
        self, element_type: ElementType, externals: Mapping[str, External], program: Program | None
    ) -> None:
        self.element_type = element_type
        self.externals = externals
        self.systems = {} if program is None else {each.name: each for each in program.systems}
        self.operations = 0
        self._known: dict[_Request, Value] = {}

    def value(self, instance: _Instance, name: str, point: Point) -> Value:
        """The value of a variable; what it needs is computed first, on a stack of our own."""
        wanted = (instance, name, point)
        if wanted in self._known:
            return self._known[wanted]
        stack = {wanted: instance.steps(name, point)}
        answer: Value | None = None
        while stack:
            top = next(reversed(stack))
            try:
                needed = stack[top].send(answer)  # type: ignore[arg-type]
            except StopIteration as finished:
                del stack[top]
                self._known[top] = answer = self.element_type.number(finished.value)
                continue
            answer = self._known.get(needed)
            if answer is None:
                if needed in stack:
                    raise _cycle(list(stack), needed)
                stack[needed] = needed[0].steps(*needed[1:])
        return self._known[wanted]

    def external(self, name: str, arguments: Sequence[Value], at: SourceLocation | None) -> Value:
        """The value of an external function."""
        function = self.externals.get(name) or self.externals.get(unqualified(name))
        if function is None:
            raise NoValueError(f"the external function '{name}' is not given", at)
        return self.element_type.number(function(*arguments))


def _cycle(stack: list[_Request], request: _Request) -> PolyirError:
    cycle = [*stack[stack.index(request) :], request]
    text = " needs ".join(f"{name}{list(point)}" for _, name, point in cycle)
    return NoValueError(f"a value is needed for itself: {text}")


class _Instance:
    """A system at some parameters, with inputs from somewhere."""

    def __init__(self, run: _Run, system: System, parameters: Point, inputs: _Source) -> None:
        self._run = run
        self._system = system
        self._parameters = parameters
        self._inputs = inputs
        self._domains = Domains(system)
        body = self._chosen_body()
        self._equations = {each.variable: each for each in body.equations}
        self._uses = {
            output_variable(each): (use, place)
            for use in body.uses
            for place, each in enumerate(use.outputs)
        }
        self._used: dict[tuple[int, Point], _Instance] = {}
        self._prepared: dict[tuple[object, ...], Any] = {}
        self._bodies: dict[int, defaultdict[Point, list[Point]]] = defaultdict(_lists)
        self._inside = {
            each.name: membership_of(each.domain.intersect_params(system.context))
            for each in system.declarations
        }
        for equation in body.equations:
            self._prepare(equation)

    def _chosen_body(self) -> Body:
        for body in self._system.bodies:
            context = body.context.intersect(self._system.context)
            if not at_parameters(context, self._parameters).is_empty():
                return body
        values = zip(self._system.parameters, self._parameters, strict=True)
        given = ", ".join(f"{name} = {value}" for name, value in values)
        raise NoValueError(f"'{self._system.name}' has no equations for {given}")

    def _prepare(self, equation: Equation) -> None:
        """List the points of each reduction by the point to which they contribute."""
        domain = self._system.variables[equation.variable].domain
        self._list_bodies(equation.expression, at_parameters(domain, self._parameters))

    def _list_bodies(self, expression: Expression, needed: isl.Set) -> None:
        reductions: dict[int, tuple[Reduce, isl.Set]] = {}
        for each, where in self._domains.contexts(expression, needed):
            if isinstance(each, Reduce):
                known = reductions.get(id(each))
                reductions[id(each)] = (each, where if known is None else known[1].union(where))
        for key, (reduction, where) in reductions.items():
            body = self._domains.of(reduction.operand, reduction.projection.dim(isl.dim_type.in_))
            needed_body = where.preimage_multi_aff(reduction.projection).intersect(body)
            target = functions_of(reduction.projection)
            listed: dict[Point, list[Point]] = defaultdict(list)
            for point in points_of(needed_body, self._parameters):
                listed[target(self._parameters, point)].append(point)
            self._bodies[key] |= listed

    def steps(self, name: str, point: Point) -> _Steps:
        """Compute the value of a variable."""
        if not self._inside[name](self._parameters, point):
            raise NoValueError(f"'{name}' has no value at {list(point)}")
        if self._system.variables[name].role is Role.INPUT:
            return (yield from self._inputs(name, point))
        if name in self._uses:
            use, place = self._uses[name]
            return (yield from self._use(use, place, point))
        if name not in self._equations:
            raise NoValueError(f"'{name}' has no equation")
        self._run.operations += 1
        return (yield from self._expression(self._equations[name].expression, point))

    def _use(self, use: Use, place: int, point: Point) -> _Steps:
        """The value of an output of a system that this one uses."""
        count = use.domain.dim(isl.dim_type.set)
        number, rest = point[:count], point[count:]
        used = self._run.systems[use.system]
        instance = self._used.get((id(use), number))
        if instance is None:
            given = {
                each.name: expression
                for each, expression in zip(used.of_role(Role.INPUT), use.inputs, strict=True)
            }

            def argument(name: str, at: Point) -> _Steps:
                return self._expression(given[name], (*number, *at))

            parameters = functions_of(use.parameters)(self._parameters, number)
            instance = _Instance(self._run, used, parameters, argument)
            self._used[id(use), number] = instance
        return (yield instance, used.of_role(Role.OUTPUT)[place].name, rest)

    def _expression(self, expression: Expression, point: Point) -> _Steps:
        match expression:
            case Constant(value=value):
                is_boolean = isinstance(value, bool)
                return value if is_boolean else self._run.element_type.number(value)
            case Variable(name=name):
                return (yield self, name, point)
            case Index(function=function):
                value = self._once(expression, function_of, function)(self._parameters, point)
                return self._run.element_type.number(value)
            case Polynomial(function=polynomial):
                value = self._once(expression, polynomial_of, polynomial)(self._parameters, point)
                return self._run.element_type.number(value)
            case Dependence(operand=operand, function=functions):
                target = self._once(expression, functions_of, functions)(self._parameters, point)
                return (yield from self._expression(operand, target))
            case Restrict(operand=operand, domain=domain):
                if not self._once(expression, membership_of, domain)(self._parameters, point):
                    raise _undefined(expression, point)
                return (yield from self._expression(operand, point))
            case AutoRestrict(operand=operand):
                return (yield from self._expression(operand, point))
            case Case():
                return (yield from self._expression(self._branch(expression, point), point))
            case If(parts=(condition, chosen, other)):
                holds = yield from self._expression(condition, point)
                return (yield from self._expression(chosen if holds else other, point))
            case Reduce():
                return (yield from self._reduction(expression, point))
            case Operation():
                return (yield from self._operation(expression, point))
            case _:
                raise TypeError(f"unknown expression {expression}")

    def _once(self, expression: Expression, make: Callable[[Any], Any], item: object) -> Any:
        """What `make` makes of an isl object, made once for each expression."""
        key = (id(expression), make)
        if key not in self._prepared:
            self._prepared[key] = make(item)
        return self._prepared[key]

    def _branch(self, case: Case, point: Point) -> Expression:
        def tests(dimensions: int) -> list[Any]:
            return [membership_of(each) for each in self._domains.of_branches(case, dimensions)]

        key = (id(case), len(point))
        if key not in self._prepared:
            self._prepared[key] = tests(len(point))
        holding = [
            branch
            for branch, holds in zip(case.parts, self._prepared[key], strict=True)
            if holds(self._parameters, point)
        ]
        if len(holding) > 1:
            raise NoValueError(f"several branches have a value at {list(point)}", case.location)
        if not holding:
            raise _undefined(case, point)
        return holding[0]

    def _reduction(self, reduction: Reduce, point: Point) -> _Steps:
        if point not in self._bodies[id(reduction)]:
            space = self._system.space(len(point))
            self._list_bodies(reduction, _singleton(space, point))
        points = self._bodies[id(reduction)][point]
        if not points:
            raise _undefined(reduction, point)
        total: Value | None = None
        if not reduction.is_external:
            total = self._run.element_type.identity(reduction.operator)
        for each in points:
            self._run.operations += 1
            value = yield from self._expression(reduction.operand, each)
            total = value if total is None else self._combined(reduction, total, value)
        assert total is not None
        return total

    def _operation(self, operation: Operation, point: Point) -> _Steps:
        values = []
        for part in operation.parts:
            values.append((yield from self._expression(part, point)))
        if operation.is_external:
            return self._run.external(operation.operator, values, operation.location)
        if len(values) == 1 and operation.operator in ("-", "not"):
            return self._run.element_type.inverted(operation.operator, values[0])
        total = values[0]
        for value in values[1:]:
            total = self._combined(operation, total, value)
        return total

    def _combined(self, expression: Operation | Reduce, left: Value, right: Value) -> Value:
        if expression.is_external:
            return self._run.external(expression.operator, (left, right), expression.location)
        try:
            return self._run.element_type.combined(expression.operator, left, right)
        except PolyirError as error:
            error.location = error.location or expression.location
            raise


def _lists() -> defaultdict[Point, list[Point]]:
    return defaultdict(list)


def _singleton(space: isl.Space, point: Point) -> isl.Set:
    result = isl.Set.universe(space)
    for place, value in enumerate(point):
        result = result.fix_val(isl.dim_type.set, place, isl_value(value))
    return result


def _undefined(expression: Expression, point: Point) -> PolyirError:
    return NoValueError(f"an expression has no value at {list(point)}", expression.location)
