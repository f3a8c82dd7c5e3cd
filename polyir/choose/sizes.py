"""The sizes that passes have if nothing is said, each with where it comes from."""

from __future__ import annotations

from typing import Final

LINE_BYTES: Final = 64
"""The bytes of a cache line of x86 and of most ARM cores, and of the longest vectors of x86."""

PACKED_ELEMENTS: Final = 1 << 21
"""The most elements of an array of packed operands: 16 MiB of f64, what a last cache holds."""

ASSUMED_SIZE: Final = 1000
"""What parameters and unknown extents count as where no number is known: neither tiny nor huge."""
