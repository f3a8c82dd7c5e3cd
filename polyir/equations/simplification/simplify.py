"""`simplify_reductions`: systems whose reductions take fewer operations, by degree."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.equations.domains import Domains
from polyir.equations.simplification.bodies import branches
from polyir.equations.simplification.complexity import (
    EMPTY,
    degree_of_equation,
    degree_of_system,
    in_words,
)
from polyir.equations.simplification.core import to_take_back
from polyir.equations.simplification.emission import Emission
from polyir.equations.simplification.hoisting import hoist
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.ordering import Ordering
from polyir.equations.simplification.plans import (
    Keep,
    Nested,
    Plan,
    Recurrence,
    Same,
    Together,
)
from polyir.equations.simplification.reductions import Reduction, names_of, with_names
from polyir.equations.simplification.search import Search
from polyir.equations.system import Body, Declaration, Equation, Reduce, Restrict, System
from polyir.schedule.linear import Row

MOST_SETS = 16
"""Of how many convex parts the body of a reduction may consist."""


@dataclass(frozen=True)
class Note:
    """What was done to a variable's equation, or why nothing was."""

    text: str
    location: SourceLocation | None
    is_missed: bool = False


@dataclass(frozen=True)
class Simplified:
    """A system with the same outputs, and the degrees of the numbers of operations of both."""

    system: System
    notes: tuple[Note, ...]
    before: int
    after: int


def simplify_reductions(
    system: System, options: Options, variables: Collection[str] | None = None
) -> Simplified:
    """Compute reductions with fewer operations, by degree, where that is known to be possible.

    Those in the equations of `variables`, or in all. Gautam and Rajopadhye, "Simplifying
    Reductions" (POPL 2006). Raises `PolyirError` for a variable that has no equation, and where
    dimensions do not fit.
    """
    defined = {each.variable for body in system.bodies for each in body.equations}
    for name in variables or ():
        if name not in defined:
            raise PolyirError(f"no equation defines '{name}'", system.location, name="unknown-name")
    _check_dimensions(system)
    fresh = _fresh_names(system)
    notes: list[Note] = []
    after = EMPTY
    declarations: list[Declaration] = list(system.declarations)
    bodies = []
    is_changed = False
    for body in system.bodies:
        equations: list[Equation] = []
        for equation in body.equations:
            if variables is None or equation.variable in variables:
                work = _EquationWork(system, body, equation, options, fresh)
                more, found = work.run()
                declarations += more
                equations += found
                notes += work.notes
                is_changed = is_changed or found[-1] is not equation
                after = max(after, work.after)
            else:
                equations.append(equation)
                after = max(after, degree_of_equation(system, body, equation))
        bodies.append(replace(body, equations=tuple(equations)))
    result = system
    if is_changed:
        result = replace(system, declarations=tuple(declarations), bodies=tuple(bodies))
    return Simplified(result, tuple(notes), degree_of_system(system), after)


def _check_dimensions(system: System) -> None:
    """Raises `PolyirError` where an expression has another number of dimensions than is needed."""
    finder = Domains(system)
    for body in system.bodies:
        for equation in body.equations:
            domain = system.variables[equation.variable].domain
            finder.of(equation.expression, domain.dim(isl.dim_type.set))


def _fresh_names(system: System) -> Callable[[str], str]:
    taken = set(system.variables) | set(system.parameters)

    def fresh(name: str) -> str:
        candidate, count = name, 1
        while candidate in taken:
            count += 1
            candidate = f"{name}{count}"
        taken.add(candidate)
        return candidate

    return fresh


class _EquationWork:
    """The simplification of the reductions of one equation."""

    def __init__(
        self,
        system: System,
        body: Body,
        equation: Equation,
        options: Options,
        fresh: Callable[[str], str],
    ) -> None:
        self._system = system
        self._body = body
        self._equation = equation
        self._options = options
        self._fresh = fresh
        self.notes: list[Note] = []
        self.after = EMPTY
        """The degree of the number of operations of the equations that take its place."""

    def run(self) -> tuple[list[Declaration], list[Equation]]:
        """The equations for this one, and the variables that are new in them."""
        if not any(isinstance(each, Reduce) for each in self._equation.expression.walk()):
            self.after = self._before()
            return [], [self._equation]
        hoisted = hoist(self._system, self._body, self._equation, self._fresh)
        self._hoisted = replace(
            self._system, declarations=(*self._system.declarations, *hoisted.declarations)
        )
        others = [each for each in self._body.equations if each is not self._equation]
        whole = (*others, *hoisted.equations)
        self._hoisted_body = replace(self._body, equations=whole)
        declarations = list(hoisted.declarations)
        equations: list[Equation] = []
        is_better = False
        for equation in hoisted.equations:
            more, found, after = self._simplified(equation)
            self.after = max(self.after, after)
            is_better = is_better or found[-1] is not equation
            declarations += more
            equations += found
        if is_better:
            return declarations, equations
        self.after = self._before()
        return [], [self._equation]

    def _before(self) -> int:
        return degree_of_equation(self._system, self._body, self._equation)

    def _simplified(self, equation: Equation) -> tuple[list[Declaration], list[Equation], int]:
        before = degree_of_equation(self._hoisted, self._hoisted_body, equation)
        unchanged: tuple[list[Declaration], list[Equation], int] = [], [equation], before
        if not isinstance(equation.expression, Reduce):
            return unchanged
        parts = self._reductions(equation, equation.expression)
        if parts is None:
            return unchanged
        ordering = Ordering(self._hoisted, self._hoisted_body, equation.variable)
        search = Search(self._options, ordering.allows)
        plan = search.sum_of(parts)
        if search.gave_up:
            self._missed(
                equation,
                "not all ways were tried: a larger 'effort' allows more",
            )
        if plan.degree >= before and all(each.degree <= each.least_degree for each in parts):
            self._optimal(equation, before)
            return unchanged
        if plan.degree >= before:
            why = self._why_not(parts, before) + self._if_reassociated(parts, ordering, before)
            self._missed(equation, why)
            return unchanged
        if not ordering.allows_all(_moves(plan)):
            self._missed(equation, "no order of its points is known for the recurrences")
            return unchanged
        emission = Emission(self._fresh)
        expression = emission.results(plan, equation.variable)
        self._done(equation, plan, before)
        new = replace(equation, expression=expression)
        return emission.declarations, [*emission.equations, new], plan.degree

    def _reductions(self, equation: Equation, whole: Reduce) -> list[Reduction] | None:
        """One for each branch of the body, or `None` if the equation does not cover its domain."""
        variable = self._hoisted.variables[equation.variable]
        needed = variable.domain.intersect_params(self._body.context)
        needed = needed.intersect_params(self._system.context)
        projection = with_names(whole.projection, names_of(needed.get_space()))
        points = needed.preimage_multi_aff(projection)
        dimensions = projection.dim(isl.dim_type.in_)
        parts = [
            Reduction(
                whole.operator,
                whole.is_external,
                projection,
                _with_names_of(whole, domain.intersect(points).coalesce()),
                value,
                projection,
            )
            for domain, value in branches(whole.operand, dimensions, Domains(self._hoisted))
        ]
        parts = [part for part in parts if not part.domain.is_empty()]
        if sum(part.domain.n_basic_set() for part in parts) > MOST_SETS:
            self._missed(equation, f"its body has more than {MOST_SETS} parts")
            return None
        covered = reduce(isl.Set.union, (part.results for part in parts)) if parts else None
        if covered is None or not covered.is_equal(needed):
            self._missed(equation, "its reduction has no values for some of its points")
            return None
        return parts

    def _done(self, equation: Equation, plan: Plan, before: int) -> None:
        names = self._system.parameters
        change = f"{in_words(before, names)} becomes {in_words(plan.degree, names)}"
        steps = [text for each in plan.walk() for text in _description(each)]
        text = "; ".join([f"{equation.variable}: {change}", *steps])
        self.notes.append(Note(text, equation.location))

    def _missed(self, equation: Equation, why: str) -> None:
        self.notes.append(Note(f"{self._label(equation)}: {why}", equation.location, True))

    def _optimal(self, equation: Equation, before: int) -> None:
        why = "as many results, or as many values to combine"
        text = f"{self._label(equation)}: {in_words(before, self._system.parameters)}, for {why}"
        self.notes.append(Note(text, equation.location))

    def _label(self, equation: Equation) -> str:
        if equation.variable in self._system.variables:
            return equation.variable
        return f"a reduction in {self._equation.variable}"

    def _if_reassociated(self, parts: list[Reduction], ordering: Ordering, before: int) -> str:
        """What `reassociate` would make of the reductions, if that is less."""
        if self._options.reassociate or self._options.scans_only:
            return ""
        plan = Search(replace(self._options, reassociate=True), ordering.allows).sum_of(parts)
        if plan.degree >= before:
            return ""
        return f"; 'reassociate' makes it {in_words(plan.degree, self._system.parameters)}"

    def _why_not(self, parts: list[Reduction], before: int) -> str:
        worst = max(parts, key=lambda part: part.degree)
        kept = f"stays {in_words(before, self._system.parameters)}"
        if not worst.domain.is_bounded():
            return f"{kept}: its reduction has no bound"
        directions = worst.directions()
        if not worst.reuse:
            return f"{kept}: no value contributes to more than one result"
        if self._options.inverse(worst) is None:
            for direction in directions:
                points = to_take_back(worst, direction)
                if not points.is_empty():
                    reason = self._options.why_no_inverse(worst)
                    return (
                        f"{kept}: along {_vector(direction)} the values at {points} would have to "
                        f"be taken back, such as that at {_example(points)}, and {reason}"
                    )
        return f"{kept}: no way with fewer operations was found"


def _with_names_of(whole: Reduce, domain: isl.Set) -> isl.Set:
    """The domain with the names that indices have where the reduction is written."""
    spaces = [whole.projection.get_domain_space()]
    if isinstance(whole.operand, Restrict):
        spaces.insert(0, whole.operand.domain.get_space())
    for space in spaces:
        for place, name in enumerate(names_of(space)):
            if name is not None and not domain.has_dim_name(isl.dim_type.set, place):
                domain = domain.set_dim_name(isl.dim_type.set, place, name)
    return domain


def _moves(plan: Plan) -> list[Row]:
    moves: dict[Row, None] = {}
    for each in plan.walk():
        if isinstance(each, Recurrence):
            move = each.reduction.owner_moves(each.direction)
            if move is not None:
                moves[move] = None
    return list(moves)


def _description(plan: Plan) -> list[str]:
    match plan:
        case Keep() | Together():
            return []
        case Recurrence():
            taken = "" if plan.subtracted is None else ", with values to take back"
            return [f"a recurrence along {_vector(plan.direction)}{taken}"]
        case Nested():
            rows = ", ".join(map(_vector, plan.inner.reduction.accumulation))
            out = "factors are taken out of" if plan.distributed else "there is"
            return [f"{out} an inner reduction along {rows}"]
        case Same():
            return [f"equal values along {', '.join(map(_vector, plan.along))} are combined"]
    raise AssertionError(plan)


def _vector(vector: Row) -> str:
    return f"({', '.join(map(str, vector))})"


def _example(points: isl.Set) -> str:
    """One point, with the parameters for which it is one."""
    point = points.sample_point()
    return str(isl.Set.from_point(point).coalesce())
