"""Emitted loops with accesses whose addresses move against each other, at all levels of gcc.

gcc before version 14 may leave out calls of such functions in the same file. What the same loops
print, written in C and compiled without optimization, is the oracle.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from polyir import api

SIZE = 24
EXTENT = 4 * SIZE
OFFSET = SIZE

BOUNDS = {
    "skewed": ("1", "2 * n - 1", ("0", "t - n + 1"), ("n", "t")),
    "triangular": ("0", "n", ("0",), ("t + 1",)),
    "upper_triangular": ("0", "n", ("t",), ("n",)),
    "rectangular": ("0", "n", ("0",), ("n",)),
}
"""The bounds of `t`, and the lower and the upper bounds of `i`."""

SUBSCRIPTS = (
    (("i", "t - i"), ("t - i", "i")),
    (("t - i", "i"), ("i", "t - i")),
    (("i", "t"), ("t", "i")),
    (("t", "i"), ("t", "t - i")),
    (("i", "t"), ("t - i", "t")),
    (("t + i", "i"), ("i", "t + i")),
    (("i", "i"), ("t - i", "t - i")),
    (("t", "i"), ("t", "2 * i")),
    (("i", "t + i"), ("t", "i")),
)
"""What is stored to, and what is loaded from."""

TYPES = {
    "static": f"memref<{EXTENT}x{EXTENT}xf64>",
    "dynamic": f"memref<?x{EXTENT}xf64>",
    "flat": f"memref<{EXTENT * EXTENT}xf64>",
}


@dataclass(frozen=True)
class Nest:
    """A nest of two loops, written in MLIR and in C."""

    name: str
    bounds: tuple[str, str, tuple[str, ...], tuple[str, ...]]
    subscripts: tuple[tuple[str, str], tuple[str, str]]
    layout: str

    def places(self) -> list[list[str]]:
        """The subscripts of the store, and those of the two loads."""
        (row, column), load = self.subscripts
        found = []
        for first, second in ((row, column), load, (row, f"{column} - 1")):
            shifted = [f"{first} + {OFFSET}", f"{second} + {OFFSET}"]
            is_flat = self.layout == "flat"
            found.append([f"({shifted[0]}) * {EXTENT} + {shifted[1]}"] if is_flat else shifted)
        return found

    def in_mlir(self) -> str:
        first, last, lower, upper = self.bounds
        store, *loads = (re.sub(r"\b([ti])\b", r"%\1", ", ".join(each)) for each in self.places())
        type = TYPES[self.layout]
        inner = " ".join(
            f"{kind} affine_map<(t)[n] -> ({', '.join(bounds)})>(%t)[%n]"
            for kind, bounds in (("max", lower), ("to min", upper))
        )
        return f"""func.func @{self.name}(%A: {type}, %n: index) {{
  affine.for %t = {first} to affine_map<()[n] -> ({last})>()[%n] {{
    affine.for %i = {inner} {{
      %x = affine.load %A[{loads[0]}] : {type}
      %y = affine.load %A[{loads[1]}] : {type}
      %z = arith.addf %x, %y : f64
      affine.store %z, %A[{store}] : {type}
    }}
  }}
  return
}}
"""

    def in_c(self) -> str:
        first, last, lower, upper = self.bounds
        store, *loads = ("".join(f"[{each}]" for each in place) for place in self.places())
        lower_tests = " && ".join(f"i >= {bound}" for bound in lower)
        upper_tests = " && ".join(f"i < {bound}" for bound in upper)
        parameters = {
            "static": f"double A[{EXTENT}][{EXTENT}], int64_t n",
            "dynamic": f"double A[][{EXTENT}], int64_t rows, int64_t n",
            "flat": "double *A, int64_t n",
        }
        return f"""void {self.name}({parameters[self.layout]}) {{
  for (int64_t t = {first}; t < {last}; t++)
    for (int64_t i = 0; i < 2 * n; i++)
      if ({lower_tests} && {upper_tests})
        A{store} = A{loads[0]} + A{loads[1]};
}}
"""

    def call(self) -> str:
        arguments = {"static": "data", "dynamic": f"data, {EXTENT}", "flat": "data[0]"}
        return f'  fill(); {self.name}({arguments[self.layout]}, {SIZE}); show("{self.name}");\n'


NESTS = [
    Nest(f"{kind}_{number}_{layout}", BOUNDS[kind], SUBSCRIPTS[number], layout)
    for kind, number, layout in product(BOUNDS, range(len(SUBSCRIPTS)), TYPES)
]

MAIN = f"""
#include <stdio.h>
static double data[{EXTENT}][{EXTENT}];

__attribute__((noinline)) static void fill(void) {{
  for (int i = 0; i < {EXTENT}; i++)
    for (int j = 0; j < {EXTENT}; j++)
      data[i][j] = i * 3 % 7 + j * 5 % 11;
}}

__attribute__((noinline)) static void show(const char *name) {{
  double sum = 0;
  for (int i = 0; i < {EXTENT}; i++)
    for (int j = 0; j < {EXTENT}; j++)
      sum += data[i][j] * ((i * 7 + j) % 13);
  printf("%s %a\\n", name, sum);
}}

int main(void) {{
{"".join(nest.call() for nest in NESTS)}  return 0;
}}
"""

LEVELS = ("-O1", "-O2", "-O3 -march=native")
COMMANDS = [(compiler, level) for compiler in ("gcc", "gcc-11") for level in LEVELS]
COMMANDS.append(("clang-19", "-O2"))


def output(text: str, folder: Path, *command: str) -> list[str]:
    source, program = folder / "program.c", folder / "program"
    source.write_text(text)
    flags = ("-std=c99", "-ffp-contract=off", "-o", str(program), str(source))
    subprocess.run([*command, *flags], check=True, capture_output=True)
    return subprocess.run(
        [program], check=True, capture_output=True, text=True, timeout=60
    ).stdout.splitlines()


@pytest.fixture(scope="module")
def emitted() -> str:
    return api.emit(api.parse("".join(nest.in_mlir() for nest in NESTS)), "c") + MAIN


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    text = "#include <stdint.h>\n" + "".join(nest.in_c() for nest in NESTS) + MAIN
    return output(text, tmp_path_factory.mktemp("expected"), "gcc", "-O0")


@pytest.mark.parametrize(("compiler", "level"), COMMANDS)
def test_emitted_loops(
    compiler: str, level: str, emitted: str, expected: list[str], tmp_path: Path
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    assert output(emitted, tmp_path, compiler, *level.split()) == expected
