"""What tests of pictures and reports share: a small stencil, and the scop of a program."""

from __future__ import annotations

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of

STENCIL = """
func.func @stencil(%steps: index, %n: index, %A: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %A[%i - 1] : memref<?xf64>
      affine.store %0, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""


def scop_after(text: str, pipeline: str = "poly-dependences") -> Scop:
    """The only scop of a program after passes, whose remarks go nowhere."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), pipeline)
    (op,) = scops_in(module)
    return scop_of(op)
