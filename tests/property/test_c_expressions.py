"""Random programs through the C target: the same bits as the oracle's, negative numbers too.

A program is a straight line of operations on integers, numbers and memory, so that values are
folded into each other, and loads have stores to the same array between them and their uses.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

from polyir.frontend.parse import parse_module
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
SIZE = 8

# Compiled together: most of the time goes into starting compilers.
NAMES = tuple(f"f{number}" for number in range(8))

INDEX_MAPS = (
    "(d0, d1) -> (d0 mod 5)",
    "(d0, d1) -> (d0 floordiv 3 - d1)",
    "(d0, d1) -> ((d0 - 7) ceildiv 4 + d1 * -2)",
    "(d0, d1) -> (d0 * 3 - (d1 mod 4) * 2 + 1)",
    "(d0, d1) -> ((d0 + d1) floordiv 2 - (d0 - d1) ceildiv 3)",
    "(d0, d1) -> (-d0 - 2)",
)


class Program:
    """A function that grows by one operation at a time."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.values = {"index": ["%n", "%m"], "i32": ["%p"], "f64": ["%x", "%y"]}

    def any(self, type: str) -> str:
        return self.draw(st.sampled_from(self.values[type]))

    def add(self, type: str, text: str) -> None:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.values[type].append(name)

    def place(self) -> str:
        """An index into an array."""
        name = f"%v{len(self.lines)}"
        self.lines.append(
            f"{name} = affine.apply affine_map<(d0) -> (d0 mod {SIZE})>({self.any('index')})"
        )
        return name

    def step(self) -> None:
        step = self.draw(
            st.sampled_from(
                (
                    Program.step_apply,
                    Program.step_minmax,
                    Program.step_integer,
                    Program.step_float,
                    Program.step_load,
                    Program.step_store,
                    Program.step_loop,
                    Program.step_if,
                )
            )
        )
        step(self)

    def step_apply(self) -> None:
        chosen = self.draw(st.sampled_from(INDEX_MAPS))
        operands = f"({self.any('index')}, {self.any('index')})"
        self.add("index", f"affine.apply affine_map<{chosen}>{operands}")

    def step_minmax(self) -> None:
        name = self.draw(st.sampled_from(["affine.min", "affine.max"]))
        operands = f"({self.any('index')}, {self.any('index')})"
        self.add("index", f"{name} affine_map<(d0, d1) -> (d0, d1 + 3, 4 - d0)>{operands}")

    def step_integer(self) -> None:
        operations = ("addi", "subi", "muli", "andi", "xori", "maxsi", "minui")
        name = self.draw(st.sampled_from(operations))
        self.add("i32", f"arith.{name} {self.any('i32')}, {self.any('i32')} : i32")

    def step_float(self) -> None:
        name = self.draw(st.sampled_from(["addf", "subf", "mulf", "divf", "maxnumf"]))
        self.add("f64", f"arith.{name} {self.any('f64')}, {self.any('f64')} : f64")

    def step_load(self) -> None:
        array = self.draw(st.sampled_from("AB"))
        self.add("f64", f"affine.load %{array}[{self.place()}] : memref<?xf64>")

    def step_store(self) -> None:
        array = self.draw(st.sampled_from("AB"))
        value, place = self.any("f64"), self.place()
        self.lines.append(f"affine.store {value}, %{array}[{place}] : memref<?xf64>")

    def step_loop(self) -> None:
        """A loop that carries two values, which change places."""
        start, other, array = self.any("f64"), self.any("f64"), self.draw(st.sampled_from("AB"))
        name = f"%v{len(self.lines)}"
        self.lines.append(
            f"{name}:2 = affine.for %i = 0 to 5 iter_args(%s = {start}, %t = {other})"
            " -> (f64, f64) {\n"
            f"  %e = affine.load %{array}[%i + 1] : memref<?xf64>\n"
            "  %u = arith.addf %t, %e : f64\n"
            f"  affine.store %s, %{array}[%i] : memref<?xf64>\n"
            "  affine.yield %u, %s : f64, f64\n}"
        )
        self.values["f64"] += [f"{name}#0", f"{name}#1"]

    def step_if(self) -> None:
        then, otherwise = self.any("f64"), self.any("f64")
        self.add(
            "f64",
            f"affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0, d0 mod 2 == 0)>"
            f"({self.any('index')}, {self.any('index')}) -> f64 {{\n"
            f"  affine.yield {then} : f64\n}} else {{\n  affine.yield {otherwise} : f64\n}}",
        )

    def text(self, name: str) -> str:
        body = "\n".join(self.lines)
        return (
            f"func.func @{name}(%n: index, %m: index, %p: i32, %x: f64, %y: f64, "
            "%A: memref<?xf64>, %B: memref<?xf64>) -> (index, i32, f64) {\n"
            f"{body}\n  return {self.values['index'][-1]}, {self.values['i32'][-1]}, "
            f"{self.values['f64'][-1]} : index, i32, f64\n}}\n"
        )


@st.composite
def programs(draw: st.DrawFn) -> str:
    texts = []
    for name in NAMES:
        program = Program(draw)
        for _ in range(draw(st.integers(4, 20))):
            program.step()
        texts.append(program.text(name))
    return "".join(texts)


# A failing program is reported as it is: each step of shrinking it would start four compilers.
@settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=programs())
def test_random_programs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYIR_CACHE", str(tmp_path))
    check(text, tmp_path)


def check(text: str, folder: Path) -> None:
    """Compile the functions of `text` on both sides and compare what they do."""
    oracle = Oracle(text, folder)
    compiled = compile_module(parse_module(text), CompilerOptions(flags=FLAGS))
    for name, (n, m) in itertools.product(NAMES, ((5, -3), (-11, 4), (-1, -8))):
        start = np.random.default_rng(7).uniform(-2.0, 2.0, (2, SIZE))
        scalars = (n, m, 2**31 - 6 + n, 0.75, -1.25)
        expected, actual = list(start.copy()), list(start.copy())
        expected.extend(_bits_of(oracle(name, *scalars, *expected)))
        actual.extend(_bits_of(compiled[name](*scalars, *actual)))
        assert compare_bits(expected, actual) is None, name


def _bits_of(results: object) -> list[np.float64]:
    assert isinstance(results, tuple)
    return [np.float64(result) for result in results]
