"""Loops over tiles from the rational projection: instances are executed in the same order."""

from polyir import api
from polyir.codegen.approximate_tiles import TILE, with_approximate_tiles
from polyir.codegen.simpler_loops import with_atomic_loops
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.sets.lists import sets_of
from polyir.tree.isl_border import to_isl

STENCIL = """
func.func @stencil(%A: memref<?xf64>, %B: memref<?xf64>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %x = affine.load %A[%i - 1] : memref<?xf64>
      %y = affine.load %A[%i + 1] : memref<?xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to %n {
      %x = affine.load %B[%i] : memref<?xf64>
      affine.store %x, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""


def scop_after(pipeline: str) -> Scop:
    return scop_of(scops_in(api.run_pipeline(api.parse(STENCIL), pipeline))[0])


def test_instances_keep_their_order() -> None:
    scop = scop_after("pluto-schedule,tile{sizes=4},wavefront,mark-parallel")
    tree = with_atomic_loops(scop.schedule)
    tiled = with_approximate_tiles(tree, scop.context)
    assert tiled is not None
    assert [str(each.get_tuple_name()) for each in sets_of(tiled.domain)] == [TILE]
    dates = [to_isl(each).get_map().intersect_domain(scop.domain) for each in (tree, tiled)]
    assert all(each.domain().is_equal(scop.domain) for each in dates)
    before, after = (each.lex_lt_union_map(each) for each in dates)
    assert before.is_equal(after)


def test_trees_without_loops_over_tiles_are_left() -> None:
    scop = scop_after("pluto-schedule")
    assert with_approximate_tiles(scop.schedule, scop.context) is None
