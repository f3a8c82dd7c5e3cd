"""The 30 PolyBench/C 4.2.1 kernels of `polybench/`: arguments, data-set sizes and initial data.

PolyBench's own initial data is not used: it is a fixed point of heat-3d and nearly one of
seidel-2d, so that a kernel that is not run at all gives the right result. Here every array is
random, also one that the kernel only writes, and a kernel changes nearly all cells that it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

DATA_SETS: Final = ("mini", "small", "medium", "large", "extralarge")

Array = npt.NDArray[np.generic]
Sizes = Mapping[str, int]
Fill = Callable[[np.random.Generator, tuple[int, ...]], Array]


@dataclass(frozen=True)
class ScalarArgument:
    """A floating-point parameter; `value` may depend on the sizes."""

    name: str
    value: Callable[[Sizes], float]


@dataclass(frozen=True)
class ArrayArgument:
    """An array: extents as names of sizes, what it holds first, whether the kernel writes it."""

    name: str
    shape: tuple[str, ...]
    fill: Fill
    is_output: bool


@dataclass(frozen=True)
class Kernel:
    """A kernel: its function takes the sizes in the order of `size_names`, then `arguments`.

    `data_sets` maps each name of `DATA_SETS` to the sizes.
    """

    name: str
    size_names: tuple[str, ...]
    data_sets: Mapping[str, tuple[int, ...]]
    arguments: tuple[ScalarArgument | ArrayArgument, ...]

    @property
    def function(self) -> str:
        """The name of the kernel's function in its module."""
        return "kernel_" + self.name.replace("-", "_")

    @property
    def path(self) -> Path:
        """The file with the kernel as affine MLIR."""
        return Path(__file__).parent / "polybench" / f"{self.name}.mlir"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the arrays that the kernel writes, temporaries included."""
        return tuple(
            argument.name
            for argument in self.arguments
            if isinstance(argument, ArrayArgument) and argument.is_output
        )

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of all parameters of the function, in order."""
        return (*self.size_names, *(argument.name for argument in self.arguments))

    def sizes(self, data_set: str) -> dict[str, int]:
        """The sizes of a data set by name."""
        return dict(zip(self.size_names, self.data_sets[data_set], strict=True))

    def make_arguments(
        self, data_set: str | Sizes, seed: int = 0
    ) -> tuple[int | float | Array, ...]:
        """Arguments for one call: the sizes, then scalars and newly made random arrays.

        `data_set` is a name of `DATA_SETS` or maps each size to a number. The same seed gives the
        same data.
        """
        sizes = self.sizes(data_set) if isinstance(data_set, str) else data_set
        generator = np.random.default_rng(seed)
        values: list[int | float | Array] = [sizes[name] for name in self.size_names]
        for argument in self.arguments:
            if isinstance(argument, ScalarArgument):
                values.append(argument.value(sizes))
            else:
                shape = tuple(sizes[name] for name in argument.shape)
                values.append(np.ascontiguousarray(argument.fill(generator, shape)))
        return tuple(values)


# Initial data.


def uniform(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers between -1 and 1."""
    return generator.uniform(-1.0, 1.0, shape)


def uniform_single(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers between -1 and 1 in single precision."""
    return generator.uniform(-1.0, 1.0, shape).astype(np.float32)


def positive_definite(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A symmetric matrix with a dominant positive diagonal: it can be factored without pivoting."""
    matrix = generator.uniform(-0.5, 0.5, shape) / shape[0]
    return matrix + matrix.T + np.diag(generator.uniform(1.5, 2.5, shape[0]))


def dominant_diagonal(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A matrix with a dominant diagonal, not symmetric."""
    off_diagonal = generator.uniform(-1.0, 1.0, shape) / shape[0]
    return off_diagonal + np.diag(generator.uniform(1.5, 2.5, shape[0]))


def autocorrelations(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Off-diagonals that the diagonal of 1 dominates, so that the Toeplitz matrix is definite."""
    return generator.uniform(-1.0, 1.0, shape) / (2 * shape[0])


def columns_of_mixed_spread(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Data of which every fifth column has a deviation below the 0.1 that correlation accepts."""
    spread = np.where(np.arange(shape[1]) % 5 == 3, 0.05, 1.0)
    return generator.uniform(-1.0, 1.0, shape) * spread


def edge_lengths(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Lengths of the edges of a complete graph."""
    return generator.integers(1, 1000, shape, dtype=np.int32)


def bases(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A sequence of the four RNA bases."""
    return generator.integers(0, 4, shape, dtype=np.int8)


def sparse_ones(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Zeros with a few ones, so few that base pairs still decide the folding."""
    return (generator.random(shape) < 0.05).astype(np.int32)


# The table.


def _constant(name: str, value: float) -> ScalarArgument:
    return ScalarArgument(name, lambda sizes: value)


def _size_as_float(name: str, size: str) -> ScalarArgument:
    return ScalarArgument(name, lambda sizes: float(sizes[size]))


def _read(name: str, shape: str, fill: Fill = uniform) -> ArrayArgument:
    return ArrayArgument(name, tuple(shape.split()), fill, is_output=False)


def _written(name: str, shape: str, fill: Fill = uniform) -> ArrayArgument:
    return ArrayArgument(name, tuple(shape.split()), fill, is_output=True)


def _kernel(
    name: str,
    size_names: str,
    data_sets: Iterable[tuple[int, ...]],
    *arguments: ScalarArgument | ArrayArgument,
) -> Kernel:
    sizes = MappingProxyType(dict(zip(DATA_SETS, data_sets, strict=True)))
    return Kernel(name, tuple(size_names.split()), sizes, arguments)


_ALPHA: Final = _constant("alpha", 1.5)
_BETA: Final = _constant("beta", 1.2)

_SQUARE: Final = ((40,), (120,), (400,), (2000,), (4000,))
_BLAS_M_N: Final = ((20, 30), (60, 80), (200, 240), (1000, 1200), (2000, 2600))
_BLAS_N_M: Final = tuple((n, m) for m, n in _BLAS_M_N)
_DATA_MINING: Final = ((28, 32), (80, 100), (240, 260), (1200, 1400), (2600, 3000))
_ATAX_BICG: Final = ((38, 42), (116, 124), (390, 410), (1900, 2100), (1800, 2200))

_ALL: Final = (
    _kernel(
        "2mm",
        "ni nj nk nl",
        (
            (16, 18, 22, 24),
            (40, 50, 70, 80),
            (180, 190, 210, 220),
            (800, 900, 1100, 1200),
            (1600, 1800, 2200, 2400),
        ),
        _ALPHA,
        _BETA,
        _written("tmp", "ni nj"),
        _read("A", "ni nk"),
        _read("B", "nk nj"),
        _read("C", "nj nl"),
        _written("D", "ni nl"),
    ),
    _kernel(
        "3mm",
        "ni nj nk nl nm",
        (
            (16, 18, 20, 22, 24),
            (40, 50, 60, 70, 80),
            (180, 190, 200, 210, 220),
            (800, 900, 1000, 1100, 1200),
            (1600, 1800, 2000, 2200, 2400),
        ),
        _written("E", "ni nj"),
        _read("A", "ni nk"),
        _read("B", "nk nj"),
        _written("F", "nj nl"),
        _read("C", "nj nm"),
        _read("D", "nm nl"),
        _written("G", "ni nl"),
    ),
    _kernel(
        "adi",
        "tsteps n",
        ((20, 20), (40, 60), (100, 200), (500, 1000), (1000, 2000)),
        _written("u", "n n"),
        _written("v", "n n"),
        _written("p", "n n"),
        _written("q", "n n"),
    ),
    _kernel(
        "atax",
        "m n",
        _ATAX_BICG,
        _read("A", "m n"),
        _read("x", "n"),
        _written("y", "n"),
        _written("tmp", "m"),
    ),
    _kernel(
        "bicg",
        "m n",
        _ATAX_BICG,
        _read("A", "n m"),
        _written("s", "m"),
        _written("q", "n"),
        _read("p", "m"),
        _read("r", "n"),
    ),
    _kernel("cholesky", "n", _SQUARE, _written("A", "n n", positive_definite)),
    _kernel(
        "correlation",
        "m n",
        _DATA_MINING,
        _size_as_float("float_n", "n"),
        _written("data", "n m", columns_of_mixed_spread),
        _written("corr", "m m"),
        _written("mean", "m"),
        _written("stddev", "m"),
    ),
    _kernel(
        "covariance",
        "m n",
        _DATA_MINING,
        _size_as_float("float_n", "n"),
        _written("data", "n m"),
        _written("cov", "m m"),
        _written("mean", "m"),
    ),
    _kernel(
        "deriche",
        "w h",
        ((64, 64), (192, 128), (720, 480), (4096, 2160), (7680, 4320)),
        _constant("alpha", 0.25),
        _read("imgIn", "w h", uniform_single),
        _written("imgOut", "w h", uniform_single),
        _written("y1", "w h", uniform_single),
        _written("y2", "w h", uniform_single),
    ),
    _kernel(
        "doitgen",
        "nr nq np",
        ((10, 8, 12), (25, 20, 30), (50, 40, 60), (150, 140, 160), (250, 220, 270)),
        _written("A", "nr nq np"),
        _read("C4", "np np"),
        _written("sum", "np"),
    ),
    _kernel("durbin", "n", _SQUARE, _read("r", "n", autocorrelations), _written("y", "n")),
    _kernel(
        "fdtd-2d",
        "tmax nx ny",
        ((20, 20, 30), (40, 60, 80), (100, 200, 240), (500, 1000, 1200), (1000, 2000, 2600)),
        _written("ex", "nx ny"),
        _written("ey", "nx ny"),
        _written("hz", "nx ny"),
        _read("_fict_", "tmax"),
    ),
    _kernel(
        "floyd-warshall",
        "n",
        ((60,), (180,), (500,), (2800,), (5600,)),
        _written("path", "n n", edge_lengths),
    ),
    _kernel(
        "gemm",
        "ni nj nk",
        ((20, 25, 30), (60, 70, 80), (200, 220, 240), (1000, 1100, 1200), (2000, 2300, 2600)),
        _ALPHA,
        _BETA,
        _written("C", "ni nj"),
        _read("A", "ni nk"),
        _read("B", "nk nj"),
    ),
    _kernel(
        "gemver",
        "n",
        _SQUARE,
        _ALPHA,
        _BETA,
        _written("A", "n n"),
        _read("u1", "n"),
        _read("v1", "n"),
        _read("u2", "n"),
        _read("v2", "n"),
        _written("w", "n"),
        _written("x", "n"),
        _read("y", "n"),
        _read("z", "n"),
    ),
    _kernel(
        "gesummv",
        "n",
        ((30,), (90,), (250,), (1300,), (2800,)),
        _ALPHA,
        _BETA,
        _read("A", "n n"),
        _read("B", "n n"),
        _written("tmp", "n"),
        _read("x", "n"),
        _written("y", "n"),
    ),
    # With fewer rows than columns, the last columns of Q are normalised rounding errors: finite,
    # but another order of operations gives wholly other numbers.
    _kernel(
        "gramschmidt",
        "m n",
        _BLAS_M_N,
        _written("A", "m n"),
        _written("R", "n n"),
        _written("Q", "m n"),
    ),
    _kernel(
        "heat-3d",
        "tsteps n",
        ((20, 10), (40, 20), (100, 40), (500, 120), (1000, 200)),
        _written("A", "n n n"),
        _written("B", "n n n"),
    ),
    _kernel(
        "jacobi-1d",
        "tsteps n",
        ((20, 30), (40, 120), (100, 400), (500, 2000), (1000, 4000)),
        _written("A", "n"),
        _written("B", "n"),
    ),
    _kernel(
        "jacobi-2d",
        "tsteps n",
        ((20, 30), (40, 90), (100, 250), (500, 1300), (1000, 2800)),
        _written("A", "n n"),
        _written("B", "n n"),
    ),
    _kernel("lu", "n", _SQUARE, _written("A", "n n", dominant_diagonal)),
    _kernel(
        "ludcmp",
        "n",
        _SQUARE,
        _written("A", "n n", dominant_diagonal),
        _read("b", "n"),
        _written("x", "n"),
        _written("y", "n"),
    ),
    _kernel(
        "mvt",
        "n",
        _SQUARE,
        _written("x1", "n"),
        _written("x2", "n"),
        _read("y_1", "n"),
        _read("y_2", "n"),
        _read("A", "n n"),
    ),
    _kernel(
        "nussinov",
        "n",
        ((60,), (180,), (500,), (2500,), (5500,)),
        _read("seq", "n", bases),
        _written("table", "n n", sparse_ones),
    ),
    _kernel(
        "seidel-2d",
        "tsteps n",
        ((20, 40), (40, 120), (100, 400), (500, 2000), (1000, 4000)),
        _written("A", "n n"),
    ),
    _kernel(
        "symm",
        "m n",
        _BLAS_M_N,
        _ALPHA,
        _BETA,
        _written("C", "m n"),
        _read("A", "m m"),
        _read("B", "m n"),
    ),
    _kernel(
        "syr2k",
        "n m",
        _BLAS_N_M,
        _ALPHA,
        _BETA,
        _written("C", "n n"),
        _read("A", "n m"),
        _read("B", "n m"),
    ),
    _kernel("syrk", "n m", _BLAS_N_M, _ALPHA, _BETA, _written("C", "n n"), _read("A", "n m")),
    _kernel(
        "trisolv",
        "n",
        _SQUARE,
        _read("L", "n n", dominant_diagonal),
        _written("x", "n"),
        _read("b", "n"),
    ),
    _kernel("trmm", "m n", _BLAS_M_N, _ALPHA, _read("A", "m m"), _written("B", "m n")),
)

KERNELS: Final[Mapping[str, Kernel]] = MappingProxyType({kernel.name: kernel for kernel in _ALL})
