"""The passes poly-dependences, print-dependences and check-schedule."""

from __future__ import annotations

import islpy as isl
import pytest
from poly_text import poly_module, scops_of
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import LegalityError, Remark, remarks_to
from polyir.base.limits import time_limited_to
from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.model.analysis import DataflowError
from polyir.model.scop import Scop
from polyir.passes.check_schedule import CheckSchedulePass
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.pluto_schedule import PlutoSchedulePass
from polyir.passes.poly_dependences import PolyDependencesPass
from polyir.passes.print_dependences import PrintDependencesPass
from polyir.passes.tile import TilePass
from polyir.proofs import dependences

DOMAIN = "[n] -> { S0[i] : 0 < i < n }"
CARRIED = "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 < i <= -2 + n }"


def module(schedule: str = "i", dependences: str = "") -> ModuleOp:
    return poly_module(
        f"""func.func @sweep(%A: memref<?xf64>, %n: index) {{
          poly.scop (%n as "n") context "[n] -> {{ : n > 0 }}" {dependences} {{
            poly.stmt @S0 domain "{DOMAIN}" (%i) {{
              %0 = affine.load %A[%i - 1] : memref<?xf64>
              affine.store %0, %A[%i] : memref<?xf64>
            }}
            poly.domain "{DOMAIN}" {{
              poly.band "[{{ S0[i] -> [({schedule})] }}]" coincident [false]
            }}
          }}
          func.return
        }}"""
    )


FLOW = f'dependences <value, [flow "A" "{CARRIED}"]>'


def test_dependences_are_kept_on_the_scop() -> None:
    program = module()
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        PolyDependencesPass().apply(Context(), program)
    (scop,) = scops_of(program)
    assert scop.dependences is not None
    (item,) = scop.dependences.items
    assert (item.kind, item.array) == (DependenceKind.FLOW, "A")
    assert item.relation.is_equal(isl.Map(CARRIED))
    assert [remark.message for remark in remarks] == ["value-based dependences: 1 flow"]
    # The text form reads back.
    (again,) = scops_of(poly_module(str(program)))
    assert again.dependences is not None
    assert again.dependences.items[0].relation.is_equal(item.relation)


def test_memory_based_and_input_on_request() -> None:
    program = module()
    PolyDependencesPass(value_based=False, input=True).apply(Context(), program)
    (scop,) = scops_of(program)
    assert scop.dependences is not None
    assert not scop.dependences.value_based
    assert [item.kind.value for item in scop.dependences.items] == ["flow"]


@pytest.mark.parametrize("dependences", ["", FLOW])
def test_printed_lines_are_comments(dependences: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = module(dependences=dependences)
    PrintDependencesPass().apply(Context(), program)
    assert capsys.readouterr().out == (
        f"// value-based dependences in @sweep:\n// flow  A  S0 -> S0  (1)  {CARRIED}\n"
    )
    assert scops_of(program)[0].dependences is not None


def test_a_schedule_is_checked_against_the_dependences_of_the_scop() -> None:
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        CheckSchedulePass().apply(Context(), module(dependences=FLOW))
    assert [remark.message for remark in remarks] == ["the only dependence holds"]
    with pytest.raises(LegalityError) as caught:
        CheckSchedulePass().apply(Context(), module("-i", FLOW))
    assert caught.value.message == (
        "the schedule violates the flow dependence through A: S0[1] must run before S0[2] (n = 3)"
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (module(), "nothing to check: the scop has no dependences"),
        (ModuleOp([]), "nothing to check: the module has no static control part"),
    ],
)
def test_nothing_to_check_is_said(program: ModuleOp, message: str) -> None:
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        CheckSchedulePass().apply(Context(), program)
    assert [remark.message for remark in remarks] == [message]


def test_dependences_that_are_too_hard_are_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bool] = []

    def give_up(scop: Scop, value_based: bool, kinds: object, **options: object) -> Dependences:
        tried.append(value_based)
        raise DataflowError("this is too hard")

    monkeypatch.setattr(dependences, "compute_dependences", give_up)
    program = module()
    remarks: list[Remark] = []
    with remarks_to(remarks.append), time_limited_to(0):
        for each in (PlutoSchedulePass(), TilePass(), MarkParallelPass()):
            each.apply(Context(), program)
    assert tried == [True, False]
    assert [remark.message for remark in remarks if "too hard" in remark.message] == [
        "this is too hard: memory-based ones are used",
        "this is too hard: the scop is left alone",
    ]
