"""Random systems: compiled code gives the values of the equations, also of simplified ones.

`make fuzz-equations N=500` runs so many further systems, and FIRST=540 begins at that seed; a
failing one is named by its seed. Each has a process of its own, and so much processor time.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from equation_runs import assert_equal, assert_same, compiled, run
from equation_systems import random_inputs, random_system
from suites import examples

from polyir.base.diagnostics import PolyirError
from polyir.base.limits import CrashError, ResourceError, limited, time_limited_to
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.simplify import simplify_reductions
from polyir.equations.system import System
from polyir.tuning.processes import end_openmp_threads

IS_FUZZING = "POLYIR_FUZZ_EQUATIONS" in os.environ
FIRST = int(os.environ.get("POLYIR_FUZZ_FIRST", "40")) if IS_FUZZING else 0
COUNT = int(os.environ.get("POLYIR_FUZZ_EQUATIONS", examples(24, 40)))
SECONDS = 20.0 if IS_FUZZING else 0
PIPELINES = ("", "pluto-schedule", "isl-schedule,mark-parallel", "feautrier-schedule,contract")
SIZES = (1, 5, 8)


class _RefusedError(Exception):
    """polyir says that it cannot compile a system, which is not a fault of it."""


def _compiled(
    system: System, element_type: ElementType, pipeline: str = ""
) -> Callable[..., object]:
    try:
        return compiled(system, element_type, pipeline)
    except PolyirError as error:
        if "no loops can be generated" not in error.message:
            raise
        raise _RefusedError("isl's AST generation takes too many operations") from None


def _within_time(check: Callable[[int], None], seed: int) -> None:
    """Run a check in a process of its own, which may crash; skip the test if polyir refuses."""
    end_openmp_threads()
    try:
        with time_limited_to(SECONDS):
            limited("the test", lambda: check(seed))
    except CrashError:
        raise
    except (ResourceError, _RefusedError) as error:
        pytest.skip(str(error))


def _check_compiled(seed: int) -> None:
    system = random_system(seed)
    element_type = list(ElementType)[seed % 4]
    function = _compiled(system, element_type, PIPELINES[seed // 4 % len(PIPELINES)])
    for n in SIZES:
        inputs = random_inputs(system, {"N": n}, element_type, seed)
        assert_same(system, {"N": n}, inputs, element_type, function)


def _check_simplified(seed: int) -> None:
    """Evaluated and compiled, before and after: four times the same integers."""
    element_type = ElementType.I64
    before = random_system(seed)
    simplified = simplify_reductions(before, Options(is_integer=True))
    assert simplified.after <= simplified.before
    after = simplified.system
    systems = {"before": before} if after is before else {"before": before, "after": after}
    functions = {when: _compiled(system, element_type) for when, system in systems.items()}
    for n in SIZES:
        parameters = {"N": n}
        inputs = random_inputs(before, parameters, element_type, seed)
        expected = evaluate(before, parameters, inputs, element_type).outputs
        for when, system in systems.items():
            found = run(functions[when], system, parameters, inputs, expected)
            assert_equal(found, expected, f"compiled {when}, N = {n}")
            if system is not before:
                found = evaluate(system, parameters, inputs, element_type).outputs
                assert_equal(found, expected, f"evaluated {when}, N = {n}")


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_compiled_is_evaluated(seed: int) -> None:
    _within_time(_check_compiled, seed)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + (COUNT if IS_FUZZING else COUNT // 2)))
def test_simplified_is_evaluated(seed: int) -> None:
    _within_time(_check_simplified, seed)
