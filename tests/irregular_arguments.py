"""What tests run the programs of `examples/irregular` on, and which passes leave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from irregular_programs import PROGRAMS, Argument, Arguments, IrregularProgram
from sparse_matrices import GENERATORS, Matrix, of_entries

from polyir import api
from polyir.runtime.functions import public_signatures

SIZES = (1, 20, 150)
ARRAYS = 20
STEPS = 3

_NO_STEPS = (
    "no loop holds a sequence of irregular loops"
    "|is outside of its inner loops"
    "|the subscripts depend on this loop"
)
_NO_UPDATE = "this is not an update of an element by one operation"
_AFFINE = "no loop writes elements by index arrays"

DOES_NOTHING: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        **{
            (name, "sparse-tile"): _NO_STEPS
            for name in (
                "fig15-15",
                "fig15-17",
                "fig15-19",
                "triangular-solve",
                "spmv",
                "mesh-edges",
            )
        },
        **{
            (name, "reorder-iterations"): _NO_UPDATE
            for name in PROGRAMS
            if name not in ("moldyn", "mesh-edges", "pagerank", "spmv")
        },
        **{
            (name, "irregular-reductions"): _NO_UPDATE if name.startswith("fig") else _AFFINE
            for name in PROGRAMS
            if name not in ("moldyn", "mesh-edges", "pagerank")
        },
        ("spmv", "inspect-wavefronts"): _AFFINE,
        ("spmv", "runtime-test"): _AFFINE,
    }
)
"""What a pass says of a program that it leaves, by the names of both."""


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
    """Random arguments of each size."""
    for size in SIZES:
        for number in range(ARRAYS):
            random = np.random.default_rng(number)
            yield program.arguments(matrix(number, size), random, STEPS)


def in_order(program: IrregularProgram, given: Arguments) -> list[Argument]:
    """The arguments in the order of the parameters of the program."""
    return [given[name] for name in _parameters(program.path)]


@cache
def _parameters(path: Path) -> tuple[str, ...]:
    (signature,) = public_signatures(api.parse(path.read_text()))
    return tuple(each.name for each in signature.parameters)


def whole(given: Arguments) -> Arguments:
    """The arguments with integers for floating-point numbers."""
    exact: Arguments = {}
    for name, value in given.items():
        if isinstance(value, np.ndarray) and value.dtype == np.float64:
            exact[name] = np.floor(value * 8) - 2
        else:
            exact[name] = 0.5 if isinstance(value, float) else value
    return exact
