"""The memory and the statements of reductions in lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import islpy as isl
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine_maps import Valued
from polyir.model.scop import Scop
from polyir.model.updates import Update
from polyir.sets.boxes import constant_side
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.temporaries import StatementValues
from polyir.transform.reassociation.builder import Element, PartialResultsBuilder
from polyir.transform.reassociation.partial_results import single
from polyir.transform.reassociation.plan import ReductionPlan
from polyir.transform.reassociation.rewriting import Piece, Rewriting
from polyir.transform.reassociation.tree import RewrittenTree
from polyir.tree.operations import set_schedule


def apply_rewriting(op: ScopOp, scop: Scop, rewriting: Rewriting) -> None:
    """Rewrite the operations of a scop, with all instances in the order that they had.

    Its dependences are out of date after it.
    """
    reduction, depth = rewriting.reduction, rewriting.results.depth
    lanes, blocks = reduction.lanes, reduction.blocks
    builder = PartialResultsBuilder(op, scop, rewriting.results, reduction.lanes_first)
    allocator = Allocator(op)
    # The lanes of all parts are one dimension: dependences are found faster.
    builder.allocate(allocator, blocks * lanes)
    part = AffineDimExpr(depth)
    if rewriting.across_parts:
        totals = allocator.allocate(builder.original, [constant_side(blocks)])
        totals.name_hint = f"{reduction.update.array}_part"
    builder.accumulate(partial(_lane_of, reduction))

    def of_lane(piece: Piece, lane: AffineExpr) -> Element:
        number = part * lanes + lane if rewriting.across_parts else lane
        return builder.partial(piece.domain, (number,), depth)

    def of_part(_: Piece, number: AffineExpr) -> Element:
        return totals, (number,)

    initial, place = rewriting.initial, builder.element(rewriting.place)
    statements = [builder.initial(initial.domain, of_lane(initial, _last_iterator(initial)))]
    if rewriting.across_parts:
        statements += _tree(builder, rewriting.combining, of_lane, (totals, (part,)))
        statements += _tree(builder, rewriting.across_parts, of_part, place, updates=True)
    else:
        statements += _tree(builder, rewriting.combining, of_lane, place, updates=True)
    builder.insert(statements)
    set_schedule(op, RewrittenTree(rewriting).in_order())


def _tree(
    builder: PartialResultsBuilder,
    pieces: Sequence[Piece],
    element: Callable[[Piece, AffineExpr], Element],
    target: Element,
    updates: bool = False,
) -> Iterator[StmtOp]:
    """The statements that combine pairs of elements, at last to the target."""
    for piece in pieces:
        is_last = piece is pieces[-1]
        first: AffineExpr = AffineConstantExpr(0) if is_last else _last_iterator(piece)
        pair = element(piece, first), element(piece, first + piece.half)
        own = target if is_last else pair[0]
        yield builder.combination(piece.domain, own, pair, is_last and updates)


def _lane_of(reduction: ReductionPlan, _: Update, values: StatementValues) -> Valued:
    """The lane of an instance, among the lanes of all parts."""
    lanes, blocks = reduction.lanes, reduction.blocks
    (lane,) = values.expressions([single(reduction.lane.values)])
    if reduction.part is None:
        return (lane % (lanes * blocks),)
    (part,) = values.expressions([single(reduction.part.values)])
    return (part % blocks * lanes + lane % lanes,)


def _last_iterator(piece: Piece) -> AffineExpr:
    return AffineDimExpr(piece.domain.dim(isl.dim_type.set) - 1)
