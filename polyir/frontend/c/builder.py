"""Operations of affine IR for C: where they are inserted, and facts about index values there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import islpy as isl
from pycparser import c_ast
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    FileLineColLoc,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.affine_extra import ArithIndexCastUIOp, MaxOp
from polyir.frontend.c.conditions import Condition
from polyir.frontend.c.errors import location_of_node
from polyir.frontend.c.facts import condition_for, varies_less_than
from polyir.model.affine import pw_aff_of
from polyir.model.affine_operations import load_at, store_at
from polyir.model.index_expressions import (
    Atom,
    Constraint,
    Division,
    IndexExpression,
    Numbering,
    compose,
    map_of,
)

_Op = TypeVar("_Op", bound=Operation)


@dataclass(frozen=True)
class SubscriptedAccess:
    """A load or store, its subscripts, and expressions that are non-negative when it runs."""

    operation: Operation
    indices: tuple[IndexExpression, ...]
    facts: tuple[IndexExpression, ...]


class Builder:
    """Inserts operations at the current place of a region's function.

    Values that are invariant in the whole region are computed at the function's entry.
    """

    def __init__(self, entry: Block) -> None:
        self.entry = entry
        self._block = entry
        self._outer_blocks: list[Block] = [entry]
        self._extrema: dict[tuple[tuple[IndexExpression, ...], bool], SSAValue] = {}
        self._entry_end: Operation | None = None
        self._node: c_ast.Node | None = None
        self._invariant: dict[SSAValue, None] = {}
        self._computed: dict[tuple[object, ...], Operation] = {}
        self._data: dict[SSAValue, None] = {}
        self._facts: list[IndexExpression] = []
        self._path: tuple[Condition, ...] = ()
        self._is_certain = True
        self._general_facts: list[IndexExpression] = []
        self._accesses: dict[SSAValue, list[SubscriptedAccess]] = {}
        self._cells: list[tuple[memref.AllocaOp, Block]] = []
        self._arrays: list[SSAValue] = []
        self._order: dict[Atom, int] = {}
        self._invariant_products: dict[
            tuple[IndexExpression, IndexExpression], IndexExpression
        ] = {}
        self.origins: dict[SSAValue, SSAValue] = {}
        """The integers that indices are cast from."""
        self.products: dict[SSAValue, tuple[IndexExpression, IndexExpression]] = {}
        """The factors of what `product` has computed."""

    # Places

    @contextmanager
    def at(self, node: c_ast.Node) -> Iterator[None]:
        """Operations made inside the `with` block get the location of `node`."""
        outer, self._node = self._node, node if location_of_node(node) else self._node
        try:
            yield
        finally:
            self._node = outer

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Operations made inside the `with` block go to the end of `block`."""
        outer, self._block = self._block, block
        self._outer_blocks.append(outer)
        try:
            with self.assuming():
                yield
        finally:
            self._outer_blocks.pop()
            self._block = outer

    @contextmanager
    def assuming(self) -> Iterator[None]:
        """Assumptions made inside the `with` block end with it."""
        known = len(self._facts)
        try:
            yield
        finally:
            del self._facts[known:]

    @contextmanager
    def under(self, condition: Condition, is_reached: bool = False) -> Iterator[None]:
        """What is translated inside the `with` block is executed where `condition` holds.

        The condition of a loop holds for the values of its counter. With `is_reached`, there are
        such values wherever the program gets to the loop.
        """
        outer = self._path, self._is_certain
        self._path, self._is_certain = (*self._path, condition), self._is_certain and is_reached
        try:
            yield
        finally:
            self._path, self._is_certain = outer

    @property
    def is_certain(self) -> bool:
        """Whether the program always gets to the place."""
        return self._is_certain

    @property
    def path(self) -> tuple[Condition, ...]:
        """The conditions under which the program gets to the place."""
        return self._path

    @property
    def block(self) -> Block:
        """The block whose end is the place."""
        return self._block

    @property
    def entry_end(self) -> Operation | None:
        """The last operation in front of the region's first statement; `None` without any."""
        return self._entry_end

    def insert(self, op: _Op) -> _Op:
        """Put an operation at the place."""
        self.locate(op)
        self._block.add_op(op)
        return op

    def insert_invariant(self, op: _Op) -> _Op:
        """Put a pure operation that cannot trap at the entry if possible, otherwise at the place.

        At the entry, its results are invariant, and an operation that computes the same is there
        only once: the one that is there is the result.
        """
        if not all(self.is_invariant(operand) for operand in op.operands):
            return self.insert(op)
        known = self._computed.setdefault((op.name, *op.operands, *_details(op)), op)
        if known is not op:
            op.erase()
            return known  # type: ignore[return-value]
        self.insert_at_entry(op)
        self._invariant.update(dict.fromkeys(op.results))
        return op

    def insert_at_entry(self, op: _Op) -> _Op:
        """Put an operation in front of the region's first statement."""
        self.locate(op)
        if self._entry_end is not None:
            self.entry.insert_op_after(op, self._entry_end)
        elif self.entry.first_op is not None:
            self.entry.insert_op_before(op, self.entry.first_op)
        else:
            self.entry.add_op(op)
        self._entry_end = op
        return op

    def locate(self, op: Operation) -> None:
        """Give an operation the location of the node at hand."""
        location = location_of_node(self._node)
        if location is not None:
            op.location = FileLineColLoc(
                StringAttr(location.file), IntAttr(location.line), IntAttr(location.column)
            )

    def add_argument(self, type: Attribute, name: str) -> SSAValue:
        """A further argument of the function."""
        argument = self.entry.insert_arg(type, len(self.entry.args))
        argument.name_hint = name
        self._invariant[argument] = None
        return argument

    def new_cell(self, type: Attribute, name: str, shape: Sequence[int] = ()) -> SSAValue:
        """Memory that is local to the region."""
        cell = memref.AllocaOp.get(type, shape=shape)
        self.insert_at_entry(cell)
        cell.memref.name_hint = name
        self._cells.append((cell, self._block))
        return cell.memref

    def new_array(
        self, type: Attribute, name: str, shape: Sequence[int], sizes: Sequence[IndexExpression]
    ) -> SSAValue:
        """An array that is local to the region, with dynamic extents of these sizes, or 1."""
        one = IndexExpression((), 1)
        extents = [self.index_value(self.extremum((size, one), False)) for size in sizes]
        array = memref.AllocOp.get(type, None, shape, extents)
        self.insert_at_entry(array)
        array.memref.name_hint = name
        self._arrays.append(array.memref)
        return array.memref

    def free_arrays(self) -> None:
        """Free the new arrays at the end of the function."""
        for array in self._arrays:
            self.free_at_end(array)

    def free_at_end(self, array: SSAValue) -> None:
        """Free an array at the end of the function."""
        last = self.entry.last_op
        assert last is not None
        self.entry.insert_op_before(memref.DeallocOp.get(array), last)

    def define_cells(self) -> None:
        """Store to variables of loop bodies that only some iterations set, depending on data.

        So do those that are set in a loop whose bounds are data, which may not run, or under a
        condition.

        Without an initialiser, a variable has no value where its scope begins, so that any may be
        put there. Then no value goes from one iteration to the next.
        """
        for cell, scope in self._cells:
            type = cell.memref.type
            block = _outside_of_data(scope)
            assert isinstance(type, MemRefType)
            if block is self.entry or cell.parent is None or type.get_num_dims():
                continue
            uses = [use.operation for use in cell.memref.uses]
            around = [op for use in uses if (op := block.find_ancestor_op_in_block(use))]
            first = next((op for op in block.ops if op in around), None)
            if isinstance(first, scf.IfOp | scf.ForOp | scf.WhileOp):
                element = type.element_type
                is_integer = isinstance(element, IntegerType)
                value = IntegerAttr(0, element) if is_integer else FloatAttr(0.0, element)
                zero = arith.ConstantOp(value)
                map, _ = map_of((), dimensions_only=True)
                store = affine.StoreOp(zero.result, cell.memref, (), AffineMapAttr(map))
                for op in (zero, store):
                    op.location = first.location
                    block.insert_op_before(op, first)

    def put_cells_in_scope(self) -> None:
        """Move memory that is local to a block into it, so that each iteration has its own.

        Control on data is part of statements: what is local to it is around it.
        """
        for cell, scope in self._cells:
            block = _outside_of_data(scope)
            is_used = cell.parent is not None and block.first_op is not None
            if block is not self.entry and is_used:
                assert block.first_op is not None
                cell.detach()
                block.insert_op_before(cell, block.first_op)

    def order(self, value: Atom) -> int:
        """A unique number for a value; later requests for other values get larger numbers."""
        return self._order.setdefault(value, len(self._order))

    def is_invariant(self, value: Atom) -> bool:
        """Whether a value is the same in the whole region."""
        return value in self._invariant

    # Numbers

    def constant(self, value: int | float, type: Attribute) -> SSAValue:
        """A constant of a scalar type."""
        if isinstance(type, IndexType):
            op = arith.ConstantOp(IntegerAttr.from_index_int_value(int(value)))
        elif isinstance(type, IntegerType):
            op = arith.ConstantOp(IntegerAttr(_wrapped(int(value), type.width.data), type))
        else:
            assert isinstance(type, Float32Type | Float64Type)
            op = arith.ConstantOp(FloatAttr(float(value), type))
        return self.insert_invariant(op).result

    def index_value(self, expression: IndexExpression) -> SSAValue:
        """An SSA value of an index expression."""
        if expression.value is not None:
            return expression.value
        if expression.is_constant:
            return self.constant(expression.constant, IndexType())
        if self.is_affine(expression):
            map, operands = map_of([expression])
            return self.insert_invariant(affine.ApplyOp(operands, AffineMapAttr(map))).result
        terms = [self._term(atom, coefficient) for atom, coefficient in expression.terms]
        if expression.constant:
            terms.append(self.constant(expression.constant, IndexType()))
        return reduce(
            lambda left, right: self.insert_invariant(arith.AddiOp(left, right)).result, terms
        )

    def _term(self, atom: Atom, coefficient: int) -> SSAValue:
        value = atom if isinstance(atom, SSAValue) else self._division(atom)
        if coefficient == 1:
            return value
        factor = self.constant(coefficient, IndexType())
        return self.insert_invariant(arith.MuliOp(value, factor)).result

    def _division(self, division: Division) -> SSAValue:
        """A quotient or remainder of data; only dividends that are not negative are divided."""
        dividend = self.index_value(division.dividend)
        divisor = self.constant(division.divisor, IndexType())
        is_remainder = division.kind is AffineBinaryOpKind.Mod
        kind = arith.RemSIOp if is_remainder else arith.DivSIOp
        return self.insert_invariant(kind(dividend, divisor)).result

    def index_of_data(
        self, value: SSAValue, kind: type[arith.IndexCastOp] | type[ArithIndexCastUIOp]
    ) -> IndexExpression:
        """An integer value as an index; affine maps may use it if it is invariant."""
        result = self.insert_invariant(kind(value, IndexType())).result
        self.origins[result] = value
        if not self.is_invariant(result):
            self._data[result] = None
        return IndexExpression.of(result)

    def product(self, left: IndexExpression, right: IndexExpression) -> IndexExpression:
        """The product of two expressions; affine if one is constant, or a parameter."""
        if left.is_constant:
            return right.scale(left.constant)
        if right.is_constant:
            return left.scale(right.constant)
        key = (left, right)
        if key in self._invariant_products:
            return self._invariant_products[key]
        op = arith.MuliOp(self.index_value(left), self.index_value(right))
        result = self.insert_invariant(op).result
        self.products[result] = key
        product = IndexExpression.of(result)
        if self.is_invariant(result):
            self._invariant_products[key] = product
        else:
            self._data[result] = None
        return product

    def extremum(self, expressions: Sequence[IndexExpression], is_minimum: bool) -> IndexExpression:
        """The least or greatest of some expressions."""
        if not all(self.is_affine(each) for each in expressions):
            return self._extremum_of_data(
                [self.index_value(each) for each in expressions], is_minimum
            )
        key = (tuple(expressions), is_minimum)
        known = self._extrema.get(key)
        if known is not None and known.owner.parent in (*self._outer_blocks, self._block):
            return IndexExpression.of(known)
        map, operands = map_of(expressions)
        kind = affine.MinOp if is_minimum else MaxOp
        result = self.insert_invariant(kind(operands, AffineMapAttr(map))).results[0]
        self._extrema[key] = result
        return IndexExpression.of(result)

    def _extremum_of_data(self, values: Sequence[SSAValue], is_minimum: bool) -> IndexExpression:
        kind = arith.MinSIOp if is_minimum else arith.MaxSIOp
        result = reduce(lambda one, other: self.insert(kind(one, other)).result, values)
        self.note_data(result)
        return IndexExpression.of(result)

    def note_data(self, value: SSAValue) -> None:
        """From now on, affine maps may not use an index."""
        self._data[value] = None

    def is_affine(self, expression: IndexExpression) -> bool:
        """Whether affine maps may use all values in an expression."""
        return not any(value in self._data for value in expression.values())

    def is_parametric(self, expression: IndexExpression) -> bool:
        """Whether an expression is the same in the whole region."""
        return all(self.is_invariant(value) for value in expression.values())

    # What is known

    def assume(self, *nonnegative: IndexExpression) -> None:
        """From here to the end of the block, the expressions are known not to be negative."""
        self._facts.extend(nonnegative)

    def assume_constraint(self, constraint: Constraint) -> None:
        """From here to the end of the block, a constraint is known to hold."""
        self.assume(*constraint.nonnegative)

    def assume_everywhere(self, nonnegative: IndexExpression) -> None:
        """In the whole region, the expression is known not to be negative."""
        self._general_facts.append(nonnegative)

    def proves_nonnegative(self, expression: IndexExpression) -> bool:
        """Whether the assumptions imply that an expression is not negative."""
        if expression.is_constant:
            return expression.constant >= 0
        facts = (*self._general_facts, *self._facts)
        if expression in facts:
            return True
        return not self.is_possible([Constraint(expression.scale(-1).shift(-1), False)])

    def is_possible(self, constraints: Sequence[Constraint]) -> bool:
        """Whether the assumptions allow that some constraints hold together."""
        outcomes = [constraint.outcome for constraint in constraints]
        if False in outcomes or all(outcomes):
            return False not in outcomes
        facts = [*self._general_facts, *self._facts]
        tested = [constraint.expression for constraint in constraints]
        extrema = _extrema_in([*tested, *facts])
        of_extrema = (value for each in extrema.values() for value in each.values)
        numbering = Numbering.over([*tested, *facts, *of_extrema], dimensions_only=True)
        space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, len(numbering.dimensions))
        dimensions = [
            isl.PwAff.var_on_domain(space, isl.dim_type.set, position)
            for position in range(len(numbering.dimensions))
        ]

        def read(item: IndexExpression) -> isl.PwAff:
            return pw_aff_of(numbering.expression(item), dimensions, (), space)

        def found() -> bool:
            possible = isl.Set.universe(space)
            for constraint in constraints:
                value = read(constraint.expression)
                held = value.zero_set() if constraint.is_equality else value.nonneg_set()
                possible = possible.intersect(held)
            for fact in facts:
                possible = possible.intersect(read(fact).nonneg_set())
            # What is known about extrema is convex; only those that are tested have to be exact.
            for result, extremum in extrema.items():
                compare = isl.PwAff.le_set if extremum.is_minimum else isl.PwAff.ge_set
                for each in extremum.values:
                    bound = compare(read(IndexExpression.of(result)), read(each))
                    possible = possible.intersect(bound)
            if possible.is_empty():
                return False
            for result, extremum in _extrema_in(tested).items():
                combine = isl.PwAff.min if extremum.is_minimum else isl.PwAff.max
                computed = reduce(combine, map(read, extremum.values))
                is_result = computed.eq_set(read(IndexExpression.of(result)))
                possible = possible.intersect(is_result)
            return not possible.is_empty()

        # What takes isl long to refute counts as possible.
        return within_operations(budgets.SUBSCRIPT_PROOF, found) is not False

    def condition_for(
        self, nonnegative: Sequence[IndexExpression], facts: Sequence[IndexExpression]
    ) -> Condition | None:
        """The condition on the region's parameters for which expressions are not negative.

        They are so wherever `facts` hold beside what is known everywhere. `None` if there is no
        simple condition that programs can be expected to meet.
        """
        parameters = self._parameters_in(*nonnegative, *facts)
        return condition_for(nonnegative, facts, self._general_facts, parameters)

    def varies_less_than(
        self, limit: int, expression: IndexExpression, facts: Sequence[IndexExpression]
    ) -> bool:
        """Whether the values of an expression where `facts` hold are less than `limit` apart."""
        return varies_less_than(limit, expression, facts, self._parameters_in(expression, *facts))

    def _parameters_in(self, *expressions: IndexExpression) -> tuple[SSAValue, ...]:
        values = (value for each in expressions for value in each.values())
        return tuple(dict.fromkeys(filter(self.is_invariant, values)))

    # Memory

    def load(self, memory: SSAValue, indices: Sequence[IndexExpression]) -> SSAValue:
        """A load of one element, affine where its subscripts are."""
        op: Operation
        if all(self.is_affine(index) for index in indices):
            op = load_at(memory, indices)
        else:
            op = memref.LoadOp.get(memory, [self.index_value(index) for index in indices])
        self._record(memory, op, indices)
        return self.insert(op).results[0]

    def store(self, value: SSAValue, memory: SSAValue, indices: Sequence[IndexExpression]) -> None:
        """A store of one element, affine where its subscripts are."""
        op: Operation
        if all(self.is_affine(index) for index in indices):
            op = store_at(value, memory, indices)
        else:
            values = [self.index_value(index) for index in indices]
            op = memref.StoreOp.get(value, memory, values)
        self._record(memory, op, indices)
        self.insert(op)

    def _record(self, memory: SSAValue, op: Operation, indices: Sequence[IndexExpression]) -> None:
        access = SubscriptedAccess(op, tuple(indices), tuple(self._facts))
        self._accesses.setdefault(memory, []).append(access)

    @property
    def accesses(self) -> dict[SSAValue, tuple[SubscriptedAccess, ...]]:
        """The accesses to each memref that are still part of the function."""
        return {
            memory: tuple(access for access in accesses if access.operation.parent is not None)
            for memory, accesses in self._accesses.items()
        }


@dataclass(frozen=True)
class Extremum:
    """The least or the greatest of some values."""

    values: tuple[IndexExpression, ...]
    is_minimum: bool


def extremum_of(value: SSAValue) -> Extremum | None:
    """The minimum or maximum that an operation computes; `None` for other values."""
    op = value.owner
    if not isinstance(op, affine.MinOp | MaxOp):
        return None
    arguments = [IndexExpression.of(argument) for argument in op.arguments]
    return Extremum(tuple(compose(op.map.data, arguments)), isinstance(op, affine.MinOp))


def _details(op: Operation) -> Iterator[object]:
    """What an operation does with its operands, beside its name."""
    yield from op.result_types
    for entries in (op.properties, op.attributes):
        yield from sorted(entries.items())


def _extrema_in(expressions: Iterable[IndexExpression]) -> dict[SSAValue, Extremum]:
    """The minima and maxima of which expressions are computed."""
    found: dict[SSAValue, Extremum] = {}
    waiting = [value for expression in expressions for value in expression.values()]
    while waiting:
        value = waiting.pop()
        extremum = None if value in found else extremum_of(value)
        if extremum is not None:
            found[value] = extremum
            waiting += [inner for each in extremum.values for inner in each.values()]
    return found


def _wrapped(value: int, width: int) -> int:
    """`value` modulo 2**width, as a constant of a signless type of `width` bits."""
    if width == 1:
        return value & 1
    low = value & ((1 << width) - 1)
    return low - (1 << width) if low >> (width - 1) else low


def _outside_of_data(block: Block) -> Block:
    """A block, or the one around the outermost control on data that is around it."""
    found, around = block, block.parent_op()
    while around is not None:
        if isinstance(around, scf.ForOp | scf.WhileOp | scf.IfOp):
            assert around.parent is not None
            found = around.parent
        around = around.parent_op()
    return found
