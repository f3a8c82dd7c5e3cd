"""The 10 programs of `beyond/`, which are not PolyBench: arguments, sizes, initial data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from kernels import (
    KERNELS,
    Array,
    Kernel,
    bases,
    constant,
    dominant_diagonal,
    make_kernel,
    read,
    uniform_single,
    written,
)


def dominant_single(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A matrix with a dominant diagonal in single precision."""
    return dominant_diagonal(generator, shape).astype(np.float32)


def speeds(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Squares of speeds, scaled by the steps: so small that the explicit scheme is stable."""
    return generator.uniform(0.008, 0.012, shape)


def populations(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Populations of 9 velocities that add up to a density near 1, with a low velocity."""
    return generator.uniform(0.08, 0.12, shape)


def penalties(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers below zero, where no score of a local alignment is."""
    return generator.integers(-100, 0, shape, dtype=np.int32)


_ALL: Final = (
    make_kernel(
        "contraction",
        "ni nj nk nl nm nn",
        (
            (4, 5, 6, 7, 3, 4),
            (8, 9, 10, 11, 7, 6),
            (14, 16, 15, 18, 13, 12),
            (24, 28, 26, 32, 20, 22),
            (36, 40, 38, 44, 34, 32),
        ),
        read("A", "ni nm nj nn"),
        read("B", "nn nk nm nl"),
        written("C", "ni nj nk nl"),
        suite="beyond",
    ),
    make_kernel(
        "batched-gemm",
        "nb ni nj nk",
        ((7, 5, 6, 4), (40, 9, 8, 10), (600, 12, 14, 13), (4000, 40, 44, 48), (6000, 56, 60, 64)),
        read("A", "nb ni nk"),
        read("B", "nb nk nj"),
        written("C", "nb ni nj"),
        suite="beyond",
    ),
    make_kernel(
        "conv2d",
        "nk nc nh nw np nq nr ns",
        (
            (4, 3, 9, 7, 7, 6, 3, 2),
            (8, 6, 18, 17, 16, 15, 3, 3),
            (16, 12, 34, 36, 30, 32, 5, 5),
            (48, 32, 66, 66, 64, 64, 3, 3),
            (96, 64, 114, 114, 112, 112, 3, 3),
        ),
        read("image", "nc nh nw", uniform_single),
        read("filters", "nk nc nr ns", uniform_single),
        written("result", "nk np nq", uniform_single),
        read("d_result", "nk np nq", uniform_single),
        written("d_filters", "nk nc nr ns", uniform_single),
        written("d_image", "nc nh nw", uniform_single),
        suite="beyond",
    ),
    make_kernel(
        "wave-3d",
        "tsteps n",
        ((4, 9), (10, 18), (20, 50), (40, 128), (100, 220)),
        written("u", "n n n"),
        written("v", "n n n"),
        read("c", "n n n", speeds),
        suite="beyond",
    ),
    make_kernel(
        "lbm-d2q9",
        "tsteps nx ny",
        ((5, 12, 14), (10, 30, 34), (40, 100, 120), (60, 500, 600), (100, 1000, 1200)),
        constant("omega", 1.2),
        written("f", "9 nx ny", populations),
        written("g", "9 nx ny"),
        written("rho", "nx ny"),
        written("ux", "nx ny"),
        written("uy", "nx ny"),
        suite="beyond",
    ),
    make_kernel(
        "smith-waterman",
        "n m",
        ((30, 34), (120, 130), (800, 900), (5000, 6000), (12000, 13000)),
        read("a", "n", bases),
        read("b", "m", bases),
        written("H", "n m", penalties),
        suite="beyond",
    ),
    make_kernel(
        "unsharp-mask",
        "nc nx ny",
        ((2, 14, 15), (3, 40, 45), (3, 200, 240), (3, 3000, 4000), (3, 4000, 6000)),
        constant("threshold", 0.25),
        constant("weight", 1.5),
        read("image", "nc nx ny", uniform_single),
        written("rows", "nc nx ny", uniform_single),
        written("blurred", "nc nx ny", uniform_single),
        written("result", "nc nx ny", uniform_single),
        suite="beyond",
    ),
    make_kernel(
        "lu-float",
        "n",
        ((40,), (120,), (400,), (1600,), (3200,)),
        written("A", "n n", dominant_single),
        suite="beyond",
    ),
    make_kernel(
        "products",
        "n",
        ((17,), (60,), (180,), (560,), (1100,)),
        read("A", "n n"),
        read("B", "n n"),
        read("S", "n n"),
        written("C1", "n n"),
        written("C2", "n n"),
        written("C3", "n n"),
        written("C4", "n n"),
        written("C5", "n n"),
        written("C6", "n n"),
        suite="beyond",
    ),
    make_kernel(
        "red-black",
        "tsteps n",
        ((10, 24), (20, 70), (50, 250), (100, 1200), (200, 2400)),
        written("u", "n n"),
        read("f", "n n"),
        suite="beyond",
    ),
)

BEYOND: Final[Mapping[str, Kernel]] = MappingProxyType({kernel.name: kernel for kernel in _ALL})

SUITES: Final[Mapping[str, Mapping[str, Kernel]]] = MappingProxyType(
    {
        "polybench": KERNELS,
        "beyond": BEYOND,
        "all": MappingProxyType({**KERNELS, **BEYOND}),
    }
)
"""The kernels of each suite by name; no name is in two suites."""

ALL_KERNELS: Final = SUITES["all"]
