"""Steps in worker processes: what comes back, what is refused, what does not matter."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import islpy as isl
import pytest
from few_operations import allow, budget_of
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base import limits
from polyir.base.checked import UncheckedError, checks_required
from polyir.base.diagnostics import LegalityError, Remark, SourceLocation, remarks_to
from polyir.base.limits import (
    DEFAULT_TIME_LIMIT,
    CrashError,
    ResourceError,
    TimeLimitError,
    in_order,
    limited,
    time_errors_raised,
    time_limited_to,
    within_operations,
)
from polyir.codegen import ast_build
from polyir.dialects.scop import ScopOp, scops_in
from polyir.model.scop import Scop

JACOBI_2D = Path(__file__).parents[2] / "benchmarks" / "polybench" / "jacobi-2d.mlir"
COPY = """
func.func @copy(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}
"""
HERE = SourceLocation("in.mlir", 3, 7)


def many_operations() -> isl.Set:
    found = isl.Set("[n] -> { [i] : 0 <= i < n }")
    for modulus in range(2, 40):
        found = found.subtract(isl.Set(f"{{ [i] : i mod {modulus} = 1 }}"))
    return found


def endless() -> None:
    while True:
        many_operations()


@pytest.fixture(autouse=True)
def _worker_processes() -> Iterator[None]:
    with time_limited_to(DEFAULT_TIME_LIMIT):
        yield


def test_results_come_back() -> None:
    process = os.getpid()
    worker, found = limited("the step", lambda: (os.getpid(), many_operations()))
    assert worker != process
    assert found.is_equal(many_operations())


def test_without_a_limit_nothing_is_forked() -> None:
    with time_limited_to(0):
        assert limited("the step", os.getpid) == os.getpid()


def test_a_step_inside_a_step_is_one_with_it() -> None:
    outer, inner = limited("a", lambda: (os.getpid(), limited("b", os.getpid)))
    assert outer == inner != os.getpid()


def test_values_of_the_ir_come_back_as_themselves() -> None:
    scop = copy_scop()
    (statement,) = scop.statements
    (load, store) = statement.body.block.ops
    found = limited("the step", lambda: {load: (store.operands[1], scop)}, ir=scop)
    assert found == {load: (store.operands[1], scop)}
    assert found[load][0] is store.operands[1]


def test_errors_come_back() -> None:
    def refuse() -> None:
        raise LegalityError("no", HERE)

    with pytest.raises(LegalityError, match="no") as refused:
        limited("the step", refuse)
    assert refused.value.location == HERE
    with pytest.raises(KeyError) as defect:
        limited("the step", lambda: {}[0])
    assert "test_limits.py" in "".join(defect.value.__notes__)


def test_a_step_beyond_the_limit_is_refused() -> None:
    message = "the step takes more than 0.05 s of processor time"
    with time_limited_to(0.05), pytest.raises(ResourceError, match=message) as refused:
        limited("the step", endless, HERE)
    assert refused.value.location == HERE
    assert not isl.Set("{ [i] : 0 <= i < 3 }").is_empty()


def test_a_crash_is_a_diagnostic(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CrashError, match=r"the step fails: isl crashes \(segmentation fault\)"):
        limited("the step", lambda: os.kill(os.getpid(), signal.SIGSEGV))
    assert capfd.readouterr().err == ""


def test_what_a_step_prints_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    print("before", end="")
    limited("the step", lambda: print(" inside", end=""))
    print(" after")
    assert capfd.readouterr().out == "before inside after\n"


def test_steps_come_in_their_order_whichever_ends_first() -> None:
    def value(number: int) -> tuple[int, int]:
        time.sleep(0.05 * (3 - number))
        return number, os.getpid()

    steps = in_order("the step", [partial(value, number) for number in range(4)])
    found = [step.result() for step in steps]
    assert [number for number, _ in found] == [0, 1, 2, 3]
    assert len({worker for _, worker in found}) == 4


@pytest.mark.parametrize("early", range(6))
def test_a_step_may_end_between_two_looks(monkeypatch: pytest.MonkeyPatch, early: int) -> None:
    real, looks = limits._is_ready, iter([False] * early)

    def is_ready(readers: list[int], seconds: float | None) -> bool:
        assert readers, "it would wait for ever"
        # The first looks come too early, the next one finds it ended.
        return next(looks, True) and real(readers, None)

    monkeypatch.setattr(limits, "_is_ready", is_ready)
    assert [step.result() for step in in_order("the step", [lambda: 7])] == [7]


def test_known_objects_come_back_as_the_same_objects() -> None:
    shared, other = isl.Set("{ [0] }"), isl.Set("{ [0] }")
    steps = in_order("the step", [lambda: [shared, other]], known=lambda: [shared])
    ((first, second),) = (step.result() for step in steps)
    assert first is shared
    assert second is not other
    assert second.is_equal(other)


def test_several_steps_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "processors", lambda: 2)
    reader, writer = os.pipe()
    tasks = [lambda: os.read(reader, 1), lambda: os.write(writer, b"a")]
    with closing(in_order("the step", tasks)) as steps:
        # The first one waits for the second one.
        assert [step.result() for step in steps] == [b"a", 1]


def test_steps_that_nobody_asks_for_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "processors", lambda: 2)
    reader, writer = os.pipe()
    with closing(in_order("the step", [os.getpid, endless])) as steps:
        next(steps).result()
    os.close(writer)
    # No process has the other end any more.
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_counted_operations() -> None:
    def count() -> tuple[isl.Set | None, isl.Set | None]:
        few = within_operations(budget_of(1000), many_operations)
        return few, within_operations(budget_of(10_000_000), many_operations)

    few, many = limited("the step", count)
    assert few is None
    assert many is not None
    assert many.is_equal(many_operations())
    with pytest.raises(KeyError):
        within_operations(budget_of(1000), lambda: {}[0])


def test_limits_on_operations_nest() -> None:
    enough = 80_000  # of which `many_operations` takes about 50,000

    def inside(limits: Sequence[int]) -> list[bool]:
        return [
            within_operations(budget_of(limit), many_operations) is not None for limit in limits
        ]

    def within_enough(*limits: int) -> list[bool] | None:
        return within_operations(budget_of(enough), partial(inside, limits))

    # An inner limit that is reached ends nothing else, and one that is higher raises none.
    assert within_enough(1000, 1000) == [False, False]
    assert within_enough(1000, enough) == [False, True]
    assert within_enough(enough, enough) is None
    assert within_enough(10 * enough, 10 * enough) is None
    assert within_operations(budget_of(1000), partial(inside, [10 * enough])) is None
    assert isl.DEFAULT_CONTEXT.get_max_operations() == 0
    assert inside([enough]) == [True]


def copy_scop() -> ScopOp:
    (scop,) = scops_in(copy_module())
    return scop


def copy_module() -> ModuleOp:
    return api.run_pipeline(api.parse(COPY), "poly-dependences")


@pytest.mark.parametrize("pipeline", ["pluto-schedule", "optimize", "compare-schedules"])
def test_a_pass_without_time_ends_the_run(pipeline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = copy_module()
    for place in ("pluto_schedule.PlutoSchedulePass.find", "compare_schedules._cells"):
        monkeypatch.setattr(f"polyir.passes.{place}", endless_method)
    message = r"takes more than 0.05 s of processor time \(--time-limit\)"
    with time_limited_to(0.05), pytest.raises(TimeLimitError, match=message):
        api.run_pipeline(module, pipeline)


def test_a_caught_error_ends_the_run_too() -> None:
    def refused(compute: Callable[[], object]) -> None:
        with time_errors_raised(), suppress(ResourceError), time_limited_to(0.05):
            limited("the step", compute)

    with pytest.raises(TimeLimitError):
        refused(endless)
    refused(lambda: os.kill(os.getpid(), signal.SIGSEGV))


def test_a_pass_without_operations_leaves_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    module = copy_module()
    remarks: list[Remark] = []
    allow(monkeypatch, 100, "TRANSFORMATION")
    with remarks_to(remarks.append):
        result = api.run_pipeline(module, "pluto-schedule")
    message = "takes isl more than 100 operations: the schedule is left as it was"
    assert remarks[-1].message.endswith(message)
    assert result.is_structurally_equivalent(module)


def endless_method(*_: object) -> None:
    endless()


def test_code_generation_falls_back_on_the_original_order(monkeypatch: pytest.MonkeyPatch) -> None:
    module = api.run_pipeline(copy_module(), "reverse{loop=S0.0}")
    original = ast_build._generated
    refused: list[str] = []

    def built(scop: Scop, form: Any) -> object:
        return None if "-i" in str(scop.schedule) else original(scop, form)

    monkeypatch.setattr(ast_build, "_generated", built)
    with remarks_to(lambda remark: refused.append(remark.message)):
        text = api.emit(module, "c")
    assert "for (int64_t i = 0; i < n; i++)" in text
    assert refused[-1].endswith("the loops keep their original order")


def test_the_original_order_has_no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    module = api.run_pipeline(copy_module(), 'strip-mine{loop="S0.0"},promote{loop="S0.0"}')
    assert "poly.local_array" in api.emit(module, "poly")
    original = ast_build._generated

    def built(scop: Scop, form: Any) -> object:
        return None if scop.op.local_arrays else original(scop, form)

    monkeypatch.setattr(ast_build, "_generated", built)
    with remarks_to(lambda remark: None):
        text = api.emit(module, "c")
    assert "local" not in text
    assert "for (int64_t i = 0; i < n; i++)" in text


def test_a_check_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    module, remarks = copy_module(), list[Remark]()
    checks = ("execute each instance once", "execute instances in order")
    expected = [f"not checked: the check that the loops {each} takes isl" for each in checks]
    with remarks_to(remarks.append), checks_required():
        text = api.emit(module, "c")
    assert not any("not checked" in each.message for each in remarks)
    allow(monkeypatch, 3, "AST_PARTITION", "AST_ORDER")
    with remarks_to(remarks.append):
        assert api.emit(module, "c") == text
    messages = [each.message for each in remarks if each.message.startswith("not checked")]
    assert messages == [f"{each} more than 3 operations" for each in expected]
    with checks_required(), pytest.raises(UncheckedError, match=re.escape(expected[0])):
        api.emit(module, "c")


def test_strategies_without_operations_are_not_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    module, remarks = copy_module(), list[Remark]()
    allow(monkeypatch, 10, "STRATEGY")
    with remarks_to(remarks.append):
        api.run_pipeline(module, "optimize")
    messages = [each.message for each in remarks]
    reason = "not possible: the search for a schedule takes isl more than 10 operations"
    assert f"tiles: {reason}" in messages
    assert "chosen: original" in messages


def test_schedulers_without_operations_are_not_finished(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    allow(monkeypatch, 10, "COMPARED_SCHEDULE")
    api.run_pipeline(copy_module(), "compare-schedules")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "pluto" in line and "not finished" in line]
