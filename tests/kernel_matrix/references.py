"""What the original kernels compute, kept as digests, as the largest data sets take seconds."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from beyond_kernels import ALL_KERNELS
from kernels import Kernel
from oracle import Argument, Oracle

from polyir.runtime import compare_bits

FOLDER = Path(__file__).parents[2] / "build" / "kernel_matrix"

DEPENDENT_SIZES = ("conv2d",)
"""Kernels whose sizes belong together: they always have those of a data set."""


@dataclass(frozen=True)
class Reference:
    """The digests of the arguments after a call, and the seconds that it took."""

    digests: tuple[str, ...]
    seconds: float


def sizes_of(kernel: Kernel, data_set: str) -> Mapping[str, int]:
    """The sizes of a data set; `odd` and `tiny` are made from the smallest one."""
    mini = kernel.sizes("mini")
    match data_set:
        case "odd" | "tiny" if kernel.name in DEPENDENT_SIZES:
            return mini
        case "odd":
            return {name: size - 1 + size % 2 for name, size in mini.items()}
        case "tiny":
            return {name: min(size, 3) for name, size in mini.items()}
        case _:
            return kernel.sizes(data_set)


def reference_of(name: str, data_set: str) -> Reference:
    """The result of the original by MLIR's own lowering, computed once."""
    kernel = ALL_KERNELS[name]
    text = kernel.path.read_text()
    sizes = sizes_of(kernel, data_set)
    stem = hashlib.sha256(f"{text}{sorted(sizes.items())}".encode()).hexdigest()[:24]
    path = FOLDER / f"{name}-{stem}.json"
    if not path.exists():
        begin = time.monotonic()
        digests = digests_of(original_results(name, data_set))
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([digests, time.monotonic() - begin]))
    digests, seconds = json.loads(path.read_text())
    return Reference(tuple(digests), seconds)


def original_results(name: str, data_set: str) -> tuple[Argument, ...]:
    """The arguments of the original after a call."""
    kernel = ALL_KERNELS[name]
    arguments = kernel.make_arguments(sizes_of(kernel, data_set))
    Oracle(kernel.path.read_text())(kernel.function, *arguments)
    return arguments


def digests_of(arguments: tuple[Argument, ...]) -> tuple[str, ...]:
    """A digest of the bits of each array."""
    arrays = [each for each in arguments if isinstance(each, np.ndarray)]
    return tuple(hashlib.blake2b(each.tobytes(), digest_size=16).hexdigest() for each in arrays)


def difference(name: str, data_set: str, arguments: tuple[Argument, ...]) -> str:
    """What differs between arguments and those of the original after a call."""
    return str(compare_bits(original_results(name, data_set), arguments))
