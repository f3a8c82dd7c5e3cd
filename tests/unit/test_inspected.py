"""Kernels that are inspected once, and index arrays that are checked."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from irregular_programs import PROGRAMS, Arguments
from sparse_matrices import GENERATORS

import polyir
from polyir.irregular.plans import InspectionPlan
from polyir.runtime import CompiledModule
from polyir.runtime.argument_checks import ArgumentError, ArgumentTypeError
from polyir.runtime.functions import CompiledFunction
from polyir.runtime.inspected import InspectionError

BACKENDS = ("c", "llvm")

PROGRAM = PROGRAMS["gauss-seidel"]
NEEDED = ("sweeps", "n", "rowptr", "col", "u", "diagonal")


def kernel(backend: Any = "c", pipeline: str = "inspect-wavefronts{block=2}") -> CompiledFunction:
    text = PROGRAM.path.read_text()
    return polyir.compile(text, pipeline=pipeline, backend=backend).gauss_seidel


def arguments(seed: int = 1) -> Arguments:
    random = np.random.default_rng(seed)
    return PROGRAM.arguments(GENERATORS["graph"](50, random), random, 2)


def copied(given: Arguments) -> Arguments:
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()}


@pytest.mark.parametrize("backend", BACKENDS)
def test_executor_runs_many_times(backend: str) -> None:
    function, given = kernel(backend), arguments()
    expected = copied(given)
    inspected = function.inspect(**{name: given[name] for name in NEEDED})
    for _ in range(2):
        given["f"] = expected["f"] = given["f"] + 1
        inspected(**given)
        function(**expected)
        for name, value in given.items():
            assert np.array_equal(value, expected[name])


@pytest.mark.parametrize(
    "pipeline", ["inspect-wavefronts{block=4}", "reorder-data", "sparse-tile{tile=5}"]
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_programs(name: str, pipeline: str) -> None:
    program = PROGRAMS[name]
    module = polyir.compile(program.path.read_text(), pipeline=pipeline)
    function = module[program.function]
    if not isinstance(module.plans.get(program.function), InspectionPlan):
        with pytest.raises(InspectionError):
            function.inspect()
        return
    random = np.random.default_rng(1)
    given = program.arguments(GENERATORS["grid-2d-random"](60, random), random, 3)
    expected = copied(given)
    inspected = function.inspect(**given)
    for _ in range(2):
        inspected(**given)
        function(**expected)
        for key, value in given.items():
            assert np.array_equal(value, expected[key])


def test_changed_index_arrays_are_caught() -> None:
    function, given = kernel(), arguments()
    inspected = function.inspect(**given)
    inspected(**given)
    columns = given["col"]
    assert isinstance(columns, np.ndarray)
    columns[5] += 1 if columns[5] < 49 else -1
    with pytest.raises(ArgumentError, match=r"'col' has changed since its inspection.* at \[5\]"):
        inspected(**given)
    function.inspect(**given)(**given)


def test_without_a_check_changes_are_not_seen() -> None:
    function, given = kernel(), arguments()
    inspected = function.inspect(**given, check=False)
    columns = given["col"]
    assert isinstance(columns, np.ndarray)
    columns[:2] = columns[1::-1]
    inspected(**given)


def test_other_numbers_and_shapes_are_caught() -> None:
    function, given = kernel(), arguments()
    inspected = function.inspect(**given, check=False)
    with pytest.raises(ArgumentError, match="'n' is 49, and was 50 in inspection"):
        inspected(**{**given, "n": 49})
    with pytest.raises(ArgumentError, match=r"'u' has the shape \(51,\), and had \(50,\)"):
        inspected(**{**given, "u": np.zeros(51)})


def test_missing_arguments_are_named() -> None:
    function, given = kernel(), arguments()
    with pytest.raises(ArgumentTypeError, match=r"needs 'col', 'u' \(its shape\)"):
        function.inspect(sweeps=given["sweeps"], n=given["n"], rowptr=given["rowptr"])
    with pytest.raises(ArgumentTypeError, match="no parameter 'm'"):
        function.inspect(m=1)


def test_kernel_without_inspector() -> None:
    with pytest.raises(InspectionError, match="gauss_seidel has no inspector"):
        kernel(pipeline="").inspect()


INSIDE = """
func.func @f(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
  %zero = arith.constant 0 : index
  affine.for %s = 0 to 2 {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    affine.store %zero, %p[%s] : memref<?xindex>
  }
  return
}
"""


def test_inspector_that_cannot_run_first() -> None:
    function = polyir.compile(INSIDE, pipeline="inspect-wavefronts").f
    with pytest.raises(
        InspectionError, match=r"cannot run before it: .*'p' may be written here: .*10"
    ):
        function.inspect()
    p, values = np.array([2, 1, 0]), np.arange(3.0)
    function(3, p, values)
    assert list(p) == [0, 0, 0]
    assert list(values) == [0.0, 1.0, 0.0]


def test_pickled_modules_inspect_and_check() -> None:
    module = polyir.compile(PROGRAM.path.read_text(), pipeline="inspect-wavefronts")
    again: CompiledModule = pickle.loads(pickle.dumps(module))
    given = arguments()
    again.gauss_seidel.inspect(**given)(**given)
    with pytest.raises(ArgumentError):
        again.gauss_seidel(**{**given, "v": np.zeros(3)})


def with_element(given: Arguments, name: str, place: int, value: int) -> Arguments:
    changed = copied(given)
    array = changed[name]
    assert isinstance(array, np.ndarray)
    array[place] = value
    return changed


def shorter(given: Arguments, name: str) -> Arguments:
    array = given[name]
    assert isinstance(array, np.ndarray)
    return {**given, name: array[:-1].copy()}


@pytest.mark.parametrize("pipeline", ["", "inspect-wavefronts"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_wrong_index_arrays(backend: str, pipeline: str) -> None:
    function, given = kernel(backend, pipeline), arguments()
    wrong = {
        r"'col' has 50 at \[7\], but 'u' has 50 elements": with_element(given, "col", 7, 50),
        r"'col' has -1 at \[0\], but 'u' has 50 elements": with_element(given, "col", 0, -1),
        "'col' has .* elements, and the subscript": shorter(given, "col"),
        "'v' has .* elements, and the subscript": shorter(given, "v"),
        "'rowptr' has 50 elements, and the subscript 50": shorter(given, "rowptr"),
        "'rowptr' has 51 elements, and the subscript 51": {**given, "n": 51},
        "out of bounds": with_element(given, "rowptr", 3, 2**62),
        "the subscript -9": with_element(given, "rowptr", 3, -9),
    }
    for message, changed in wrong.items():
        with pytest.raises(ArgumentError, match=message):
            function(**changed)
    function(**given)


def test_wrong_types() -> None:
    function, given = kernel(), arguments()
    columns = given["col"]
    assert isinstance(columns, np.ndarray)
    for type in (np.int32, np.float64):
        with pytest.raises(ArgumentTypeError, match="'col' must have elements of type int64"):
            function(**{**given, "col": columns.astype(type)})  # type: ignore[arg-type]


def test_inspection_checks_what_it_gets() -> None:
    function, given = kernel(), arguments()
    changed = with_element(given, "col", 7, 50)
    with pytest.raises(ArgumentError, match=r"'col' has 50 at \[7\]"):
        function.inspect(**{name: changed[name] for name in NEEDED})
    inspected = function.inspect(**{name: given[name] for name in NEEDED})
    with pytest.raises(ArgumentError, match="'v' has"):
        inspected(**shorter(given, "v"))


def test_two_dimensions() -> None:
    program = PROGRAMS["mesh-edges"]
    random = np.random.default_rng(1)
    given = program.arguments(GENERATORS["grid-2d"](20, random), random, 1)
    node = given["node"]
    assert isinstance(node, np.ndarray)
    function = polyir.compile(program.path.read_text(), pipeline="").mesh_edges
    function(**given)
    node[3, 1] = 99
    with pytest.raises(ArgumentError, match=r"'node' has 99 at \[3, 1\].* in dimension 0"):
        function(**given)


def test_checks_can_be_left_out() -> None:
    module = polyir.compile(PROGRAM.path.read_text(), pipeline="", check_indices=False)
    assert list(module) == ["gauss_seidel"]
