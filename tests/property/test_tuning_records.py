"""Files of polyir-tune: they say what was found, and are for one kernel only."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import OptionError
from polyir.tuning.kernel import digest_of
from polyir.tuning.record import (
    TunedMachine,
    TuningError,
    TuningFile,
    TuningRecord,
    tuning_of_json,
)

TEXT = (Path(__file__).parents[2] / "benchmarks/polybench/gemm.mlir").read_text()

seconds = st.floats(0, 1e6, allow_nan=False)
counts = st.dictionaries(st.text(), st.integers(0, 10**9), max_size=3)
machines = st.builds(
    TunedMachine,
    processor=st.text(),
    cores=st.integers(1, 512),
    caches=st.lists(st.integers(1, 1 << 40), max_size=4).map(tuple),
)
records = st.builds(
    TuningRecord,
    kernel=st.text("0123456789abcdef", min_size=64, max_size=64),
    function=st.text(),
    machine=machines,
    pipeline=st.text(),
    threads=st.integers(1, 512),
    sizes=counts,
    base=st.text(),
    base_seconds=seconds,
    seconds=seconds,
    counts=counts,
)


files = st.builds(TuningFile, st.text(), st.lists(records, min_size=1, max_size=3).map(tuple))


@given(files)
def test_records_are_read_as_they_were_written(file: TuningFile) -> None:
    assert tuning_of_json(file.to_json(), file.path) == file


@given(files, st.data())
def test_a_damaged_file_is_refused(file: TuningFile, data: st.DataObject) -> None:
    text = file.to_json().rstrip()
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(OptionError):
        tuning_of_json(text[:cut])


def file_for(module: ModuleOp) -> TuningFile:
    machine = TunedMachine("x", 1, ())
    record = TuningRecord(digest_of(module), "f", machine, "", 1, {}, "", 1.0, 1.0)
    return TuningFile("f", (record,))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_file_for_any_changed_kernel_is_refused(data: st.DataObject) -> None:
    """One constant, operation or subscript is another: the printed module is another."""
    original = api.parse(TEXT)
    file = file_for(original)
    changes = (
        ("arith.mulf", "arith.addf"),
        ("arith.addf", "arith.subf"),
        ("= 0 to", f"= {data.draw(st.integers(1, 9))} to"),
        ("%i, %k]", f"%i + {data.draw(st.integers(1, 9))}, %k]"),
        ("%k, %j]", "%j, %k]"),
        ("f64", "f32"),
        ("@kernel_gemm", "@kernel_gemm2"),
    )
    old, new = data.draw(st.sampled_from(changes))
    places = TEXT.count(old)
    assert places, old
    if old == "f64":
        changed = TEXT.replace(old, new)
    else:
        pieces = TEXT.split(old)
        place = data.draw(st.integers(1, places))
        changed = old.join(pieces[:place]) + new + old.join(pieces[place:])
    module = api.parse(changed)
    with pytest.raises(TuningError):
        file.require(module)


@given(st.integers(0, TEXT.count("\n") - 1), st.text("abc {}", max_size=9))
def test_comments_spaces_and_names_do_not_matter(line: int, comment: str) -> None:
    lines = TEXT.replace("%k", "%other").splitlines()
    lines[line] = f"   {lines[line]}  // {comment}"
    file = file_for(api.parse(TEXT))
    file.require(api.parse("\n".join(lines)))
