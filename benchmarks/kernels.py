"""The 30 PolyBench/C 4.2.1 kernels of `polybench/`: arguments, data-set sizes and initial data.

What describes a kernel is here too; `beyond_kernels.py` has a table of other programs.

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
    """An array: what it holds first, and whether the kernel writes it.

    Its extents are names of sizes, or numbers as text.
    """

    name: str
    shape: tuple[str, ...]
    fill: Fill
    is_output: bool


@dataclass(frozen=True)
class Kernel:
    """A kernel: its function takes the sizes in the order of `size_names`, then `arguments`.

    `data_sets` maps each name of `DATA_SETS` to the sizes. `suite` is the name of the folder with
    the kernel's files.
    """

    name: str
    size_names: tuple[str, ...]
    data_sets: Mapping[str, tuple[int, ...]]
    arguments: tuple[ScalarArgument | ArrayArgument, ...]
    suite: str = "polybench"

    @property
    def function(self) -> str:
        """The name of the kernel's function in its module."""
        return "kernel_" + self.name.replace("-", "_")

    @property
    def path(self) -> Path:
        """The file with the kernel as affine MLIR."""
        return Path(__file__).parent / self.suite / f"{self.name}.mlir"

    @property
    def natural_path(self) -> Path:
        """The file with the kernel in C, as a person writes it."""
        folder = "polybench_c" if self.suite == "polybench" else self.suite
        return Path(__file__).parent / folder / f"{self.name}.c"

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
                shape = tuple(
                    int(name) if name.isdigit() else sizes[name] for name in argument.shape
                )
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


def constant(name: str, value: float) -> ScalarArgument:
    """A parameter that is the same for all sizes."""
    return ScalarArgument(name, lambda sizes: value)


def size_as_float(name: str, size: str) -> ScalarArgument:
    """A size that the kernel also takes as a floating-point number."""
    return ScalarArgument(name, lambda sizes: float(sizes[size]))


def read(name: str, shape: str, fill: Fill = uniform) -> ArrayArgument:
    """An array that the kernel only reads; `shape` has its extents between blanks."""
    return ArrayArgument(name, tuple(shape.split()), fill, is_output=False)


def written(name: str, shape: str, fill: Fill = uniform) -> ArrayArgument:
    """An array that the kernel writes; `shape` has its extents between blanks."""
    return ArrayArgument(name, tuple(shape.split()), fill, is_output=True)


def make_kernel(
    name: str,
    size_names: str,
    data_sets: Iterable[tuple[int, ...]],
    *arguments: ScalarArgument | ArrayArgument,
    suite: str = "polybench",
) -> Kernel:
    """A kernel with the sizes of each data set, in the order of `DATA_SETS`."""
    sizes = MappingProxyType(dict(zip(DATA_SETS, data_sets, strict=True)))
    return Kernel(name, tuple(size_names.split()), sizes, arguments, suite)


_ALPHA: Final = constant("alpha", 1.5)
_BETA: Final = constant("beta", 1.2)

_SQUARE: Final = ((40,), (120,), (400,), (2000,), (4000,))
_BLAS_M_N: Final = ((20, 30), (60, 80), (200, 240), (1000, 1200), (2000, 2600))
_BLAS_N_M: Final = tuple((n, m) for m, n in _BLAS_M_N)
_DATA_MINING: Final = ((28, 32), (80, 100), (240, 260), (1200, 1400), (2600, 3000))
_ATAX_BICG: Final = ((38, 42), (116, 124), (390, 410), (1900, 2100), (1800, 2200))

_ALL: Final = (
    make_kernel(
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
        written("tmp", "ni nj"),
        read("A", "ni nk"),
        read("B", "nk nj"),
        read("C", "nj nl"),
        written("D", "ni nl"),
    ),
    make_kernel(
        "3mm",
        "ni nj nk nl nm",
        (
            (16, 18, 20, 22, 24),
            (40, 50, 60, 70, 80),
            (180, 190, 200, 210, 220),
            (800, 900, 1000, 1100, 1200),
            (1600, 1800, 2000, 2200, 2400),
        ),
        written("E", "ni nj"),
        read("A", "ni nk"),
        read("B", "nk nj"),
        written("F", "nj nl"),
        read("C", "nj nm"),
        read("D", "nm nl"),
        written("G", "ni nl"),
    ),
    make_kernel(
        "adi",
        "tsteps n",
        ((20, 20), (40, 60), (100, 200), (500, 1000), (1000, 2000)),
        written("u", "n n"),
        written("v", "n n"),
        written("p", "n n"),
        written("q", "n n"),
    ),
    make_kernel(
        "atax",
        "m n",
        _ATAX_BICG,
        read("A", "m n"),
        read("x", "n"),
        written("y", "n"),
        written("tmp", "m"),
    ),
    make_kernel(
        "bicg",
        "m n",
        _ATAX_BICG,
        read("A", "n m"),
        written("s", "m"),
        written("q", "n"),
        read("p", "m"),
        read("r", "n"),
    ),
    make_kernel("cholesky", "n", _SQUARE, written("A", "n n", positive_definite)),
    make_kernel(
        "correlation",
        "m n",
        _DATA_MINING,
        size_as_float("float_n", "n"),
        written("data", "n m", columns_of_mixed_spread),
        written("corr", "m m"),
        written("mean", "m"),
        written("stddev", "m"),
    ),
    make_kernel(
        "covariance",
        "m n",
        _DATA_MINING,
        size_as_float("float_n", "n"),
        written("data", "n m"),
        written("cov", "m m"),
        written("mean", "m"),
    ),
    make_kernel(
        "deriche",
        "w h",
        ((64, 64), (192, 128), (720, 480), (4096, 2160), (7680, 4320)),
        constant("alpha", 0.25),
        read("imgIn", "w h", uniform_single),
        written("imgOut", "w h", uniform_single),
        written("y1", "w h", uniform_single),
        written("y2", "w h", uniform_single),
    ),
    make_kernel(
        "doitgen",
        "nr nq np",
        ((10, 8, 12), (25, 20, 30), (50, 40, 60), (150, 140, 160), (250, 220, 270)),
        written("A", "nr nq np"),
        read("C4", "np np"),
        written("sum", "np"),
    ),
    make_kernel("durbin", "n", _SQUARE, read("r", "n", autocorrelations), written("y", "n")),
    make_kernel(
        "fdtd-2d",
        "tmax nx ny",
        ((20, 20, 30), (40, 60, 80), (100, 200, 240), (500, 1000, 1200), (1000, 2000, 2600)),
        written("ex", "nx ny"),
        written("ey", "nx ny"),
        written("hz", "nx ny"),
        read("_fict_", "tmax"),
    ),
    make_kernel(
        "floyd-warshall",
        "n",
        ((60,), (180,), (500,), (2800,), (5600,)),
        written("path", "n n", edge_lengths),
    ),
    make_kernel(
        "gemm",
        "ni nj nk",
        ((20, 25, 30), (60, 70, 80), (200, 220, 240), (1000, 1100, 1200), (2000, 2300, 2600)),
        _ALPHA,
        _BETA,
        written("C", "ni nj"),
        read("A", "ni nk"),
        read("B", "nk nj"),
    ),
    make_kernel(
        "gemver",
        "n",
        _SQUARE,
        _ALPHA,
        _BETA,
        written("A", "n n"),
        read("u1", "n"),
        read("v1", "n"),
        read("u2", "n"),
        read("v2", "n"),
        written("w", "n"),
        written("x", "n"),
        read("y", "n"),
        read("z", "n"),
    ),
    make_kernel(
        "gesummv",
        "n",
        ((30,), (90,), (250,), (1300,), (2800,)),
        _ALPHA,
        _BETA,
        read("A", "n n"),
        read("B", "n n"),
        written("tmp", "n"),
        read("x", "n"),
        written("y", "n"),
    ),
    # With fewer rows than columns, the last columns of Q are normalised rounding errors: finite,
    # but another order of operations gives wholly other numbers.
    make_kernel(
        "gramschmidt",
        "m n",
        _BLAS_M_N,
        written("A", "m n"),
        written("R", "n n"),
        written("Q", "m n"),
    ),
    make_kernel(
        "heat-3d",
        "tsteps n",
        ((20, 10), (40, 20), (100, 40), (500, 120), (1000, 200)),
        written("A", "n n n"),
        written("B", "n n n"),
    ),
    make_kernel(
        "jacobi-1d",
        "tsteps n",
        ((20, 30), (40, 120), (100, 400), (500, 2000), (1000, 4000)),
        written("A", "n"),
        written("B", "n"),
    ),
    make_kernel(
        "jacobi-2d",
        "tsteps n",
        ((20, 30), (40, 90), (100, 250), (500, 1300), (1000, 2800)),
        written("A", "n n"),
        written("B", "n n"),
    ),
    make_kernel("lu", "n", _SQUARE, written("A", "n n", dominant_diagonal)),
    make_kernel(
        "ludcmp",
        "n",
        _SQUARE,
        written("A", "n n", dominant_diagonal),
        read("b", "n"),
        written("x", "n"),
        written("y", "n"),
    ),
    make_kernel(
        "mvt",
        "n",
        _SQUARE,
        written("x1", "n"),
        written("x2", "n"),
        read("y_1", "n"),
        read("y_2", "n"),
        read("A", "n n"),
    ),
    make_kernel(
        "nussinov",
        "n",
        ((60,), (180,), (500,), (2500,), (5500,)),
        read("seq", "n", bases),
        written("table", "n n", sparse_ones),
    ),
    make_kernel(
        "seidel-2d",
        "tsteps n",
        ((20, 40), (40, 120), (100, 400), (500, 2000), (1000, 4000)),
        written("A", "n n"),
    ),
    make_kernel(
        "symm",
        "m n",
        _BLAS_M_N,
        _ALPHA,
        _BETA,
        written("C", "m n"),
        read("A", "m m"),
        read("B", "m n"),
    ),
    make_kernel(
        "syr2k",
        "n m",
        _BLAS_N_M,
        _ALPHA,
        _BETA,
        written("C", "n n"),
        read("A", "n m"),
        read("B", "n m"),
    ),
    make_kernel("syrk", "n m", _BLAS_N_M, _ALPHA, _BETA, written("C", "n n"), read("A", "n m")),
    make_kernel(
        "trisolv",
        "n",
        _SQUARE,
        read("L", "n n", dominant_diagonal),
        written("x", "n"),
        read("b", "n"),
    ),
    make_kernel("trmm", "m n", _BLAS_M_N, _ALPHA, read("A", "m m"), written("B", "m n")),
)

KERNELS: Final[Mapping[str, Kernel]] = MappingProxyType({kernel.name: kernel for kernel in _ALL})
