"""The programs of `examples/irregular`, and arguments for them made of sparse matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt
from sparse_matrices import Matrix

FOLDER: Final = Path(__file__).parents[1] / "examples" / "irregular"

Argument = npt.NDArray[np.int64] | npt.NDArray[np.float64] | int | float
Arguments = dict[str, Argument]
"""The arguments of a function by the names of its parameters."""

MakeArguments = Callable[[Matrix, np.random.Generator, int], Arguments]
"""Makes arguments of a matrix, random numbers, and a number of steps or sweeps."""


@dataclass(frozen=True)
class IrregularProgram:
    """A file of `examples/irregular` without its suffix, and the function in it."""

    file: str
    function: str
    arguments: MakeArguments
    has_dependences: bool = True
    """Whether iterations of its loops may depend on each other through index arrays."""

    @property
    def path(self) -> Path:
        """The program in MLIR."""
        return FOLDER / f"{self.file}.mlir"

    @property
    def c_path(self) -> Path | None:
        """The program in C, if there is one."""
        path = self.path.with_suffix(".c")
        return path if path.exists() else None


def _two_index_arrays(matrix: Matrix, random: np.random.Generator, _: int) -> Arguments:
    n = matrix.size
    p, q = random.integers(0, n, (2, n))
    return {"n": n, "p": p, "q": q, "b": random.random(n), "A": random.random(n)}


def _scatter(matrix: Matrix, random: np.random.Generator, _: int) -> Arguments:
    n = matrix.size
    return {
        "n": n,
        "p": random.integers(0, 2 * n, n),
        "b": random.random(n),
        "A": random.random(2 * n),
    }


def _scatter_gather(matrix: Matrix, random: np.random.Generator, steps: int) -> Arguments:
    made = _two_index_arrays(matrix, random, steps)
    return {**made, "c": random.random(matrix.size)}


def _moldyn(matrix: Matrix, random: np.random.Generator, steps: int) -> Arguments:
    upper = matrix.where(matrix.rows < matrix.columns)
    pairs = random.permutation(len(upper.columns))
    return {
        "steps": steps,
        "molecules": matrix.size,
        "pairs": len(pairs),
        "left": upper.rows[pairs],
        "right": upper.columns[pairs],
        "x": random.random(matrix.size),
        "vx": random.random(matrix.size) * 0.01,
        "fx": np.zeros(matrix.size),
    }


def _gauss_seidel(matrix: Matrix, random: np.random.Generator, steps: int) -> Arguments:
    return {
        "sweeps": steps,
        "n": matrix.size,
        "rowptr": matrix.starts,
        "col": matrix.columns,
        "v": matrix.values,
        "f": random.random(matrix.size),
        "diagonal": np.zeros(matrix.size),
        "u": random.random(matrix.size),
    }


def _solver(matrix: Matrix, random: np.random.Generator) -> Arguments:
    return {
        "n": matrix.size,
        "rowptr": matrix.starts,
        "col": matrix.columns,
        "v": matrix.values,
        "b": random.random(matrix.size),
        "x": random.random(matrix.size),
    }


def _symmetric(matrix: Matrix, random: np.random.Generator, steps: int) -> Arguments:
    made = _solver(matrix.without_diagonal(), random)
    return {**made, "sweeps": steps, "d_inv": 1.0 / matrix.diagonal()}


def _sor(matrix: Matrix, random: np.random.Generator, steps: int) -> Arguments:
    return {**_symmetric(matrix, random, steps), "omega": 1.25}


def _triangular(matrix: Matrix, random: np.random.Generator, _: int) -> Arguments:
    made = _solver(matrix.below_diagonal(), random)
    return {**made, "d_inv": 1.0 / matrix.diagonal()}


def _spmv(matrix: Matrix, random: np.random.Generator, _: int) -> Arguments:
    made = _solver(matrix, random)
    made["y"] = made.pop("b")
    return made


def _mesh(matrix: Matrix, random: np.random.Generator, _: int) -> Arguments:
    upper = matrix.where(matrix.rows < matrix.columns)
    node = np.ascontiguousarray(np.stack([upper.rows, upper.columns], axis=1))
    return {
        "edges": len(node),
        "node": node,
        "weight": random.random(len(node)),
        "q": random.random((matrix.size, 4)),
        "residual": random.random((matrix.size, 4)),
    }


def _pagerank(matrix: Matrix, random: np.random.Generator, steps: int) -> Arguments:
    links = matrix.without_diagonal()
    return {
        "steps": steps,
        "n": links.size,
        "base": 0.15 / links.size,
        "damping": 0.85,
        "rowptr": links.starts,
        "col": links.columns,
        "share": 1.0 / np.maximum(np.diff(links.starts), 1),
        "rank": np.full(links.size, 1.0 / links.size),
        "next": random.random(links.size),
    }


PROGRAMS: Final[Mapping[str, IrregularProgram]] = MappingProxyType(
    {
        program.file: program
        for program in (
            IrregularProgram("fig15-15", "update", _two_index_arrays),
            IrregularProgram("fig15-17", "scatter", _scatter),
            IrregularProgram("fig15-19", "scatter_gather", _scatter_gather),
            IrregularProgram("moldyn", "moldyn", _moldyn),
            IrregularProgram("gauss-seidel", "gauss_seidel", _gauss_seidel),
            IrregularProgram("symmetric-gauss-seidel", "symmetric_gauss_seidel", _symmetric),
            IrregularProgram("sor", "sor", _sor),
            IrregularProgram("triangular-solve", "triangular_solve", _triangular),
            IrregularProgram("spmv", "spmv", _spmv, has_dependences=False),
            IrregularProgram("mesh-edges", "mesh_edges", _mesh),
            IrregularProgram("pagerank", "pagerank", _pagerank),
        )
    }
)
"""The programs by the names of their files."""
