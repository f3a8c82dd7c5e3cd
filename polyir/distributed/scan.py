"""Loops over the points of a set, for sets with the blocks of two ranks as parameters.

isl's AST generation takes up to minutes for one piece of such a set, as it looks for loops without
conditions inside. Here the bounds of a loop are those of the rational projection of a piece, by
Fourier-Motzkin elimination, which takes some milliseconds, and each constraint with a division is
a condition in the first loop that knows its variables. C. Ancourt and F. Irigoin, "Scanning
polyhedra with DO loops" (PPoPP 1991), make loops in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from polyir.loops.code import Code
from polyir.sets.lists import basic_sets_of, parameters_of

Visit = Callable[[Code, Sequence[SSAValue]], None]
"""Adds code for a point, with the values of its coordinates."""

_Quotient = type[arith.CeilDivSIOp] | type[arith.FloorDivSIOp]
_PARAMETER, _VARIABLE, _DIVISION = isl.dim_type.param, isl.dim_type.set, isl.dim_type.div


def scan(
    code: Code,
    points: isl.Set,
    names: Sequence[str],
    values: Mapping[str, SSAValue],
    visit: Visit,
) -> None:
    """Add loops that visit each point of a bounded set once.

    `values` has the parameters, and `names` are for the coordinates. The points of a piece are
    visited in lexicographic order, the pieces one after the other.
    """
    # The loops compare its pieces with projections of them, which have no tuple name.
    known = (points.reset_tuple_id() if points.has_tuple_id() else points).compute_divs()
    pieces = basic_sets_of(known)
    if len(pieces) > 1:
        pieces = basic_sets_of(known.make_disjoint())
    for piece in pieces:
        if not piece.is_empty():
            _Loops(piece, names, values, visit).write(code, [])


def row_of(points: isl.Set) -> isl.BasicSet | None:
    """Bounds of the last coordinate, if the points are just those in an interval of it.

    The interval is for each value of the other coordinates that some point has.
    """
    pieces = basic_sets_of(points.compute_divs())
    if len(pieces) != 1:
        return None
    last = points.dim(_VARIABLE) - 1
    row = pieces[0].remove_divs_involving_dims(_VARIABLE, last, 1).remove_redundancies()
    others = points.project_out(_VARIABLE, last, 1).insert_dims(_VARIABLE, last, 1)
    others = others.set_tuple_id(points.get_tuple_id()) if points.has_tuple_id() else others
    return row if others.intersect(isl.Set.from_basic_set(row)).is_subset(points) else None


def bounds(
    code: Code,
    points: isl.BasicSet,
    outer: Sequence[SSAValue],
    values: Mapping[str, SSAValue],
) -> tuple[SSAValue, SSAValue]:
    """Add code for the least and the greatest value of the coordinate after those in `outer`.

    There must be such values. They are bounds if the set has all of its constraints without inner
    coordinates and without divisions that need them.
    """
    least, greatest = (bound(code, points, outer, values, is_last) for is_last in (False, True))
    assert least is not None
    assert greatest is not None
    return least, greatest


def bound(
    code: Code,
    points: isl.BasicSet,
    outer: Sequence[SSAValue],
    values: Mapping[str, SSAValue],
    is_last: bool,
) -> SSAValue | None:
    """Add code for one of `bounds`; `None` if there is none."""
    position = len(outer)
    values_of = _Values(points, values)
    kind: _Quotient = arith.FloorDivSIOp if is_last else arith.CeilDivSIOp
    ends: list[SSAValue] = []
    for each in points.get_constraints():
        factor = _integer(each.get_coefficient_val(_VARIABLE, position))
        # factor * x + rest >= 0
        if factor and (each.is_equality() or is_last == (factor < 0)):
            rest = values_of.affine(code, each, outer, -1 if factor > 0 else 1)
            ends.append(_divided(code, kind, rest, abs(factor)))
    return reduce(code.maximum if not is_last else code.minimum, ends) if ends else None


class _Values:
    """Adds code for affine functions that may have divisions."""

    def __init__(self, piece: isl.BasicSet, values: Mapping[str, SSAValue]) -> None:
        self._parameters = [values.get(name) for name in parameters_of(piece.get_space())]
        self._divisions = [_division(piece, k) for k in range(piece.dim(_DIVISION))]
        self.known: dict[int, SSAValue] = {}
        """The values of divisions that can be used where code is added next."""

    def depth(self, item: isl.Constraint | isl.Aff) -> int:
        """How many coordinates a constraint or a function depends on, the first ones."""
        kind = _variables(item)
        own = [k + 1 for k in range(item.dim(kind)) if item.involves_dims(kind, k, 1)]
        inner = [
            self.depth(division)
            for k, (division, _) in enumerate(self._divisions)
            if item.involves_dims(_DIVISION, k, 1)
        ]
        return max((*own, *inner), default=0)

    def affine(
        self,
        code: Code,
        item: isl.Constraint | isl.Aff,
        point: Sequence[SSAValue],
        scale: int = 1,
    ) -> SSAValue:
        """The function of a constraint, times `scale`; coordinates after `point` count as 0."""
        kinds = (_PARAMETER, self._parameters), (_variables(item), point)
        terms = [
            (_integer(item.get_coefficient_val(kind, position)), value)
            for kind, all_values in kinds
            for position, value in enumerate(all_values)
        ]
        for position in range(len(self._divisions)):
            factor = _integer(item.get_coefficient_val(_DIVISION, position))
            terms.append((factor, self._quotient(code, position, point) if factor else None))
        constant = scale * _integer(item.get_constant_val())
        terms = [(scale * factor, value) for factor, value in terms if factor]
        terms.sort(key=lambda term: term[0] < 0)
        begins_with_term = bool(terms) and terms[0][0] > 0
        total = None if begins_with_term else code.constant(constant)
        for factor, value in terms:
            assert value is not None
            product = code.product(value, abs(factor))
            if total is None:
                total = product
            else:
                total = (code.sum if factor > 0 else code.difference)(total, product)
        assert total is not None
        return code.sum(total, constant) if begins_with_term else total

    def _quotient(self, code: Code, position: int, point: Sequence[SSAValue]) -> SSAValue:
        if position not in self.known:
            function, divisor = self._divisions[position]
            value = self.affine(code, function, point)
            self.known[position] = _divided(code, arith.FloorDivSIOp, value, divisor)
        return self.known[position]


class _Loops:
    """Loops over a basic set whose divisions are all known."""

    def __init__(
        self,
        piece: isl.BasicSet,
        names: Sequence[str],
        values: Mapping[str, SSAValue],
        visit: Visit,
    ) -> None:
        self._piece, self._names, self._values, self._visit = piece, names, values, visit
        self._functions = _Values(piece, values)
        self._shadows = [self._shadow(depth) for depth in range(len(names))]
        self._without_divisions = _Values(piece.remove_divs(), values)
        self._further = self._not_bounded()

    def write(self, code: Code, point: list[SSAValue]) -> None:
        """Add what runs for the coordinates of the loops around."""
        depth = len(point)
        further = self._further[depth] if depth < len(self._names) else []
        conditions = [
            code.compared(
                functions.affine(code, each, point), "eq" if each.is_equality() else "sge", 0
            )
            for functions, constraints in (
                (self._functions, self._conditions(depth)),
                (self._without_divisions, further),
            )
            for each in constraints
        ]
        if conditions:
            with code.conditional(reduce(code.both, conditions)) as inner:
                self._below(inner, point)
        else:
            self._below(code, point)

    def _below(self, code: Code, point: list[SSAValue]) -> None:
        depth = len(point)
        if depth == len(self._names):
            self._visit(code, point)
            return
        first, last = bounds(code, self._shadows[depth], point, self._values)
        known = dict(self._functions.known)
        with code.loop(self._names[depth], first, code.sum(last, 1)) as (body, value):
            self.write(body, [*point, value])
        self._functions.known = known

    def _shadow(self, depth: int) -> isl.BasicSet:
        """Bounds of the first coordinates, up to that of a depth."""
        inner = len(self._names) - depth - 1
        shadow = self._piece.project_out(_VARIABLE, depth + 1, inner).remove_divs()
        return shadow.remove_redundancies().insert_dims(_VARIABLE, depth + 1, inner)

    def _not_bounded(self) -> list[list[isl.Constraint]]:
        """For each loop, conditions outside of it that the bounds of all loops do not replace.

        isl leaves out bounds that follow from conditions on parameters and outer coordinates: in
        `i >= b and 0 <= i <= n and b <= 0`, the first one.
        """
        constraints = [shadow.get_constraints() for shadow in self._shadows]
        own = [
            each
            for depth, at_depth in enumerate(constraints)
            for each in at_depth
            if each.involves_dims(_VARIABLE, depth, 1)
        ]
        reached = isl.BasicSet.universe(self._piece.get_space())
        for each in (*self._conditions(0), *own):
            reached = reached.intersect(isl.BasicSet.from_constraint(each))
        found: list[list[isl.Constraint]] = []
        for at_depth in constraints:
            found.append([])
            for each in at_depth:
                holds = isl.BasicSet.from_constraint(each)
                if not reached.is_subset(holds):
                    found[-1].append(each)
                    reached = reached.intersect(holds)
        return found

    def _conditions(self, depth: int) -> list[isl.Constraint]:
        """The constraints that are known from a depth on, and that are no bounds of loops."""
        divisions = self._piece.dim(_DIVISION)
        return [
            each
            for each in self._piece.get_constraints()
            if self._functions.depth(each) == depth
            and (not depth or each.involves_dims(_DIVISION, 0, divisions))
            and not each.is_div_constraint()
        ]


def _variables(item: isl.Constraint | isl.Aff) -> isl.dim_type:
    return _VARIABLE if isinstance(item, isl.Constraint) else isl.dim_type.in_


def _division(piece: isl.BasicSet, position: int) -> tuple[isl.Aff, int]:
    """A dividend and a divisor."""
    division = piece.get_div(position)
    divisor = division.get_denominator_val()
    return division.scale_val(divisor), _integer(divisor)


def _integer(value: isl.Val) -> int:
    return int(value.to_python())


def _divided(
    code: Code,
    kind: _Quotient,
    value: SSAValue,
    divisor: int,
) -> SSAValue:
    if divisor == 1:
        return value
    return code.builder.insert(kind(value, code.constant(divisor))).result
