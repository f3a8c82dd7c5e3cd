"""Prints the table of `docs/irregular.md`: inspectors and executors of programs with index arrays.

python benchmarks/irregular.py [--matrices NAME,...] [--size N] [--steps N] [--threads N]
                               [--rounds N] [--file MATRIX.mtx] [PROGRAM ...]

Times are those of one step of a program, in milliseconds: of the original loops as C by gcc -O3, of
SciPy where it does the same, of the inspector, and of the executor. The last column says after how
many steps the inspector has paid.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from irregular_programs import PROGRAMS, Arguments, IrregularProgram
from sparse_matrices import GENERATORS, Matrix, matrix_market

import polyir
from polyir.diagnostics import remarks_to
from polyir.irregular.plans import InspectionPlan
from polyir.runtime import CompiledModule

PIPELINES: Final = MappingProxyType(
    {
        "wavefronts": "inspect-wavefronts",
        "wavefronts of blocks": "inspect-wavefronts{block=64}",
        "packed data": "reorder-data",
        "sparse tiles": "sparse-tile{tile=1024}",
    }
)
"""The passes that are measured, by the name of their column."""

Run = Callable[[Arguments], object]


def compiled(program: IrregularProgram, pipeline: str) -> CompiledModule:
    text = program.path.read_text()
    with remarks_to(lambda _: None):
        return polyir.compile(text, pipeline=pipeline, backend="c", check_indices=False)


def copied(given: Arguments) -> Arguments:
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()}


def milliseconds(run: Run, given: Arguments, rounds: int) -> float:
    """The median time of a call, each on the same arguments."""
    taken: list[float] = []
    for _ in range(rounds + 1):
        own = copied(given)
        start = time.perf_counter()
        run(own)
        taken.append(1000 * (time.perf_counter() - start))
    return float(np.median(taken[1:]))


@dataclass(frozen=True)
class Figures:
    """The times of a pass: of its inspector, and of a step of its executor."""

    inspector: float
    executor: float

    def pays_after(self, original: float) -> float:
        """The number of steps, infinite if each is slower than before."""
        gain = original - self.executor
        return math.inf if gain <= 0 else self.inspector / gain


def figures(
    program: IrregularProgram,
    pipeline: str,
    given: Arguments,
    steps: int,
    rounds: int,
    threads: int,
    expected: Arguments,
) -> Figures | None:
    """What a pass gives; `None` if it makes no inspector of the program."""
    module = compiled(program, pipeline)
    kernel = module[program.function]
    if not isinstance(module.plans.get(program.function), InspectionPlan):
        return None
    with module.threads(threads):
        inspector = milliseconds(lambda own: kernel.inspect(**own, check=False), given, rounds)
        inspected = kernel.inspect(**given, check=False)
        own = copied(given)
        inspected(**own)
        for name, value in own.items():
            if not np.array_equal(value, expected[name], equal_nan=True):
                raise AssertionError(f"{program.file}: {pipeline} computes another '{name}'")
        executor = milliseconds(lambda own: inspected(**own), given, rounds) / steps
    return Figures(inspector, executor)


def scipy_time(program: IrregularProgram, given: Arguments, rounds: int) -> float | None:
    """The time of SciPy, if it is there and does the same as the program."""
    try:
        from scipy.sparse import csr_array, diags_array
        from scipy.sparse.linalg import spsolve_triangular
    except ImportError:
        return None
    if program.file not in ("spmv", "triangular-solve"):
        return None
    n = given["n"]
    assert isinstance(n, int)
    matrix = csr_array((given["v"], given["col"], given["rowptr"]), shape=(n, n))
    if program.file == "spmv":
        return milliseconds(lambda own: matrix @ own["x"], given, rounds)
    lower = csr_array(matrix + diags_array(1.0 / np.asarray(given["d_inv"])))
    return milliseconds(lambda own: spsolve_triangular(lower, own["b"]), given, rounds)


def rows(
    program: IrregularProgram, name: str, matrix: Matrix, options: argparse.Namespace
) -> Iterator[list[str]]:
    """The rows of the table for a program and a matrix."""
    given = program.arguments(matrix, np.random.default_rng(1), options.steps)
    steps = options.steps if {"steps", "sweeps"} & set(given) else 1
    kernel = compiled(program, "")[program.function]
    expected = copied(given)
    kernel(**expected)
    original = milliseconds(lambda own: kernel(**own), given, options.rounds) / steps
    by_scipy = scipy_time(program, given, options.rounds)
    before = [program.file, name, _shown(original), _shown(by_scipy)]
    found = False
    for title, pipeline in PIPELINES.items():
        made = figures(program, pipeline, given, steps, options.rounds, options.threads, expected)
        if made is not None:
            found = True
            after = made.pays_after(original)
            count = "never" if math.isinf(after) else str(math.ceil(after))
            gain = f"{original / made.executor:.2f}"
            yield [*before, title, _shown(made.inspector), _shown(made.executor), gain, count]
    if not found:
        yield [*before, "", "", "", "", ""]


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


HEADING: Final = (
    "program",
    "matrix",
    "gcc -O3",
    "SciPy",
    "pass",
    "inspector",
    "executor",
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


def main() -> int:
    parser = argparse.ArgumentParser(description="inspectors and executors of irregular programs")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--matrices", default="grid-3d,grid-3d-random,graph,power-law")
    parser.add_argument("--file", type=Path, help="a file of Matrix Market")
    parser.add_argument("--size", type=int, default=1_000_000, help="about how many unknowns")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"| {' | '.join(HEADING)} |\n| {' | '.join(['---'] * 2 + ['---:'] * 7)} |")
    for name, matrix in matrices(options).items():
        for program in options.programs:
            for row in rows(PROGRAMS[program], name, matrix, options):
                print(f"| {' | '.join(row)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
