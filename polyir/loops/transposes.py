"""Columns of a matrix as vectors: its rows are loaded, and transposed in registers.

    for j = 0 to m:                         for j = 0 to m - 3 step 4:
      for i = 0 to 4, in one vector:          r0 .. r3 = A[0][j .. j+4], .., A[3][j .. j+4]
        y[i] += A[i][j] * x[j]        =>      c0 .. c3 = their transpose
                                              y[0 .. 4] += c0 * broadcast x[j]
                                              ..
                                              y[0 .. 4] += c3 * broadcast x[j + 3]

Each sum keeps its order. A column needs one load and log2(width) shuffles instead of a load and an
insertion for each of its elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i1, i64
from xdsl.ir import SSAValue

from polyir.loops.vector_copies import (
    BodyFacts,
    Element,
    Expansion,
    Key,
    element_type,
    factor_of,
)
from polyir.model.memory_accesses import ElementAccess, ElementLoad

MOST_ROWS = 64
"""The most rows that are transposed at once: all of them are in registers."""


def transposable_loads(
    facts: BodyFacts, around: SSAValue, vectors: int, width: int
) -> dict[Element, ElementLoad]:
    """The loads whose elements are apart along the vectors, but successive along a loop around.

    `around` is the counter of that loop, in which nothing may be stored to the same elements.
    Empty if their rows, for so many `vectors` of each load, are too many for the registers.
    """
    if width.bit_count() != 1:
        return {}
    found = {
        facts.element(op): op
        for op in facts.subscripts
        if isinstance(op, ElementLoad)
        and facts.vector in facts.of_access(op)
        and not facts.is_successive(op)
        and element_type(op) != i1
        and _is_successive_along(facts, op, around)
    }
    return found if len(found) * vectors * width <= MOST_ROWS else {}


def _is_successive_along(facts: BodyFacts, op: ElementAccess, counter: SSAValue) -> bool:
    *others, last = (factor_of(each, counter) for each in facts.subscripts[op])
    return last == 1 and not any(factor != 0 for factor in others)


def columns(expansion: Expansion, op: ElementLoad) -> list[dict[Key, SSAValue]]:
    """The vectors that a load is of in successive iterations of the loop around, as many as lanes.

    The counter of that loop is at its first value in `expansion`.
    """
    result: list[dict[Key, SSAValue]] = [{} for _ in range(expansion.width)]
    for key in expansion.keys(expansion.facts.of_access(op)):
        rows = [expansion.load_row(op, key, lane) for lane in range(expansion.width)]
        for copies, column in zip(result, transposed(rows, expansion.builder), strict=True):
            column.name_hint = op.results[0].name_hint
            copies[key] = column
    return result


def transposed(rows: Sequence[SSAValue], builder: Builder) -> list[SSAValue]:
    """The columns of a square matrix, whose size is a power of two.

    Each step exchanges a bit of the numbers of rows with that bit of the numbers of columns: those
    parts of two rows that are not on the diagonal change places (Eklundh: "A fast computer method
    for matrix transposing", IEEE Transactions on Computers, 1972).
    """
    size, current = len(rows), list(rows)
    bit = 1
    while bit < size:
        lanes = range(size)
        kept = [size + lane - bit if lane & bit else lane for lane in lanes]
        moved = [size + lane if lane & bit else lane + bit for lane in lanes]
        for place in lanes:
            if not place & bit:
                pair = current[place], current[place + bit]
                current[place] = _shuffled(*pair, kept, builder)
                current[place + bit] = _shuffled(*pair, moved, builder)
        bit *= 2
    return current


def _shuffled(
    one: SSAValue, other: SSAValue, positions: Sequence[int], builder: Builder
) -> SSAValue:
    type = one.type
    assert isinstance(type, VectorType)
    mask = DenseArrayBase.from_list(i64, positions)
    return builder.insert(vector.ShuffleOp(one, other, mask, result_type=type)).result
