"""Copies of statement bodies for given values of the iterators.

The expressions of the iterators are composed into the maps of the copied affine operations,
without `affine.apply`: `A[i]` with `i = 32*ti + j` becomes `A[32*ti + j]`. If an index is used as
data, its value is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.codegen.ast_expressions import materialize
from polyir.model.affine_operations import (
    computed_expression,
    load_at,
    map_operands,
    set_map_operands,
    store_at,
)
from polyir.model.index_expressions import IndexExpression, map_of
from polyir.model.memory_accesses import MemoryAccess, access_of, accesses_of


def copy_body(
    body: Block,
    iterators: Sequence[IndexExpression],
    builder: Builder,
    replaced: Mapping[SSAValue, SSAValue] = MappingProxyType({}),
    redirected: Mapping[tuple[Operation, SSAValue], Redirection] = MappingProxyType({}),
) -> None:
    """Insert a copy of `body` at the builder's insertion point, with `iterators` as arguments.

    `replaced` maps further values to their replacements; `redirected` maps loads and stores, with
    their memrefs, to the memory that their copies access.
    """
    copier = _BodyCopier(replaced, redirected)
    for argument, expression in zip(body.args, iterators, strict=True):
        copier.compute(argument, expression, builder)
    copier.copy_block(body, builder)
    copier.remove_unused()


@dataclass(frozen=True)
class Redirection:
    """The memory and the subscripts that replace those of an access.

    A number stands for the subscript of that number that the access has, which depends on data.
    """

    memory: SSAValue
    subscripts: tuple[IndexExpression | int, ...]

    @property
    def affine(self) -> tuple[IndexExpression, ...]:
        """The subscripts, none of which depends on data."""
        found = tuple(each for each in self.subscripts if not isinstance(each, int))
        assert len(found) == len(self.subscripts)
        return found


class _BodyCopier:
    """Copies operations; has the index expressions and the copies of the original's values."""

    def __init__(
        self,
        replaced: Mapping[SSAValue, SSAValue],
        redirected: Mapping[tuple[Operation, SSAValue], Redirection],
    ) -> None:
        self._redirected = redirected
        self._expressions: dict[SSAValue, IndexExpression] = {}
        self._values: dict[SSAValue, SSAValue] = dict(replaced)
        self._index_operations: list[Operation] = []

    def compute(self, value: SSAValue, expression: IndexExpression, builder: Builder) -> None:
        """Map the original's `value` to `expression`, and compute it in case it is used as data."""
        self._expressions[value] = expression
        self._values[value] = materialize(expression, builder)
        if expression.value is None:
            computed = self._values[value]
            computed.name_hint = value.name_hint
            assert isinstance(computed, OpResult)
            self._index_operations.append(computed.op)

    def copy_block(self, block: Block, builder: Builder) -> None:
        """Copy the operations of `block` in order."""
        for op in block.ops:
            self._copy(op, builder)

    def remove_unused(self) -> None:
        """Remove the index computations that are only used in maps."""
        for op in reversed(self._index_operations):
            if all(result.first_use is None for result in op.results):
                Rewriter.erase_op(op)

    def _copy(self, op: Operation, builder: Builder) -> None:
        expression = self._index_expression(op)
        if expression is not None and isinstance(op, affine.ApplyOp):
            self.compute(op.results[0], expression, builder)
            return
        access = access_of(op) if self._redirected else None
        redirection = None if access is None else self._redirected.get((op, access.memref))
        if access is not None and redirection is not None:
            copied = self._redirect(access, redirection, builder)
        else:
            copied = op.clone_without_regions(self._values)
            maps = map_operands(op)
            if maps is not None:
                set_map_operands(copied, [self._expression(value) for value in op.operands[maps]])
            if access is None and self._redirected:
                self._move(op, copied, builder)
        builder.insert(copied)
        self._values.update(zip(op.results, copied.results, strict=True))
        if expression is not None:
            self._expressions[op.results[0]] = expression
            self._index_operations.append(copied)
        for original, region in zip(op.regions, copied.regions, strict=True):
            for block in original.blocks:
                inner = Block(arg_types=block.arg_types)
                region.add_block(inner)
                for argument, new_argument in zip(block.args, inner.args, strict=True):
                    new_argument.name_hint = argument.name_hint
                    self._values[argument] = new_argument
                self.copy_block(block, Builder(InsertPoint.at_end(inner)))

    def _move(self, op: Operation, copied: Operation, builder: Builder) -> None:
        """Let the copy of an operation of another package access other memory."""
        for access, own in zip(accesses_of(op), accesses_of(copied), strict=True):
            to = self._redirected.get((op, access.memref))
            if to is not None and access.map is None:
                own.move(to.memory, [materialize(each, builder) for each in to.affine])
            elif to is not None:
                map, operands = map_of(to.affine)
                own.move(to.memory, operands, map)

    def _redirect(self, access: MemoryAccess, to: Redirection, builder: Builder) -> Operation:
        """The access with other memory and subscripts, as one of affine unless data has a part."""
        op = access.op
        of_data = {n: access.indices[n] for n in to.subscripts if isinstance(n, int)}
        if of_data and isinstance(op, memref.LoadOp | memref.StoreOp):
            indices = [
                self._values.get(of_data[each], of_data[each])
                if isinstance(each, int)
                else materialize(each, builder)
                for each in to.subscripts
            ]
            if isinstance(op, memref.StoreOp):
                value = self._values.get(op.value, op.value)
                new: Operation = memref.StoreOp.get(value, to.memory, indices)
            else:
                new = memref.LoadOp.get(to.memory, indices)
        elif access.is_write:
            value = self._values.get(access.value, access.value)
            new = store_at(value, to.memory, to.affine)
        else:
            new = load_at(to.memory, to.affine, access.value.type)
        new.location = access.op.location
        for old_result, result in zip(access.op.results, new.results, strict=True):
            result.name_hint = old_result.name_hint
        return new

    def _expression(self, value: SSAValue) -> IndexExpression:
        known = self._expressions.get(value)
        if known is not None:
            return known
        match value.owner:
            case arith.ConstantOp(value=IntegerAttr(value=number)):
                return IndexExpression((), number.data)
            case _:
                return IndexExpression.of(self._values.get(value, value))

    def _index_expression(self, op: Operation) -> IndexExpression | None:
        """The affine expression that `op` computes, or `None`."""
        if len(op.results) != 1 or not isinstance(op.results[0].type, IndexType):
            return None
        return computed_expression(op, [self._expression(operand) for operand in op.operands])
