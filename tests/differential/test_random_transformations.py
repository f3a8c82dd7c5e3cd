"""Sequences of random legal transformation passes on every kernel, against MLIR's lowering.

`make fuzz-schedules N=5` runs five further sequences on each kernel; a failing one is named by
its seed in the test's identifier.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from random import Random

import islpy as isl
import pytest
from kernel_runs import oracle_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from random_transformations import travel
from suites import rarely
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import PolyirError, remarks_to
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
PASSES, ATTEMPTS = 20, 45
OPERATIONS = 20_000_000

# Seed 0 is the suite's; `make fuzz-schedules` counts on from 1.
FIRST = int(os.environ.get("POLYIR_FUZZ_FIRST", "1"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("POLYIR_FUZZ", "0"))) or (0,)


@cache
def analysed(name: str) -> ModuleOp:
    """The kernel, raised, with its dependences."""
    with remarks_to(lambda remark: None):
        return api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "poly-dependences")


@contextmanager
def few_isl_operations() -> Iterator[None]:
    """Skip the test where isl would take minutes: its AST generation is exponential."""
    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(OPERATIONS)
    try:
        yield
    except (PolyirError, isl.Error) as error:
        if "number of operations" in str(error):
            pytest.skip("isl's AST generation is out of bounds")
        raise
    finally:
        context.set_max_operations(0)
        context.reset_operations()


# What failed once, shortened.
REGRESSIONS = [
    (
        "syrk",  # seed 6: isl did not see how often the unrolled loops run
        "split{statements=S0 condition='i <= i'},shift{loop=S0.1 by=m statements=S0},"
        "split{statements=S0 condition='j < floor(m/2)' loop=S0.0},"
        "split{statements=S1 condition='j < 5'},interchange{loops=S0/1.1,S0/1.0},"
        "unroll{loop=S0/1.0 factor=3},unroll{loop=S1/1.1 factor=2}",
    )
]


@pytest.mark.parametrize(("name", "pipeline"), REGRESSIONS)
def test_sequences_that_failed(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    with remarks_to(lambda remark: None):
        loops = api.lower(api.run_pipeline(analysed(name), pipeline))
    expected, arguments = kernel.make_arguments("mini"), kernel.make_arguments("mini")
    oracle_of(name)(kernel.function, *expected)
    compile_module(loops, CompilerOptions(flags=FLAGS))[kernel.function](*arguments)
    assert compare_bits(expected, arguments) is None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "name",
    [name if number % 3 == 0 else rarely(name) for number, name in enumerate(KERNELS)],
)
def test_random_legal_passes_keep_every_bit(name: str, seed: int) -> None:
    kernel = KERNELS[name]
    journey = travel(analysed(name), Random(f"{name} {seed}"), PASSES, ATTEMPTS)
    assert journey.applied
    assert journey.refused
    with few_isl_operations():
        loops = api.lower(journey.module)
    compiled = compile_module(loops, CompilerOptions(flags=FLAGS))
    expected, arguments = kernel.make_arguments("mini"), kernel.make_arguments("mini")
    oracle_of(name)(kernel.function, *expected)
    with compiled.threads(2):
        compiled[kernel.function](*arguments)
    difference = compare_bits(expected, arguments)
    assert difference is None, f"{difference} after {','.join(journey.applied)}"
    assert compare_bits(kernel.make_arguments("mini"), arguments) is not None
