"""The body of a C function while it is written: variables, values and what waits to be folded.

A value that is used once, in its own block, is folded into the statement that uses it. Until then
its expression *waits*. Before anything is written to memory that a waiting expression reads, the
expression becomes a `const` local, so that a load never moves across a store to the same array.
Arrays that are different arguments or allocations are taken not to overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.traits import IsTerminator

from polyir.dialects.pure_functions import is_pure_call
from polyir.target.c.affine import apply_map, literal, occurrences
from polyir.target.c.expressions import (
    Element,
    Expression,
    FloatLiteral,
    IntegerLiteral,
    Name,
    Variable,
    reads_memory,
    variables_of,
    walk,
)
from polyir.target.c.names import NameTable
from polyir.target.c.statements import Writer
from polyir.target.c.types import Scalar, refuse
from polyir.target.c.usage import Usage
from polyir.target.c.uses import is_droppable, use_counts


@dataclass(frozen=True)
class Array:
    """How the memory of a memref is reached in C.

    `variable` is indexed, or dereferenced if there are no indices and `is_pointer`. `flat` is
    set where the interface gives a plain pointer to the first element beside it.
    """

    variable: Variable
    element: Scalar
    extents: tuple[Expression, ...]
    is_pointer: bool
    flat: Variable | None = None


class Body:
    """What is known while the operations of one function are written down in order."""

    def __init__(
        self,
        names: NameTable,
        usage: Usage,
        emit_operation: Callable[[Body, Operation], None],
        openmp: bool,
    ) -> None:
        self.names = names
        self.usage = usage
        self.openmp = openmp
        self.writer = Writer(depth=1)
        self.in_parallel = False
        self.arrays: dict[SSAValue, Array] = {}
        self._emit_operation = emit_operation
        self._values: dict[SSAValue, Expression] = {}
        self._waiting: dict[SSAValue, Expression] = {}
        self._uses: dict[SSAValue, int] = {}

    def text(self, expression: Expression) -> str:
        """The C text of an expression that is now part of the program."""
        return self.usage.text(expression)

    def type_name(self, type: Scalar) -> str:
        """The C name of a type that is now part of the program."""
        return self.usage.type_name(type)

    # Values

    def count_uses(self, block: Block) -> None:
        """Find the values of a function that something depends on, and how often they occur."""
        self._uses = use_counts(block)

    def is_used(self, value: SSAValue) -> bool:
        return value in self._uses

    def bind(self, value: SSAValue, expression: Expression) -> None:
        """Say that `value` is `expression`, a name or literal, wherever it is used."""
        self._values[value] = expression

    def define(self, value: SSAValue, expression: Expression) -> None:
        """Say that `value` is `expression`, evaluated at this point of the program."""
        if not self.is_used(value):
            return
        if isinstance(expression, Name | IntegerLiteral | FloatLiteral):
            self._values[value] = expression
        elif self._uses[value] == 1 and _single_user_is_beside(value):
            self._waiting[value] = expression
        else:
            self._declare(value, expression)

    def take(self, value: SSAValue) -> Expression:
        """The expression of `value`, to be evaluated in the statement that is written next."""
        waiting = self._waiting.pop(value, None)
        if waiting is not None:
            return waiting
        known = self._values.get(value)
        if known is None:
            owner = value.owner
            op = owner if isinstance(owner, Operation) else owner.parent_op()
            raise refuse(op, f"the C target cannot pass on a value of type {value.type}")
        return known

    def take_invariant(self, value: SSAValue) -> Expression:
        """The expression of `value`, to be evaluated several times: it reads no memory."""
        self._settle(value, reads_memory)
        return self.take(value)

    def take_name(self, value: SSAValue) -> Expression:
        """The expression of `value` as a name or literal."""
        self._settle(value, lambda _: True)
        return self.take(value)

    def take_map(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[Expression]:
        """The results of an affine map, to be evaluated any number of times."""
        return apply_map(map, self.take_operands(map.results, map.num_dims, operands))

    def take_operands(
        self, expressions: Sequence[AffineExpr], num_dims: int, operands: Sequence[SSAValue]
    ) -> list[Expression]:
        """What to put for the dimensions and symbols of `expressions`.

        An operand that occurs several times becomes a name, so that it is computed once; for one
        that does not occur, anything will do.
        """
        counts = occurrences(expressions, num_dims)
        taken: list[Expression] = []
        for position, operand in enumerate(operands):
            if position not in counts:
                taken.append(literal(0))
            elif counts[position] == 1:
                taken.append(self.take_invariant(operand))
            else:
                taken.append(self.take_name(operand))
        return taken

    def _settle(self, value: SSAValue, test: Callable[[Expression], bool]) -> None:
        """Make `value` a local if its expression waits and satisfies `test`."""
        expression = self._waiting.get(value)
        if expression is not None and test(expression):
            del self._waiting[value]
            self._declare(value, expression)

    def _declare(self, value: SSAValue, expression: Expression) -> None:
        text = self.text(expression)
        variable = self.names.for_value(value, "t")
        self.writer.line(f"const {self.type_name(expression.type)} {variable.name} = {text};")
        # Its only use may be as a result of a loop or condition that nobody reads.
        self.writer.mark_used(variable)
        self._values[value] = Name(expression.type, variable)

    # Memory

    def array(self, memref: SSAValue) -> Array:
        array = self.arrays.get(memref)
        if array is None:
            owner = memref.owner
            op = owner if isinstance(owner, Operation) else owner.parent_op()
            raise refuse(op, f"the C target does not know where this {memref.type} lies")
        return array

    def element(self, memref: SSAValue, indices: Sequence[Expression]) -> Element:
        """The element of a memref at `indices`."""
        array = self.array(memref)
        return Element(array.element, array.variable, tuple(indices), array.is_pointer)

    def before_write(self, *arrays: Variable) -> None:
        """Settle the waiting expressions that read one of `arrays`, which are about to change."""
        self._settle_readers(lambda part: part.array in arrays)

    def before_any_write(self) -> None:
        """Settle all waiting expressions that read memory."""
        self._settle_readers(lambda part: True)

    def before_region(self, op: Operation) -> None:
        """Settle the waiting expressions that read what the regions of `op` may change."""
        for inner in op.walk():
            is_call = isinstance(inner, func.CallOp) and not is_pure_call(inner)
            if is_call or isinstance(inner, memref.CastOp | memref.GetGlobalOp):
                # These may write anything, or give a new name to something.
                self.before_any_write()
            if not (inner is op or is_droppable(inner)):
                for operand in inner.operands:
                    if operand in self.arrays:
                        self.before_write(self.arrays[operand].variable)

    def _settle_readers(self, test: Callable[[Element], bool]) -> None:
        for value, expression in list(self._waiting.items()):
            if any(isinstance(part, Element) and test(part) for part in walk(expression)):
                del self._waiting[value]
                self._declare(value, expression)

    # Blocks

    @contextmanager
    def nested(self, head: str, tail: str = "}") -> Iterator[None]:
        """A block of C with its own scope."""
        with self.writer.block(head, tail), self.names.scope():
            yield

    def emit_block(self, block: Block) -> Operation | None:
        """Write down all operations but the terminator, which is given back."""
        last = block.last_op
        terminator = last if last is not None and last.has_trait(IsTerminator()) else None
        for op in block.ops:
            if op is not terminator:
                self._emit_operation(self, op)
        return terminator

    def assign(self, targets: Sequence[Variable], values: Sequence[Expression]) -> None:
        """Assign all values to all targets at once: each is read before it is overwritten."""
        left = [
            (target, value)
            for target, value in zip(targets, values, strict=True)
            if not (isinstance(value, Name) and value.variable is target)
        ]
        while left:
            free = next((pair for pair in left if not _is_read_by_others(pair[0], left)), None)
            if free is not None:
                left.remove(free)
                target, value = free
                self.writer.line(f"{target.name} = {self.text(value)};")
                continue
            # Each target is read by another value: compute one value ahead of its turn.
            target, value = left.pop(0)
            ahead = self.names.fresh(f"next_{target.name}")
            type_name = self.type_name(value.type)
            self.writer.line(f"const {type_name} {ahead.name} = {self.text(value)};")
            left.append((target, Name(value.type, ahead)))


def _is_read_by_others(target: Variable, pairs: Sequence[tuple[Variable, Expression]]) -> bool:
    return any(target in variables_of(value) for other, value in pairs if other is not target)


def _single_user_is_beside(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, Operation) and all(
        use.operation.parent is owner.parent for use in value.uses
    )
