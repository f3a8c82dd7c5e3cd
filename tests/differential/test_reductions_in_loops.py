"""Loops whose updates commute: scheduled, privatized, run by threads, against MLIR's lowering.

Integers must have the same bits in every order. Floating-point sums are compared up to rounding,
and have the same bits for every number of threads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from gpu_devices import missing_opencl
from kernel_runs import expected_results, oracle_of
from kernels import KERNELS
from large_sizes import all_sizes_are_large
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import in_turn, rarely, some

from polyir import api
from polyir.base.diagnostics import Remark, remarks_to
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
MARKED = "poly-dependences{reassociate=true}"
PARALLEL = f"{MARKED},privatize-reductions,mark-parallel"
VECTORS = "register-tile{reassociate=true}"
ELEMENTS = {"f64": np.float64, "f32": np.float32, "i32": np.int32, "i64": np.int64}
SIZES = ((1, 1), (7, 3), (70, 33), (300, 90))

Arguments = list[object]


oracle_for = cache(Oracle)


@dataclass(frozen=True)
class Program:
    """A function `f(n, m, ...)`; `arrays` are their shapes, with the numbers as names."""

    loops: str
    arrays: Mapping[str, tuple[str | int, ...]]
    element: str = "i32"
    most: int = 1 << 30
    sizes: tuple[tuple[int, int], ...] = SIZES
    declarations: str = ""

    @property
    def oracle(self) -> Oracle:
        """MLIR's lowering, with operations in the place of calls, which it has no functions for."""
        found = re.sub(r"func.call @f(max|min)f?\((.*)\) : .*", r"arith.\1numf \2 : @", self.loops)
        return oracle_for(replace(self, loops=found, declarations="").text)

    @property
    def text(self) -> str:
        def type_of(shape: tuple[str | int, ...]) -> str:
            extents = "".join(f"{'?' if isinstance(each, str) else each}x" for each in shape)
            return f"memref<{extents}{self.element}>"

        arrays = "".join(f", %{name}: {type_of(shape)}" for name, shape in self.arrays.items())
        loops = self.loops
        for name, shape in self.arrays.items():
            loops = loops.replace(f"@{name}", type_of(shape))
        loops = re.sub(r"@(?!\w)", self.element, loops)
        function = f"func.func @f(%n: index, %m: index{arrays}) {{\n{loops}\n  return\n}}"
        return f"{function}\n{self.declarations}"

    def arguments(self, n: int, m: int) -> Arguments:
        random = np.random.default_rng(n + m)
        extents = {"n": n, "m": m}
        made: Arguments = [n, m]
        for shape in self.arrays.values():
            sizes = [extents[each] if isinstance(each, str) else each for each in shape]
            if self.element.startswith("f"):
                values = random.standard_normal(sizes)
            else:
                values = random.integers(-self.most, self.most + 1, sizes)
            made.append(np.asarray(values).astype(ELEMENTS[self.element]))
        return made


def update(place: str, operation: str, value: str = "%a", turned: bool = False) -> str:
    """`X[place] = X[place] op value`, or with the operands in the other order."""
    operands = f"{value}, %old" if turned else f"%old, {value}"
    return f"""
      %old = affine.load %X[{place}] : @X
      %new = arith.{operation} {operands} : @
      affine.store %new, %X[{place}] : @X"""


def nest(body: str, inner: str = "affine.for %j = 0 to %m") -> str:
    return f"""
  affine.for %i = 0 to %n {{
    {inner} {{
      %a = affine.load %A[%i, %j] : @A
{body}
    }}
  }}"""


def called(place: str, name: str, turned: bool = False) -> str:
    """`X[place] = name(X[place], a)`, or with the operands in the other order."""
    operands = "%a, %old" if turned else "%old, %a"
    return f"""
      %old = affine.load %X[{place}] : @X
      %new = func.call @{name}({operands}) : (@, @) -> @
      affine.store %new, %X[{place}] : @X"""


def chosen(place: str, test: str, compared: str, values: str) -> str:
    """`X[place] = compared ? values`, of `%old`, which is X[place], and `%a`."""
    return f"""
      %old = affine.load %X[{place}] : @X
      %test = arith.{test}, {compared} : @
      %new = arith.select %test, {values} : @
      affine.store %new, %X[{place}] : @X"""


def branches(place: str, test: str, keeps_old: bool) -> str:
    """`X[place] = X[place] test A[i, j] ? ... : ...`, as the C frontend has it."""
    old = f"%x = affine.load %X[{place}] : @X\n scf.yield %x : @"
    new = "%y = affine.load %A[%i, %j] : @A\n scf.yield %y : @"
    first, second = (old, new) if keeps_old else (new, old)
    return f"""
      %old = affine.load %X[{place}] : @X
      %test = arith.{test}, %old, %a : @
      %new = scf.if %test -> (@) {{
        {first}
      }} else {{
        {second}
      }}
      affine.store %new, %X[{place}] : @X"""


def declared(name: str, type: str) -> str:
    return f"func.func private @{name}({type}, {type}) -> {type} attributes {{llvm.readnone}}"


MATRIX = ("n", "m")
COLUMNS: Mapping[str, tuple[str | int, ...]] = {"A": MATRIX, "X": ("m",)}
ONE: Mapping[str, tuple[str | int, ...]] = {"A": MATRIX, "X": ()}

EXTREMA = {
    "fmax": Program(nest(called("", "fmax")), ONE, "f64", declarations=declared("fmax", "f64")),
    "fminf": Program(
        nest(called("%j", "fminf", turned=True)),
        COLUMNS,
        "f32",
        declarations=declared("fminf", "f32"),
    ),
    "old or greater": Program(nest(chosen("", "cmpf ogt", "%old, %a", "%old, %a")), ONE, "f64"),
    "greater or old": Program(
        nest(chosen("%j", "cmpf olt", "%old, %a", "%a, %old")), COLUMNS, "f32"
    ),
    "not less": Program(nest(chosen("%j", "cmpf uge", "%a, %old", "%old, %a")), COLUMNS, "f64"),
    "less or old": Program(nest(chosen("", "cmpf ole", "%a, %old", "%a, %old")), ONE, "f64"),
    "signed choice": Program(nest(chosen("", "cmpi sle", "%a, %old", "%old, %a")), ONE),
    "unsigned choice": Program(
        nest(chosen("%j", "cmpi ult", "%old, %a", "%old, %a")), COLUMNS, "i64"
    ),
    "branches": Program(nest(branches("%j", "cmpi sge", True)), COLUMNS),
    "branches of floats": Program(nest(branches("", "cmpf ogt", False)), ONE, "f64"),
}

PROGRAMS = {
    **EXTREMA,
    "one sum": Program(nest(update("", "addi")), {"A": MATRIX, "X": ()}),
    "columns": Program(nest(update("%j", "addi")), {"A": MATRIX, "X": ("m",)}),
    "difference": Program(nest(update("%j", "subi")), {"A": MATRIX, "X": ("m",)}, "i64"),
    "product": Program(nest(update("%j", "muli", turned=True)), {"A": MATRIX, "X": ("m",)}),
    "largest": Program(nest(update("%j", "maxsi")), {"A": MATRIX, "X": ("m",)}),
    "least": Program(nest(update("", "minui", turned=True)), {"A": MATRIX, "X": ()}),
    "conjunction": Program(nest(update("%j", "andi")), {"A": MATRIX, "X": ("m",)}),
    "disjunction": Program(nest(update("%j", "ori")), {"A": MATRIX, "X": ("m",)}),
    "least of floats": Program(
        nest(update("%j", "minimumf")), {"A": MATRIX, "X": ("m",)}, element="f64"
    ),
    "histogram": Program(nest(update("(%i + 3 * %j) mod 8", "addi")), {"A": MATRIX, "X": (8,)}),
    "diagonals": Program(nest(update("%i + %j", "addi")), {"A": MATRIX, "X": (500,)}),
    "shifted": Program(
        nest(update("%i - %j + 90", "addi"), "affine.for %j = 0 to 90"),
        {"A": ("n", 90), "X": (500,)},
    ),
    "triangle": Program(
        nest(update("%j", "addi"), "affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i)"),
        {"A": ("n", "n"), "X": ("n",)},
    ),
    "two terms": Program(
        nest(
            """
      %b = affine.load %B[%j] : @B
      %0 = affine.load %X[%j] : @X
      %1 = arith.addi %0, %a : @
      affine.store %1, %X[%j] : @X
      %2 = affine.load %X[%m - %j - 1] : @X
      %3 = arith.subi %2, %b : @
      affine.store %3, %X[%m - %j - 1] : @X"""
        ),
        {"A": MATRIX, "B": ("m",), "X": ("m",)},
    ),
    "solver": Program(
        """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : @A
      %x = affine.load %X[%j] : @X
      %p = arith.muli %a, %x : @
      %old = affine.load %X[%i] : @X
      %new = arith.subi %old, %p : @
      affine.store %new, %X[%i] : @X
    }
  }""",
        {"A": ("n", "n"), "X": ("n",)},
    ),
    "partial sums": Program(
        """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : @A
      %old = affine.load %X[] : @X
      %new = arith.addi %old, %a : @
      affine.store %new, %X[] : @X
    }
    %sum = affine.load %X[] : @X
    affine.store %sum, %B[%i] : @B
  }""",
        {"A": MATRIX, "B": ("n",), "X": ()},
    ),
    "set between": Program(
        """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : @A
      %old = affine.load %X[%j] : @X
      %new = arith.addi %old, %a : @
      affine.store %new, %X[%j] : @X
    }
    %first = affine.load %A[%i, 0] : @A
    affine.store %first, %X[0] : @X
  }""",
        {"A": MATRIX, "X": ("m",)},
    ),
    "carried": Program(
        """
  %start = affine.load %X[] : @X
  %sum = affine.for %i = 0 to %n iter_args(%s = %start) -> (@) {
    %inner = affine.for %j = 0 to %m iter_args(%t = %s) -> (@) {
      %a = affine.load %A[%i, %j] : @A
      %u = arith.addi %t, %a : @
      affine.yield %u : @
    }
    affine.yield %inner : @
  }
  affine.store %sum, %X[] : @X""",
        {"A": MATRIX, "X": ()},
    ),
    "carried by scf": Program(
        """
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = affine.load %X[] : @X
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (@) {
    %a = memref.load %A[%i] : @A
    %t = arith.addi %s, %a : @
    scf.yield %t : @
  }
  affine.store %sum, %X[] : @X""",
        {"A": ("n",), "X": ()},
    ),
    "residual": Program(
        """
  affine.for %t = 0 to 3 {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %A[%i - 1] : @A
      %1 = affine.load %A[%i] : @A
      %2 = affine.load %A[%i + 1] : @A
      %3 = arith.addf %0, %1 : @
      %4 = arith.addf %3, %2 : @
      affine.store %4, %B[%i] : @B
    }
    %zero = arith.constant 0.0 : @
    affine.store %zero, %X[%t] : @X
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 0 to 2 {
        %0 = affine.load %A[%i] : @A
        %1 = affine.load %B[%i] : @B
        %2 = arith.subf %1, %0 : @
        %3 = arith.mulf %2, %2 : @
        %old = affine.load %X[%t] : @X
        %new = arith.addf %old, %3 : @
        affine.store %new, %X[%t] : @X
      }
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %B[%i] : @B
      affine.store %0, %A[%i] : @A
    }
  }""",
        {"A": ("n",), "B": ("n",), "X": (3,)},
        "f64",
    ),
    "dot": Program(
        """
  affine.for %i = 0 to %n {
    %old = affine.load %X[] : @X
    %a = affine.load %A[%i] : @A
    %b = affine.load %B[%i] : @B
    %product = arith.mulf %a, %b : @
    %new = arith.addf %product, %old : @
    affine.store %new, %X[] : @X
  }""",
        {"A": ("n",), "B": ("n",), "X": ()},
        "f64",
        sizes=((0, 0), (1, 0), (300, 0), (70_000, 0)),
    ),
}
IN_ORDER = ("solver", "partial sums", "set between")
"""Programs of which no outermost loop carries only reductions."""


def quietly_run(text: str, pipeline: str, after: str = "") -> CompiledModule:
    """The program in C after a pipeline of passes on schedules, and one of passes on loops."""
    found: list[Remark] = []
    with remarks_to(found.append), all_sizes_are_large():
        loops = api.lower(api.run_pipeline(api.parse(text), pipeline))
        if after:
            loops = api.run_pipeline(loops, after)
    return compile_module(loops, CompilerOptions(flags=FLAGS))


def results(module: CompiledModule, program: Program, threads: int) -> list[Arguments]:
    made = [program.arguments(n, m) for n, m in program.sizes]
    with module.threads(threads):
        for arguments in made:
            module["f"](*arguments)
    return made


def wanted(program: Program) -> list[Arguments]:
    oracle = program.oracle
    made = [program.arguments(n, m) for n, m in program.sizes]
    for arguments in made:
        oracle("f", *arguments)
    return made


def check(program: Program, found: list[Arguments]) -> None:
    """The same bits as those of MLIR's lowering; of floating-point sums, nearly."""
    is_sum = program.element.startswith("f") and "arith.add" in program.loops
    for right, arguments in zip(wanted(program), found, strict=True):
        if is_sum:
            for one, other in zip(right, arguments, strict=True):
                np.testing.assert_allclose(other, one, rtol=1e-11)
        else:
            assert compare_bits(right, arguments) is None


SCHEDULES = (
    "pluto-schedule",
    "pluto-schedule{fuse=max},tile{sizes=8,4},wavefront",
    *("feautrier-schedule", "isl-schedule{outer-coincidence=true},tile{sizes=4,8}"),
    "spatial-schedule",
)


@pytest.mark.parametrize(("name", "schedule"), in_turn(list(PROGRAMS), SCHEDULES, 3))
def test_any_schedule(name: str, schedule: str) -> None:
    """Schedulers may turn reductions round, and nothing else.

    The short selection has each program with one or two schedulers, and each scheduler with a third
    of the programs.
    """
    module = quietly_run(PROGRAMS[name].text, f"{MARKED},{schedule},mark-parallel")
    check(PROGRAMS[name], results(module, PROGRAMS[name], 2))


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_parts(name: str) -> None:
    program = PROGRAMS[name]
    module = quietly_run(program.text, PARALLEL)
    alone = results(module, program, 1)
    check(program, alone)
    assert ("_partial" in module.source) == (name not in IN_ORDER)
    for threads in (2, 3):
        for one, other in zip(alone, results(module, program, threads), strict=True):
            assert compare_bits(one, other) is None


@pytest.mark.parametrize("name", ["columns", "dot", "residual", "largest", "carried", *EXTREMA])
def test_in_parts_and_vectors(name: str) -> None:
    program = PROGRAMS[name]
    module = quietly_run(program.text, f"{PARALLEL},{VECTORS}", "vectorize")
    check(program, results(module, program, 2))


@pytest.mark.parametrize("name", ["columns", "dot", "histogram", "residual", *some(EXTREMA)])
def test_in_parts_by_llvm(name: str) -> None:
    program = PROGRAMS[name]
    with remarks_to(lambda remark: None):
        module = api.compile(program.text, PARALLEL, backend="llvm")
    check(program, results(module, program, 2))


@pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl())
@pytest.mark.parametrize(
    "name", ["columns", "dot", "carried", rarely("residual"), "fmax", rarely("fminf")]
)
def test_marked_on_gpu(name: str) -> None:
    program = PROGRAMS[name]
    isl = "isl-schedule{outer-coincidence=true}"
    pipeline = f"{MARKED},{isl},reassociate,map-to-gpu{{sequential=device}}"
    with remarks_to(lambda remark: None):
        module = api.compile(program.text, pipeline, target="opencl")
    check(program, results(module, program, 1))


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bits_without_marks(name: str) -> None:
    program = PROGRAMS[name]
    module = quietly_run(program.text, "privatize-reductions,mark-parallel")
    assert "_partial" not in module.source
    for right, arguments in zip(wanted(program), results(module, program, 2), strict=True):
        assert compare_bits(right, arguments) is None


@pytest.mark.parametrize("name", ["fmax", "fminf", "greater or old", "not less", "less or old"])
def test_nan_among_numbers(name: str) -> None:
    """These pass over NaN, in any order; of nothing but NaN, too."""
    program = EXTREMA[name]
    module = quietly_run(program.text, f"{PARALLEL},{VECTORS}", "vectorize")
    for share in (0.1, 1.0):
        wanted_ones, found = ([program.arguments(n, m) for n, m in SIZES] for _ in range(2))
        for arguments in (*wanted_ones, *found):
            matrix = arguments[2]
            assert isinstance(matrix, np.ndarray)
            matrix[np.random.default_rng(0).random(matrix.shape) < share] = np.nan
        oracle = program.oracle
        for one, other in zip(wanted_ones, found, strict=True):
            oracle("f", *one)
            module["f"](*other)
            assert compare_bits(one, other) is None


KERNEL_NAMES = (
    "atax",
    "bicg",
    "mvt",
    "gesummv",
    "correlation",
    "covariance",
    "gemver",
)


SCHEDULES = ("", "pluto-schedule,", "pluto-schedule{fuse=max},")


@pytest.mark.parametrize(("name", "schedule"), in_turn(KERNEL_NAMES, SCHEDULES, 2))
def test_kernels_nearly(name: str, schedule: str) -> None:
    kernel = KERNELS[name]
    pipeline = f"{MARKED},{schedule}privatize-reductions,mark-parallel,{VECTORS}"
    module = quietly_run(kernel.path.read_text(), pipeline, "vectorize")
    right, arguments = kernel.make_arguments("small"), kernel.make_arguments("small")
    oracle_of(name)(kernel.function, *right)
    module[kernel.function](*arguments)
    for one, other in zip(right, arguments, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-11)


OPTIMIZED = "optimize{threads=2 reassociate=true}"


@cache
def optimized_kernel(name: str) -> CompiledModule:
    return quietly_run(KERNELS[name].path.read_text(), OPTIMIZED)


def kernel_results(name: str, threads: tuple[int, ...]) -> list[Arguments]:
    """The arguments of an optimized kernel after a call, for each number of threads."""
    kernel, module = KERNELS[name], optimized_kernel(name)
    found: list[Arguments] = []
    for number in threads:
        arguments = list(kernel.make_arguments("small"))
        with module.threads(number):
            module[kernel.function](*arguments)
        found.append(arguments)
    return found


@pytest.mark.parametrize("name", ["atax", "bicg", "gesummv", "mvt", "correlation"])
def test_optimized_kernels(name: str) -> None:
    """Up to rounding what they were, with the same bits on any number of threads.

    `test_llvm_jit.py` has kernels that keep their order.
    """
    one, *others = kernel_results(name, (1, 2, 3))
    for other in others:
        assert compare_bits(one, other) is None
    for right, value in zip(expected_results(name, "small"), one, strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-11)


@pytest.mark.parametrize("name", ["columns", "dot", "residual", "carried", *some(EXTREMA)])
def test_optimized(name: str) -> None:
    program = PROGRAMS[name]
    module = quietly_run(program.text, OPTIMIZED)
    alone = results(module, program, 1)
    check(program, alone)
    for threads in (2, 3):
        for one, other in zip(alone, results(module, program, threads), strict=True):
            assert compare_bits(one, other) is None
    in_order = quietly_run(program.text, "optimize{threads=2}")
    for right, arguments in zip(wanted(program), results(in_order, program, 2), strict=True):
        assert compare_bits(right, arguments) is None


def test_partial_results_are_chosen() -> None:
    """What is read twice in order is read once in parts."""
    assert "_partial[" in optimized_kernel("bicg").source


SHARED = {
    "two sums and a copy": Program(
        """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : @A
      %p = arith.muli %a, %a : @
      affine.store %p, %B[%i, %j] : @B
      %q = affine.load %B[%i, %j] : @B
      %0 = affine.load %X[%i] : @X
      %1 = arith.addi %0, %q : @
      affine.store %1, %X[%i] : @X
      %2 = affine.load %Y[%j] : @Y
      %3 = arith.subi %2, %a : @
      affine.store %3, %Y[%j] : @Y
      %4 = affine.load %Z[%i] : @Z
      %5 = arith.maxsi %4, %a : @
      affine.store %5, %Z[%i] : @Z
    }
  }""",
        {"A": MATRIX, "B": MATRIX, "X": ("n",), "Y": ("m",), "Z": ("n",)},
        sizes=(*SIZES, (6, 129), (5, 131)),
    ),
    "rows and columns": Program(
        """
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : @A
      %0 = affine.load %X[%i] : @X
      %1 = affine.load %B[%j] : @B
      %2 = arith.muli %a, %1 : @
      %3 = arith.addi %0, %2 : @
      affine.store %3, %X[%i] : @X
    }
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : @A
      %0 = affine.load %Y[%j] : @Y
      %1 = affine.load %X[%i] : @X
      %2 = arith.muli %a, %1 : @
      %3 = arith.addi %0, %2 : @
      affine.store %3, %Y[%j] : @Y
    }
  }""",
        {"A": MATRIX, "B": ("m",), "X": ("n",), "Y": ("m",)},
        sizes=(*SIZES, (6, 129), (5, 131)),
    ),
}


@pytest.mark.parametrize("parts", ["", ",privatize-reductions{parts=3 block=6}"])
@pytest.mark.parametrize("name", SHARED)
def test_shared_vector_loops(name: str, parts: str) -> None:
    """Several updates in one vector loop, beside stores, for four rows at once."""
    program = SHARED[name]
    module = quietly_run(program.text, f"{MARKED}{parts},mark-parallel,{VECTORS}", "vectorize")
    check(program, results(module, program, 2))
    assert "partial" in module.source
