"""Descriptions of GPUs: the numbers by which kernels are shaped and placed."""

from __future__ import annotations

from typing import Final

from polyir.transform.gpu.device import Device

GENERIC_GPU: Final = Device(
    # CUDA C++ Programming Guide, "Technical specifications per compute capability": the same for
    # all devices since 2.0. That much shared memory is there without asking for more at run time.
    most_threads=1024,
    block_extents=(1024, 1024, 64),
    shared_bytes=48 * 1024,
    warp=32,
    # 128 bytes, a line of the caches, of f64.
    line=16,
    # Half of the 255 registers of a thread, for f64: the rest is for operands and addresses.
    registers=64,
    # Eight such blocks are the 2048 threads that a multiprocessor has at most.
    threads=256,
    # One parallel loop has an iteration for each thread; else a thread has two or four points.
    # Three tiles of 32 x 32 elements of f64, with a column of padding, fit into `shared_bytes`.
    tiles=((256, 32), (32, 32, 32), (4, 4, 32)),
    # More than devices of the years 2020 to 2025 have multiprocessors, so that all of them work.
    parts=256,
    # An estimate: two or three lanes are not worth the barriers of a tree.
    fewest_lanes=4,
    # Estimates: a launch (3.2 were measured, without the code around it) and a small copy over
    # PCIe, an access that waits for global memory, one to a cache of the host, and 10 GB/s.
    launch=3.5,
    copy=10.0,
    device_access=0.1,
    host_access=0.001,
    copied_byte=0.0001,
    # Facts of an H200: CUDA C++ Programming Guide, "Compute capability 9.0".
    multiprocessors=132,
    multiprocessor_threads=2048,
    issue=4.0,
    double_lanes=64.0,
    float_lanes=128.0,
    integer_lanes=64.0,
    line_bytes=128,
    sector=32,
    # Measured on it, rounded.
    gap=0.9,
    gigahertz=1.98,
    division=16.0,
    cache_bandwidth=5.5e6,
    memory_bandwidth=4.4e6,
    cache_latency=290.0,
    shared_latency=30.0,
    arithmetic_latency=8.0,
    division_latency=125.0,
    # Estimates, made with the times of `benchmarks/gpu_measured.json` at hand: two thirds of the
    # second cache, what a load waits for memory, and what compilers make of loops.
    cache_bytes=40_000_000,
    memory_latency=600.0,
    barrier_latency=40.0,
    function=40.0,
    loads_at_once=2.0,
    control=3.0,
    address=5.0,
    copy_address=15.0,
    startup=80.0,
)
"""What all devices of CUDA and OpenCL that polyir prints code for have, and how fast an H200 is."""
