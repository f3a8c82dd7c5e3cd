"""The passes on named statements in modules with more scops than one."""

from __future__ import annotations

import pytest
from poly_text import poly_module, scops_of
from xdsl.context import Context

from polyir.base.diagnostics import OptionError, Remark, remarks_to
from polyir.passes.distribute import DistributePass
from polyir.passes.fuse import FusePass


def nests(function: str, *names: str) -> str:
    """A function with one scop: a sequence of loops, each around one statement."""
    domain = "; ".join(f"{name}[i] : 0 <= i < 4" for name in names)
    statements = "\n".join(
        f'poly.stmt @{name} domain "{{ {name}[i] : 0 <= i < 4 }}" (%i) {{\n'
        f"%v = affine.load %a[%i] : memref<4xf64>\n"
        f"affine.store %v, %b[%i] : memref<4xf64>\n}}"
        for name in names
    )
    filters = "\n".join(
        f'poly.filter "{{ {name}[i] }}" {{\n'
        f'poly.band "[{{ {name}[i] -> [(i)] }}]" coincident [true]\n}}'
        for name in names
    )
    return (
        f"func.func @{function}(%a: memref<4xf64>, %b: memref<4xf64>) {{\n"
        f'poly.scop () context "{{ : }}" {{\n{statements}\n'
        f'poly.domain "{{ {domain} }}" {{\npoly.sequence {{\n{filters}\n}}\n}}\n}}\nreturn\n}}\n'
    )


MODULE = nests("first", "S0", "S1") + nests("second", "T0", "S0")


def test_the_scops_with_all_the_statements_are_changed() -> None:
    module = poly_module(MODULE)
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        FusePass(("S0", "S1")).apply(Context(), module)
    module.verify()
    first, second = scops_of(module)
    assert len(first.schedule.root.child(0).members) == 1
    assert second.schedule.root.child(0).n_children == 2
    assert [remark.message for remark in remarks if remark.pass_name == "fuse"] == [
        "left alone: the scop does not have all of S0, S1",
        "fused the outermost loop of S0, S1",
    ]


def test_a_statement_of_no_scop() -> None:
    with pytest.raises(OptionError, match="pass 'distribute': there is no statement 'S00'"):
        DistributePass(("S00",)).apply(Context(), poly_module(MODULE))


def test_statements_of_different_scops() -> None:
    with pytest.raises(OptionError, match="pass 'fuse': S1, T0 are not in the same scop"):
        FusePass(("S1", "T0")).apply(Context(), poly_module(MODULE))
