"""Local arrays: where they go, how large they are, that values stay, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from replay import function_of, replay
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp

from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, PolyirError, Remark, remarks_to

ROOT = Path(__file__).parents[2]
ROW_SUMS = (ROOT / "examples" / "row-sums.mlir").read_text()

STRIPS = 'strip-mine{{loop="S0.0" size={}}},distribute{{loops="S1.1"}}'


def lowered(text: str, pipeline: str) -> tuple[ModuleOp, list[str]]:
    """The loops, and what `promote` says."""
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        module = api.lower(api.run_pipeline(api.parse(text), pipeline))
    module.verify()
    return module, [each.message for each in remarks if each.pass_name == "promote"]


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
    ],
)
def test_each_iteration_has_its_own(change: str, loop: int, shape: tuple[int, ...]) -> None:
    module, said = lowered(ROW_SUMS, f"privatize,{change},promote")
    extent = f"{shape[0]} elements" if shape else "one element"
    keeps = f"an iteration of loop {loop} keeps {extent} of sum"
    assert said == [f"{keeps} in sum_local, without copies"]
    assert shapes(module) == [("memref.alloca", shape)]
    original, _ = lowered(ROW_SUMS, "poly-raise")
    assert outputs(module) == outputs(original)
    assert outputs(module) != {}


@pytest.mark.parametrize(
    "change", ['distribute{loops="S1.0"}', STRIPS.format(10000)], ids=["apart", "large"]
)
def test_no_loop_will_do(change: str) -> None:
    module, said = lowered(ROW_SUMS, f"privatize,{change},promote{{arrays=sum}}")
    assert said == [
        "sum was not promoted: no loop uses each of its values in a single iteration, and at "
        "most 8192 values per iteration"
    ]
    assert shapes(module) == [("memref.alloc", (DYNAMIC_INDEX,))]
    original, _ = lowered(ROW_SUMS, "poly-raise")
    assert outputs(module) == outputs(original)


def test_the_local_array_is_text_too() -> None:
    with remarks_to(lambda remark: None):
        poly = api.emit(api.run_pipeline(api.parse(ROW_SUMS), "privatize,promote"), "poly")
    assert "poly.local_array @sum_local stack : memref<f64>" in poly
    assert "poly.mark #poly.local<@sum_local" in poly
    module, _ = lowered(poly, "mark-parallel")
    assert shapes(module) == [("memref.alloca", ())]
    assert "poly" not in api.emit(module, "loops")


GEMM = (ROOT / "benchmarks" / "polybench" / "gemm.mlir").read_text()
TILES = "tile{sizes=3,4,5}"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("arrays=Q loop=S0.2", OptionError),
        ("arrays=A loop=S0.9", OptionError),
        ("arrays=A loop=S0.2 order=1,1", OptionError),
        ("arrays=A loop=S0.2 padding=-1", OptionError),
        ("arrays=A loop=S0.2 alignment=24", OptionError),
        ("arrays=A loop=S1.0", LegalityError),
        ("arrays=A loop=S1.2 order=0,2,1", LegalityError),
    ],
)
def test_what_cannot_be_promoted(options: str, error: type[PolyirError]) -> None:
    text = options.replace("loop=", 'loop="').replace(
        options.split("loop=")[1].split()[0], options.split("loop=")[1].split()[0] + '"'
    )
    module = api.run_pipeline(api.parse(GEMM), TILES)
    before = str(module)
    with pytest.raises(error), remarks_to(lambda remark: None):
        api.run_pipeline(module, f"promote{{{text}}}")
    assert str(module) == before
