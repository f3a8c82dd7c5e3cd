"""Programs with index arrays compute the same bits after each pass for them.

A further pass is one line in `PIPELINES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from irregular_programs import PROGRAMS, Arguments, IrregularProgram
from sparse_matrices import GENERATORS, Matrix, of_entries

import polyir
from polyir.runtime import CompiledModule

PIPELINES = (
    "inspect-wavefronts",
    "inspect-wavefronts{block=3}",
    "inspect-wavefronts{block=100}",
    "inspect-wavefronts{block=auto}",
    "inspect-wavefronts{block=auto grain=2}",
    "reorder-data",
    "sparse-tile{tile=7}",
    "runtime-test{always=true}",
    "runtime-test,inspect-wavefronts",
)

SIZES = (1, 20, 150)
ARRAYS = 20
STEPS = 3


@cache
def compiled(program: IrregularProgram, pipeline: str) -> CompiledModule:
    return polyir.compile(program.path.read_text(), pipeline=pipeline)


def matrix(number: int, size: int) -> Matrix:
    """One of several kinds of matrices; only the first kind is not symmetric."""
    random = np.random.default_rng((number, size))
    makers = [_unsymmetric, *GENERATORS.values()]
    return makers[number % len(makers)](size, random)


def _unsymmetric(size: int, random: np.random.Generator) -> Matrix:
    """A matrix with entries anywhere, also several in one place, besides a diagonal."""
    rows, columns = random.integers(0, size, (2, 4 * size))
    every = np.arange(size)
    values = np.concatenate([np.full(size, 4.0), random.random(4 * size) / 8])
    return of_entries(size, np.concatenate([every, rows]), np.concatenate([every, columns]), values)


def arguments(program: IrregularProgram) -> Iterator[Arguments]:
    for size in SIZES:
        for number in range(ARRAYS):
            random = np.random.default_rng(number)
            yield program.arguments(matrix(number, size), random, STEPS)


def result(module: CompiledModule, program: IrregularProgram, given: Arguments) -> list[bytes]:
    """The bytes of all arrays after a call."""
    copies = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    module[program.function](**copies)
    return [value.tobytes() for value in copies.values() if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_the_original(name: str, pipeline: str) -> None:
    program = PROGRAMS[name]
    original, transformed = compiled(program, ""), compiled(program, pipeline)
    if pipeline.startswith("inspect-wavefronts"):
        assert program.has_dependences == ("_executor(" in transformed.source)
    for given in arguments(program):
        expected = result(original, program, given)
        for threads in (1, 2):
            with transformed.threads(threads):
                assert result(transformed, program, given) == expected
