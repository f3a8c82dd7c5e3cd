"""The order of point loops: scores, order, distribution within tiles, what is left alone."""

from __future__ import annotations

import islpy as isl
import pytest
from execution import assert_respects, execution
from kernels import KERNELS
from poly_text import poly_module, scops_of

from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, remarks_to
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.scop import scops_in
from polyir.model.analysis import compute_dependences
from polyir.model.locality import LoopLocality, localities_of_band
from polyir.model.scop import Scop, scop_of
from polyir.proofs.bands import merge_bands
from polyir.transform.intra_tile_order import IntraTileOptions, intra_tile_order
from polyir.transform.parallel import mark_parallel
from polyir.transform.tile import TileOptions, tile
from polyir.transform.wavefront import wavefront
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.names import names_in
from polyir.tree.nodes import is_same

NEAR = IntraTileOptions(max_stride=4)


def scop_from(kernel: str, pipeline: str) -> tuple[Scop, Dependences]:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[kernel].path.read_text()), pipeline)
    (op,) = scops_in(module)
    scop = scop_of(op)
    assert scop.dependences is not None
    return scop, scop.dependences


def bands_over(statement: str, tree: Schedule) -> list[str]:
    """The members of the bands over a statement, as isl writes them."""
    return members_over(statement, tree.root)


def members_over(statement: str, node: ScheduleNode) -> list[str]:
    found: list[str] = []
    if node.kind is Kind.BAND:
        for member in node.band.functions_by_statement:
            if statement in member:
                found.append(str(member[statement]).split("[(")[1].split(")]")[0])
    for position in range(node.n_children):
        child = node.child(position)
        if statement in names_in(child.domain):
            found += members_over(statement, child)
    return found


def one_statement(body: str, dimensions: int) -> Scop:
    """A scop with one statement S over `i, j, k` with `body`, and one permutable band."""
    names = ("i", "j", "k")[:dimensions]
    domain = f"[n] -> {{ S[{', '.join(names)}] : 0 <= {', '.join(names)} < n }}"
    members = ", ".join(f"{{ S[{', '.join(names)}] -> [{name}] }}" for name in names)
    iterators = ", ".join(f"%{name}" for name in names)
    (scop,) = scops_of(
        poly_module(
            f"""
func.func @f(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %x: memref<?xf64>) {{
  poly.scop (%n as "n") context "[n] -> {{ : n > 9 }}" {{
    poly.stmt @S domain "{domain}" ({iterators}) {{
{body}
    }}
    poly.domain "{domain}" {{
      poly.band "[n] -> [{members}]" permutable coincident [{", ".join(["false"] * dimensions)}]
    }}
  }}
  return
}}"""
        )
    )
    return scop


def localities(scop: Scop, max_stride: int = 4) -> tuple[LoopLocality, ...]:
    by_name = {statement.name: statement for statement in scop.statements}
    return localities_of_band(scop.schedule.root.child(0), by_name, max_stride)


def test_localities_of_accesses() -> None:
    """A[i, 3j] is spatial in j, without locality in i; x[2k] is spatial in k."""
    scop = one_statement(
        """
      %a = affine.load %A[%i, 3 * %j] : memref<?x?xf64>
      affine.store %a, %x[2 * %k] : memref<?xf64>""",
        3,
    )
    assert localities(scop) == (
        LoopLocality(statements=1, spatial=0, temporal=1, other=1),
        LoopLocality(statements=1, spatial=1, temporal=1, other=0),
        LoopLocality(statements=1, spatial=1, temporal=1, other=0),
    )
    assert [locality.score for locality in localities(scop)] == [-12, 14, 14]
    assert localities(scop, max_stride=2)[1] == LoopLocality(1, 0, 1, 1)


def test_a_subscript_that_moves_with_two_loops() -> None:
    """A[i + j, j] has locality along neither loop alone: both move the first subscript."""
    scop = one_statement(
        """
      %a = affine.load %A[%i + %j, %j] : memref<?x?xf64>
      affine.store %a, %B[%i, %j] : memref<?x?xf64>""",
        2,
    )
    assert [locality.other for locality in localities(scop)] == [2, 1]


def test_the_score_of_a_product() -> None:
    """Zinenko et al., formula (2), for C[i, j] += A[i, k] * B[k, j] (C is read and written)."""
    scop, _ = scop_from("gemm", "pluto-schedule")
    by_name = {statement.name: statement for statement in scop.statements}
    product = scop.schedule.root.child(0).child(1).child(0)
    scores = [locality.score for locality in localities_of_band(product, by_name, 4)]
    assert scores == [4 - 3 * 16, 3 * 2 + 4 + 8, 2 * 4 + 2 - 16]


def test_the_best_loop_goes_innermost_with_its_flag() -> None:
    scop, dependences = scop_from("gemm", "pluto-schedule,tile{sizes=3}")
    outcome = intra_tile_order(scop.schedule, dependences, scop.statements, NEAR)
    assert bands_over("S1", outcome.schedule)[3:] == ["i", "k", "j"]
    points = outcome.schedule.root.child(0).child(1).child(0).child(0)
    assert points.coincident == (True, False, True)
    assert outcome.done[0] == (
        "moved loop 2 of the band of 3 over S1 innermost (scores -44, 18, -6)"
    )
    assert outcome.missed == ()
    order = execution(outcome.schedule, ni=4, nj=5, nk=4)
    assert order == sorted(
        order,
        key=lambda at: (
            (0, at[1][0] // 3, at[1][1] // 3, at[1])
            if at[0] == "S0"
            # S1 has the iterators i, k, j of the source.
            else (1, at[1][0] // 3, at[1][2] // 3, (at[1][1] // 3, *at[1]))
        ),
    )
    assert_respects(order, dependences, ni=4, nj=5, nk=4)


def test_fused_statements_are_distributed_within_their_tiles() -> None:
    scop, dependences = scop_from("2mm", "pluto-schedule,tile{sizes=3}")
    outcome = intra_tile_order(scop.schedule, dependences, scop.statements, NEAR)
    assert "distributed the band of 2 over S1, S3 below loop 1 within its tiles" in outcome.done
    assert bands_over("S1", outcome.schedule)[2:] == ["i", "k", "j"]
    assert bands_over("S3", outcome.schedule)[2:] == ["i", "k", "j"]
    sizes = {"ni": 4, "nj": 5, "nk": 4, "nl": 4}
    order = execution(outcome.schedule, **sizes)
    assert sorted(order) == sorted(execution(scop.schedule, **sizes))
    assert_respects(order, dependences, **sizes)
    kept = intra_tile_order(
        scop.schedule, dependences, scop.statements, IntraTileOptions(4, distribute=False)
    )
    assert bands_over("S1", kept.schedule)[2:] == ["i", "j", "k"]


def test_distribution_needs_tiles_and_must_be_legal() -> None:
    scop, dependences = scop_from("2mm", "pluto-schedule")
    untiled = intra_tile_order(scop.schedule, dependences, scop.statements, NEAR)
    assert not any("distributed" in line for line in untiled.done)
    scop, dependences = scop_from("2mm", "pluto-schedule,tile{sizes=3}")
    # What S3 makes of column k is needed by S1 in the next column of the same row.
    onwards = Dependence(
        DependenceKind.FLOW,
        "D",
        isl.Map(
            "[ni, nj, nk, nl] -> { S3[i, j, k] -> S1[i, k + 1, k'] : "
            "0 <= i < ni and 0 <= k < nj - 1 and 0 <= j < nl and 0 <= k' < nk }"
        ),
    )
    more = Dependences(dependences.value_based, (*dependences.items, onwards))
    outcome = intra_tile_order(scop.schedule, more, scop.statements, NEAR)
    assert not any("distributed" in line for line in outcome.done)
    assert_respects(
        execution(outcome.schedule, ni=4, nj=4, nk=3, nl=3), more, ni=4, nj=4, nk=3, nl=3
    )


def test_the_innermost_loop_of_a_stencil_is_distributed_to_be_parallel() -> None:
    scop, dependences = scop_from("jacobi-1d", "pluto-schedule,tile{sizes=4}")
    outcome = intra_tile_order(scop.schedule, dependences, scop.statements, NEAR)
    assert outcome.done[0] == (
        "distributed the band of 2 over S0, S1 below loop 1 within its tiles"
    )
    order = execution(outcome.schedule, tsteps=5, n=12)
    assert sorted(order) == sorted(execution(scop.schedule, tsteps=5, n=12))
    assert_respects(order, dependences, tsteps=5, n=12)
    marked = mark_parallel(outcome.schedule, dependences, "inner")
    assert marked.done == ("loop 4 around S0 is parallel", "loop 4 around S1 is parallel")


def test_tile_loops_stay_also_after_a_wavefront() -> None:
    scop, dependences = scop_from("seidel-2d", "pluto-schedule")
    tiled = tile(scop.schedule, dependences, TileOptions((4,))).schedule
    waves = wavefront(tiled, dependences).schedule
    outcome = intra_tile_order(waves, dependences, scop.statements, NEAR)
    assert bands_over("S0", outcome.schedule)[:3] == bands_over("S0", waves)[:3]


def test_nothing_to_move() -> None:
    scop, dependences = scop_from("lu", "pluto-schedule,tile")
    outcome = intra_tile_order(scop.schedule, dependences, scop.statements, NEAR)
    assert is_same(outcome.schedule.tree, scop.schedule.tree)
    assert outcome.missed == (
        "no loop was moved: loop 3 of the band of 3 over S0, S1, S2 is already innermost "
        "and has the best locality (scores -24, -348, 48)",
    )


def test_loops_of_the_source_are_merged_first() -> None:
    scop = one_statement(
        """
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      affine.store %a, %B[%j, %i] : memref<?x?xf64>""",
        2,
    )
    dependences = compute_dependences(scop)
    outcome = intra_tile_order(scop.schedule, dependences, scop.statements, NEAR)
    assert bands_over("S", outcome.schedule) == ["j", "i"]
    merged = merge_bands(outcome.schedule, dependences)
    assert len(merged.root.child(0).members) == 2


def test_a_band_wrongly_called_permutable_is_refused() -> None:
    scop = one_statement(
        """
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      affine.store %a, %B[%j, %i] : memref<?x?xf64>""",
        2,
    )
    wrong = Dependence(
        DependenceKind.FLOW,
        "A",
        isl.Map("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }"),
    )
    with pytest.raises(LegalityError, match="the order of point loops violates the flow"):
        intra_tile_order(scop.schedule, Dependences(False, (wrong,)), scop.statements, NEAR)


def test_bad_options() -> None:
    with pytest.raises(OptionError, match="max-stride must be 1 or more: max-stride=0"):
        IntraTileOptions(max_stride=0)
