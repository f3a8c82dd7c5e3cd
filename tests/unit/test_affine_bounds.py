"""The bounds of the counters of affine loops."""

from __future__ import annotations

from xdsl.dialects import affine

from polyir import api
from polyir.model.affine_bounds import AffineBound, counter_bounds

LOOPS = """
func.func @f(%n: index, %m: index) {
  affine.for %i = max affine_map<(d0)[s0] -> (d0 - 4, s0)> (%n)[%m] to %n step 2 {
  }
  affine.parallel (%i, %j) = (max(0, %n - 4), %m) to (%n, min(%n + 1, %m, 9)) step (1, 3) {
  }
  return
}
"""


def text_of(bound: AffineBound) -> str:
    names = [f"%{value.name_hint}" for value in bound.operands]
    return f"{bound.map} of {', '.join(names)}"


def test_each_counter_has_its_bounds() -> None:
    module = api.parse(LOOPS)
    loops = [op for op in module.walk() if isinstance(op, affine.ForOp | affine.ParallelOp)]
    (first,), (second, third) = map(counter_bounds, loops)
    assert (first.counter, second.counter, third.counter) == (
        loops[0].body.block.args[0],
        *loops[1].body.block.args,
    )
    assert [each.step for each in (first, second, third)] == [2, 1, 3]
    assert [(text_of(each.lower), text_of(each.upper)) for each in (first, second, third)] == [
        ("(d0)[s0] -> ((d0 + -4), s0) of %n, %m", "()[s0] -> (s0) of %n"),
        ("(d0, d1) -> (0, (d0 + -4)) of %n, %m", "(d0, d1) -> (d0) of %n, %m"),
        ("(d0, d1) -> (d1) of %n, %m", "(d0, d1) -> ((d0 + 1), d1, 9) of %n, %m"),
    ]
