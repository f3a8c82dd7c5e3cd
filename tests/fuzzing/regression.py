"""A case as a file: MLIR text, its pipeline and the sizes and shapes that it is run with."""

from __future__ import annotations

from fuzzing.mlir import extents_for, print_program
from fuzzing.run import Case, Failure
from fuzzing.trace import layout_of

PIPELINE = "// pipeline: "
RUN = "// run: "


def regression_text(case: Case, failure: Failure) -> str:
    """The case as `test_regressions.py` reads it."""
    program, layout = case.program, layout_of(case.program)
    lines = [f"// {failure.kind}", *(f"// {line}" for line in failure.detail.split("\n")[-2:])]
    lines.append(PIPELINE + ",".join(case.pipeline))
    for run, sizes in enumerate(program.sizes):
        passed = [] if program.constant else [str(value) for _, value in sizes]
        passed += [
            "[" + "x".join(map(str, extents_for(program, layout, array, run))) + "]"
            for array in program.arrays
            if not array.local
        ]
        lines.append(RUN + " ".join(passed))
    return "\n".join([*lines, print_program(program, layout, "program"), ""])
