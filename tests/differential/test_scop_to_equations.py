"""Loops that become equations and loops again compute what they did, or the same with less work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from fuzzing import generate, run
from fuzzing.generate import random_program
from fuzzing.run import Case, run_batch
from kernel_runs import assert_same_bits, expected_results, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Argument, Oracle, mlir_opt_available
from suites import examples, rarely

from polyir import api
from polyir.base.diagnostics import Remark, RemarkKind, remarks_to
from polyir.dialects.scop import scops_in
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

OPTIONS = CompilerOptions(
    flags=("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
)
BACK = "equations-to-scop,pluto-schedule,allocate-memory"

REFUSED = {"nussinov": "values are of type i8, and those of equations of type f64, f32, i64, i32"}
SLOW = ("adi", "heat-3d")


def _kernels(*names: str) -> list[object]:
    return [rarely(name) if name in SLOW else name for name in names]


# ------------------------------------------------------------------------------------ PolyBench


@pytest.mark.parametrize("name", _kernels(*(name for name in KERNELS if name not in REFUSED)))
def test_kernels_without_reductions_have_the_same_bits(name: str) -> None:
    kernel = KERNELS[name]
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        equations = api.run_pipeline(api.parse(kernel.path.read_text()), "scop-to-equations")
        loops = api.lower(api.run_pipeline(equations, BACK))
    assert not [each for each in remarks if each.kind is RemarkKind.MISSED and "stays" in str(each)]
    assert not scops_in(equations)
    assert_same_bits(kernel, loops)


@pytest.mark.parametrize("name", REFUSED)
def test_kernels_that_are_refused(name: str) -> None:
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "scop-to-equations")
    (missed,) = [each for each in remarks if each.kind is RemarkKind.MISSED]
    assert missed.message == f"the scop stays as it is: {REFUSED[name]}"


@pytest.mark.parametrize("name", ["gemm", "atax", "correlation", "symm", "trmm", "ludcmp"])
def test_kernels_with_reductions_are_near(name: str) -> None:
    kernel = KERNELS[name]
    pipeline = (
        f"scop-to-equations{{reassociate=true}},simplify-reductions{{reassociate=true}},{BACK}"
    )
    compiled = compile_module(loops_of(kernel.path.read_text(), pipeline), OPTIONS)
    arguments = kernel.make_arguments("mini")
    compiled[kernel.function](*arguments)
    for found, expected in zip(arguments, expected_results(name, "mini"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


# ------------------------------------------------------------------------------------- examples


@dataclass(frozen=True)
class Example:
    """Loops over n, in a function `f(n, ...)` on arrays, of which the extents are given.

    `before` and `after` are degrees: how the number of statement instances grows with n.
    """

    loops: str
    arrays: dict[str, tuple[int, ...]]
    before: int
    after: int

    def text(self, element: str) -> str:
        """The function, with arrays of some type, whose extents are known multiples of n."""
        parts = [
            f"%{name}: memref<{'?x' * len(extents)}{element}>"
            for name, extents in self.arrays.items()
        ]
        loops = self.loops
        for name, extents in self.arrays.items():
            loops = loops.replace(f"@{name}", f"memref<{'?x' * len(extents)}{element}>")
        operations = _INTEGER if element.startswith("i") else _FLOAT
        for word, operation in operations.items():
            loops = loops.replace(word, operation)
        loops = loops.replace("@", element)
        return f"func.func @f(%n: index, {', '.join(parts)}) {{\n{loops}\n  return\n}}"

    def arguments(self, element: str, n: int) -> list[Argument]:
        random = np.random.default_rng(n)
        arguments: list[Argument] = [n]
        for extents in self.arrays.values():
            shape = tuple(extent * n for extent in extents)
            if element == "i64":
                arguments.append(random.integers(-(2**63), 2**63, shape))
            else:
                arguments.append(random.uniform(0.5, 1.5, shape))
        return arguments


_INTEGER = {"ADD": "arith.addi", "MUL": "arith.muli", "MAX": "arith.maxsi", "SUB": "arith.subi"}
_FLOAT = {"ADD": "arith.addf", "MUL": "arith.mulf", "MAX": "arith.maximumf", "SUB": "arith.subf"}

CONVOLVED = Example(
    """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = max affine_map<(i, j) -> (i - j, 0)>(%i, %j) to %n {
        %a = affine.load %A[%i, %j + %k] : @A
        %b = affine.load %B[%k, %j] : @B
        %p = MUL %a, %b : @
        %y = affine.load %Y[%i] : @Y
        %s = ADD %y, %p : @
        affine.store %s, %Y[%i] : @Y
      }
    }
  }""",
    {"A": (1, 2), "B": (1, 1), "Y": (1,)},
    3,
    2,
)
"""Equation 15.1 of Gautam and Rajopadhye."""

PREFIX_SUM = Example(
    """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %a = affine.load %A[%j] : @A
      %y = affine.load %Y[%i] : @Y
      %s = ADD %y, %a : @
      affine.store %s, %Y[%i] : @Y
    }
  }""",
    {"A": (1,), "Y": (1,)},
    2,
    1,
)

SCALAR_SUM = Example(
    """
  %t = memref.alloca() : memref<@>
  affine.for %i = 0 to %n {
    %first = affine.load %B[%i] : @B
    affine.store %first, %t[] : memref<@>
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %a = affine.load %A[%j] : @A
      %y = affine.load %t[] : memref<@>
      %s = SUB %y, %a : @
      affine.store %s, %t[] : memref<@>
    }
    %last = affine.load %t[] : memref<@>
    affine.store %last, %Y[%i] : @Y
  }""",
    {"A": (1,), "B": (1,), "Y": (1,)},
    2,
    1,
)
"""Chains of a scalar, which begin with other values, and take values away."""

WINDOW = """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i + %j] : @A
      %y = affine.load %Y[%i] : @Y
      %s = OP %y, %a : @
      affine.store %s, %Y[%i] : @Y
    }
  }"""

SUM_OF_WINDOWS = Example(WINDOW.replace("OP", "ADD"), {"A": (2,), "Y": (1,)}, 2, 1)
MAXIMUM_OF_WINDOWS = Example(WINDOW.replace("OP", "MAX"), {"A": (2,), "Y": (1,)}, 2, 2)
"""Values leave the windows, which a maximum cannot take back."""

PREFIX_MAXIMUM = Example(PREFIX_SUM.loops.replace("ADD", "MAX"), PREFIX_SUM.arrays, 2, 1)

TWO_STATEMENTS = Example(
    """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a = affine.load %A[%j] : @A
      %y = affine.load %Y[%i] : @Y
      %s = ADD %y, %a : @
      affine.store %s, %Y[%i] : @Y
      %b = affine.load %B[%j] : @B
      %z = affine.load %Y[%i] : @Y
      %t = ADD %z, %b : @
      affine.store %t, %Y[%i] : @Y
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a = affine.load %A[%i + %j] : @A
      %y = affine.load %Y[%i] : @Y
      %s = ADD %y, %a : @
      affine.store %s, %Y[%i] : @Y
    }
  }""",
    {"A": (2,), "B": (1,), "Y": (1,)},
    2,
    1,
)
"""Chains through three statements, none of which updates Y[0]."""

IN_PLACE = Example(
    """
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    %l = affine.load %Y[%i - 1] : @Y
    %r = affine.load %Y[%i + 1] : @Y
    %s = ADD %l, %r : @
    affine.store %s, %Z[%i] : @Z
  }
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    %z = affine.load %Z[%i] : @Z
    affine.store %z, %Y[%i] : @Y
  }
  affine.for %i = 0 to %n {
    %y = affine.load %Y[%n - %i - 1] : @Y
    affine.store %y, %X[%i] : @X
  }""",
    {"X": (1,), "Y": (1,), "Z": (1,)},
    1,
    1,
)
"""Elements of Y are read before they are overwritten, and after that."""

ROTATION = Example(
    """
  %first = affine.load %Y[0] : @Y
  affine.for %i = 1 to %n {
    %y = affine.load %Y[%i] : @Y
    affine.store %y, %Y[%i - 1] : @Y
  }
  affine.for %i = 1 to 2 {
    affine.store %first, %Y[%n - %i] : @Y
  }""",
    {"Y": (1,)},
    1,
    1,
)
"""What is read outside the scop is a number for it."""

REVERSAL = Example(
    """
  affine.for %i = 0 to affine_map<(n) -> (n floordiv 2)>(%n) {
    %a = affine.load %Y[%i] : @Y
    %b = affine.load %Y[%n - %i - 1] : @Y
    affine.store %b, %Y[%i] : @Y
    affine.store %a, %Y[%n - %i - 1] : @Y
  }""",
    {"Y": (1,)},
    1,
    1,
)
"""A statement with two stores to one array."""

CONDITIONAL = Example(
    """
  affine.for %i = 0 to %n {
    %y = affine.if affine_set<(i)[n] : (n - 2 * i - 1 >= 0)>(%i)[%n] -> @ {
      %a = affine.load %X[2 * %i] : @X
      affine.yield %a : @
    } else {
      %b = affine.load %X[2 * (%n - %i) - 1] : @X
      %c = ADD %b, %b : @
      affine.yield %c : @
    }
    affine.store %y, %X[%i] : @X
  }""",
    {"X": (1,)},
    1,
    1,
)
"""A value that depends on where it is; what is read may have been overwritten or not."""

EXAMPLES = {
    "convolved": CONVOLVED,
    "prefix sum": PREFIX_SUM,
    "scalar sum": SCALAR_SUM,
    "sum of windows": SUM_OF_WINDOWS,
    "maximum of windows": MAXIMUM_OF_WINDOWS,
    "prefix maximum": PREFIX_MAXIMUM,
    "two statements": TWO_STATEMENTS,
    "in place": IN_PLACE,
    "rotation": ROTATION,
    "reversal": REVERSAL,
    "conditional": CONDITIONAL,
}


@pytest.mark.parametrize("element", ["i64", "f64"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_need_less_work_for_the_same_results(name: str, element: str) -> None:
    example = EXAMPLES[name]
    text = example.text(element)
    option = "" if element == "i64" else "{reassociate=true}"
    there = f"scop-to-equations{option},simplify-reductions{option},equations-to-scop"
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), there)
        ours = api.compile(module, "pluto-schedule,allocate-memory", OPTIONS)["f"]
        assert _degree(api.run_pipeline(api.parse(text), "poly-raise")) == example.before
    assert _degree(module) == example.after
    oracle = Oracle(text)
    for n in (1, 2, 3, 8):
        expected, found = (example.arguments(element, n) for _ in range(2))
        oracle("f", *expected)
        ours(*found)
        if element == "i64":
            assert compare_bits(expected, found) is None, n
        else:
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def _degree(module: api.ModuleOp) -> int:
    """How the number of statement instances grows with n."""

    def count(n: int) -> int:
        return sum(
            int(each.domain.data.fix_val(isl.dim_type.param, 0, isl.Val(n)).count_val().to_python())
            for scop in scops_in(module)
            for each in scop.statements
        )

    return round(float(np.log2(count(200) / count(100))))


IN_ONE_MEMORY = """
func.func @f(%n: index, %A: memref<?xi64>) {
  equations.compute @s(%n) inputs (%A : memref<?xi64>) outputs (%A : memref<?xi64>)
  func.return
}
equations.system @s parameters ["n"] context "[n] -> { : n > 2 }" elements i64 {
  equations.variable @X input "[n] -> { [i] : 0 <= i < n }"
  equations.variable @Y output "[n] -> { [i] : 0 < i < n - 1 }"
  equations.body context "[n] -> { : n > 2 }" {
    equations.define @Y indices ["i"] {
      %0 = equations.read @X : <1>
      %1 = equations.depend %0 by "[n] -> { [i] -> [(i - 1)] }"
      %2 = equations.depend %0 by "[n] -> { [i] -> [(i + 1)] }"
      %3 = equations.apply "+" (%1, %2) : <1>
      equations.yield %3 : <1>
    }
  }
}
"""


def test_outputs_that_no_order_puts_into_the_memory_of_inputs_are_copied() -> None:
    """Each result needs both neighbours as they were."""
    module = api.run_pipeline(api.parse(IN_ONE_MEMORY), "equations-to-scop")
    found = np.arange(1, 8) ** 3
    expected = found.copy()
    expected[1:-1] = found[:-2] + found[2:]
    compile_module(api.lower(module), OPTIONS)["f"](7, found)
    np.testing.assert_array_equal(found, expected)


# --------------------------------------------------------------------------------------- random


def test_random_programs_have_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Equations have no bitwise operations, and no unsigned ones.
    operations = ("arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.maxsi")
    monkeypatch.setattr(generate, "INTEGER_OPERATIONS", operations)
    monkeypatch.setattr(run, "STEP_SECONDS", 0)
    cases = [
        Case(random_program(number), ("scop-to-equations", "equations-to-scop"))
        for number in range(1600, 1600 + examples(6, 100))
    ]
    summary = run_batch(cases, tmp_path)
    assert summary.failures == []
    assert summary.applied["scop-to-equations"] >= len(cases) // 4
