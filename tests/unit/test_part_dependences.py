"""The dependences that `distribute-memory` gives to what one rank runs in a step."""

from __future__ import annotations

import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.dependence import Dependence
from polyir.dialects.scop import KEEPS_LOOPS, ScopOp
from polyir.model.analysis import compute_dependences
from polyir.model.scop import Scop, scop_of
from polyir.sets.lists import sets_of

TILES = "pluto-schedule,tile{sizes=8},wavefront"
REDUCTIONS = "poly-dependences{reassociate=true}"

SAME_NAMES = """
func.func @f(%n: index, %A: memref<?xi64>, %A_1: memref<?x?xi64>, %A_2: memref<i64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A_1[%i, %j] : memref<?x?xi64>
      %1 = affine.load %A_2[] : memref<i64>
      %2 = arith.addi %1, %0 : i64
      affine.store %2, %A_2[] : memref<i64>
      %3 = affine.load %A[%i] : memref<?xi64>
      %4 = arith.addi %3, %0 : i64
      affine.store %4, %A[%i] : memref<?xi64>
    }
  }
  return
}
"""
"""In text, `%A_1` is a second `%A`. The sum of all elements has partial results."""


@pytest.mark.parametrize(
    ("program", "pipeline"),
    [
        ("jacobi-1d", TILES),
        ("trisolv", f"{REDUCTIONS},pluto-schedule"),
        (SAME_NAMES, REDUCTIONS),
    ],
)
def test_they_are_those_of_its_loops(program: str, pipeline: str) -> None:
    text = KERNELS[program].path.read_text() if program in KERNELS else program
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), f"{pipeline},distribute-memory")
        module = api.parse(api.emit(module, "poly"))
    parts = [op for op in module.walk() if isinstance(op, ScopOp)]
    found = [scop_of(op) for op in parts if KEEPS_LOOPS not in op.attributes and op.dependences]
    assert any(part.dependences and part.dependences.items for part in found)
    for part in found:
        known = part.dependences
        assert known is not None
        wanted = compute_dependences(part, is_bounded=False, reassociate=bool(known.reductions))
        assert_equal(part, known.items, wanted.items)
        assert known.order is not None
        ordered = {each.get_tuple_name() for each in sets_of(known.order.domain())}
        assert ordered == {each.name for each in part.statements}


def assert_equal(scop: Scop, some: tuple[Dependence, ...], others: tuple[Dependence, ...]) -> None:
    """The same dependences, for all values of parameters that the scop may have."""
    assert set(map(_key, some)) == set(map(_key, others))
    relations = {_key(each): each.relation for each in others}
    for each in some:
        one, another = (
            relation.intersect_params(scop.context)
            for relation in (each.relation, relations[_key(each)])
        )
        assert one.is_equal(another), each


def _key(dependence: Dependence) -> tuple[str, str, str, str]:
    return dependence.kind.value, dependence.array, dependence.source, dependence.target
