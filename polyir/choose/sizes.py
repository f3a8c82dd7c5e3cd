"""The sizes that passes have if nothing is said, each with where it comes from."""

from __future__ import annotations

from typing import Final

LINE_BYTES: Final = 64
"""The bytes of a cache line of x86 and of most ARM cores, and of the longest vectors of x86."""

PACKED_ELEMENTS: Final = 1 << 21
"""The most elements of an array of packed operands: 16 MiB of f64, what a last cache holds."""

ASSUMED_SIZE: Final = 1000
"""What parameters and unknown extents count as where no number is known: neither tiny nor huge."""

TILE_SIZE: Final = 32
"""Along all loops. Three tiles of f64 are 24 KiB, less than a first-level cache has."""

TILE_RATIO: Final = 8
"""Of two levels of tiles: three larger tiles of f64 are 1.5 MiB, less than a third-level cache."""

HEXAGON_HEIGHT: Final = 4
"""An estimate: twice as many time steps, in which a tile reads few elements of its neighbours."""

BLOCK_ROWS: Final = 8
BLOCK_VECTORS: Final = 3
BLOCK_WIDTH: Final = 8
"""The results of a block in registers: 24 vectors of f64, of the 32 that AVX-512 has."""

JAMMED_ROWS: Final = 4
"""An estimate: so many rows are read at once, and each sum has a register of its own."""

VALUE_REGISTERS: Final = 16 + 16 - 1
"""What x86-64 has for values: general-purpose and vector registers, without the stack pointer."""

PARTS: Final = 16
"""An estimate: the threads of most computers, each with results of its own."""

PART_TURN: Final = 1024
"""An estimate: the iterations of an innermost loop for a part, before it is another one's turn."""

RESULT_ITERATIONS: Final = 4096
RESULT_OUTER_ITERATIONS: Final = 16
"""Estimates: what a thread adds to a partial result, in a loop alone and in one around others."""

NEAR_STRIDE: Final = 4
"""The stride in elements that counts as one along a line: two or more of f64 are in a line then."""

SPARSE_TILE: Final = 128
SPARSE_SWEEPS: Final = 4
"""Estimates: the iterations of the first inner loop of a sparse tile, and the sweeps over it."""

DATA_PART: Final = 1024
"""An estimate: the elements of a part of a graph, 8 KiB of f64, a few of which fit into a cache."""

GRAIN: Final = 256
"""An estimate: the iterations that are worth a thread."""

PRIVATE_COPIES: Final = 8
"""An estimate: the threads of many computers, each with a copy."""
