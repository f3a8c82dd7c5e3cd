"""What the C target prints, and what it refuses."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

import pytest

from polyir.base.diagnostics import PolyirError
from polyir.frontend.parse import default_context, parse_module
from polyir.target.abi import Scalar
from polyir.target.c import COptions, emit_c
from polyir.target.c.printer import Printer
from polyir.target.c.syntax import (
    Binary,
    Expression,
    FloatLiteral,
    IntegerLiteral,
    Name,
    Unary,
    Variable,
    cast,
)
from polyir.target.c.target import CTarget


def c_text(text: str, openmp: bool = True) -> str:
    stream = io.StringIO()
    emit_c(parse_module(text, "in.mlir"), stream, COptions(openmp=openmp))
    return stream.getvalue()


def assert_prints(text: str, expected: str, folder: Path) -> None:
    """The C text is the expected one, and gcc has nothing to say about it."""
    actual = c_text(text)
    assert actual == expected.lstrip()
    file = folder / "module.c"
    file.write_text(actual)
    flags = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fopenmp", "-c")
    subprocess.run(["gcc", *flags, str(file), "-o", str(folder / "module.o")], check=True)


def test_static_arrays_and_one_statement(tmp_path: Path) -> None:
    assert_prints(
        """
func.func @gemm(%alpha: f64, %C: memref<20x30xf64>, %A: memref<20x40xf64>,
                %B: memref<40x30xf64>) {
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 30 {
      affine.for %k = 0 to 40 {
        %c = affine.load %C[%i, %j] : memref<20x30xf64>
        %a = affine.load %A[%i, %k] : memref<20x40xf64>
        %b = affine.load %B[%k, %j] : memref<40x30xf64>
        %alpha_a = arith.mulf %alpha, %a : f64
        %product = arith.mulf %alpha_a, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<20x30xf64>
      }
    }
  }
  return
}
""",
        """
#include <stdint.h>

void gemm(
    double alpha, double C[restrict 20][30], double A[restrict 20][40], double B[restrict 40][30]) {
  for (int64_t i = 0; i < 20; i++) {
    for (int64_t j = 0; j < 30; j++) {
      for (int64_t k = 0; k < 40; k++) {
        C[i][j] += alpha * A[i][k] * B[k][j];
      }
    }
  }
}
""",
        tmp_path,
    )


def test_tiles_parallel_loops_and_dynamic_arrays(tmp_path: Path) -> None:
    assert_prints(
        """
#tile_end = affine_map<(d0)[s0] -> (d0 * 32 + 32, s0)>
func.func @copy(%n: index, %A: memref<?x?xf32>, %x: memref<?xf32>) {
  affine.parallel (%ti) = (0) to (symbol(%n) ceildiv 32) {
    affine.for %i = affine_map<(d0) -> (d0 * 32)>(%ti) to min #tile_end(%ti)[%n] {
      %v = affine.load %A[%i floordiv 2, -%i + symbol(%n) - 1] : memref<?x?xf32>
      affine.store %v, %x[%i] : memref<?xf32>
    }
  }
  return
}
""",
        """
#include <stdint.h>

static inline int64_t polyir_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t polyir_ceildiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// Array sizes (row-major): A[A_0][A_1], x[x_0]
void copy(
    int64_t n, float *restrict A_data, int64_t A_0, int64_t A_1, float *restrict x, int64_t x_0) {
  (void)A_0; (void)x_0;
  float (*restrict A)[A_1] = (float (*)[A_1])A_data;
  #pragma omp parallel for
  for (int64_t ti = 0; ti < polyir_ceildiv(n, 32); ti++) {
    for (int64_t i = 32 * ti; i < polyir_min(32 * ti + 32, n); i++) {
      x[i] = A[i / 2][n - i - 1];
    }
  }
}
""",
        tmp_path,
    )


def test_carried_values_conditions_and_a_load_before_a_store(tmp_path: Path) -> None:
    assert_prints(
        """
func.func @f(%n: index, %x: memref<?xf64>, %s: memref<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %last:2 = affine.for %i = 0 to %n iter_args(%p = %zero, %q = %zero) -> (f64, f64) {
    %old = affine.load %x[%i] : memref<?xf64>
    affine.store %p, %x[%i] : memref<?xf64>
    %new = arith.addf %old, %q : f64
    affine.yield %new, %p : f64, f64
  }
  %log = arith.cmpf ult, %last#0, %zero : f64
  %r = scf.if %log -> f64 {
    scf.yield %last#1 : f64
  } else {
    %scalar = affine.load %s[] : memref<f64>
    %negated = arith.negf %scalar : f64
    scf.yield %negated : f64
  }
  return %r : f64
}
""",
        """
#include <stdint.h>

// Array sizes: x[x_0]
double f(int64_t n, double *restrict x, int64_t x_0, double *restrict s) {
  (void)x_0;
  double p = 0.0;
  double q = 0.0;
  for (int64_t i = 0; i < n; i++) {
    const double old = x[i];
    x[i] = p;
    const double next_p = old + q;
    q = p;
    p = next_p;
  }
  double r;
  if (!(p >= 0.0)) {
    r = q;
  } else {
    r = -*s;
  }
  return r;
}
""",
        tmp_path,
    )


def test_local_memory_globals_and_calls(tmp_path: Path) -> None:
    assert_prints(
        """
memref.global "private" constant @table : memref<2x2xf64> = dense<[[1.0, -0.0], [0.1, 1.0e300]]>
memref.global "private" @unused : memref<2xf64> = uninitialized
func.func @f(%n: index, %A: memref<10x20xf64>) -> i32 {
  %table = memref.get_global @table : memref<2x2xf64>
  %tmp = memref.alloc(%n) : memref<?x8xf64>
  %only_written = memref.alloca(%n) : memref<?xf64>
  %s = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    %a = affine.load %table[%i mod 2, 1] : memref<2x2xf64>
    %old = affine.load %s[] : memref<f64>
    %new = arith.addf %old, %a : f64
    affine.store %new, %s[] : memref<f64>
    affine.store %new, %tmp[%i, 0] : memref<?x8xf64>
    affine.store %new, %only_written[%i] : memref<?xf64>
  }
  %cast = memref.cast %A : memref<10x20xf64> to memref<?x?xf64>
  %r = func.call @rows(%cast) : (memref<?x?xf64>) -> i32
  memref.dealloc %tmp : memref<?x8xf64>
  return %r : i32
}
func.func private @rows(%A: memref<?x?xf64>) -> i32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  %r = arith.index_cast %n : index to i32
  %c7 = arith.constant 7 : i32
  %wrapped = arith.muli %r, %c7 : i32
  return %wrapped : i32
}
""",
        """
#include <stdint.h>
#include <stdlib.h>

static double table[2][2] = {{1.0, -0.0}, {0.1, 1e+300}};

static int32_t rows(double *restrict A, int64_t A_0, int64_t A_1);

int32_t f(int64_t n, double A[restrict 10][20]) {
  double (*restrict tmp)[8] = malloc(sizeof(double) * n * 8);
  double only_written[n];
  (void)only_written;
  double s = 0.0;
  for (int64_t i = 0; i < n; i++) {
    const double new = s + table[i % 2][1];
    s = new;
    tmp[i][0] = new;
    only_written[i] = new;
  }
  const int32_t r = rows(&A[0][0], 10, 20);
  free(tmp);
  return r;
}

// Array sizes (row-major): A[A_0][A_1]
static int32_t rows(double *restrict A, int64_t A_0, int64_t A_1) {
  (void)A; (void)A_1;
  return (int32_t)((uint32_t)A_0 * 7u);
}
""",
        tmp_path,
    )


def test_a_bound_that_is_a_conditional_has_parentheses() -> None:
    text = c_text(
        """
func.func @f(%p: index, %n: index, %a: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  %less = arith.cmpi slt, %p, %n : index
  %end = arith.select %less, %p, %one : index
  scf.for %i = %zero to %end step %one {
    memref.store %x, %a[%i] : memref<?xf64>
  }
  return
}
"""
    )
    assert "for (int64_t i = 0; i < (p < n ? p : 1); i++) {" in text


def test_names_that_c_has_taken() -> None:
    text = c_text(
        """
func.func @double(%sqrt: f64, %for: f64, %0: f64) -> f64 {
  %a.b = math.sqrt %sqrt : f64
  %x = arith.addf %a.b, %for : f64
  %y = arith.addf %x, %0 : f64
  %z = arith.mulf %y, %y : f64
  return %z : f64
}
"""
    )
    assert "double double_(double sqrt_1, double for_1, double arg2) {" in text
    assert "const double y = sqrt(sqrt_1) + for_1 + arg2;" in text


@pytest.mark.parametrize(
    ("constraint", "test"),
    [
        ("-d0 >= 0", "a <= 0"),
        ("d0 - 1 >= 0", "a >= 1"),
        ("d0 - 3 == 0", "a == 3"),
        ("-d0 + 7 == 0", "a == 7"),
        ("d0 - d1 - 32 >= 0", "a - b >= 32"),
        ("d0 - d1 + 33 >= 0", "b - a <= 33"),
        ("d0 - d1 + 33 == 0", "b - a == 33"),
        ("d1 - d0 == 0", "b == a"),
        ("d1 - d0 - 1 >= 0", "a < b"),
        ("d1 - d0 >= 0", "a <= b"),
        ("d0 + d1 - 2 >= 0", "a + b >= 2"),
        ("-d0 - d1 + 5 >= 0", "a + b <= 5"),
        ("d0 * 2 - d1 * 3 - 1 >= 0", "3 * b < 2 * a"),
        ("d0 mod 2 == 0", "a % 2 == 0"),
        ("d0 mod 2 - 1 == 0", "polyir_mod(a, 2) == 1"),
        ("d0 - d0 - 1 >= 0", "false"),
        ("-d0 - 9223372036854775807 >= 0", "a <= -9223372036854775807"),
        ("d0 - 1 >= 0, d1 - 1 >= 0", "a >= 1 && b >= 1"),
    ],
)
def test_conditions_are_written_as_a_person_would(constraint: str, test: str) -> None:
    text = c_text(
        "func.func @f(%a: index, %b: index, %x: memref<f64>, %v: f64) {\n"
        f"  affine.if affine_set<(d0, d1) : ({constraint})>(%a, %b) {{\n"
        "    affine.store %v, %x[] : memref<f64>\n  }\n  return\n}\n"
    )
    assert f"  if ({test}) {{\n" in text


@pytest.mark.parametrize(
    ("subscript", "written"),
    [
        ("%i floordiv 4", "i / 4"),
        ("%i mod 4", "i % 4"),
        ("(%i + 1) ceildiv 4", "(i + 4) / 4"),
        ("(%i - 1) floordiv 4", "polyir_floordiv(i - 1, 4)"),
        ("-%i + 9", "9 - i"),
        ("-%i - %n + 9", "9 - i - n"),
        ("%i * 2 - %n", "2 * i - n"),
    ],
)
def test_subscripts_call_helpers_only_where_they_must(subscript: str, written: str) -> None:
    text = c_text(
        "func.func @f(%n: index, %x: memref<?xf64>, %v: f64) {\n"
        "  affine.for %i = 0 to %n {\n"
        f"    affine.store %v, %x[{subscript}] : memref<?xf64>\n  }}\n  return\n}}\n"
    )
    assert f"    x[{written}] = v;\n" in text


def test_conditions_in_an_else_and_long_loop_heads(tmp_path: Path) -> None:
    assert_prints(
        """
#far = affine_map<(d0)[s0, s1] -> (d0 * 2 + s0 * 3 + s1 * 5 + 77, d0 + s0 + s1 + 99, s0 * 17)>
func.func @f(%distance: index, %other: index, %x: memref<?xf64>, %v: f64) {
  affine.for %i = 0 to %distance {
    affine.if affine_set<(d0) : (d0 - 9 >= 0)>(%i) {
      affine.store %v, %x[0] : memref<?xf64>
    } else {
      affine.if affine_set<(d0) : (d0 - 5 == 0)>(%i) {
        affine.store %v, %x[1] : memref<?xf64>
      } else {
        affine.store %v, %x[2] : memref<?xf64>
      }
    }
    affine.for %j = 0 to min #far(%i)[%distance, %other] step 2 {
      %a = affine.load %x[%j] : memref<?xf64>
      %b = arith.subf %a, %v : f64
      affine.store %b, %x[%j] : memref<?xf64>
    }
  }
  return
}
""",
        """
#include <stdint.h>

static inline int64_t polyir_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Array sizes: x[x_0]
void f(int64_t distance, int64_t other, double *restrict x, int64_t x_0, double v) {
  (void)x_0;
  for (int64_t i = 0; i < distance; i++) {
    if (i >= 9) {
      x[0] = v;
    } else if (i == 5) {
      x[1] = v;
    } else {
      x[2] = v;
    }
    for (int64_t j = 0;
         j < polyir_min(polyir_min(2 * i + 3 * distance + 5 * other + 77,
             i + distance + other + 99), 17 * distance);
         j += 2) {
      x[j] -= v;
    }
  }
}
""",
        tmp_path,
    )


def test_long_statements_are_broken_where_few_parentheses_are_open() -> None:
    terms = " ".join(f"+ %x{n} * {n + 2}" for n in range(6)).removeprefix("+ ")
    names = ", ".join(f"%x{n}: index" for n in range(6))
    text = c_text(
        f"func.func @f({names}, %A: memref<?xindex>) {{\n"
        "  affine.for %i = 0 to 9 {\n"
        f"    affine.store %x0, %A[({terms}) mod 99 + ({terms}) floordiv 77] "
        ": memref<?xindex>\n"
        "  }\n  return\n}\n"
    )
    assert all(len(line) <= 100 for line in text.splitlines())
    assert (
        "    A[polyir_mod(2 * x0 + 3 * x1 + 4 * x2 + 5 * x3 + 6 * x4 + 7 * x5, 99)\n"
        "        + polyir_floordiv(2 * x0 + 3 * x1 + 4 * x2 + 5 * x3 + 6 * x4 + 7 * x5, 77)]"
        " = x0;\n"
    ) in text


def test_without_openmp() -> None:
    text = "func.func @f() {\n  affine.parallel (%i) = (0) to (4) {\n  }\n  return\n}\n"
    assert "#pragma omp parallel for" in c_text(text)
    assert "#pragma" not in c_text(text, openmp=False)


def test_target_of_xdsl() -> None:
    stream = io.StringIO()
    CTarget(openmp=False).emit(default_context(), parse_module("func.func @f() {return}"), stream)
    assert stream.getvalue() == "void f(void) {\n}\n"


X = Name(Scalar.INT32, Variable("x"))
TWO = IntegerLiteral(Scalar.INT32, 2)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Binary(Scalar.INT32, "-", X, Binary(Scalar.INT32, "-", X, TWO)), "x - (x - 2)"),
        (Binary(Scalar.INT32, "*", Binary(Scalar.INT32, "+", X, TWO), X), "(x + 2) * x"),
        (Binary(Scalar.INT32, "&", Binary(Scalar.INT32, "+", X, TWO), X), "(x + 2) & x"),
        (Unary(Scalar.INT32, "-", IntegerLiteral(Scalar.INT32, -2)), "- -2"),
        (cast(Scalar.INT32, cast(Scalar.UINT32, X)), "x"),
        (cast(Scalar.INT64, cast(Scalar.UINT32, X)), "(int64_t)(uint32_t)x"),
        (cast(Scalar.INT8, cast(Scalar.INT16, X)), "(int8_t)x"),
        (FloatLiteral(Scalar.FLOAT, 0.10000000149011612), "0.1f"),
        (FloatLiteral(Scalar.DOUBLE, -0.0), "-0.0"),
        (FloatLiteral(Scalar.DOUBLE, float("-inf")), "-INFINITY"),
        (IntegerLiteral(Scalar.INT64, -(2**63)), "INT64_MIN"),
    ],
)
def test_printing_of_expressions(expression: Expression, text: str) -> None:
    assert Printer(()).expression(expression) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(%x: f16) {return}", "type 'f16' is not supported: expected index, i1,"),
        (
            "func.func @f(%x: memref<4xbf16>) {return}",
            "type 'bf16' is not supported: expected index, i1,",
        ),
        ("func.func @f(%x: i7) {return}", "type 'i7' is not supported: expected index, i1,"),
        (
            "func.func @f(%x: memref<4xf32>) -> memref<4xf32> {return %x : memref<4xf32>}",
            "functions that return a memref are not supported",
        ),
        (
            "func.func @f(%x: memref<4x4xf32, strided<[1, 4]>>) {return}",
            "the layout of 'memref<4x4xf32, strided<[1, 4]>>' is not supported",
        ),
        (
            'func.func @f() {\n  "test.op"() : () -> ()\n  return\n}',
            "operation 'test.op' is not supported by the C target",
        ),
        (
            "func.func @a.b() {return}\nfunc.func @a_b() {return}",
            "symbols 'a.b' and 'a_b' have the same name 'a_b' in C",
        ),
        (
            "func.func @f() {\n  cf.br ^bb1\n^bb1:\n  return\n}",
            "unstructured control flow is not supported",
        ),
    ],
)
def test_refusals_have_a_place(text: str, message: str) -> None:
    with pytest.raises(PolyirError, match=re.escape(message)) as caught:
        c_text(text)
    assert str(caught.value.location).startswith("in.mlir:")
