"""Which schedules are known to be legal, and are not checked again."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.dialects.builtin import BoolAttr, ModuleOp, UnitAttr

from polyir import api
from polyir.base.diagnostics import LegalityError, remarks_to
from polyir.dialects.dependence import Dependences
from polyir.dialects.isl_attributes import MultiUnionPwAffAttr
from polyir.dialects.schedule_tree import BandOp
from polyir.dialects.scop import ScopOp, scops_in
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.proofs import schedules
from polyir.proofs.remembered import is_proved, needs_proof, unchecked
from polyir.tree import BandMember
from polyir.universe import new_context

SWEEP = """
func.func @sweep(%n: index, %A: memref<?xf64>, %t: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    affine.store %0, %A[%i] : memref<?xf64>
  }
  return
}
"""

TEMPORARY = """
func.func @f(%n: index, %A: memref<?xf64>) {
  %t = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %t[%i] : memref<?xf64>
    %1 = affine.load %t[%i] : memref<?xf64>
    affine.store %1, %A[%i] : memref<?xf64>
  }
  memref.dealloc %t : memref<?xf64>
  return
}
"""


def after(pipeline: str, text: str = SWEEP) -> ModuleOp:
    with remarks_to(lambda remark: None):
        return api.run_pipeline(api.parse(text), pipeline)


def only_scop(module: ModuleOp) -> ScopOp:
    (scop,) = scops_in(module)
    return scop


def bands(scop: ScopOp) -> list[BandOp]:
    return [op for op in scop.walk() if isinstance(op, BandOp)]


def reverse(scop: ScopOp) -> None:
    (band,) = bands(scop)
    schedule = band.schedule.data
    band.schedule = MultiUnionPwAffAttr(schedule.set_at(0, schedule.get_at(0).neg()))


@pytest.mark.parametrize(
    "pipeline",
    [
        *("poly-dependences", "pluto-schedule", "tile-symbolic", "shift{loop=S0.0 by=1}"),
        *("isl-builtin-schedule,strip-mine{loop=S0.0 size=4},mark-parallel", "tile,wavefront"),
    ],
)
def test_what_passes_make_is_proved(pipeline: str) -> None:
    module = after(pipeline)
    assert is_proved(only_scop(module))
    assert is_proved(only_scop(module.clone()))
    read = only_scop(api.parse(api.emit(module, "poly")))
    assert not is_proved(read)
    assert needs_proof(read)


@pytest.mark.parametrize(
    "pipeline",
    [
        *("mark-parallel,contract", "expand,mark-parallel", "privatize"),
        *("tile{sizes=4 min-width=1},promote{arrays=A loop=S0.0}",),
    ],
)
def test_passes_that_change_memory_keep_the_proof(pipeline: str) -> None:
    assert is_proved(only_scop(after(pipeline, TEMPORARY)))


def test_a_scop_without_dependences_and_claims_has_nothing_to_prove() -> None:
    scop = only_scop(after("poly-raise"))
    assert not needs_proof(scop)
    bands(scop)[0].permutable = UnitAttr()
    assert needs_proof(scop)


def test_a_change_ends_the_proof() -> None:
    module = after("poly-dependences")
    scop = only_scop(module)
    (band,) = bands(scop)
    flags = band.coincident
    band.coincident = type(flags)([BoolAttr.from_bool(True)])
    assert not is_proved(scop)
    with pytest.raises(LegalityError, match=r"^the loop S0\.0 is not coincident: .* before S0\["):
        api.lower(module)
    band.coincident = flags
    reverse(scop)
    with pytest.raises(LegalityError, match=r"^the schedule violates the flow dependence"):
        api.lower(module)
    with unchecked():
        api.lower(module)


def test_a_schedule_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = after("poly-dependences")
    text = api.emit(module, "poly")
    checks: list[Scop] = []
    check = schedules.false_claims_of_schedule

    def counted(scop: Scop, dependences: Dependences) -> object:
        checks.append(scop)
        return check(scop, dependences)

    monkeypatch.setattr(schedules, "false_claims_of_schedule", counted)
    monkeypatch.setattr(schedules, "limited", lambda step, compute: compute())
    api.lower(module)
    assert not checks
    read = api.parse(text)
    with remarks_to(lambda remark: None):
        api.lower(api.run_pipeline(read, "check-schedule"))
    assert len(checks) == 1


@dataclass(frozen=True)
class _Foreign(ScopPass):
    """A pass of another package, which proves nothing."""

    name = "foreign"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        band = scop.schedule.root.child(0)
        backwards = [BandMember(function.neg()) for function in band.functions]
        return Outcome(band.delete().insert_band(backwards).schedule)


def test_a_foreign_pass_is_not_believed() -> None:
    module = after("poly-dependences")
    _Foreign().apply(new_context(), module)
    assert not is_proved(only_scop(module))
    with pytest.raises(LegalityError, match=r"^the schedule violates the flow dependence"):
        api.lower(module)
