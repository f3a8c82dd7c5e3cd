"""isl's matrices from rows of numbers, and back."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.schedule.linear import Row


def entries_of(matrix: isl.Mat) -> list[Row]:
    """The rows of an isl matrix."""
    columns = range(matrix.cols())
    return [
        tuple(matrix.get_element_val(row, column).to_python() for column in columns)
        for row in range(matrix.rows())
    ]


def matrix_of(rows: Sequence[Sequence[int]], width: int) -> isl.Mat:
    """`rows` as an isl matrix.

    islpy copies a whole matrix for every entry that is set: hence single rows, joined pairwise.
    """
    zero = isl.Mat.alloc(isl.DEFAULT_CONTEXT, 0, width).add_zero_rows(1)
    matrices = []
    for row in rows:
        matrix = zero
        for column, entry in enumerate(row):
            if entry:
                matrix = matrix.set_element_val(0, column, entry)
        matrices.append(matrix)
    while len(matrices) > 1:
        joined = [one.concat(two) for one, two in zip(matrices[::2], matrices[1::2], strict=False)]
        matrices = joined + matrices[2 * len(joined) :]
    return matrices[0] if matrices else isl.Mat.alloc(isl.DEFAULT_CONTEXT, 0, width)
