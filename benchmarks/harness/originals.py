"""The programs that all variants start from: affine MLIR, and C.

The C form is either what polyir's C target prints for the MLIR kernel without any pass, or a
program written by hand in `polybench_c/`, whose kernel is called through a bridge.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from kernels import ArrayArgument, Kernel, ScalarArgument

from .bridge import data_set_macro
from .calls import ArrayType, Parameter, ScalarType

HEADERS_FOLDER = Path(__file__).parents[1] / "polybench_c"
"""The folder with `suite.h`, which the programs that were written by hand include."""


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
    mlir_parameters: tuple[Parameter, ...]
    c: Path
    c_parameters: tuple[Parameter, ...]
    is_program: bool
    headers: Path


def original_of(kernel: Kernel, baseline: Baseline, data_set: str, folder: Path) -> Original:
    """The kernel's original, its C form written to `folder`. Raises `OriginalError`."""
    path = folder / f"{kernel.name}.c"
    is_program = baseline is Baseline.NATURAL
    if is_program:
        program = kernel.natural_path
        if not program.exists():
            raise OriginalError(f"{kernel.name} has no C version in {program.parent.name}/")
        # In the text and not as a flag: every tool has to see the sizes.
        path.write_text(f"#define {data_set_macro(data_set)}\n{program.read_text()}")
    else:
        path.write_text(with_scop_pragmas(with_plain_header(kernel, _emit(kernel))))
    size = ScalarType.INT32 if is_program else ScalarType.INT64
    # The bridge converts scalars.
    number = ScalarType.DOUBLE if is_program else number_type(kernel)
    return Original(
        kernel,
        kernel.path,
        _parameters(kernel, ScalarType.INT64, number_type(kernel), ArrayType.WITH_EXTENTS),
        path,
        _parameters(kernel, size, number, ArrayType.POINTER),
        is_program,
        HEADERS_FOLDER if is_program else folder,
    )


def with_plain_header(kernel: Kernel, text: str) -> str:
    """Emitted C with arrays declared by the kernel's sizes, `double C[restrict ni][nj]`.

    The C target passes each extent by itself. In such a form Polly, which has to prove that
    subscripts are within bounds, takes minutes for a matrix product: no peer should be measured
    on it. Raises `OriginalError` if the body names an extent.
    """
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("void ")]
    end = next(n for n in range(starts[-1], len(lines)) if lines[n].endswith("{"))
    written = re.findall(r"(\w+)(?=,|\) \{)", " ".join(lines[starts[-1] : end + 1]))
    names = _given_names(kernel, written)
    body = [line for line in lines[end + 1 :] if not _DECLARATION.match(line)]
    used = re.findall(r"\w+", "\n".join(body))
    for name in written:
        if name not in names and name in used:
            raise OriginalError(f"{kernel.name}: the emitted C uses '{name}'")
    header = f"void {kernel.function}({', '.join(_declarations(kernel, names))}) {{"
    return "\n".join([*lines[: starts[0]], header, *body, ""])


_DECLARATION = re.compile(r"  \(void\)|  \w+ \(\*restrict \w+\)\[")
"""What the C target puts before the body: unused extents, and arrays of several dimensions."""


def _given_names(kernel: Kernel, written: Sequence[str]) -> tuple[str, ...]:
    """The C names of sizes and arguments, from those of all parameters, extents included."""
    position = len(kernel.size_names)
    names = list(written[:position])
    for argument in kernel.arguments:
        names.append(written[position].removesuffix("_data"))
        position += 1 + (len(argument.shape) if isinstance(argument, ArrayArgument) else 0)
    return tuple(names)


def _declarations(kernel: Kernel, names: tuple[str, ...]) -> Iterator[str]:
    """The parameters of the kernel as C declares them, under the given names."""
    sizes = dict(zip(kernel.size_names, names, strict=False))
    yield from (f"int64_t {name}" for name in sizes.values())
    values = kernel.make_arguments("mini")[len(sizes) :]
    for argument, name, value in zip(kernel.arguments, names[len(sizes) :], values, strict=True):
        if isinstance(argument, ScalarArgument):
            yield f"{number_type(kernel)} {name}"
        elif isinstance(value, np.ndarray):
            outer, *inner = (sizes.get(extent, extent) for extent in argument.shape)
            extents = "".join(f"[{extent}]" for extent in (f"restrict {outer}", *inner))
            yield f"{_C_NAMES[value.dtype.name]} {name}{extents}"


_C_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"float64": "double", "float32": "float", "int32": "int32_t", "int8": "int8_t"}
)


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


def _parameters(
    kernel: Kernel, size: ScalarType, number: ScalarType, array: ArrayType
) -> tuple[Parameter, ...]:
    kinds: list[Parameter] = [size for _ in kernel.size_names]
    for argument in kernel.arguments:
        kinds.append(number if isinstance(argument, ScalarArgument) else array)
    return tuple(kinds)


def number_type(kernel: Kernel) -> ScalarType:
    """The type of the kernel's floating-point parameters: that of its arrays."""
    arguments = kernel.make_arguments("mini")
    types = [value.dtype for value in arguments if isinstance(value, np.ndarray)]
    return ScalarType.FLOAT if all(type == np.float32 for type in types) else ScalarType.DOUBLE
