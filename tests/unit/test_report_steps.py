"""Which steps a recording has: passes, and what they do first where nothing has."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest
from scop_after import STENCIL
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.inner_steps import inner_step
from polyir.base.limits import time_limited_to
from polyir.dialects.scop import scops_in
from polyir.passes.tile import TilePass
from polyir.report import report_page
from polyir.report.computations import computed
from polyir.report.contents import contents_of, lowering_key
from polyir.report.recording import Recording, recorded
from polyir.tools.polyir_opt import main

RAISED = ["", "poly-raise", "poly-dependences"]


def steps_of(pipeline: str) -> Recording:
    return recorded(api.parse(STENCIL), api.passes_of(pipeline), STENCIL)


@pytest.mark.parametrize(
    ("pipeline", "names"),
    [
        ("pluto-schedule,tile{sizes=8}", [*RAISED, "pluto-schedule", "tile{sizes=8}"]),
        ("poly-dependences,pluto-schedule", [*RAISED, "pluto-schedule"]),
        ("print-dependences", [*RAISED, "print-dependences"]),
        ("canonicalize", ["", "canonicalize"]),
        # It tries schedulers on copies; these are not steps of the program.
        ("optimize{threads=1}", [*RAISED, "optimize{threads=1}"]),
    ],
)
def test_what_is_done_first_is_a_step(pipeline: str, names: list[str]) -> None:
    assert [each.name for each in steps_of(pipeline).steps] == names


def test_the_steps_are_those_of_passes_that_are_asked_for() -> None:
    implied = steps_of("pluto-schedule").steps
    asked = steps_of("poly-raise,poly-dependences,pluto-schedule").steps
    assert [each.name for each in implied] == [each.name for each in asked]
    for one, other in zip(implied, asked, strict=True):
        assert str(one.module) == str(other.module)


def test_the_time_of_a_step_is_not_that_of_the_pass_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slow(self: TilePass, ctx: Context, op: ModuleOp) -> None:
        with inner_step("poly-dependences", op), inner_step("poly-raise", op):
            time.sleep(0.2)

    monkeypatch.setattr(TilePass, "apply", slow)
    _, raising, analysis, tiling = steps_of("tile{sizes=8}").steps
    assert raising.seconds >= 0.2
    assert analysis.seconds < 0.2
    assert tiling.seconds < 0.2


def test_all_observers_see_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, page = tmp_path / "stencil.mlir", tmp_path / "stencil.html"
    source.write_text(STENCIL)
    options = ["--pluto-schedule", "--timing", "--emit=none", f"--report={page}", str(source)]
    assert main(options) == 0
    times = capsys.readouterr().err
    for name in RAISED[1:]:
        assert f"    {name}\n" in times
        assert f"<h2>{name}</h2>" in page.read_text()


def test_nothing_is_estimated_of_a_distributed_program() -> None:
    pipeline = "pluto-schedule,tile{sizes=8 min-width=1},wavefront,distribute-memory"
    tiled, *_, distributed = contents_of(steps_of(pipeline)).steps[-3:]
    assert [each.estimate is not None for each in tiled.scops] == [True]
    assert distributed.scops
    assert [each.estimate for each in distributed.scops] == [None] * len(distributed.scops)


def test_programs_that_differ_in_dependences_only_are_lowered_once() -> None:
    recording = steps_of("pluto-schedule")
    keys = [lowering_key(each.module) for each in recording.steps]
    read, raised, analysed, scheduled = contents_of(recording).steps
    assert keys[1] == keys[2]
    assert len({keys[0], keys[2], keys[3]}) == 3
    assert raised.texts[0] != analysed.texts[0]
    assert raised.texts[1:] == analysed.texts[1:] != scheduled.texts[1:]
    assert read.texts[0].text == raised.texts[0].text


def test_dependences_matter_to_what_is_checked_before_it_is_lowered() -> None:
    analysed = steps_of("poly-dependences").steps[-1].module
    unproved = analysed.clone()
    for scop in scops_in(unproved):
        scop.known.clear()
    assert lowering_key(analysed) != lowering_key(unproved)


def test_a_report_does_not_depend_on_the_number_of_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recording = steps_of("pluto-schedule,tile{sizes=8 min-width=1},wavefront,mark-parallel")
    with time_limited_to(0):
        alone = report_page(recording)
    for number in (1, 3):
        monkeypatch.setattr("polyir.base.limits.processors", lambda number=number: number)
        assert report_page(recording) == alone


def test_what_fails_in_a_worker_is_computed_here() -> None:
    here = os.getpid()

    def crashing() -> str:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGSEGV)
        return "here"

    assert computed({"crash": crashing, "other": lambda: "there"}) == {
        "crash": "here",
        "other": "there",
    }


def test_what_has_something_else_is_not_computed_again() -> None:
    here = os.getpid()

    def slow() -> str:
        while os.getpid() != here:
            pass
        return "again"

    tasks = {"slow": slow, "other": lambda: "there"}
    with time_limited_to(0.1):
        found = computed(tasks, {"slow": lambda error: "left out"})
    assert found == {"slow": "left out", "other": "there"}


def test_a_text_is_on_the_page_once() -> None:
    recording = steps_of("pluto-schedule,canonicalize")
    page = report_page(recording)
    panels = re.findall(r'id="panel-(\d)-(poly|loops|c)"(.*?)>(.*?)</div>', page, re.DOTALL)
    same = {(step, view): re.search(r'data-same-as="(\d)"', tag) for step, view, tag, _ in panels}
    found = {key: match.group(1) for key, match in same.items() if match is not None}
    expected = {("1", "poly"): "0", ("1", "c"): "0", ("2", "loops"): "1", ("2", "c"): "0"}
    assert found == expected | {("4", view): "3" for view in ("poly", "loops", "c")}
    for step, view, _, inner in panels:
        assert ("<pre" in inner) != ((step, view) in found)
