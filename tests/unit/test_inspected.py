"""Kernels that are inspected once, and index arrays that are checked."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from irregular_programs import PROGRAMS, Arguments
from sparse_matrices import GENERATORS
from suites import in_turn

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


EACH = ("inspect-wavefronts{block=4}", "reorder-data", "sparse-tile{tile=5}")


@pytest.mark.parametrize(("name", "pipeline"), in_turn(list(PROGRAMS), EACH, 2))
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


@pytest.mark.parametrize("pipeline", ["inspect-wavefronts", "sparse-tile{tile=5 sweeps=2}"])
def test_other_numbers_of_steps(pipeline: str) -> None:
    # The inspectors use the number of sweeps only to know whether there is one.
    function, given = kernel(pipeline=pipeline), arguments()
    inspected = function.inspect(**given)
    for sweeps in (3, 1, 5):
        expected, found = ({**copied(given), "sweeps": sweeps} for _ in range(2))
        kernel(pipeline="")(**expected)
        inspected(**found)
        for name, value in found.items():
            assert np.array_equal(value, expected[name])
    with pytest.raises(ArgumentError, match="'sweeps' is 0, and was 2 in inspection"):
        inspected(**{**given, "sweeps": 0})
    inspected = function.inspect(**{**given, "sweeps": 0})
    inspected(**{**given, "sweeps": -1})
    with pytest.raises(ArgumentError, match="'sweeps' is 2, and was 0 in inspection"):
        inspected(**given)


BETWEEN = """
func.func @f(%a: index, %b: index, %p: memref<8xindex>, %A: memref<8xf64>) {
  affine.for %s = %a to %b {
    affine.for %i = 0 to 8 {
      %pi = affine.load %p[%i] : memref<8xindex>
      %v = affine.load %A[%i] : memref<8xf64>
      memref.store %v, %A[%pi] : memref<8xf64>
    }
  }
  return
}
"""


def test_numbers_that_are_compared_with_each_other() -> None:
    function = polyir.compile(BETWEEN, pipeline="inspect-wavefronts").f
    p, values = np.arange(8)[::-1].copy(), np.arange(8.0)
    inspected = function.inspect(1, 4, p, values)
    inspected(5, 6, p, values)
    with pytest.raises(ArgumentError, match="'a' is 4, and was 1 in inspection"):
        inspected(4, 4, p, values)


def test_numbers_that_bound_what_is_inspected() -> None:
    # Here the number of steps is a bound of the loop that is inspected, too.
    text = BETWEEN.replace("0 to 8", "0 to %b")
    function = polyir.compile(text, pipeline="inspect-wavefronts").f
    p, values = np.arange(8), np.arange(8.0)
    inspected = function.inspect(1, 4, p, values)
    inspected(2, 4, p, values)
    with pytest.raises(ArgumentError, match="'b' is 5, and was 4 in inspection"):
        inspected(1, 5, p, values)


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
    program = polyir.Program(polyir.parse(PROGRAM.path.read_text()))
    assert list(program.compile(check_indices=False)) == ["gauss_seidel"]


def test_text_with_inspectors_can_be_read_back() -> None:
    program = polyir.run_pipeline(polyir.parse(PROGRAM.path.read_text()), "inspect-wavefronts")
    function = polyir.compile(str(program), pipeline="").gauss_seidel
    given = arguments()
    expected = copied(given)
    kernel()(**expected)
    function.inspect(**given)(**given)
    for name, value in given.items():
        assert np.array_equal(value, expected[name])


NAMES = """
func.func @f_executor(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %e = affine.load %p[%i] : memref<?xindex>
    %a = memref.load %A[%e] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    memref.store %b, %A[%e] : memref<?xf64>
  }
  return
}
func.func @f(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.store %one, %A[0] : memref<?xf64>
  call @f_executor(%n, %p, %A) : (index, memref<?xindex>, memref<?xf64>) -> ()
  return
}"""


def test_names_do_not_tell_what_is_an_executor() -> None:
    original = polyir.compile(NAMES, pipeline="")
    module = polyir.compile(NAMES, pipeline="inspect-wavefronts")
    given: Arguments = {"n": 3, "p": np.array([0, 2, 0]), "A": np.full(3, 2.0)}
    expected = copied(given)
    original.f(**expected)
    module.f(**given)
    assert np.array_equal(given["A"], expected["A"])
    with pytest.raises(InspectionError, match="f has no inspector"):
        module.f.inspect(**given)
    original.f_executor(**expected)
    module.f_executor.inspect(**given)(**given)
    assert np.array_equal(given["A"], expected["A"])


BOUND_IN_MEMORY = """
func.func @f(%steps: index, %m: memref<1xindex>, %p: memref<?xindex>, %A: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  affine.for %t = 0 to %steps {
    %n = affine.load %m[0] : memref<1xindex>
    scf.for %i = %zero to %n step %one {
      %e = memref.load %p[%i] : memref<?xindex>
      %a = memref.load %A[%e] : memref<?xf64>
      %b = arith.addf %a, %a : f64
      memref.store %b, %A[%i] : memref<?xf64>
    }
  }
  return
}"""


@pytest.mark.parametrize("steps", [0, 2])
def test_sizes_may_come_out_of_memory(steps: int) -> None:
    module = polyir.compile(BOUND_IN_MEMORY, pipeline="inspect-wavefronts")
    given: Arguments = {
        "steps": steps,
        "m": np.array([3]),
        "p": np.array([2, 0, 1]),
        "A": np.arange(3.0),
    }
    expected = copied(given)
    polyir.compile(BOUND_IN_MEMORY, pipeline="").f(**expected)
    module.f.inspect(**given)(**given)
    assert np.array_equal(given["A"], expected["A"])


VIEWED = """
func.func @f(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
  %view = memref.cast %p : memref<?xindex> to memref<4xindex>
  affine.for %i = 0 to %n {
    %e = affine.load %view[%i] : memref<4xindex>
    %a = memref.load %A[%e] : memref<?xf64>
    affine.store %a, %A[%i] : memref<?xf64>
  }
  return
}"""


def test_changed_index_arrays_are_caught_through_views() -> None:
    function = polyir.compile(VIEWED, pipeline="inspect-wavefronts").f
    p, values = np.array([3, 2, 1, 0]), np.zeros(4)
    inspected = function.inspect(4, p, values)
    inspected(4, p, values)
    p[0] = 1
    with pytest.raises(ArgumentError, match="'p' has changed"):
        inspected(4, p, values)


ON_DATA = """
func.func @f(%n: index, %x: f64, %p: memref<?xindex>, %m: memref<?x2xf64>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %e = affine.load %p[%i] : memref<?xindex>
    %c = affine.load %m[%i, 1] : memref<?x2xf64>
    %less = arith.cmpf olt, %c, %x : f64
    scf.if %less {
      %a = memref.load %A[%e] : memref<?xf64>
      affine.store %a, %A[%i] : memref<?xf64>
    }
  }
  return
}"""


def test_nan_is_no_change() -> None:
    function = polyir.compile(ON_DATA, pipeline="inspect-wavefronts").f
    p, mask, values = np.array([3, 2, 1, 0]), np.full((4, 2), np.nan), np.zeros(4)
    inspected = function.inspect(4, np.nan, p, mask, values)
    inspected(4, np.nan, p, mask, values)
    with pytest.raises(ArgumentError, match=r"'x' is 1.0, and was nan"):
        inspected(4, 1.0, p, mask, values)
    mask[2, 1] = 0.5
    with pytest.raises(ArgumentError, match=r"'m' has changed .*, from nan to 0.5 at \[2, 1\]"):
        inspected(4, np.nan, p, mask, values)


TWO_ORDERS = """
func.func @f(%n: index, %p: memref<?xindex>, %X: memref<?xi64>, %w: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %e = affine.load %p[%i] : memref<?xindex>
    %x = memref.load %X[%e] : memref<?xi64>
    affine.store %x, %w[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %e = affine.load %p[%i] : memref<?xindex>
    %x = affine.load %X[%i] : memref<?xi64>
    %v = memref.load %w[%e] : memref<?xi64>
    %y = arith.addi %x, %v : i64
    affine.store %y, %X[%i] : memref<?xi64>
  }
  return
}"""


def test_sizes_may_be_those_of_arrays_of_the_kernel() -> None:
    pipeline = "reorder-data,reorder-iterations"
    function = polyir.compile(TWO_ORDERS, pipeline=pipeline).f
    given: Arguments = {
        "n": 4,
        "p": np.array([3, 1, 1, 0]),
        "X": np.arange(4),
        "w": np.ones(4, int),
    }
    expected = copied(given)
    polyir.compile(TWO_ORDERS, pipeline="").f(**expected)
    function.inspect(**given)(**given)
    for name, value in given.items():
        assert np.array_equal(value, expected[name])
