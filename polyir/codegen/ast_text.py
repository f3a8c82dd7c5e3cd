"""Whether the expressions of isl's AST say what isl's schedules of its nodes do.

isl simplifies bounds, conditions and values of loops when it makes expressions of them. It has been
seen to get that wrong: of a schedule with the member `16i + 2j + k`, the one loop that was left
computed an `i` that was never reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl

from polyir.codegen.ast import (
    AstExpression,
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstName,
    AstNode,
    AstNumber,
    AstOperation,
    Operator,
    children_of,
    conjuncts,
)
from polyir.sets.values import isl_value

_BOUNDS = {
    Operator.LE: isl.PwAff.le_set,
    Operator.LT: isl.PwAff.lt_set,
    Operator.GE: isl.PwAff.ge_set,
    Operator.GT: isl.PwAff.gt_set,
    Operator.EQ: isl.PwAff.eq_set,
}


def means_its_dates(
    root: AstNode, dates: Sequence[isl.Map], iterators: Sequence[str], context: isl.Set
) -> bool:
    """Whether each instance node runs the instances of its date, in the iterations that it says.

    `dates` are `{ S[i] -> [c] }`, by the numbers of the nodes; `iterators` are the names of loops
    by schedule depth. All bounds and conditions around a node must hold where its date says that it
    is executed, and its arguments must be the instances there. That they hold nowhere else is not
    checked: it takes isl much longer, and isl has not been seen to get it wrong.
    """
    params = context.get_space().params()
    space = params.set_from_params().add_dims(isl.dim_type.set, len(iterators))
    return _Reader(space, dates, iterators, context).holds(root, (), ())


class _Reader:
    """Reads expressions as functions and sets of the values of all loops, `{ [c] }`."""

    def __init__(
        self,
        space: isl.Space,
        dates: Sequence[isl.Map],
        iterators: Sequence[str],
        context: isl.Set,
    ) -> None:
        self._local = isl.LocalSpace.from_space(space)
        self._dates = dates
        self._context = context
        self._depth = len(iterators)
        self._places = {name: (isl.dim_type.set, n) for n, name in enumerate(iterators)}
        for place in range(space.dim(isl.dim_type.param)):
            name = space.get_dim_name(isl.dim_type.param, place)
            assert name is not None
            self._places[name] = (isl.dim_type.param, place)

    def holds(self, node: AstNode, around: tuple[isl.Set, ...], loops: tuple[int, ...]) -> bool:
        """Whether all nodes from one down run what their dates say, inside of loops and conditions.

        The loops are numbers of iterators.
        """
        if isinstance(node, AstFor | AstLet):
            loops = (*loops, self._places[node.iterator][1])
        match node:
            case AstInstance():
                return self._runs(node, around, loops)
            case AstFor():
                counter, first = self._variable(node.iterator), self._number(node.first)
                end = self._number(node.bound)
                ends = counter.le_set(end) if node.inclusive else counter.lt_set(end)
                around = (*around, counter.ge_set(first), ends)
                if node.step != 1:
                    steps = counter.sub(first).mod_val(isl_value(node.step))
                    around = (*around, steps.eq_set(self._number(AstNumber(0))))
                return self.holds(node.body, around, loops)
            case AstLet():
                value = self._variable(node.iterator).eq_set(self._number(node.value))
                return self.holds(node.body, (*around, value), loops)
            case AstIf():
                then = tuple(map(self._truth, conjuncts(node.condition)))
                is_right = self.holds(node.then, (*around, *then), loops)
                if node.otherwise is None or not is_right:
                    return is_right
                around = (*around, self._truth(node.condition).complement())
                return self.holds(node.otherwise, around, loops)
        return all(self.holds(child, around, loops) for child in children_of(node))

    def _runs(self, node: AstInstance, around: Sequence[isl.Set], loops: Sequence[int]) -> bool:
        date = self._dates[node.number].intersect_params(self._context)
        date = date.apply_range(self._iterators_of(date, loops))
        reached = date.range()
        if not all(reached.is_subset(each) for each in around):
            return False
        instances = date.domain()
        for place, argument in enumerate(node.arguments):
            value = date.apply_range(isl.Map.from_pw_aff(self._number(argument)))
            own = isl.Aff.var_on_domain(
                isl.LocalSpace.from_space(instances.get_space()), isl.dim_type.set, place
            )
            if not value.is_subset(isl.Map.from_pw_aff(isl.PwAff.from_aff(own))):
                return False
        return True

    def _iterators_of(self, date: isl.Map, loops: Sequence[int]) -> isl.Map:
        """`{ [t] -> [c] }`: the values of all loops for a date.

        isl leaves values out of dates if it leaves out their loops, or neither.
        """
        count = date.dim(isl.dim_type.out)
        places = loops if len(loops) == count else range(count)
        space = date.range().get_space().map_from_set()
        space = space.add_dims(isl.dim_type.out, self._depth - count)
        found = isl.Map.universe(space)
        for value, place in enumerate(places):
            found = found.equate(isl.dim_type.in_, value, isl.dim_type.out, place)
        return found

    def _variable(self, name: str) -> isl.PwAff:
        return isl.PwAff.from_aff(isl.Aff.var_on_domain(self._local, *self._places[name]))

    def _number(self, expression: AstExpression) -> isl.PwAff:
        """An expression as a function."""
        match expression:
            case AstNumber(value):
                return isl.PwAff.from_aff(isl.Aff.val_on_domain(self._local, isl_value(value)))
            case AstName(name):
                return self._variable(name)
        operator, arguments = expression.operator, expression.arguments
        if operator is Operator.SELECT:
            condition, chosen, other = arguments
            holds = self._truth(condition)
            first = self._number(chosen).intersect_domain(holds)
            return first.union_add(self._number(other).subtract_domain(holds))
        numbers = [self._number(each) for each in arguments]
        match operator:
            case Operator.ADD:
                return reduce(isl.PwAff.add, numbers)
            case Operator.SUB:
                return reduce(isl.PwAff.sub, numbers)
            case Operator.MUL:
                return reduce(isl.PwAff.mul, numbers)
            case Operator.MINUS:
                return numbers[0].neg()
            case Operator.MIN:
                return reduce(isl.PwAff.min, numbers)
            case Operator.MAX:
                return reduce(isl.PwAff.max, numbers)
            case Operator.FLOORDIV:
                return numbers[0].div(numbers[1]).floor()
            case Operator.MOD:
                quotient = numbers[0].div(numbers[1]).floor()
                return numbers[0].sub(numbers[1].mul(quotient))
        # A condition as a number.
        holds = self._truth(expression)
        one = self._number(AstNumber(1)).intersect_domain(holds)
        return one.union_add(self._number(AstNumber(0)).subtract_domain(holds))

    def _truth(self, expression: AstExpression) -> isl.Set:
        """Where a condition holds."""
        if isinstance(expression, AstOperation):
            arguments = expression.arguments
            match expression.operator:
                case Operator.AND:
                    return reduce(isl.Set.intersect, map(self._truth, arguments))
                case Operator.OR:
                    return reduce(isl.Set.union, map(self._truth, arguments))
            if bound := _BOUNDS.get(expression.operator):
                one, other = map(self._number, arguments)
                return bound(one, other)
        number = self._number(expression)
        return number.ne_set(self._number(AstNumber(0)))
