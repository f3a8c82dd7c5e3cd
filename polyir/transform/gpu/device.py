"""What the mapping to a GPU must know of a device; `polyir.choose.gpu` describes devices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """A GPU: what a block may have, what it has if nothing is said, and how long things take.

    A block has at most `most_threads` threads, `block_extents` along its axes, and `shared_bytes`
    of shared memory. `warp` threads run in step. `line` is how many elements threads copy together,
    one line of a cache. A thread keeps at most `registers` elements of an array. Without sizes,
    blocks have `threads` threads, and a band `tiles` for one, two, and more parallel loops. A sum
    has up to `parts` parts, and a loop of fewer than `fewest_lanes` iterations none.

    Times are in microseconds: a `launch`, an access by a thread that runs alone, an access by the
    host, a `copy` of an array however small, and each byte of it.
    """

    most_threads: int
    block_extents: tuple[int, int, int]
    shared_bytes: int
    warp: int
    line: int
    registers: int
    threads: int
    tiles: tuple[tuple[int, ...], ...]
    parts: int
    fewest_lanes: int
    launch: float
    device_access: float
    host_access: float
    copy: float
    copied_byte: float
