"""Fetching ahead: the elements of the next block come into the caches while a block is computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.builder import Builder
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, i1, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind
from xdsl.rewriter import InsertPoint

from polyir.dialects.affine_semantics import is_valid_dimension
from polyir.dialects.memory_extra import PrefetchOp
from polyir.loops.loop_forms import computed, initial_values, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.vector_copies import substituted
from polyir.model.affine_operations import is_semi_affine, written_out
from polyir.model.index_expressions import IndexExpression, map_of
from polyir.model.memory_accesses import access_of

FIRST_LEVEL = 3
"""The locality of what is used soon: in all caches."""

SECOND_LEVEL = 2
"""The locality of what other data come before: in all caches but the first."""


def fetch_ahead(loop: affine.ForOp) -> int:
    """Fetch what the next run of `loop` starts with; how many vectors that are.

    Those are the vectors that are loaded right before `loop`, and that it carries from iteration to
    iteration, at the next value of the counter of the loop around. A hint changes no result, and
    may be to any address.

        for i.. step 8:                          for i.. step 8:
          %c = vector_load C[i][j]                 %c = vector_load C[i][j]
          for k.. iter_args(%s = %c):       =>     prefetch C[min(i + 8, n - 1)][j]
            ...                                    for k.. iter_args(%s = %c):
    """
    around = loop.parent_op()
    while isinstance(around, affine.IfOp):
        around = around.parent_op()
    range = range_of(around) if isinstance(around, affine.ForOp) else None
    if range is None:
        return 0
    loads = [value.owner for value in initial_values(loop)]
    found = [_subscripts(load) for load in loads if _is_in(load, loop.parent)]
    wanted = [each for each in found if each is not None and _depends_on(each[1], range.counter)]
    builder = Builder(InsertPoint.before(loop))
    following = _next_value(range, builder) if wanted else None
    if following is None:
        return 0
    for array, subscripts in wanted:
        at = [substituted(each, {range.counter: following}) for each in subscripts]
        _fetch(array, at, FIRST_LEVEL, loop, builder, is_written=True)
    return len(wanted)


def fetch_rows_ahead(
    loop: affine.ForOp,
    loads: Sequence[Operation],
    rows: LoopRange,
    repeated: LoopRange,
    tiles: LoopRange,
) -> tuple[SSAValue, ...]:
    """Fetch the rows that the next tile packs, one in each run of `loop`; of which arrays.

    `loads` in `loop` read the rows of a block, from the counter of `rows` on. `tiles` is the loop
    over the tiles of such blocks, in which they are packed. They are the same in all iterations of
    `repeated`, a loop around `loop`, each of which fetches another one.

        for ti.. step 96:                          for ti.. step 96:
          for j.. step 24:                           for j.. step 24:
            for i = ti.. step 8:                       for i = ti.. step 8:
              for k:                        =>           for k:
                ... A[i][k] ...                            prefetch A[i + 96 + j floordiv 24][k]
                                                           ... A[i][k] ...
    """
    starts = [each for each in rows.lower if tiles.counter in each.values()]
    if not starts or len(repeated.lower) != 1 or not tiles.step or not repeated.step:
        return ()
    builder = Builder(InsertPoint.before(loop))
    turn = IndexExpression.of(repeated.counter) - repeated.lower[0]
    turn = turn.divide(AffineBinaryOpKind.FloorDiv, repeated.step)
    row = _clamped(IndexExpression.of(rows.counter).shift(tiles.step) + turn, tiles, builder)
    if row is None:
        return ()
    fetched: list[SSAValue] = []
    builder = Builder(InsertPoint.at_start(loop.body.block))
    for array, subscripts in filter(None, map(_subscripts, loads)):
        if array not in fetched and _depends_on(subscripts, rows.counter):
            at = [substituted(each, {rows.counter: row}) for each in subscripts]
            if _is_known(at, loop):
                _fetch(array, at, SECOND_LEVEL, loop, builder)
                fetched.append(array)
    return tuple(fetched)


def _fetch(
    array: SSAValue,
    at: Sequence[IndexExpression],
    locality: int,
    loop: affine.ForOp,
    builder: Builder,
    is_written: bool = False,
) -> None:
    hint = PrefetchOp.create(
        operands=[array, *(computed(each, True, builder) for each in at)],
        properties={
            "isWrite": IntegerAttr(int(is_written), i1),
            "localityHint": IntegerAttr(locality, i32),
            "isDataCache": IntegerAttr(1, i1),
        },
    )
    hint.location = loop.location
    builder.insert(hint)


def _is_in(load: object, block: Block | None) -> bool:
    return isinstance(load, Operation) and load.parent is block


def _subscripts(load: object) -> tuple[SSAValue, tuple[IndexExpression, ...]] | None:
    """The array that is loaded from, and the subscripts of the first element."""
    access = access_of(load) if isinstance(load, Operation) else None
    if access is None or access.is_write or is_semi_affine(access.op):
        return None
    return access.memref, access.subscripts(partial(written_out, known={}))


def _is_known(subscripts: Sequence[IndexExpression], loop: affine.ForOp) -> bool:
    """Whether subscripts are known where the body of a loop starts."""
    values = (value for each in subscripts for value in each.values())
    body = loop.body.block
    return all(value.owner is body or not loop.is_ancestor(value.owner) for value in values)


def _depends_on(subscripts: Sequence[IndexExpression], counter: SSAValue) -> bool:
    return any(counter in each.values() for each in subscripts)


def _next_value(range: LoopRange, builder: Builder) -> IndexExpression | None:
    """The next value of a counter, or one near its last value; `None` if that is not affine."""
    assert range.step is not None
    return _clamped(IndexExpression.of(range.counter).shift(range.step), range, builder)


def _clamped(value: IndexExpression, range: LoopRange, builder: Builder) -> IndexExpression | None:
    """`value`, or the last value of a range if that is less; `None` if it is not affine."""
    values = [value, *(each.shift(-1) for each in range.upper)]
    if not all(is_valid_dimension(value) for each in values for value in each.values()):
        return None
    map, operands = map_of(values)
    least = builder.insert(affine.MinOp(operands, AffineMapAttr(map)))
    least.result.name_hint = "next"
    return IndexExpression.of(least.result)
