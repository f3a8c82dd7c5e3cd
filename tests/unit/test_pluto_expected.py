"""The results that Bondhugula et al. (2007) print, up to the freedom that each test names."""

from __future__ import annotations

import pytest
from schedule_checks import bands, is_coincident, is_permutable, is_total_order, violations
from small_programs import Loop, Statement, constraints_of, loop, statement

from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.pluto import PlutoFusion, PlutoOptions, pluto_schedule
from polyir.schedule.tree import BandNode, LeafNode, RowTree, ScheduleResult, SequenceNode

Program = tuple[Loop | Statement, ...]

TRANSPOSED_SUM = (
    loop(
        "i", "1 <= i <= N", loop("j", "2 <= j <= N", statement("S", "a[i,j]", "a[j,i]; a[i,j-1]"))
    ),
)

IMPERFECT_JACOBI = (
    loop(
        "t",
        "0 <= t < T",
        loop("i", "2 <= i < N", statement("S1", "b[i]", "a[i-1]; a[i]; a[i+1]")),
        loop("i", "2 <= i < N", statement("S2", "a[i]", "b[i]")),
    ),
)


def stencil_loop(body: Statement) -> Loop:
    return loop("i", "2 <= i < N", loop("j", "2 <= j < N", body))


IMPERFECT_JACOBI_2D = (
    loop(
        "t",
        "1 <= t <= T",
        stencil_loop(statement("S1", "b[i,j]", "a[i-1,j]; a[i,j]; a[i+1,j]; a[i,j-1]; a[i,j+1]")),
        stencil_loop(statement("S2", "a[i,j]", "b[i,j]")),
    ),
)

LU = (
    loop(
        "k",
        "1 <= k <= N",
        loop("j", "k + 1 <= j <= N", statement("S1", "a[k,j]", "a[k,j]; a[k,k]")),
        loop(
            "i",
            "k + 1 <= i <= N",
            loop("j", "k + 1 <= j <= N", statement("S2", "a[i,j]", "a[i,j]; a[i,k]; a[k,j]")),
        ),
    ),
)

GAUSS_SEIDEL = (
    loop(
        "i", "1 <= i < N", loop("j", "1 <= j < N", statement("S", "a[i,j]", "a[i-1,j]; a[i,j-1]"))
    ),
)

SCALAR_SUM = (
    loop("i", "0 <= i < N", loop("j", "0 <= j < N", statement("S", "s[]", "s[]; a[i,j]"))),
)


def nest(iterators: str, body: Statement) -> Loop:
    """A rectangular loop nest, outermost iterator first."""
    *outer, innermost = iterators
    result = loop(innermost, f"0 <= {innermost} < N", body)
    for iterator in reversed(outer):
        result = loop(iterator, f"0 <= {iterator} < N", result)
    return result


def matrix_vector(name: str, result: str, matrix: str, vector: str) -> Loop:
    reads = f"{result}[i]; {matrix}[i,j]; {vector}[j]"
    return nest("ij", statement(name, f"{result}[i]", reads))


def matrix_matrix(name: str, result: str, left: str, right: str) -> Loop:
    reads = f"{result}[i,j]; {left}[i,k]; {right}[k,j]"
    return nest("ijk", statement(name, f"{result}[i,j]", reads))


def stencil(number: int) -> Loop:
    before = f"a{number - 1}"
    reads = f"{before}[i-1]; {before}[i]; {before}[i+1]"
    return loop("i", "2 <= i < N", statement(f"S{number}", f"a{number}[i]", reads))


FOUR_INDEX_TRANSFORM = (
    nest("aqrsp", statement("S1", "T1[a,q,r,s]", "T1[a,q,r,s]; A[p,q,r,s]; C4[p,a]")),
    nest("abrsq", statement("S2", "T2[a,b,r,s]", "T2[a,b,r,s]; T1[a,q,r,s]; C3[q,b]")),
    nest("abcsr", statement("S3", "T3[a,b,c,s]", "T3[a,b,c,s]; T2[a,b,r,s]; C2[r,c]")),
    nest("abcds", statement("S4", "B[a,b,c,d]", "B[a,b,c,d]; T3[a,b,c,s]; C1[s,d]")),
)


def schedule(
    parameters: str, *program: Loop | Statement, fuse: PlutoFusion = "smart"
) -> ScheduleResult:
    """The schedule of a program, after the checks that every schedule must pass."""
    context = " and ".join(f"{name.strip()} >= 4" for name in parameters.split(","))
    problem = constraints_of(parameters, context, *program)
    result = pluto_schedule(problem, PlutoOptions(fuse))
    check(problem, result)
    return result


def check(problem: ScheduleConstraints, result: ScheduleResult) -> None:
    assert violations(problem, result.schedule).is_empty()
    assert is_total_order(problem, result.schedule)
    for band in bands(result.schedule):
        assert band.permutable
        assert is_permutable(problem, band)
        for member in range(len(band.members)):
            flag = band.members[member].is_coincident
            assert flag == is_coincident(problem, band, member)


def band_of(node: RowTree) -> BandNode:
    assert isinstance(node, BandNode)
    return node


def order_of(node: RowTree) -> list[tuple[tuple[int, ...], RowTree]]:
    assert isinstance(node, SequenceNode)
    return list(node.children)


def rows(band: BandNode, position: int) -> list[tuple[int, ...]]:
    """The rows of one statement: coefficients, then the constant."""
    own = [hyperplane[position] for hyperplane in band.band.hyperplanes]
    return [(*row.coefficients, row.constant) for row in own]


def test_non_constant_dependences_need_both_signs() -> None:
    """Section 4.1, figure 5."""
    band = band_of(schedule("N", *TRANSPOSED_SUM).tree)
    assert rows(band, 0) == [(1, 1, 0), (1, 0, 0)]
    assert [(bound.coefficients, bound.constant) for bound in band.band.bounds] == [
        ((0,), 1),
        ((1,), 0),
    ]
    assert band.band.coincident == (False, False)
    assert isinstance(band.child, LeafNode)


def test_imperfect_jacobi() -> None:
    """Section 4.2, figure 1b."""
    band = band_of(schedule("T, N", *IMPERFECT_JACOBI).tree)
    assert rows(band, 0) == [(1, 0, 0), (2, 1, 0)]
    assert rows(band, 1) == [(1, 0, 0), (2, 1, 1)]
    assert [(bound.coefficients, bound.constant) for bound in band.band.bounds] == [
        ((0, 0), 1),
        ((0, 0), 2),
    ]


def test_two_matrix_vector_products_share_a_loop() -> None:
    """Figure 3, with a result of its own for the second product.

    The figure adds the second product to y, which the first still reads: the anti dependence
    forbids the fused loop that the figure prints (see the next test).
    """
    program = (matrix_vector("S1", "x", "A", "y"), matrix_vector("S2", "z", "A", "x"))
    for fuse in ("smart", "max"):
        band = band_of(schedule("N", *program, fuse=fuse).tree)
        assert rows(band, 0) == [(1, 0, 0)]
        assert rows(band, 1) == [(0, 1, 0)]
        (first, second) = order_of(band.child)
        assert first[0] == (0,)
        assert rows(band_of(first[1]), 0) == [(0, 1, 0)]
        assert second[0] == (1,)
        assert rows(band_of(second[1]), 1) == [(1, 0, 0)]


def test_two_matrix_vector_products_with_an_anti_dependence_are_distributed() -> None:
    """Figure 3 to the letter: the first element of y must not change before all of x is done."""
    program = (matrix_vector("S1", "x", "A", "y"), matrix_vector("S2", "y", "A", "x"))
    (first, second) = order_of(schedule("N", *program, fuse="max").tree)
    assert first[0] == (0,)
    assert second[0] == (1,)


@pytest.mark.parametrize("fuse", ["smart", "max"])
def test_three_matrix_vector_products_have_no_common_loop(fuse: PlutoFusion) -> None:
    """Section 3.6: the first two are fused, the third stands alone."""
    program = (
        matrix_vector("S1", "y", "A", "x"),
        matrix_vector("S2", "z", "B", "y"),
        matrix_vector("S3", "w", "C", "z"),
    )
    result = schedule("N", *program, fuse=fuse)
    (pair, last) = order_of(result.tree)
    assert pair[0] == (0, 1)
    assert rows(band_of(pair[1]), 0) == [(1, 0, 0)]
    assert rows(band_of(pair[1]), 1) == [(0, 1, 0)]
    assert last[0] == (2,)
    assert "no common loop: S1, S2 | S3" in result.notes


def test_last_two_matrix_vector_products_can_be_fused() -> None:
    """Section 3.6: what holds for the first two holds for the last two."""
    program = (matrix_vector("S2", "z", "B", "y"), matrix_vector("S3", "w", "C", "z"))
    band = band_of(schedule("N", *program).tree)
    assert rows(band, 0) == [(1, 0, 0)]
    assert rows(band, 1) == [(0, 1, 0)]


def test_sum_has_two_bands_of_one() -> None:
    """Section 3.6: (0,1) is found only after the dependences that (1,0) carries are dropped."""
    outer = band_of(schedule("N", *SCALAR_SUM).tree)
    inner = band_of(outer.child)
    assert rows(outer, 0) == [(1, 0, 0)]
    assert rows(inner, 0) == [(0, 1, 0)]
    assert outer.band.coincident == inner.band.coincident == (False,)


def test_two_dimensional_recurrence_is_one_band() -> None:
    """Figure 4, before tiling; the order of the two rows, of equal cost, is free."""
    band = band_of(schedule("N", *GAUSS_SEIDEL).tree)
    assert sorted(rows(band, 0)) == [(0, 1, 0), (1, 0, 0)]
    assert band.band.coincident == (False, False)


def test_imperfect_jacobi_in_two_dimensions() -> None:
    """Figure 7; the order of the last two rows, of equal cost, is free."""
    band = band_of(schedule("T, N", *IMPERFECT_JACOBI_2D).tree)
    first, second = rows(band, 0), rows(band, 1)
    assert (first[0], second[0]) == ((1, 0, 0, 0), (1, 0, 0, 0))
    assert sorted(zip(first[1:], second[1:], strict=True)) == [
        ((2, 0, 1, 0), (2, 0, 1, 1)),
        ((2, 1, 0, 0), (2, 1, 0, 1)),
    ]


def test_lu() -> None:
    """Figure 8."""
    band = band_of(schedule("N", *LU).tree)
    assert rows(band, 0) == [(1, 0, 0), (0, 1, 0), (1, 0, 0)]
    assert rows(band, 1) == [(1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0)]


def test_two_matrix_products_consume_what_was_just_made() -> None:
    """Figure 9; the paper has the rows of the outer band in the other order.

    Ours has the parallel one outermost: its distance bound is 0, that of the other 1.
    """
    program = (matrix_matrix("S1", "C", "A", "B"), matrix_matrix("S2", "D", "E", "C"))
    band = band_of(schedule("N", *program).tree)
    assert rows(band, 0) == [(0, 1, 0, 0), (1, 0, 0, 0)]
    assert rows(band, 1) == [(0, 1, 0, 0), (0, 0, 1, 0)]
    assert band.band.coincident == (True, False)
    (first, second) = order_of(band.child)
    assert first[0] == (0,)
    assert rows(band_of(first[1]), 0) == [(0, 0, 1, 0)]
    assert second[0] == (1,)
    assert rows(band_of(second[1]), 1) == [(1, 0, 0, 0)]


@pytest.mark.parametrize("fuse", ["smart", "max"])
def test_five_stencils_are_fused_with_shifts(fuse: PlutoFusion) -> None:
    """Figure 10."""
    band = band_of(schedule("N", *map(stencil, range(1, 6)), fuse=fuse).tree)
    assert [rows(band, position) for position in range(5)] == [[(1, s)] for s in range(5)]
    assert [members for members, _ in order_of(band.child)] == [(0,), (1,), (2,), (3,), (4,)]


def test_four_index_transform_is_fused_pairwise() -> None:
    """Figure 11: two loops for all, then two for each pair, then each its own."""
    outer = band_of(schedule("N", *FOUR_INDEX_TRANSFORM).tree)
    # a and s, of statements that have them as iterators 0, 3 or 4.
    assert [rows(outer, position) for position in range(4)] == [
        [(1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0)],
        [(1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0)],
        [(1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0)],
        [(1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 1, 0)],
    ]
    assert outer.band.coincident[0]
    pairs = order_of(outer.child)
    assert [members for members, _ in pairs] == [(0, 1), (2, 3)]
    for members, pair in pairs:
        shared = band_of(pair)
        assert len(shared.band.hyperplanes) == 2
        assert [inner for inner, _ in order_of(shared.child)] == [(each,) for each in members]
    # r and q in the first pair: each element of T1 is consumed where it is complete.
    first = band_of(pairs[0][1])
    assert rows(first, 0) == [(0, 0, 1, 0, 0, 0), (0, 1, 0, 0, 0, 0)]
    assert rows(first, 1) == [(0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 1, 0)]
