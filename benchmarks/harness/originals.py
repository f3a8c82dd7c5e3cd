"""The programs that all variants start from: affine MLIR, and C.

The C form is either what polyir's C target prints for the MLIR kernel without any pass, or a
version written by hand in `polybench_c/`. The latter takes its arguments in the order of
`kernels.py`, as PolyBench does: sizes as `int`, arrays as pointers or VLAs.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from kernels import Kernel, ScalarArgument

from .calls import ArrayType, Parameter, ScalarType

NATURAL_FOLDER = Path(__file__).parents[1] / "polybench_c"


class OriginalError(Exception):
    """There is no original for a kernel."""


class Baseline(StrEnum):
    """Where the C form comes from."""

    EMITTED = "mlir"
    NATURAL = "c"


@dataclass(frozen=True)
class Original:
    """A kernel in both forms; `headers` is the folder for the C form's `#include`s."""

    kernel: Kernel
    mlir: Path
    c: Path
    c_parameters: tuple[Parameter, ...]
    mlir_parameters: tuple[Parameter, ...]
    headers: Path


def original_of(kernel: Kernel, baseline: Baseline, folder: Path) -> Original:
    """The kernel's original, its emitted C written to `folder`. Raises `OriginalError`."""
    emitted = _emitted_parameters(kernel)
    if baseline is Baseline.NATURAL:
        path = NATURAL_FOLDER / f"{kernel.name}.c"
        if not path.exists():
            raise OriginalError(f"{kernel.name} has no C version in {NATURAL_FOLDER.name}/")
        natural = _natural_parameters(kernel)
        return Original(kernel, kernel.path, path, natural, emitted, NATURAL_FOLDER)
    path = folder / f"{kernel.name}.c"
    path.write_text(with_scop_pragmas(_emit(kernel)))
    return Original(kernel, kernel.path, path, emitted, emitted, folder)


def with_scop_pragmas(text: str) -> str:
    """Emitted C with `#pragma scop` around its outermost loops, as source-to-source tools want.

    From the first to the last outermost loop of the one function; statements before and after
    stay outside. Raises `OriginalError` if there is no loop.
    """
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("  for (")]
    ends = [number for number, line in enumerate(lines) if line == "  }"]
    if not starts or not ends:
        raise OriginalError("the emitted C has no loop")
    first, last = starts[0], ends[-1]
    parts = [*lines[:first], "#pragma scop", *lines[first : last + 1], "#pragma endscop"]
    return "\n".join([*parts, *lines[last + 1 :], ""])


def _emit(kernel: Kernel) -> str:
    """The kernel as C, by a process of its own."""
    command = [sys.executable, "-m", "polyir.tools.polyir_opt", "--emit=c", str(kernel.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OriginalError(f"{kernel.name}: {done.stderr.strip()}")
    return done.stdout


def _emitted_parameters(kernel: Kernel) -> tuple[Parameter, ...]:
    """The convention of polyir's C target: `int64_t` sizes, a pointer and extents an array."""
    return _parameters(kernel, ScalarType.INT64, ArrayType.WITH_EXTENTS)


def _natural_parameters(kernel: Kernel) -> tuple[Parameter, ...]:
    return _parameters(kernel, ScalarType.INT32, ArrayType.POINTER)


def _parameters(kernel: Kernel, size: ScalarType, array: ArrayType) -> tuple[Parameter, ...]:
    kinds: list[Parameter] = [size for _ in kernel.size_names]
    number = _number_type(kernel)
    for argument in kernel.arguments:
        kinds.append(number if isinstance(argument, ScalarArgument) else array)
    return tuple(kinds)


def _number_type(kernel: Kernel) -> ScalarType:
    """The type of the kernel's floating-point parameters: that of its arrays."""
    arguments = kernel.make_arguments("mini")
    types = [value.dtype for value in arguments if isinstance(value, np.ndarray)]
    return ScalarType.FLOAT if all(type == np.float32 for type in types) else ScalarType.DOUBLE
