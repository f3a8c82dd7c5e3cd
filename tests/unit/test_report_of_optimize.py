"""What a recording has of `optimize`: the passes of what it chose, and what else it tried."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from scop_after import STENCIL
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir import api
from polyir.base.diagnostics import Remark, remarks_kept, remarks_to
from polyir.dialects.scop import scops_in
from polyir.loops.levels import lower_scops
from polyir.report.contents import contents_of
from polyir.report.estimates import EstimateTable, estimate_tables, number_text
from polyir.report.recording import Recording, Step, recorded
from polyir.universe import new_context

ROOT = Path(__file__).parents[2]
GEMM = (ROOT / "benchmarks" / "polybench" / "gemm.mlir").read_text()
TRANSFORM = ROOT / "tests" / "filecheck" / "transform"
NESTS = (TRANSFORM / "optimize-nests.mlir").read_text()
MACHINE = TRANSFORM / "Inputs" / "four_cores.json"
RAISED = ["", "poly-raise", "poly-dependences"]
LOOPS = ["lower-poly", "vectorize", "scalar-replacement"]
PARALLEL = 'mark-parallel{schedule="balanced"}'

STRATEGIES = {
    "tiles": ["delicm", "pluto-schedule", "tile", "wavefront", PARALLEL, "register-tile", *LOOPS],
    "register-blocks": [
        "delicm", 'pluto-schedule{fuse="none"}', "tile{sizes=144,144,288}",
        PARALLEL, "register-tile", *LOOPS
    ],
    "private": ["privatize", PARALLEL, "register-tile", "collapse", "promote-private", *LOOPS],
    # Its passes on memory change no array of gemm, but the tree.
    "sweeps": [
        "tile{sizes=24 min_width=1}", 'wavefront{which="inner"}', "promote-private",
        PARALLEL, "register-tile", *LOOPS
    ],
    "packed-blocks": [
        "delicm",
        'pluto-schedule{fuse="none"}',
        "register-tile{masked=true tiles=144,144,288 shared_tiles=32,960,384}",
        PARALLEL, "lower-poly", "vectorize", "pack", "scalar-replacement",
    ],
    # Nothing is done, so that there are no steps.
    "original": [],
    "split": [],
}  # fmt: skip


def passes_of(options: str) -> tuple[ModulePass, ...]:
    return api.passes_of(f'optimize{{machine="{MACHINE}" {options}}}')


def recording_of(text: str, options: str) -> Recording:
    return recorded(api.parse(text), passes_of(options), text)


def optimized(text: str, options: str) -> tuple[ModuleOp, list[Remark]]:
    """The program when nobody looks at its steps, and what is said then."""
    module = api.parse(text)
    with remarks_to(lambda each: None), remarks_kept() as said:
        for each in passes_of(options):
            each.apply(new_context(), module)
    return module, said


def require_steps_to_lead_to_the_result(steps: list[Step]) -> None:
    """The tree before it is lowered is the one that the loops are made of."""
    for before, after in pairwise(steps):
        if after.name == "lower-poly":
            lowered = before.module.clone()
            lower_scops(new_context(), lowered)
            assert str(lowered) == str(after.module)
    assert str(steps[-2].module) == str(steps[-1].module)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_passes_of_a_strategy_are_steps(strategy: str) -> None:
    option = f"strategy={strategy}"
    steps = recording_of(GEMM, option).steps
    names = [each.name for each in steps]
    assert names[: len(RAISED)] == RAISED
    assert names[len(RAISED) : -1] == STRATEGIES[strategy]
    assert names[-1].startswith("optimize{")
    require_steps_to_lead_to_the_result(steps)
    module, said = optimized(GEMM, option)
    assert str(steps[-1].module) == str(module)
    assert Counter(each for step in steps for each in step.remarks) == Counter(said)
    for step in steps[len(RAISED) :]:
        assert {each.pass_name for each in step.remarks} <= {step.name.partition("{")[0]}


def test_nests_of_another_strategy_are_a_step() -> None:
    steps = recording_of(NESTS, "").steps
    (mixed,) = [each for each in steps if each.name.startswith("nests of ")]
    before = steps[steps.index(mixed) - 1]
    assert str(before.module) != str(mixed.module)
    require_steps_to_lead_to_the_result(steps)


def test_each_function_has_its_steps_in_turn() -> None:
    text = GEMM + STENCIL.replace("%A[%i - 1]", "%A[%i]")
    steps = recording_of(text, "strategy=parallel").steps
    names = [each.name for each in steps[len(RAISED) : -1]]
    assert names == [PARALLEL, "register-tile", "collapse", *LOOPS] * 2
    scops = [len(scops_in(each.module)) for each in steps]
    assert scops == [0, *[2] * 5, *[1] * 6, *[0] * 4]


def tables_of(recording: Recording) -> tuple[EstimateTable, ...]:
    return estimate_tables(recording.steps[-1].remarks)


def test_what_was_tried_is_a_table_with_one_number_a_cell() -> None:
    recording = recording_of(GEMM, "")
    (table,) = tables_of(recording)
    names = [row.strategy for row in table.rows]
    assert names[0] == "original"
    assert len(set(names)) == len(names) > 1
    (chosen,) = [row for row in table.rows if row.is_chosen]
    times = {row.strategy: row.milliseconds for row in table.rows if row.milliseconds is not None}
    assert times[chosen.strategy] < times["original"]
    for row in table.rows:
        assert tuple(row.cycles) == (table.columns if row.milliseconds is not None else ())
        assert row.limit in ("", *table.columns)
        assert (row.milliseconds is None) == bool(row.reason)
    said = [each.message for each in recording.steps[-1].remarks]
    text = rf"{chosen.strategy}( with tiles of .*)?: {chosen.milliseconds:.3g} ms"
    assert any(re.match(text, each) for each in said)


def test_functions_have_tables_of_their_own_and_their_nests_are_added() -> None:
    recording = recording_of(f"{GEMM}{STENCIL}", "strategy=parallel")
    tables = tables_of(recording)
    assert [[row.strategy for row in each.rows] for each in tables] == [["parallel"], ["parallel"]]
    assert tables[0].location != tables[1].location


def test_a_strategy_that_is_refused_has_its_reason() -> None:
    (table,) = tables_of(recording_of(GEMM, "strategy=split"))
    (row,) = table.rows
    assert (row.strategy, row.reason) == ("split", "there is nothing to change")


def test_the_page_has_estimates_in_the_table_only() -> None:
    steps = contents_of(recording_of(STENCIL, "strategy=parallel")).steps
    assert [len(each.estimates) for each in steps] == [0] * (len(steps) - 1) + [1]
    assert steps[-1].is_told
    assert not steps[-1].is_changed
    assert not any("cycles: " in each.message for step in steps for each in step.remarks)


@pytest.mark.parametrize(
    ("number", "text"), [(0.0, "0"), (0.01234, "0.0123"), (12.34, "12.3"), (1234.5, "1,234")]
)
def test_numbers_are_read_at_a_glance(number: float, text: str) -> None:
    assert number_text(number) == text
