"""Private copies inside loops: where they go, how large they are, that values stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from replay import function_of, replay
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.diagnostics import Remark, remarks_to
from polyir.passes.prerequisites import scops_in
from polyir.transform.expansion.local import localise

ROW_SUMS = (Path(__file__).parents[2] / "examples" / "row-sums.mlir").read_text()

LOCAL = "privatize{storage=local}"
STRIPS = 'strip-mine{{loop="S0.0" size={}}},distribute{{loops="S1.1"}}'


def lowered(text: str, pipeline: str) -> tuple[ModuleOp, list[str]]:
    """The loops, and what `lower-poly` says."""
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        module = api.lower(api.run_pipeline(api.parse(text), pipeline))
    module.verify()
    return module, [each.message for each in remarks if each.pass_name == "lower-poly"]


def outputs(module: ModuleOp) -> dict[object, int]:
    """What the function leaves in its arguments."""
    memory, _ = replay(function_of(module), 5)
    return {address: value for address, value in memory.items() if 0 <= int(str(address[0])) < 1000}


def shapes(module: ModuleOp) -> list[tuple[str, tuple[int, ...]]]:
    return [
        (op.name, tuple(op.memref.type.get_shape()))
        for op in module.walk()
        if isinstance(op, memref.AllocOp | memref.AllocaOp)
    ]


@pytest.mark.parametrize(
    ("change", "loop", "shape"),
    [
        ("mark-parallel", 1, ()),
        (STRIPS.format(3), 1, (3,)),
        ('strip-mine{loop="S0.0" size=2}', 2, ()),
        ('reverse{loop="S0.0"}', 1, ()),
        ("tile{sizes=symbolic min-width=1}", 1, ()),
        ("contract", None, ()),
    ],
)
def test_each_iteration_has_its_own(change: str, loop: int | None, shape: tuple[int, ...]) -> None:
    module, said = lowered(ROW_SUMS, f"{LOCAL},{change}")
    kind = "x".join((*map(str, shape), "f64"))
    # A contracted array is no longer that for which copies were asked.
    message = f"sum has a copy in each iteration of loop {loop}: memref<{kind}>"
    assert said == ([] if loop is None else [message])
    assert shapes(module) == [("memref.alloca", shape)]
    original, _ = lowered(ROW_SUMS, "poly-raise")
    assert outputs(module) == outputs(original)
    assert outputs(module) != {}


@pytest.mark.parametrize(
    "change", ['distribute{loops="S1.0"}', STRIPS.format(10000)], ids=["apart", "large"]
)
def test_no_loop_will_do(change: str) -> None:
    module, said = lowered(ROW_SUMS, f"{LOCAL},{change}")
    assert said == [
        "sum stays as it is: no loop keeps its values to one iteration, in 8192 elements or fewer"
    ]
    assert shapes(module) == [("memref.alloc", (-9223372036854775808,))]
    original, _ = lowered(ROW_SUMS, "poly-raise")
    assert outputs(module) == outputs(original)


def test_the_expanded_array_is_the_default() -> None:
    module, said = lowered(ROW_SUMS, "privatize")
    assert said == []
    assert [name for name, _ in shapes(module)] == ["memref.alloc"]


def test_the_request_is_text_too() -> None:
    with remarks_to(lambda remark: None):
        poly = api.emit(api.run_pipeline(api.parse(ROW_SUMS), LOCAL), "poly")
    assert "{polyir.local}" in poly
    module, said = lowered(poly, "mark-parallel")
    assert len(said) == 1
    assert shapes(module) == [("memref.alloca", ())]
    assert "polyir" not in api.emit(module, "loops")


def test_nothing_is_changed_where_looking_takes_too_long() -> None:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(ROW_SUMS), LOCAL)
    (op,) = scops_in(module)
    outcome = localise(op, {})
    assert outcome.done == ()
    assert len(outcome.missed) == 1
    loops = api.lower(module)
    assert [name for name, _ in shapes(loops)] == ["memref.alloc"]
    assert "polyir" not in api.emit(loops, "loops")
