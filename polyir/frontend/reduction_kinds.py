"""The kinds of reduction of `affine.parallel`, which MLIR numbers and xDSL names."""

from __future__ import annotations

# In the order of MLIR's enumeration arith::AtomicRMWKind.
REDUCTION_KINDS = (
    "addf",
    "addi",
    "assign",
    "maximumf",
    "maxs",
    "maxu",
    "minimumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "andi",
    "maxnumf",
    "minnumf",
)


def reduction_name(number: int) -> str:
    """The name of the kind that MLIR gives `number`; the number itself if there is none."""
    return REDUCTION_KINDS[number] if 0 <= number < len(REDUCTION_KINDS) else str(number)


def reduction_number(name: str) -> int:
    """The number that MLIR gives the kind `name`; raises `ValueError` for an unknown name."""
    return REDUCTION_KINDS.index(name)
