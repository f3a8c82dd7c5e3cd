"""Options, fusion policies and special inputs of the Pluto scheduler."""

from __future__ import annotations

from typing import get_args

import islpy as isl
import pytest
from schedule_checks import bands, is_total_order, violations
from small_programs import Loop, constraints_of, loop, statement

from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.pluto import PlutoFusion, PlutoOptions, pluto_schedule
from polyir.schedule.tree import BandNode, RowTree, ScheduleResult, SequenceNode


def problem(
    domain: str, validity: str, statements: tuple[str, ...], context: str = "{ : }"
) -> ScheduleConstraints:
    order = isl.UnionMap(validity)
    return ScheduleConstraints(
        isl.UnionSet(domain), isl.Set(context), order, order, statements, order
    )


def square(name: str, writes: str, reads: str) -> Loop:
    body = statement(name, writes, reads)
    return loop("i", "0 <= i < N", loop("j", "0 <= j < N", body))


GEMM = (
    square("S1", "C[i,j]", "C[i,j]"),
    loop(
        "i",
        "0 <= i < N",
        loop(
            "j",
            "0 <= j < N",
            loop("k", "0 <= k < N", statement("S2", "C[i,j]", "C[i,j]; A[i,k]; B[k,j]")),
        ),
    ),
)


def shape(node: RowTree) -> object:
    """Widths of bands and nesting of sequences: `(2, [1, 0])`."""
    if isinstance(node, BandNode):
        return (len(node.band.hyperplanes), shape(node.child))
    if isinstance(node, SequenceNode):
        return [shape(child) for _, child in node.children]
    return 0


def legal(problem: ScheduleConstraints, result: ScheduleResult) -> bool:
    return violations(problem, result.schedule).is_empty() and is_total_order(
        problem, result.schedule
    )


def row(node: RowTree, position: int, member: int = 0) -> tuple[int, ...]:
    assert isinstance(node, BandNode)
    found = node.band.hyperplanes[member][position]
    return (*found.coefficients, found.constant)


@pytest.mark.parametrize(
    ("fuse", "expected"),
    [
        ("smart", [(2, 0), (3, 0)]),
        ("none", [(2, 0), (3, 0)]),
        ("max", (3, [0, 0])),
    ],
)
def test_statements_of_different_depth(fuse: PlutoFusion, expected: object) -> None:
    gemm = constraints_of("N", "N >= 2", *GEMM)
    result = pluto_schedule(gemm, PlutoOptions(fuse))
    assert legal(gemm, result)
    assert shape(result.tree) == expected


def test_no_fusion_distributes_inside_a_common_loop_too() -> None:
    program = loop(
        "t",
        "0 <= t < N",
        loop("i", "0 <= i < N", statement("S1", "a[i]", "a[i]; b[i]")),
        loop("i", "0 <= i < N", statement("S2", "c[i]", "a[i]; c[i]")),
        statement("S3", "b[0]", "c[0]"),
    )
    cycle = constraints_of("N", "N >= 2", program)
    none = pluto_schedule(cycle, PlutoOptions("none"))
    assert legal(cycle, none)
    assert isinstance(none.tree, BandNode)
    assert isinstance(none.tree.child, SequenceNode)
    assert [members for members, _ in none.tree.child.children] == [(0,), (1,), (2,)]


def test_unrelated_statements_share_loops_if_these_are_alike() -> None:
    alike = (square("S1", "a[i,j]", ""), square("S2", "b[i,j]", ""))
    assert shape(pluto_schedule(constraints_of("N", "N >= 2", *alike)).tree) == (2, [0, 0])
    different = (square("S1", "a[i,j]", ""), square("S2", "b[j]", "b[j]"))
    smart = constraints_of("N", "N >= 2", *different)
    assert shape(pluto_schedule(smart).tree) == [(2, 0), (2, 0)]
    assert shape(pluto_schedule(smart, PlutoOptions("max")).tree) == (2, [0, 0])


def test_input_dependences_choose_among_equal_loops() -> None:
    """Without them both products keep their loop order; with them A is read once."""
    program = (square("S1", "x[i]", "x[i]; A[i,j]"), square("S2", "y[i]", "y[i]; A[j,i]"))
    plain = pluto_schedule(constraints_of("N", "N >= 2", *program))
    assert [row(plain.tree, each) for each in (0, 1)] == [(1, 0, 0), (1, 0, 0)]
    reuse = constraints_of("N", "N >= 2", *program, input_dependences=True)
    near = pluto_schedule(reuse)
    assert legal(reuse, near)
    assert isinstance(near.tree, BandNode)
    rows = {(row(near.tree, 0, member), row(near.tree, 1, member)) for member in (0, 1)}
    assert rows == {((1, 0, 0), (0, 1, 0)), ((0, 1, 0), (1, 0, 0))}
    assert [bound.coefficients for bound in near.tree.band.bounds] == [(0,), (0,)]


def test_reversal_where_the_iterators_run_against_the_order() -> None:
    backwards = problem(
        "[N] -> { S[i] : 0 <= i < N }", "[N] -> { S[i] -> S[i - 1] : 0 < i < N }", ("S",)
    )
    result = pluto_schedule(backwards)
    assert legal(backwards, result)
    assert row(result.tree, 0) == (-1, 0)


def test_negative_skew_where_no_other_exists() -> None:
    """Both (1,-2) and (-1,1) must go forward: no hyperplane without a negative coefficient."""
    relation = "[N] -> { S[i,j] -> S[i + 1, j - 2]; S[i,j] -> S[i - 1, j + 1] }"
    skewed = problem("[N] -> { S[i,j] : 0 <= i, j < N }", relation, ("S",))
    result = pluto_schedule(skewed)
    assert legal(skewed, result)


def test_iterators_fixed_by_equalities_need_no_row() -> None:
    diagonal = problem(
        "[N] -> { S[i,j] : i = j and 0 <= i < N }",
        "[N] -> { S[i,j] -> S[i + 1, j + 1] : i = j and 0 <= i < N - 1 }",
        ("S",),
    )
    result = pluto_schedule(diagonal)
    assert legal(diagonal, result)
    assert shape(result.tree) == (1, 0)


def test_dependences_with_existentials() -> None:
    even = problem(
        "[N] -> { S[i] : 0 <= i < N; T[i] : 0 <= i < N }",
        "[N] -> { S[i] -> T[i + 1] : i mod 2 = 0 and 0 <= i < N - 1 }",
        ("S", "T"),
    )
    result = pluto_schedule(even)
    assert legal(even, result)
    # T is S's neighbour: fused with S shifted by the distance.
    assert (row(result.tree, 0), row(result.tree, 1)) == ((1, 1), (1, 0))


def test_unbounded_domains_have_no_bound_on_distances() -> None:
    endless = problem("{ S[i, j] : i >= 0 and j >= 0 }", "{ S[i, j] -> S[i + 1, 2j] }", ("S",))
    result = pluto_schedule(endless)
    assert isinstance(result.tree, BandNode)
    assert row(result.tree, 0) == (1, 0, 0)


def test_large_constant_sizes_are_no_burden() -> None:
    program = loop(
        "t",
        "0 <= t < 1000",
        loop("i", "1 <= i < 3999", statement("S1", "b[i]", "a[i-1]; a[i]; a[i+1]")),
        loop("i", "1 <= i < 3999", statement("S2", "a[i]", "b[i]")),
    )
    result = pluto_schedule(constraints_of("N", "true", program))
    assert [row(result.tree, 1, member) for member in (0, 1)] == [(1, 0, 0), (2, 1, 1)]


def test_statements_without_loops_are_ordered() -> None:
    program = (statement("S1", "a[]"), statement("S2", "b[]", "a[]"), statement("S3", "c[]"))
    scalars = constraints_of("N", "true", *program)
    result = pluto_schedule(scalars)
    assert legal(scalars, result)
    assert shape(result.tree) == [0, 0, 0]
    assert list(bands(result.schedule)) == []


def test_one_statement_without_loops_is_a_leaf() -> None:
    assert shape(pluto_schedule(constraints_of("N", "true", statement("S", "a[]"))).tree) == 0


def test_statements_without_instances_are_left_out() -> None:
    some = problem("{ S[i] : 0 <= i < 4 }", "{ }", ("R", "S"))
    result = pluto_schedule(some)
    assert result.schedule.domain.is_equal(some.domain)


def test_context_makes_dependences_disappear() -> None:
    relation = "[N] -> { S[i] -> S[i + 1] : N > 100 }"
    domain = "[N] -> { S[i] : 0 <= i < N }"
    small = pluto_schedule(problem(domain, relation, ("S",), "[N] -> { : N < 10 }"))
    large = pluto_schedule(problem(domain, relation, ("S",), "[N] -> { : N > 10 }"))
    assert isinstance(small.tree, BandNode)
    assert small.tree.band.coincident == (True,)
    assert isinstance(large.tree, BandNode)
    assert large.tree.band.coincident == (False,)


def test_parameters_in_different_orders() -> None:
    """isl aligns parameters pairwise only: a column too few or in the wrong place would show."""
    first = isl.UnionMap("[M, N] -> { S[i, j] -> T[i + 1, j] : 0 <= i < N and 0 <= j < M }")
    mixed = ScheduleConstraints(
        isl.UnionSet("[N] -> { S[i, j] : 0 <= i, j < N; T[i, j] : 0 <= i, j <= N }"),
        isl.Set("[M] -> { : M >= 7 }"),
        first,
        first,
        ("S", "T"),
        first,
    )
    result = pluto_schedule(mixed)
    assert legal(mixed, result)
    assert isinstance(result.tree, BandNode)
    assert result.tree.band.coincident == (True, True)


def test_cycle_between_instances_is_an_error() -> None:
    relation = "{ S[i] -> T[i] : 0 <= i < 9; T[i] -> S[i] : 0 <= i < 9 }"
    cyclic = problem("{ S[i] : 0 <= i < 9; T[i] : 0 <= i < 9 }", relation, ("S", "T"))
    with pytest.raises(SchedulingError, match="dependence cycle of S, T"):
        pluto_schedule(cyclic)


def test_unknown_statement_is_an_error() -> None:
    with pytest.raises(SchedulingError, match="the domain contains unknown statement 'S'"):
        pluto_schedule(problem("{ S[i] : 0 <= i < 9 }", "{ }", ("R",)))


def test_notes_tell_bands_and_cuts() -> None:
    result = pluto_schedule(constraints_of("N", "N >= 2", *GEMM))
    assert result.notes == (
        "not fused because of fuse=smart: S1 | S2",
        "band of 2 for S1: parallel members 0, 1",
        "band of 3 for S2: parallel members 0, 1",
    )


def test_cycle_in_which_only_one_statement_has_a_new_direction() -> None:
    """S1 writes a[i] all along j, S2 a[j]: aligned on the element, they need i once more."""
    both = (statement("S1", "a[i]"), statement("S2", "a[j]"))
    program = loop("i", "0 <= i < N", loop("j", "0 <= j < N", *both))
    crossing = constraints_of("N", "N >= 3", program)
    for fuse in get_args(PlutoFusion):
        assert legal(crossing, pluto_schedule(crossing, PlutoOptions(fuse)))


def test_cycle_that_needs_a_row_without_any_new_direction() -> None:
    """S1 writes a[i] and S2 a[2i]: aligned on the element, i says which comes first."""
    both = (statement("S1", "a[i]"), statement("S2", "a[2i]"))
    program = loop("i", "0 <= i < N", loop("j", "0 <= j < N", *both))
    crossing = constraints_of("N", "N >= 3", program)
    result = pluto_schedule(crossing)
    assert legal(crossing, result)
    assert row(result.tree, 0) == (1, 0, 0)
    assert row(result.tree, 1) == (2, 0, 0)
    assert isinstance(result.tree, BandNode)
    # No second coefficient: neither statement gets a direction that it did not have.
    assert [row(result.tree.child, each)[1] for each in (0, 1)] == [0, 0]


def test_last_value_of_a_cycle_with_all_loops_used_up() -> None:
    """All statements have full rank before S0 and S2 are ordered."""
    inner = loop(
        "k",
        "0 <= k < N",
        statement("S0", "b[k, i + j]", "a[i]"),
        statement("S1", "a[i]"),
    )
    program = loop(
        "i", "0 <= i < N", loop("j", "1 <= j < N - 1", inner, statement("S2", "b[i, j + j]"))
    )
    crossing = constraints_of("N", "N >= 3", program)
    for fuse in get_args(PlutoFusion):
        assert legal(crossing, pluto_schedule(crossing, PlutoOptions(fuse)))
