"""Loops over tiles from the rational projection: each instance runs once."""

import islpy as isl

from polyir import api
from polyir.codegen import ast_build
from polyir.codegen.approximate_tiles import with_approximate_tiles
from polyir.codegen.ast_build import _generate_under, _with_atomic_tiles
from polyir.codegen.ast_check import is_partition
from polyir.codegen.simpler_loops import with_counting_loops
from polyir.codegen.symbolic_tiles import expand_tiles
from polyir.isl_callbacks import mapped_bottom_up
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import scops_in

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


def test_every_instance_runs_once() -> None:
    scop = scop_after("pluto-schedule,tile{sizes=4},wavefront,mark-parallel")
    expanded = expand_tiles(scop.schedule, scop.context)
    marked = ast_build._with_marks(expanded.schedule.get_root()).get_schedule()
    tree = with_counting_loops(mapped_bottom_up(marked, _with_atomic_tiles))
    tiled = with_approximate_tiles(tree, scop.context)
    assert tiled is not None
    _, dates = _generate_under(scop.context, scop, tiled, expanded)
    executed = [isl.UnionSet.from_set(each.domain()) for each in dates]
    assert is_partition(executed, scop.domain.intersect_params(scop.context))


def test_trees_without_loops_over_tiles_are_left() -> None:
    scop = scop_after("pluto-schedule")
    assert with_approximate_tiles(scop.schedule, scop.context) is None
