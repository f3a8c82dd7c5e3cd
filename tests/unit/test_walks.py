"""Walks over operations, and over what is active in a schedule tree."""

from __future__ import annotations

import pytest
from kernels import KERNELS
from xdsl.dialects.affine import ForOp

from polyir import api
from polyir.isl_trees import node_type
from polyir.model.order import all_active, below, below_child
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.walks import operations_in, outermost


def test_operations_in_the_order_of_walk() -> None:
    module = api.parse(KERNELS["correlation"].path.read_text())
    assert operations_in(module) == list(module.walk())


def test_outermost_loops_are_those_in_no_other() -> None:
    module = api.parse(KERNELS["correlation"].path.read_text())
    loops = [op for op in module.walk() if isinstance(op, ForOp)]
    alone = [op for op in loops if not any(o is not op and o.is_ancestor(op) for o in loops)]
    assert list(outermost(module, ForOp)) == alone
    assert len(alone) < len(loops)


@pytest.mark.parametrize("name", ["correlation", "gramschmidt", "fdtd-2d"])
def test_what_is_active_at_one_child(name: str) -> None:
    (op,) = analysed_scops(api.parse(KERNELS[name].path.read_text()))
    scop = scop_of(op)
    assert scop.dependences is not None
    seen = set()
    pending = [(scop.schedule.get_root(), all_active(scop.dependences.ordering))]
    while pending:
        node, actives = pending.pop()
        seen.add(node_type(node).name)
        for position, expected in enumerate(below(node, actives)):
            found = below_child(node, actives, position)
            assert [each.dependence for each in found] == [each.dependence for each in expected]
            pairs = zip(found, expected, strict=True)
            assert all(a.relation.is_equal(b.relation) for a, b in pairs)
            pending.append((node.child(position), expected))
    assert "sequence" in seen
