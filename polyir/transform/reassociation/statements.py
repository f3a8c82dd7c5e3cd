"""The memory and the statements of reductions in lanes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import islpy as isl
from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine_maps import Valued
from polyir.model.scop import Scop
from polyir.model.updates import allow_overflow, memory_of, neutral_element
from polyir.sets.boxes import Side
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.temporaries import StatementValues
from polyir.transform.reassociation.new_statement import NewStatement
from polyir.transform.reassociation.rewriting import Piece, Rewriting, single
from polyir.transform.reassociation.tree import RewrittenTree
from polyir.tree.operations import set_schedule


def apply_rewriting(op: ScopOp, scop: Scop, rewriting: Rewriting) -> None:
    """Rewrite the operations of a scop, with all instances in the order that they had.

    Its dependences are out of date after it.
    """
    _Builder(op, scop, rewriting).build()
    set_schedule(op, RewrittenTree(rewriting).in_order())


_Item = TypeVar("_Item")


class _Builder:
    """Makes the memory and the statements of a rewriting."""

    def __init__(self, op: ScopOp, scop: Scop, rewriting: Rewriting) -> None:
        self._op = op
        self._scop = scop
        self._rewriting = rewriting
        self._reduction = reduction = rewriting.reduction
        self._update = reduction.update
        name = self._update.statement.name
        (self._statement,) = (each for each in op.statements if each.sym_name.data == name)
        self._around = len(reduction.around)
        self._has_parts = reduction.blocks > 1
        self._original = memory_of(self._update.store)

    def build(self) -> None:
        """Allocate memory, let the statement use it, and add the new statements."""
        reduction, rewriting = self._reduction, self._rewriting
        allocator = Allocator(self._op)
        parts = [constant_side(reduction.blocks)] if self._has_parts else []
        cells = constant_side(reduction.blocks * reduction.lanes)
        self._partial = allocator.allocate(self._original, self._in_order(rewriting.box, cells))
        self._partial.name_hint = f"{self._update.array}_partial"
        if self._has_parts:
            self._totals = allocator.allocate(self._original, parts)
            self._totals.name_hint = f"{self._update.array}_part"
        self._redirect()
        block = self._op.body.block
        last: Operation = self._statement
        for piece in rewriting.pieces:
            statement = self._new_statement(piece)
            block.insert_op_after(statement, last)
            last = statement

    def _in_order(self, others: Iterable[_Item], lane: _Item) -> list[_Item]:
        """The subscripts of partial results in the order of memory.

        The lanes of all parts are one dimension: dependences are found faster.
        """
        return [lane, *others] if self._reduction.lanes_first else [*others, lane]

    def _redirect(self) -> None:
        """Let the statement update partial results."""
        reduction, update = self._reduction, self._update
        values = StatementValues(self._scop, update.statement)
        cell = [
            single(loop.values).sub(side.lower_on(single(loop.values).get_domain_space()))
            for loop, side in zip(reduction.results, self._rewriting.box, strict=True)
        ]
        subscripts = self._in_order(values.expressions(cell), self._lane(values))
        for access in (update.load, update.store):
            values.redirect(access.operation, self._partial, tuple(subscripts))
        allow_overflow(update.steps)

    def _lane(self, values: StatementValues) -> AffineExpr:
        """The lane of an instance, among the lanes of all parts."""
        reduction = self._reduction
        (lane,) = values.expressions([single(reduction.lane.values)])
        if reduction.part is None:
            return lane % (reduction.lanes * reduction.blocks)
        (part,) = values.expressions([single(reduction.part.values)])
        return part % reduction.blocks * reduction.lanes + lane % reduction.lanes

    def _new_statement(self, piece: Piece) -> StmtOp:
        rewriting = self._rewriting
        body = NewStatement(self._op, piece.domain)
        if piece is rewriting.initial:
            value = body.add(
                arith.ConstantOp(neutral_element(self._update.combiner, self._update.element_type))
            )
            body.store(value, self._partial, self._cell(body, piece, _last_iterator(piece)))
        elif piece is rewriting.result or piece is rewriting.total:
            self._finish(body, piece)
        else:
            lane = _last_iterator(piece)
            own, other = self._pair(body, piece, lane, piece.half)
            target = self._target(body, piece, lane)
            body.store(self._combined(body, own, other), *target)
        return body.finished(self._statement)

    def _finish(self, body: NewStatement, piece: Piece) -> None:
        """Combine the last two lanes; of a part to its result, else with X[f]."""
        own, other = self._pair(body, piece, AffineConstantExpr(0), 1)
        value = self._combined(body, own, other)
        if self._has_parts and piece is self._rewriting.result:
            body.store(value, self._totals, (AffineDimExpr(self._around),))
            return
        place = self._place(body)
        old = body.load(self._original, place)
        body.store(self._combined(body, old, value), self._original, place)

    def _pair(
        self, body: NewStatement, piece: Piece, lane: AffineExpr, distance: int
    ) -> tuple[SSAValue, SSAValue]:
        """Two partial results, of a lane and of the one so far away."""
        own, other = (self._target(body, piece, each) for each in (lane, lane + distance))
        return body.load(*own), body.load(*other)

    def _target(
        self, body: NewStatement, piece: Piece, lane: AffineExpr
    ) -> tuple[SSAValue, Valued]:
        """The memory and the subscripts of a partial result, or of the result of a part."""
        rewriting = self._rewriting
        if any(piece is each for each in (*rewriting.parts, rewriting.total)):
            return self._totals, (lane,)
        return self._partial, self._cell(body, piece, lane)

    def _cell(self, body: NewStatement, piece: Piece, lane: AffineExpr) -> Valued:
        """The subscripts of a partial result, over the iterators and parameters."""
        space = piece.domain.get_space()
        functions = [
            isl.Aff.var_on_domain(space, isl.dim_type.set, position).sub(side.lower_on(space))
            for position, side in enumerate(self._rewriting.box, self._around)
        ]
        others = [body.subscript(function) for function in functions]
        if self._has_parts:
            lane = AffineDimExpr(self._around) * self._reduction.lanes + lane
        return tuple(self._in_order(others, lane))

    def _place(self, body: NewStatement) -> Valued:
        """The subscripts of X, over the iterators and parameters."""
        place = self._rewriting.place
        count = place.dim(isl.dim_type.out)
        return tuple(body.subscript(place.get_at(each)) for each in range(count))

    def _combined(self, body: NewStatement, left: SSAValue, right: SSAValue) -> SSAValue:
        return body.add(*self._update.combiner.combine(left, right))


def _last_iterator(piece: Piece) -> AffineExpr:
    return AffineDimExpr(piece.domain.dim(isl.dim_type.set) - 1)


def constant_side(extent: int) -> Side:
    """A side of a box that begins at 0 and has a constant extent."""
    zero = isl.Aff.zero_on_domain(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
    return Side.of(zero, extent)
