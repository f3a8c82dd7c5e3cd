"""Small integer matrices as tuples of rows, and what isl's `Mat` computes of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import gcd
from operator import mul

import islpy as isl

from polyir.sets.values import isl_value

Row = tuple[int, ...]


def matrix_of(rows: Sequence[Sequence[int]], width: int) -> isl.Mat:
    """`rows`, each of `width` entries, as an isl matrix."""
    zero = isl.Mat.alloc(isl.DEFAULT_CONTEXT, 0, width).add_zero_rows(1)
    matrices = []
    for row in rows:
        # islpy copies the matrix for every entry that is set: hence a matrix for each row.
        matrix = zero
        for column, entry in enumerate(row):
            if entry:
                matrix = matrix.set_element_val(0, column, isl_value(entry))
        matrices.append(matrix)
    return stacked(matrices, width)


def stacked(matrices: Sequence[isl.Mat], width: int) -> isl.Mat:
    """The rows of all `matrices`, each of `width` columns."""
    if not matrices:
        return isl.Mat.alloc(isl.DEFAULT_CONTEXT, 0, width)
    while len(matrices) > 1:
        # Pairs of neighbours, so that few rows are copied more than a few times.
        joined = [one.concat(two) for one, two in zip(matrices[::2], matrices[1::2], strict=False)]
        matrices = [*joined, *matrices[2 * len(joined) :]]
    return matrices[0]


def constraint_rows(polyhedron: isl.BasicSet) -> tuple[list[Row], list[Row]]:
    """The equalities and the inequalities of a polyhedron without local variables.

    Each is a row of coefficients: the constant, those of the parameters, those of the dimensions.
    """
    # To ask for the entries of a matrix one by one takes ten times as long as to print all.
    printer = isl.Printer.to_str(polyhedron.get_ctx()).set_output_format(isl.format.POLYLIB)
    header, *lines = printer.print_basic_set(polyhedron).get_str().split("\n")
    count = int(header.split()[0])
    first = 1 + polyhedron.dim(isl.dim_type.set)
    equalities: list[Row] = []
    inequalities: list[Row] = []
    for line in lines[:count]:
        kind, *entries = map(int, line.split())
        row = (entries[-1], *entries[first - 1 : -1], *entries[: first - 1])
        (inequalities if kind else equalities).append(row)
    return equalities, inequalities


def entries_of(matrix: isl.Mat) -> list[Row]:
    """The rows of an isl matrix."""
    columns = range(matrix.cols())
    return [
        tuple(matrix.get_element_val(row, column).to_python() for column in columns)
        for row in range(matrix.rows())
    ]


def rank(rows: Sequence[Row], width: int) -> int:
    """The rank of a matrix with `width` columns."""
    return _rank(tuple(map(tuple, rows)), width)


@lru_cache(1024)
def _rank(rows: tuple[Row, ...], width: int) -> int:
    return int(matrix_of(rows, width).rank())


def orthogonal_complement(rows: Sequence[Row], width: int) -> tuple[Row, ...]:
    """An integer basis, in echelon form, of the vectors that are orthogonal to every row.

    A vector is linearly independent of the rows exactly if its product with some vector of the
    basis is not zero. Bondhugula et al., "Affine Transformations for Communication Minimal
    Parallelization and Locality Optimization of Arbitrarily Nested Loop Sequences", equation 13,
    uses a multiple of the same projection. Where the rows span a coordinate subspace, the basis
    consists of unit vectors.
    """
    kernel = matrix_of(rows, width).right_kernel()
    return tuple(entries_of(kernel.transpose().row_basis()))


def completing_rows(rows: Sequence[Row], width: int) -> tuple[Row, ...]:
    """Rows that extend `rows` to a basis of all `width` dimensions.

    With the Hermite normal form `H = rows . Q`, they are the rows of `Q^-1` that belong to the
    zero columns of `H` (Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial
    Locality", 2017, section 4.2, "Access Completion"). The columns are taken in reverse order, so
    that an outer loop completes the basis where there is a choice: for the subscripts `B[k, j]`
    in loops i, j, k it is the row of i, and for `B[i + k]` in loops i, k it is again that of i.
    """
    reversed_rows = matrix_of([row[::-1] for row in rows], width)
    _, _, inverse = reversed_rows.left_hermite(0)
    return tuple(row[::-1] for row in entries_of(inverse)[reversed_rows.rank() :])


def primitive(row: Sequence[int]) -> Row:
    """The row divided by the greatest common divisor of its entries; zero stays as it is."""
    common = gcd(*row)
    return tuple(entry // common for entry in row) if common > 1 else tuple(row)


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The scalar product."""
    assert len(left) == len(right)
    return sum(map(mul, left, right))
