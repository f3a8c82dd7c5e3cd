"""Systems of equations, compiled and run, and compared with what the evaluator gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.system import System
from polyir.equations.to_scop import add_function, function_name
from polyir.runtime import CompilerOptions

Arrays = Mapping[str, np.ndarray[Any, Any]]

OPTIONS = CompilerOptions(
    flags=(
        *("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"),
        # The compiler does not know for which parameters a system is.
        "-Wno-maybe-uninitialized",
    )
)


def compiled(
    system: System, element_type: ElementType, pipeline: str = ""
) -> Callable[..., object]:
    """The function of a system after a pipeline."""
    module = ModuleOp([])
    with remarks_to(lambda remark: None):
        add_function(module, system, element_type)
        module.verify()
        kernels = api.compile(module, pipeline=pipeline, options=OPTIONS)
    return kernels[function_name(system)]


def run(
    function: Callable[..., object],
    system: System,
    parameters: Mapping[str, int],
    inputs: Arrays,
    shaped: Arrays,
) -> Arrays:
    """What a compiled function gives for outputs that are shaped like these arrays."""
    outputs = {name: np.zeros_like(array) for name, array in shaped.items()}
    given = (parameters[name] for name in system.parameters)
    function(*given, *inputs.values(), *outputs.values())
    return outputs


def assert_equal(outputs: Arrays, expected: Arrays, what: str = "") -> None:
    """All arrays are equal bit for bit, but for the bits of NaN."""
    assert outputs.keys() == expected.keys()
    for name, array in outputs.items():
        is_float = array.dtype.kind == "f"
        assert np.array_equal(array, expected[name], equal_nan=is_float), f"{name} {what}"
        # -0.0 and 0.0 are different bits.
        if is_float:
            signs = np.signbit(array) == np.signbit(expected[name])
            assert (signs | np.isnan(array)).all(), f"{name} {what}"


def assert_same(
    system: System,
    parameters: Mapping[str, int],
    inputs: Arrays,
    element_type: ElementType,
    function: Callable[..., object],
) -> None:
    """The function of a system gives what the evaluator gives."""
    expected = evaluate(system, parameters, inputs, element_type).outputs
    assert_equal(run(function, system, parameters, inputs, expected), expected)
