"""Kernels of PolyBench for arrays of constant size: numbers instead of what is symbolic."""

from __future__ import annotations

import re

import numpy as np
from kernels import KERNELS, Sizes


def static_text(name: str, sizes: Sizes) -> str:
    """The text of a kernel with numbers for its sizes, in bounds of loops and in types."""
    kernel = KERNELS[name]
    names = re.findall(r"%(\w+): \w+", kernel.path.read_text())
    shapes = {
        each: value.shape
        for each, value in zip(names, kernel.make_arguments(sizes), strict=False)
        if isinstance(value, np.ndarray)
    }
    values = dict(zip(names, kernel.make_arguments(sizes), strict=False))
    text = re.sub(
        r"\bto %(\w+)",
        lambda match: f"to {values[match[1]]}" if match[1] in values else match[0],
        kernel.path.read_text(),
    )

    def typed(match: re.Match[str]) -> str:
        extents = "".join(f"{extent}x" for extent in shapes[match[2]])
        return f"{match[1]}memref<{extents}"

    return re.sub(r"(%(\w+)(?:\[[^\]]*\])? ?: )memref<[?x]+", typed, text)
