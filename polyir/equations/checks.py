"""What must hold of equations so that they define each value, and define it once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import islpy as isl

from polyir.base.diagnostics import PolyirError, SourceLocation, nearest
from polyir.equations.cycles import cycles
from polyir.equations.definedness import reasons
from polyir.equations.domains import Domains
from polyir.equations.inlining import Instances, inlined, output_variable
from polyir.equations.points import counted, described, example, named
from polyir.equations.system import (
    AutoRestrict,
    Body,
    Case,
    Declaration,
    Equation,
    Expression,
    Operation,
    Program,
    Reduce,
    Role,
    System,
    Use,
    Variable,
)
from polyir.equations.text.names import names_of
from polyir.sets.lists import basic_sets_of, text_of

Report = Callable[[str, SourceLocation | None], None]


def check_program(program: Program) -> list[PolyirError]:
    """The diagnostics for all systems, in order; empty if each value is defined once."""
    return [error for system in program.systems for error in check_system(system, program)]


def check_system(system: System, program: Program) -> list[PolyirError]:
    """The diagnostics for one system, which may use others of the program."""
    checker = _SystemChecker(system, program)
    checker.check()
    return checker.errors


class _SystemChecker:
    """Collects diagnostics."""

    def __init__(self, system: System, program: Program) -> None:
        self.errors: list[PolyirError] = []
        self._system = system
        self._program = program
        self._systems = {each.name: each for each in program.systems}
        self._domains = Domains(system)

    def check(self) -> None:
        """All checks; for cycles only if nothing else is wrong."""
        self._check_contexts()
        for body in self._system.bodies:
            self._check_body(body)
        if not self.errors:
            self._check_cycles()

    def _report(self, message: str, location: SourceLocation | None) -> None:
        self.errors.append(PolyirError(message, location, name="equation-domains"))

    def _check_contexts(self) -> None:
        left = self._system.context
        for first, second in combinations(self._system.bodies, 2):
            both = first.context.intersect(second.context)
            if not both.is_empty():
                message = f"two bodies of '{self._system.name}' hold for {described(both)}"
                self._report(message, _place(second) or self._system.location)
        for body in self._system.bodies:
            left = left.subtract(body.context)
        if not left.is_empty():
            message = f"no body of '{self._system.name}' holds for {described(left)}"
            self._report(message, self._system.location)

    def _check_body(self, body: Body) -> None:
        defined: dict[str, SourceLocation | None] = {}

        def define(name: str, location: SourceLocation | None) -> None:
            declared = self._system.variables[name]
            if declared.role is Role.INPUT:
                self._report(f"'{name}' is an input, and defined here", location)
            elif name in defined:
                self._report_second(declared, body, defined[name], location)
            defined[name] = location

        for equation in body.equations:
            if self._declared(equation.variable, equation.location):
                define(equation.variable, equation.location)
                self._check_equation(equation, body)
        for use in body.uses:
            for name, location in self._check_use(use, body):
                define(name, location)
        for each in self._system.declarations:
            points = named(each.domain, names_of(each.domain)).intersect_params(body.context)
            if each.role is not Role.INPUT and each.name not in defined and not points.is_empty():
                message = f"'{each.name}' has no equation, at {described(points)}"
                self._report(message, each.location)

    def _report_second(
        self,
        declared: Declaration,
        body: Body,
        first: SourceLocation | None,
        location: SourceLocation | None,
    ) -> None:
        domain = named(declared.domain, names_of(declared.domain))
        points = domain.intersect_params(body.context)
        where = "" if points.is_empty() else f", at {described(points)}"
        at = "" if first is None else f"; the other one is at {first}"
        self._report(f"'{declared.name}' has two equations{where}{at}", location)

    def _declared(self, name: str, location: SourceLocation | None, is_read: bool = False) -> bool:
        if name in self._system.variables:
            return True
        hint = nearest(name, self._system.variables)
        if is_read and (name in self._system.parameters or not hint):
            hint = f"; the value of an index or a parameter is val[{name}]"
        self._report(f"there is no variable '{name}'{hint}", location)
        return False

    def _check_equation(self, equation: Equation, body: Body) -> None:
        domain = self._system.variables[equation.variable].domain
        names = equation.index_names or names_of(domain)
        needed = named(domain.intersect_params(body.context), names)
        what = f"the equation of '{equation.variable}'"
        self._check_expression(equation.expression, needed, what)

    def _check_expression(self, expression: Expression, needed: isl.Set, what: str) -> None:
        """Check an expression that needs a value at each point of `needed`."""
        before = len(self.errors)
        self._check_structure(expression)
        if len(self.errors) > before:
            return
        try:
            found = self._domains.of(expression, needed.dim(isl.dim_type.set))
        except PolyirError as error:
            self.errors.append(error)
            return
        missing = needed.subtract(found)
        for reason in reasons(expression, missing, self._domains):
            message = f"{what} does not cover its domain: {reason.text}"
            self._report(message, reason.location)
        for each, points in self._domains.contexts(expression, needed):
            if isinstance(each, Case):
                _check_disjoint(each, points, self._domains, self._report)
            elif isinstance(each, Reduce):
                _check_bounded(each, points, self._domains, self._report)

    def _check_structure(self, expression: Expression) -> None:
        """Names, and where `auto` stands."""
        branches = {
            id(part) for case in expression.walk() if isinstance(case, Case) for part in case.parts
        }
        for each in expression.walk():
            match each:
                case Variable(name=name):
                    self._declared(name, each.location, is_read=True)
                case AutoRestrict() if id(each) not in branches:
                    self._report("'auto' is only for a branch of a case", each.location)
                case Case(parts=parts):
                    autos = [part for part in parts if isinstance(part, AutoRestrict)]
                    for second in autos[1:]:
                        self._report("a case can have only one 'auto'", second.location)
                case Operation(operator=name, is_external=True):
                    self._check_external(name, len(each.operands), each.location)
                case Reduce(operator=name, is_external=True):
                    self._check_external(name, 2, each.location)

    def _check_external(self, name: str, count: int, location: SourceLocation | None) -> None:
        arity = self._program.externals.get(name)
        if arity is None:
            hint = nearest(name, self._program.externals)
            self._report(f"there is no external function '{name}'{hint}", location)
        elif arity != count:
            message = f"'{name}' takes {counted(arity, 'argument')}, and {count} are given"
            self._report(message, location)

    def _check_use(self, use: Use, body: Body) -> Iterator[tuple[str, SourceLocation | None]]:
        """Check a use, and give the variables that it defines."""
        used = self._systems.get(use.system)
        if used is None:
            hint = nearest(use.system, self._systems)
            self._report(f"there is no system '{use.system}'{hint}", use.location)
            return
        if not self._numbers_fit(use, used):
            return
        instances = Instances(use, used, self._system)
        domain = use.domain.intersect_params(body.context)
        outside = domain.subtract(instances.set(isl.Set.from_params(used.context)))
        if not outside.is_empty():
            message = (
                f"'{used.name}' is for parameters in {text_of(used.context)} only, and used at "
                f"{described(outside)}"
            )
            self._report(message, use.location)
        for declared, expression in zip(used.of_role(Role.INPUT), use.inputs, strict=True):
            needed = instances.set(declared.domain).intersect_params(body.context)
            self._check_expression(expression, needed, f"the input '{declared.name}'")
        for declared, expression in zip(used.of_role(Role.OUTPUT), use.outputs, strict=True):
            try:
                name = output_variable(expression)
            except PolyirError as error:
                self.errors.append(error)
                continue
            if self._declared(name, expression.location):
                yield name, expression.location or use.location
                given = instances.set(declared.domain)
                self._check_output(name, given.intersect_params(body.context), expression, body)

    def _numbers_fit(self, use: Use, used: System) -> bool:
        counts = (
            ("parameter", len(used.parameters), use.parameters.dim(isl.dim_type.out)),
            ("input", len(used.of_role(Role.INPUT)), len(use.inputs)),
            ("output", len(used.of_role(Role.OUTPUT)), len(use.outputs)),
        )
        wrong = [
            f"'{used.name}' has {counted(needed, what)}, and {given} are given"
            for what, needed, given in counts
            if needed != given
        ]
        if use.parameters.dim(isl.dim_type.in_) != use.domain.dim(isl.dim_type.set):
            wrong.append("the parameters of a use are a function of another point than its domain")
        for message in wrong:
            self._report(message, use.location)
        return not wrong

    def _check_output(self, name: str, given: isl.Set, output: Expression, body: Body) -> None:
        needed = self._system.variables[name].domain.intersect_params(body.context)
        found, count = given.dim(isl.dim_type.set), needed.dim(isl.dim_type.set)
        if found != count:
            message = f"'{name}' has {counted(count, 'dimension')}, and this output has {found}"
            self._report(message, output.location)
            return
        missing = needed.subtract(given)
        if not missing.is_empty():
            message = f"this use does not define all of '{name}': not {described(missing)}"
            self._report(message, output.location)

    def _check_cycles(self) -> None:
        try:
            system = inlined(self._program, self._system.name)
        except PolyirError:
            # A system may use itself for other parameters, and then there is no end of copies.
            return
        places = {each.variable: each.location for each in system.body.equations}
        for each in cycles(system):
            through = f", through {_listed(each.others)}" if each.others else ""
            message = (
                f"the value of '{each.variable}' depends on itself{through}, at "
                f"{described(each.points)}"
            )
            self._report(message, places[each.variable])


def _check_disjoint(case: Case, needed: isl.Set, domains: Domains, report: Report) -> None:
    """Two branches must not both have a value where the case needs one."""
    branches = domains.of_branches(case, needed.dim(isl.dim_type.set))
    pairs = combinations(zip(case.parts, branches, strict=True), 2)
    for (first, one), (second, other) in pairs:
        both = one.intersect(other).intersect(needed)
        if not both.is_empty():
            place = "" if first.location is None else f" (at {first.location})"
            message = (
                f"this branch and an earlier one{place} both have a value at {described(both)}"
            )
            report(message, second.location)


def _check_bounded(reduction: Reduce, needed: isl.Set, domains: Domains, report: Report) -> None:
    """Only so many values must be combined for each result."""
    projection = reduction.projection
    body = domains.of(reduction.operand, projection.dim(isl.dim_type.in_))
    points = body.intersect(needed.preimage_multi_aff(projection))
    results = projection.dim(isl.dim_type.out)
    parameters = projection.dim(isl.dim_type.param)
    for part in basic_sets_of(points):
        some = isl.Set.from_basic_set(part)
        combined = isl.Map.from_multi_aff(projection).intersect_domain(some).reverse()
        fibre = combined.move_dims(
            isl.dim_type.param, parameters, isl.dim_type.in_, 0, results
        ).range()
        if not some.is_empty() and not fibre.is_bounded():
            message = (
                f"this reduction combines infinitely many values, those at {text_of(some)}, "
                f"for instance for the result at {example(combined.domain())}"
            )
            report(message, reduction.location)
            return


def _place(body: Body) -> SourceLocation | None:
    parts: tuple[Equation | Use, ...] = (*body.equations, *body.uses)
    places = [each.location for each in parts]
    return places[0] if places else None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
