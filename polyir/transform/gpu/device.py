"""What the mapping to a GPU must know of a device; `polyir.choose.gpu` describes devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Device:
    """A GPU: what a block may have, what it has if nothing is said, and how long things take.

    A block has at most `most_threads` threads, `block_extents` along its axes, and `shared_bytes`
    of shared memory. `warp` threads run in step. `line` is how many elements threads copy together,
    one line of a cache. A thread keeps at most `registers` elements of an array. Without sizes,
    blocks have `threads` threads, and a band `tiles` for one, two, and more parallel loops. A sum
    has up to `parts` parts, and a loop of fewer than `fewest_lanes` iterations none.

    Times are in microseconds: a `launch`, of which a `gap` is left between two long kernels, an
    access by a thread that runs alone, an access by the host, a `copy` of an array however small,
    and each byte of it.

    There are `multiprocessors`, each with up to `multiprocessor_threads`. In a cycle of
    `gigahertz`, each starts `issue` instructions of warps, and does so many operations on f64, f32
    and integers as it has lanes. A division takes as long as `division` others, a function like
    `exp` as long as `function`. All lines have `line_bytes`, and come in parts of `sector` bytes;
    the second cache has `cache_bytes`. Bandwidths are in bytes a microsecond, latencies in cycles;
    compilers have `loads_at_once` wait together.

    Estimates of instructions: for an iteration (`control`), for the `address` of an element, for
    that of one which is copied to shared memory (`copy_address`), and for the start of a thread
    (`startup`).
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
    gap: float
    multiprocessors: int
    multiprocessor_threads: int
    gigahertz: float
    issue: float
    double_lanes: float
    float_lanes: float
    integer_lanes: float
    division: float
    function: float
    line_bytes: int
    sector: int
    cache_bytes: int
    cache_bandwidth: float
    memory_bandwidth: float
    cache_latency: float
    memory_latency: float
    shared_latency: float
    arithmetic_latency: float
    division_latency: float
    barrier_latency: float
    loads_at_once: float
    control: float
    address: float
    copy_address: float
    startup: float

    entry_cycles: ClassVar[float] = 0.0
    """The time of tests before kernels: there are none."""

    @staticmethod
    def seconds(cycles: float) -> float:
        """Seconds for microseconds, which are what costs are in."""
        return 1e-6 * cycles
