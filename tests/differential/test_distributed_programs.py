"""Small programs that are hard to distribute, run on ranks: the same bits as in the original order.

They are about who has which value: conditional writes, owners that change from phase to phase,
temporaries, several types of elements, sizes with the names of what the pass adds.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rank_programs import build, missing_mpi
from suites import in_turn

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.runtime import compare_bits
from polyir.runtime.compiler import CompilerOptions
from polyir.runtime.data import make_arguments
from polyir.runtime.functions import public_signatures
from polyir.tuning.kernel import function_of

pytestmark = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

PROGRAMS = sorted((Path(__file__).parents[1] / "distributed_inputs").glob("*.mlir"))
PIPELINES = (
    "pluto-schedule,tile{sizes=4},wavefront,distribute-memory",
    "feautrier-schedule,distribute-memory{grid=2 distribution=cyclic}",
    # Threads inside of ranks: the order of steps must stay.
    "pluto-schedule,tile{sizes=4},wavefront,distribute-memory,mark-parallel",
)
FLAGS = ("-O1", "-std=c99", "-ffp-contract=off")
SIZES = (1, 2, 13)


@pytest.mark.parametrize(
    ("path", "pipeline"),
    in_turn(PROGRAMS, PIPELINES, 2),
    ids=lambda each: each.stem if isinstance(each, Path) else None,
)
def test_program(path: Path, pipeline: str, tmp_path: Path) -> None:
    text = path.read_text()
    original = api.parse(text)
    with remarks_to(lambda remark: None):
        raised = api.run_pipeline(api.parse(text), "poly-raise")
        scops = tuple(scop_of(op) for op in raised.walk() if isinstance(op, ScopOp))
        kernel = function_of(original, None)
        distributed = api.run_pipeline(api.parse(text), pipeline)
        calls = [make_arguments(kernel, scops, {}, size) for size in SIZES]
        signature = public_signatures(raised)[0]
        expected = [[*map(_copied, each)] for each in calls]
        loops = api.compile_loops(raised, CompilerOptions(flags=FLAGS), "c")
    for arguments in expected:
        loops[kernel.sym_name.data](*arguments)
    program = build(
        api.emit(distributed, "c"), signature, tmp_path / "program", (*FLAGS, "-fopenmp")
    )
    for ranks in (1, 3):
        results = program.run(calls, ranks)
        for size, result, arguments in zip(SIZES, results, expected, strict=True):
            assert compare_bits(arguments, result.arguments) is None, f"{size} on {ranks} ranks"
    assert compare_bits(calls[-1], expected[-1]) is not None


def _copied(value: object) -> object:
    return value.copy() if hasattr(value, "copy") else value
