"""Prints the table of `docs/irregular.md`: inspectors and executors of programs with index arrays.

python benchmarks/irregular.py [--matrices NAME,...] [--size N] [--steps N] [--rounds N]
                               [--file MATRIX.mtx] [--write-docs] [PROGRAM ...]

Times are those of one step of a program, in milliseconds: of the original loops as C by gcc -O3, of
SciPy where it does the same, of the inspector, and of the executor on one and on two threads. The
last column says after how many steps on two threads the inspector has paid. With `--write-docs`,
the table replaces that of the section "Measured" of `docs/irregular.md`.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from irregular_programs import PROGRAMS, Arguments, IrregularProgram
from sparse_matrices import GENERATORS, Matrix, matrix_market

import polyir
from polyir.base.diagnostics import remarks_to
from polyir.irregular.plans import InspectionPlan
from polyir.runtime import CompiledModule

WAVEFRONTS: Final = "inspect-wavefronts"
PIPELINES: Final = MappingProxyType(
    {
        "wavefronts": WAVEFRONTS,
        "blocks": f"{WAVEFRONTS}{{block=auto}}",
        "packed data": "reorder-data",
        "packed, sorted": "reorder-data{method=breadth-first},reorder-iterations{reassociate=true}",
        "sparse tiles": "sparse-tile{tile=1000 order=wavefronts}",
        "locality tiles": "sparse-tile{tile=1000 parallel=false}",
    }
)
"""The passes that are measured, by what the table calls them."""

REORDERED: Final = "packed, sorted"
"""The one that rounds sums in another order. Only for loops that `reorder-iterations` changes."""

WITHOUT_MATRIX: Final = ("fig15-15", "fig15-17", "fig15-19")
"""Programs with index arrays of random numbers, which are measured once."""

DOCS: Final = Path(__file__).parents[1] / "docs" / "irregular.md"

Run = Callable[[Arguments], object]


@cache
def compiled(program: IrregularProgram, pipeline: str) -> CompiledModule:
    """The module of a program after some passes, as C by gcc -O3."""
    text = program.path.read_text()
    with remarks_to(lambda _: None):
        return polyir.compile(text, pipeline=pipeline, backend="c", check_indices=False)


def copied(given: Arguments, names: Container[str] | None = None) -> Arguments:
    """The arguments with copies of the arrays that have these names, or of all."""
    return {
        k: v.copy() if isinstance(v, np.ndarray) and (names is None or k in names) else v
        for k, v in given.items()
    }


@dataclass(frozen=True)
class Case:
    """A program with its arguments and their values after a call, and how often to run it.

    A call of the program runs some steps.
    """

    program: IrregularProgram
    given: Arguments
    expected: Arguments
    steps: int
    rounds: int

    @cached_property
    def written(self) -> frozenset[str]:
        """The names of the arrays that the program changes."""
        return frozenset(
            name
            for name, value in self.given.items()
            if not np.array_equal(value, self.expected[name], equal_nan=True)
        )

    def milliseconds(self, run: Run) -> float:
        """The median time of a call, each on the same arguments."""
        taken: list[float] = []
        for _ in range(self.rounds + 1):
            own = copied(self.given, self.written)
            start = time.perf_counter()
            run(own)
            taken.append(1000 * (time.perf_counter() - start))
        return float(np.median(taken[1:]))

    def check(self, found: Arguments, title: str) -> None:
        """Raise `AssertionError` if a call has computed something else."""
        for name, value in found.items():
            if title == REORDERED:
                is_same = np.allclose(value, self.expected[name], rtol=1e-6)
            else:
                is_same = np.array_equal(value, self.expected[name], equal_nan=True)
            if not is_same:
                raise AssertionError(f"{self.program.file}: {title} computes another '{name}'")


@dataclass(frozen=True)
class Figures:
    """The times of a pass: of its inspector, and of a step of its executor on 1 and 2 threads."""

    inspector: float
    alone: float
    executor: float

    def pays_after(self, original: float) -> float:
        """The number of steps on two threads, infinite if each is slower than before."""
        gain = original - self.executor
        return math.inf if gain <= 0 else self.inspector / gain


def figures(case: Case, title: str) -> Figures | None:
    """What a pass gives; `None` if it makes no inspector of the program that runs before it."""
    module = compiled(case.program, PIPELINES[title])
    if title == REORDERED:
        first, _, _ = PIPELINES[title].partition(",")
        if module.source == compiled(case.program, first).source:
            return None
    kernel = module[case.program.function]
    if not isinstance(module.plans.get(case.program.function), InspectionPlan):
        return None
    inspected = kernel.inspect(**case.given, check=False)
    times: dict[int, float] = {}
    for threads in (1, 2):
        with module.threads(threads):
            own = copied(case.given)
            inspected(**own)
            case.check(own, title)
            times[threads] = case.milliseconds(lambda own: inspected(**own)) / case.steps
    with module.threads(2):
        inspector = case.milliseconds(lambda own: kernel.inspect(**own, check=False))
    return Figures(inspector, times[1], times[2])


def scipy_time(case: Case) -> float | None:
    """The time of SciPy for a step, if it is there and does the same as the program."""
    try:
        from scipy.sparse import csr_array, diags_array, tril, triu
        from scipy.sparse.linalg import spsolve_triangular
    except ImportError:
        return None
    program, given = case.program.file, case.given
    if program not in ("spmv", "triangular-solve", "gauss-seidel"):
        return None
    n = given["n"]
    assert isinstance(n, int)
    matrix = csr_array((given["v"], given["col"], given["rowptr"]), shape=(n, n))
    once = replace(case, rounds=1)
    if program == "spmv":
        return case.milliseconds(lambda own: matrix @ own["x"])
    if program == "triangular-solve":
        solved = csr_array(matrix + diags_array(1.0 / np.asarray(given["d_inv"])))
        return once.milliseconds(lambda own: spsolve_triangular(solved, own["b"]))
    lower, upper = csr_array(tril(matrix)), csr_array(triu(matrix, 1))
    return once.milliseconds(lambda own: spsolve_triangular(lower, own["f"] - upper @ own["u"]))


def rows(
    program: IrregularProgram, name: str, matrix: Matrix, options: argparse.Namespace
) -> Iterator[list[str]]:
    """The rows of the table for a program and a matrix."""
    given = program.arguments(matrix, np.random.default_rng(1), options.steps)
    steps = options.steps if {"steps", "sweeps"} & set(given) else 1
    kernel = compiled(program, "")[program.function]
    expected = copied(given)
    kernel(**expected)
    case = Case(program, given, expected, steps, options.rounds)
    original = case.milliseconds(lambda own: kernel(**own)) / steps
    before = [program.file, name, _shown(original), _shown(scipy_time(case))]
    found = False
    for title in PIPELINES:
        made = figures(case, title)
        if made is not None:
            found = True
            after = made.pays_after(original)
            count = "never" if math.isinf(after) else str(math.ceil(after))
            times = [_shown(each) for each in (made.inspector, made.alone, made.executor)]
            yield [*before, title, *times, f"{original / made.executor:.2f}", count]
            before = [""] * len(before)
    if not found:
        yield [*before, *[""] * (len(HEADING) - len(before))]


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


HEADING: Final = (
    "program",
    "matrix",
    "gcc -O3",
    "SciPy",
    "pass",
    "inspector",
    "1 thread",
    "2 threads",
    "gain",
    "pays after",
)


def matrices(options: argparse.Namespace) -> Mapping[str, Matrix]:
    """The matrices that are wanted, by name."""
    found: dict[str, Matrix] = {}
    if options.file is not None:
        found[options.file.stem] = matrix_market(options.file)
    names: Sequence[str] = options.matrices.split(",") if options.matrices else ()
    for name in names:
        found[name] = GENERATORS[name](options.size, np.random.default_rng(1))
    return found


def write_docs(table: Sequence[str]) -> None:
    """Put the table in the place of the one on the page."""
    text = DOCS.read_text()
    start = text.index(table[0])
    rows = re.match(r"(\|.*\n)+", text[start:])
    assert rows is not None
    DOCS.write_text(text[:start] + "\n".join(table) + "\n" + text[start + rows.end() :])


def main() -> int:
    parser = argparse.ArgumentParser(description="inspectors and executors of irregular programs")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--matrices", default="grid-3d,grid-3d-random,power-law")
    parser.add_argument("--file", type=Path, help="a file of Matrix Market")
    parser.add_argument("--size", type=int, default=1_000_000, help="about how many unknowns")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write-docs", action="store_true", help=f"write the table to {DOCS.name}")
    options = parser.parse_args()
    table = [
        f"| {' | '.join(HEADING)} |",
        f"| {' | '.join('---' if n in (0, 1, 4) else '---:' for n in range(len(HEADING)))} |",
    ]
    print("\n".join(table))
    measured = list(matrices(options).items())
    for number, (name, matrix) in enumerate(measured):
        for program in options.programs:
            if number and program in WITHOUT_MATRIX:
                continue
            for row in rows(PROGRAMS[program], name, matrix, options):
                table.append(f"| {' | '.join(row)} |")
                print(table[-1], flush=True)
    if options.write_docs:
        write_docs(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
