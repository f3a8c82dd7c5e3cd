"""Types of options that several command lines have."""

from __future__ import annotations

import argparse
from pathlib import Path

from beyond_kernels import ALL_KERNELS


def names(text: str) -> tuple[str, ...]:
    """Words between commas."""
    return tuple(text.split(","))


def kernel_names(text: str) -> tuple[str, ...]:
    """Names of kernels, each known."""
    for name in names(text):
        if name not in ALL_KERNELS:
            raise argparse.ArgumentTypeError(f"no kernel '{name}' in {', '.join(ALL_KERNELS)}")
    return names(text)


def positive(text: str) -> int:
    """A whole number of 1 or more."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more, not '{text}'")
    return int(text)


def counts(text: str) -> tuple[int, ...]:
    """Numbers of 1 or more between commas, each once."""
    return tuple(dict.fromkeys(positive(part) for part in names(text)))


def absolute_path(text: str) -> Path:
    """A path that processes in other folders can use."""
    return Path(text).absolute()
