"""Walks over operations, and over what is active in a schedule tree."""

from __future__ import annotations

import islpy as isl
import pytest
from kernels import KERNELS
from xdsl.dialects.affine import ForOp

from polyir import api
from polyir.base.walks import operations_in, outermost
from polyir.model.scop import scop_of
from polyir.model.tree_loops import leaves, schedules_below
from polyir.passes.prerequisites import analysed_scops
from polyir.sets.lists import maps_of
from polyir.tree.isl_border import from_text
from polyir.tree.order import all_active, below, below_child


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
    pending = [(scop.schedule.root, all_active(scop.dependences.ordering))]
    while pending:
        node, actives = pending.pop()
        seen.add(node.kind.value)
        for position, expected in enumerate(below(node, actives)):
            found = below_child(node, actives, position)
            assert [each.dependence for each in found] == [each.dependence for each in expected]
            pairs = zip(found, expected, strict=True)
            assert all(a.relation.is_equal(b.relation) for a, b in pairs)
            pending.append((node.child(position), expected))
    assert "sequence" in seen


@pytest.mark.parametrize("name", ["correlation", "gramschmidt", "fdtd-2d"])
def test_schedules_below_are_those_of_the_leaves(name: str) -> None:
    (op,) = analysed_scops(api.parse(KERNELS[name].path.read_text()))
    pending = [scop_of(op).schedule.root.child(0)]
    while pending:
        node = pending.pop()
        pending += node.children()
        expected = [
            schedule
            for leaf in leaves(node)
            for schedule in maps_of(leaf.prefix_schedule.intersect_domain(leaf.domain))
        ]
        found = list(schedules_below(node))
        assert len(found) == len(expected) > 0
        assert all(a.is_equal(b) for a, b in zip(found, expected, strict=True))


def test_schedules_below_an_expansion() -> None:
    schedule = from_text("""{ domain: "{ S[i] : 0 <= i < 8 }", child: {
        schedule: "[{ S[i] -> [(i)] }]", child: {
        contraction: "{ T[i, j] -> S[i] }", expansion: "{ S[i] -> T[i, j] : 0 <= j < 3 }",
        child: { schedule: "[{ T[i, j] -> [(j)] }]" } } } }""")
    (found,) = schedules_below(schedule.root.child(0))
    assert found.is_equal(isl.Map("{ T[i, j] -> [i, j] : 0 <= i < 8 and 0 <= j < 3 }"))
