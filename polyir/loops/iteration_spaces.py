"""Constraints on index values from the loops and conditions around an operation, as isl sets.

Every SSA value that is not computed from others by affine arithmetic (an argument, a loop
counter, a loaded index) is a parameter of isl. A set contains the values that can occur together
while an operation runs. Conditions that are not affine are ignored, so sets may be too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.dialects.affine_extra import MaxOp
from polyir.loops.loop_ranges import Bounds, LoopRange, ranges_of
from polyir.model.affine import IndexReader, NotAffineError, constant, constant_value
from polyir.model.affine_operations import written_out
from polyir.model.index_expressions import Constraint, Division, IndexExpression
from polyir.model.raising.control import (
    LOOPS,
    ConditionalOp,
    LoopOp,
    branches_of,
    condition_of,
    truth_of,
)
from polyir.sets.values import isl_value


def is_loop(op: Operation) -> bool:
    """Whether an operation runs its body more than once."""
    # The dialect omp takes long to import, and few programs have it.
    return isinstance(op, (*LOOPS, scf.WhileOp)) or op.name == "omp.loop_nest"


MOST_PIECES = 8
"""Conditions that would split a set into more basic sets than this are ignored."""


MOST_GUARDS = 4
"""The largest number of comparisons before a loop to test whether it runs."""


class IterationSpaces:
    """The sets of one function; a value has one parameter in all of them.

    With `with_steps`, counters only have the values that the step of their loop allows. Sets
    without steps are cheaper, and larger.
    """

    def __init__(self, with_steps: bool = False) -> None:
        self._with_steps = with_steps
        self._reader = _ParametricReader(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 0))
        self._written: dict[SSAValue, IndexExpression] = {}
        self._held: dict[Constraint, isl.Set] = {}
        self._conditions: dict[tuple[object, ...], isl.Set | None] = {}
        self._outcomes: dict[tuple[int, int], tuple[isl.Set, isl.Set, bool | None]] = {}

    @property
    def everything(self) -> isl.Set:
        """The set without constraints."""
        return isl.Set.universe(self._reader.space)

    def written_out(self, value: SSAValue) -> IndexExpression:
        """`value` as an expression, with the affine arithmetic that computes it."""
        return written_out(value, self._written)

    def function(self, expression: IndexExpression) -> isl.PwAff:
        """`expression` as a function on the point without coordinates."""
        result = constant(self._reader.space, expression.constant)
        for atom, coefficient in expression.terms:
            term = self._division(atom) if isinstance(atom, Division) else self._reader.read(atom)
            result = result.add(term.scale_val(isl_value(coefficient)))
        return result

    def _division(self, division: Division) -> isl.PwAff:
        dividend, divisor = self.function(division.dividend), isl_value(division.divisor)
        match division.kind:
            case AffineBinaryOpKind.Mod:
                return dividend.mod_val(divisor)
            case AffineBinaryOpKind.CeilDiv:
                return dividend.scale_down_val(divisor).ceil()
            case _:
                return dividend.scale_down_val(divisor).floor()

    def holds(self, constraint: Constraint) -> isl.Set:
        """Where a constraint holds."""
        if constraint not in self._held:
            function = self.function(constraint.expression)
            self._held[constraint] = (
                function.zero_set() if constraint.is_equality else function.nonneg_set()
            )
        return self._held[constraint]

    def equal(self, left: Bounds, right: Bounds) -> isl.Set:
        """Where two tuples of expressions are equal."""
        equalities = (
            self.holds(Constraint(one - other, True))
            for one, other in zip(left, right, strict=True)
        )
        return reduce(isl.Set.intersect, equalities, self.everything)

    def less(self, left: Bounds, right: Bounds) -> isl.Set:
        """Where each of `left` is less than each of `right`."""
        pairs = (
            self.holds(Constraint((high - low).shift(-1), False)) for low in left for high in right
        )
        return reduce(isl.Set.intersect, pairs, self.everything)

    def domain(self, loop: Operation) -> isl.Set:
        """The values that the counters of `loop` take."""
        found = self.everything
        for range in ranges_of(loop) if isinstance(loop, LOOPS) else ():
            found = found.intersect(self.within(range))
        return found

    def within(self, range: LoopRange) -> isl.Set:
        """The values that a counter takes."""
        counter = IndexExpression.of(range.counter)
        before = tuple(bound.shift(-1) for bound in range.lower)
        found = self.less(before, (counter,)).intersect(self.less((counter,), range.upper))
        values = dict.fromkeys(v for bound in range.lower + range.upper for v in bound.values())
        for value in values:
            found = found.intersect(self._reader.facts.get(value, self.everything))
        if self._with_steps and range.step not in (None, 1):
            found = found.intersect(self._on_step(range, range.step))
        return found

    def whatever(self, values: Iterable[SSAValue], points: isl.Set) -> isl.Set:
        """Some points, whatever some values are that they depend on."""
        for value in values:
            name = self.function(IndexExpression.of(value)).get_dim_name(isl.dim_type.param, 0)
            assert name is not None
            position = points.find_dim_by_name(isl.dim_type.param, name)
            if position >= 0:
                points = points.project_out(isl.dim_type.param, position, 1)
        return points

    def elements(
        self, subscripts: Sequence[IndexExpression], known: isl.Set, counters: Iterable[SSAValue]
    ) -> isl.Set:
        """The elements, as `{ [subscripts] }`, that an access has for any values of `counters`.

        `known` restricts the values that occur.
        """
        start = isl.Map.from_domain(isl.Set.universe(self._reader.space))
        functions = (isl.Map.from_pw_aff(self.function(each)) for each in subscripts)
        elements = reduce(isl.Map.flat_range_product, functions, start)
        return self.whatever(counters, elements.intersect_domain(known).range())

    def _on_step(self, range: LoopRange, step: int) -> isl.Set:
        """Where a counter is some steps after its first value, which is one of the lower bounds."""
        counter = IndexExpression.of(range.counter)
        found = self.everything.complement()
        for first in range.lower:
            steps = (counter - first).divide(AffineBinaryOpKind.Mod, step)
            others = tuple(other.shift(-1) for other in range.lower if other is not first)
            is_first = self.less(others, (first,))
            found = found.union(is_first.intersect(self.holds(Constraint(steps, True))))
        return found

    def runs(self, loop: LoopOp) -> isl.Set:
        """Where `loop` has an iteration; for counters of other types than index, everything."""
        ranges = (self.less(range.lower, range.upper) for range in ranges_of(loop))
        return reduce(isl.Set.intersect, ranges, self.everything)

    def guards(self, loop: LoopOp, known: isl.Set) -> tuple[Constraint, ...] | None:
        """The constraints, not known to hold, under which `loop` runs, which has one counter.

        `None` if there are more than `MOST_GUARDS`, or if the range is not known.
        """
        ranges = ranges_of(loop)
        if not ranges:
            return None
        guards: list[Constraint] = []
        for low in ranges[0].lower:
            for high in ranges[0].upper:
                guard = Constraint((high - low).shift(-1), False)
                if not known.is_subset(self.holds(guard)):
                    guards.append(guard)
                    known = known.intersect(self.holds(guard))
        return tuple(guards) if len(guards) <= MOST_GUARDS else None

    def condition(self, conditional: ConditionalOp) -> isl.Set | None:
        """Where the condition holds, exactly; `None` if it is not affine in index values."""
        says = (*conditional.operands, conditional.properties.get("condition"))
        if says not in self._conditions:
            try:
                self._conditions[says] = condition_of(conditional, self._reader)
            except NotAffineError:
                self._conditions[says] = None
        return self._conditions[says]

    def outcome(self, known: isl.Set, holds: isl.Set) -> bool | None:
        """Whether a point is in `holds`, the same for all in `known`; else `None`.

        The same objects are asked about again and again: unrolled copies have the same conditions.
        """
        key = id(known), id(holds)
        if key not in self._outcomes:
            outcome = True if known.is_subset(holds) else None
            if outcome is None and known.is_disjoint(holds):
                outcome = False
            # The objects must live as long as their numbers are used.
            self._outcomes[key] = known, holds, outcome
        return self._outcomes[key][2]

    def truth(self, value: SSAValue) -> isl.Set | None:
        """Where a value of type `i1` is true; `None` if it is not affine in index values."""
        try:
            return truth_of(value, self._reader)
        except NotAffineError:
            return None

    def without(self, known: isl.Set, condition: isl.Set) -> isl.Set:
        """`known` where `condition` does not hold, or all of it if that has too many pieces."""
        rest = known.subtract(condition).coalesce()
        return rest if rest.n_basic_set() <= MOST_PIECES else known

    def inside(self, op: Operation, known: isl.Set) -> Iterator[tuple[Block, isl.Set]]:
        """The blocks of `op`, each with what is known in it, given what is known around `op`."""
        if not isinstance(op, affine.IfOp | scf.IfOp):
            inner = known.intersect(self.domain(op)) if op.regions else known
            yield from [(block, inner) for region in op.regions for block in region.blocks]
            return
        then, otherwise = (tuple(region.blocks) for region in branches_of(op))
        condition = self.condition(op)
        for block in then:
            yield block, known if condition is None else known.intersect(condition)
        # What is left takes isl longest, and is not always asked for.
        for block in otherwise:
            yield block, known if condition is None else self.without(known, condition)

    def context(self, op: Operation) -> isl.Set:
        """The possible index values at `op`, from all operations around it."""
        block, parent = op.parent_block(), op.parent_op()
        if block is None or parent is None:
            return self.everything
        inside = self.inside(parent, self.context(parent))
        return next(known for other, known in inside if other is block)


class _ParametricReader(IndexReader):
    """Reads every index value; values that are not affine become parameters.

    So do minima and maxima, because sums of them would have very many pieces. `facts` has the
    constraints on these parameters, for each value that depends on them.
    """

    def __init__(self, space: isl.Space) -> None:
        self.facts: dict[SSAValue, isl.Set] = {}
        self._known: dict[SSAValue, isl.PwAff] = {}
        super().__init__(space, self._known.get)

    def read(self, value: SSAValue) -> isl.PwAff:
        if value not in self._known:
            self._known[value] = self._read(value)
        return self._known[value]

    def _read(self, value: SSAValue) -> isl.PwAff:
        found = None
        try:
            found = self._quotient(value.owner) or super().read(value)
        except NotAffineError:
            if not isinstance(value.type, IndexType):
                raise
        facts: list[isl.Set] = []
        if found is None or found.n_piece() > 1:
            found = self._parameter(f"v{len(self._known)}")
            facts = self._limits(value.owner, found)
        if isinstance(value.owner, Operation):
            operands = value.owner.operands
            facts += [self.facts[operand] for operand in operands if operand in self.facts]
        if facts:
            self.facts[value] = reduce(isl.Set.intersect, facts)
        return found

    def _quotient(self, op: Operation | Block) -> isl.PwAff | None:
        """The value of a division that rounds down or up, if the divisor is a constant."""
        if not isinstance(op, arith.FloorDivSIOp | arith.CeilDivSIOp):
            return None
        if not isinstance(op.result.type, IndexType):
            return None
        divisor = constant_value(self.read(op.rhs))
        if divisor is None or divisor <= 0:
            return None
        quotient = self.read(op.lhs).scale_down_val(isl_value(divisor))
        return quotient.floor() if isinstance(op, arith.FloorDivSIOp) else quotient.ceil()

    def _limits(self, op: Operation | Block, value: isl.PwAff) -> list[isl.Set]:
        """The constraints on the `value` of `op` if it is a minimum or maximum."""
        match op:
            case arith.MinSIOp():
                return [value.le_set(self.read(operand)) for operand in op.operands]
            case arith.MaxSIOp():
                return [value.ge_set(self.read(operand)) for operand in op.operands]
            case affine.MinOp():
                return [value.le_set(b) for b in self.read_map(op.map.data, op.arguments)]
            case MaxOp():
                return [value.ge_set(b) for b in self.read_map(op.map.data, op.arguments)]
            case _:
                return []

    def _parameter(self, name: str) -> isl.PwAff:
        space = self.space.add_dims(isl.dim_type.param, 1)
        space = space.set_dim_name(isl.dim_type.param, 0, name)
        variable = isl.Aff.var_on_domain(space, isl.dim_type.param, 0)
        return isl.PwAff.from_aff(variable)
