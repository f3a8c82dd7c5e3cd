"""Fetching ahead: the elements of the next block come into the caches while a block is computed."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import affine, vector
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, i1, i32
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from polyir.dialects.affine_semantics import is_valid_dimension
from polyir.dialects.memory_extra import PrefetchOp
from polyir.loops.loop_forms import computed, initial_values, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.vector_copies import substituted
from polyir.model.affine_operations import is_semi_affine, written_out
from polyir.model.index_expressions import IndexExpression, compose, map_of

FIRST_LEVEL = 3
"""The locality of what is used soon: in all caches."""

_Loads = affine.VectorLoadOp | vector.LoadOp | vector.MaskedLoadOp


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
    found = [_subscripts(value.owner, loop) for value in initial_values(loop)]
    wanted = [each for each in found if each is not None and _depends_on(each[1], range.counter)]
    builder = Builder(InsertPoint.before(loop))
    following = _next_value(range, builder) if wanted else None
    if following is None:
        return 0
    for array, subscripts in wanted:
        at = [substituted(each, {range.counter: following}) for each in subscripts]
        indices = [computed(each, True, builder) for each in at]
        hint = PrefetchOp.create(
            operands=[array, *indices],
            properties={
                "isWrite": IntegerAttr(1, i1),
                "localityHint": IntegerAttr(FIRST_LEVEL, i32),
                "isDataCache": IntegerAttr(1, i1),
            },
        )
        hint.location = loop.location
        builder.insert(hint)
    return len(wanted)


def _subscripts(
    load: object, loop: affine.ForOp
) -> tuple[SSAValue, tuple[IndexExpression, ...]] | None:
    """The array and the first element of a vector that is loaded in the block of `loop`."""
    if not isinstance(load, _Loads) or load.parent is not loop.parent:
        return None
    known: dict[SSAValue, IndexExpression] = {}
    if isinstance(load, affine.VectorLoadOp):
        if is_semi_affine(load):
            return None
        indices = [written_out(index, known) for index in load.indices]
        return load.memref, tuple(compose(load.map.data, indices))
    return load.operands[0], tuple(written_out(index, known) for index in load.indices)


def _depends_on(subscripts: Sequence[IndexExpression], counter: SSAValue) -> bool:
    return any(counter in each.values() for each in subscripts)


def _next_value(range: LoopRange, builder: Builder) -> IndexExpression | None:
    """The next value of a counter, or one near its last value; `None` if that is not affine."""
    assert range.step is not None
    ends = [each.shift(-1) for each in range.upper]
    values = [IndexExpression.of(range.counter).shift(range.step), *ends]
    if not all(is_valid_dimension(value) for each in values for value in each.values()):
        return None
    map, operands = map_of(values)
    least = builder.insert(affine.MinOp(operands, AffineMapAttr(map)))
    least.result.name_hint = "next"
    return IndexExpression.of(least.result)
