"""What the spatial scheduler is made of: completion, patterns, lines, ranks, register pressure."""

from __future__ import annotations

import islpy as isl
import pytest
from kernels import KERNELS

from polyir import api
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.schedule.constraints import Spanned, scheduled_statements
from polyir.schedule.scop_constraints import schedule_constraints
from polyir.schedule.spatial.locality_graph import (
    LocalityGraph,
    by_priority,
    locality_graph,
    loop_depth,
    register_pressure,
)
from polyir.schedule.spatial.references import references_of
from polyir.schedule.spatial.reuse import ReuseGroup, reuse_groups
from polyir.schedule.spatial.rows import LocalityRows, is_carried
from polyir.schedule.tree import AffineRow


def scop_from(text: str) -> Scop:
    return scop_of(scops_in(api.run_pipeline(api.parse(text), "poly-dependences"))[0])


def kernel(name: str) -> Scop:
    return scop_from(KERNELS[name].path.read_text())


def spatial_of(groups: tuple[ReuseGroup, ...], array: str) -> list[isl.UnionMap]:
    return [each.spatial for each in groups if each.references[0].array == array]


def is_one_step(relation: isl.UnionMap, step: str) -> bool:
    """Whether all pairs are one `step` apart, and some are."""
    return not relation.is_empty() and relation.is_subset(isl.UnionMap(step))


FIGURE_2 = """
func.func @figure_2(%A: memref<42x42xf64>, %B: memref<42x42xf64>, %C: memref<42x42xf64>,
                    %D: memref<42x42xf64>) {
  affine.for %i = 1 to 42 {
    affine.for %j = 0 to 42 {
      %a = affine.load %A[%i, %j] : memref<42x42xf64>
      %b = affine.load %B[%i, %j] : memref<42x42xf64>
      %above = affine.load %B[%i - 1, %j] : memref<42x42xf64>
      %sum = arith.addf %b, %above : f64
      %new = arith.addf %a, %sum : f64
      affine.store %new, %A[%i, %j] : memref<42x42xf64>
      affine.for %k = 0 to 42 {
        %c = affine.load %C[%i, %j] : memref<42x42xf64>
        %dk = affine.load %D[%i, %k] : memref<42x42xf64>
        %dj = affine.load %D[%i, %j] : memref<42x42xf64>
        %product = arith.mulf %dk, %dj : f64
        %total = arith.addf %c, %product : f64
        affine.store %total, %C[%i, %j] : memref<42x42xf64>
      }
    }
  }
  return
}
"""


def test_patterns_of_figure_2() -> None:
    """Rows i and i - 1 of B share no line, and D[i][k] no useful one with D[i][j]."""
    scop = scop_from(FIGURE_2)
    groups = reuse_groups(scop, 8)
    (b,) = spatial_of(groups, "B")
    assert is_one_step(b, "{ S0[i, j] -> S0[i, j + 1] }")
    by_k, by_j = spatial_of(groups, "D")
    assert is_one_step(by_k, "{ S1[i, j, k] -> S1[i, j, k + 1] }")
    assert is_one_step(by_j, "{ S1[i, j, k] -> S1[i, j + 1, k] }")
    patterns = {each.pattern for each in references_of(scop) if each.array == "B"}
    assert len(patterns) == 2


def test_self_spatial_reuse_of_the_matrix_product() -> None:
    """Only along the last subscript, and not from one iteration of i to the next."""
    groups = reuse_groups(kernel("2mm"), 8)
    (b,) = spatial_of(groups, "B")
    assert is_one_step(b, "{ S1[i, j, k] -> S1[i, j + 1, k] }")
    (a,) = spatial_of(groups, "A")
    assert is_one_step(a, "{ S1[i, j, k] -> S1[i, j, k + 1] }")


def strided(subscript: str, other: str) -> Scop:
    return scop_from(f"""
func.func @strided(%n: index, %A: memref<?xf64>) {{
  affine.for %i = 0 to %n {{
    %a = affine.load %A[{subscript}] : memref<?xf64>
    %b = affine.load %A[{other}] : memref<?xf64>
    %sum = arith.addf %a, %b : f64
    affine.store %sum, %A[{subscript}] : memref<?xf64>
  }}
  return
}}
""")


@pytest.mark.parametrize(
    ("subscript", "other", "line_size", "is_related"),
    [
        ("%i * 5", "%i * 5", 4, False),
        ("%i * 5", "%i * 5", 16, True),
        ("%i * 20 + 5", "%i * 20 + 10", 4, False),
        # Complex numbers, real and imaginary part side by side.
        ("%i * 2", "%i * 2 + 1", 4, True),
        ("%i", "%i", 1, False),
    ],
)
def test_strides(subscript: str, other: str, line_size: int, is_related: bool) -> None:
    (relation,) = spatial_of(reuse_groups(strided(subscript, other), line_size), "A")
    if is_related:
        assert is_one_step(relation, "{ S0[i] -> S0[i + 1] }")
    else:
        assert relation.is_empty()


def graph_of(scop: Scop, line_size: int = 8) -> LocalityGraph:
    assert scop.dependences is not None
    constraints = schedule_constraints(scop, scop.dependences)
    return locality_graph(
        constraints, scheduled_statements(constraints), reuse_groups(scop, line_size)
    )


def arrays(graph: LocalityGraph) -> list[str]:
    return [each.references[0].reference.array for each in by_priority(graph.groups)]


TWO_IN_TURN = """
func.func @two(%A: memref<42xf64>, %B: memref<42x42xf64>, %C: memref<42x42xf64>) {
  affine.for %i = 0 to 42 {
    affine.for %j = 0 to 42 {
      %a = affine.load %A[%i] : memref<42xf64>
      affine.store %a, %B[%i, %j] : memref<42x42xf64>
      %b = affine.load %A[%i] : memref<42xf64>
      %c = affine.load %B[%i, %j] : memref<42x42xf64>
      %sum = arith.addf %b, %c : f64
      affine.store %sum, %C[%i, %j] : memref<42x42xf64>
    }
  }
  return
}
"""


def test_reuse_inside_a_statement_counts_beside_that_of_others() -> None:
    groups = {each.references[0].array: each for each in reuse_groups(scop_from(TWO_IN_TURN), 8)}
    both = "S0[i, j] -> S1[i, j]; S1[i, j] -> S0[i, j + 1]"
    own = "S0[i, j] -> S0[i, j + 1]; S1[i, j] -> S1[i, j + 1]"
    shape = isl.UnionSet("{ S0[i, j] : 0 <= i, j < 42; S1[i, j] : 0 <= i, j < 42 }")
    for array, pairs in (("A", f"{both}; {own}"), ("B", "S0[i, j] -> S1[i, j]")):
        expected = isl.UnionMap(f"{{ {pairs} }}").intersect_domain(shape).intersect_range(shape)
        assert groups[array].temporal.is_equal(expected)


def test_priorities_in_the_matrix_product() -> None:
    """By multiplicity first; when i is fixed, B has most subscripts left to choose."""
    graph = graph_of(kernel("2mm")).within((1,))
    assert arrays(graph) == ["tmp", "A", "B"]
    row = {1: AffineRow((1, 0, 0), 0)}
    inner = graph.uncarried_by([row])
    assert arrays(inner) == ["B", "tmp", "A"]
    assert [each.priority[:2] for each in by_priority(inner.groups)] == [(2, 1), (1, 2), (1, 1)]


def test_what_a_row_carries_is_gone() -> None:
    graph = graph_of(kernel("2mm")).within((1,)).uncarried_by([{1: AffineRow((0, 0, 1), 0)}])
    left = {each.references[0].reference.array: each for each in graph.groups}
    assert not left["A"].spatial
    assert left["A"].temporal
    assert not left["tmp"].temporal
    assert left["tmp"].spatial


@pytest.mark.parametrize(
    ("name", "pressure", "depth"),
    [("jacobi-1d", 12, 2), ("seidel-2d", 27, 3), ("jacobi-2d", 30, 3), ("heat-3d", 56, 4)],
)
def test_register_pressure(name: str, pressure: int, depth: int) -> None:
    """Distinct subscripts times depth: of jacobi-2d five of A and five of B in three loops."""
    groups = graph_of(kernel(name)).groups
    assert (register_pressure(groups), loop_depth(groups)) == (pressure, depth)


TRANSPOSED = """
func.func @transposed(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %again = affine.load %A[%j, %i] : memref<?x?xf64>
      %above = affine.load %A[%j, %i + 1] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %s0 = arith.addf %a, %again : f64
      %s1 = arith.addf %s0, %above : f64
      %s2 = arith.addf %s1, %b : f64
      affine.store %s2, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""


def rows_of(scop: Scop) -> tuple[LocalityRows, Spanned, LocalityGraph]:
    """The problems for the first row of all statements."""
    assert scop.dependences is not None
    constraints = schedule_constraints(scop, scop.dependences)
    statements = scheduled_statements(constraints)
    graph = graph_of(scop)
    spanned = {each.position: each.affine_hull for each in statements}
    count = constraints.parameter_space.dim(isl.dim_type.param)
    return LocalityRows(statements, count, graph.edges), spanned, graph


def test_many_counts_groups_and_not_references() -> None:
    """Along i go three references of one group, along j two groups of one each."""
    rows, spanned, graph = rows_of(scop_from(TRANSPOSED))
    assert arrays(graph)[0] == "A"
    row = rows.carrying_many(graph.groups, spanned, coincident=False)
    assert row is not None
    assert row.hyperplane[0].coefficients == (0, 1)
    assert row.carried == 2


def test_few_keeps_the_group_of_most_references() -> None:
    rows, spanned, graph = rows_of(scop_from(TRANSPOSED))
    row = rows.carrying_few(graph.groups, spanned, coincident=False)
    assert row is not None
    # A is not carried along j, though B and C are.
    assert row[0].coefficients == (0, 1)


def test_lines_have_no_direction() -> None:
    """The loop can only run backwards, and goes along lines all the same."""
    scop = scop_from("""
func.func @backwards(%n: index, %A: memref<?xf64>) {
  affine.for %step = 0 to %n {
    %next = affine.load %A[%n - %step] : memref<?xf64>
    affine.store %next, %A[%n - %step - 1] : memref<?xf64>
  }
  return
}
""")
    rows, spanned, graph = rows_of(scop)
    backwards = {0: AffineRow((-1,), 0)}
    (group,) = graph.groups
    assert is_carried(group.spatial, backwards)
    row = rows.carrying_many(graph.groups, spanned, coincident=False)
    assert row is not None
    assert row.carried == 1


def test_no_coincident_row() -> None:
    rows, spanned, graph = rows_of(kernel("seidel-2d"))
    assert rows.carrying_many(graph.groups, spanned, coincident=True) is None
    assert rows.carrying_few(graph.groups, spanned, coincident=True) is None
