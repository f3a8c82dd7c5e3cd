"""A machine: four Cortex-A72 cores at 1.5 GHz. What is not said has the defaults of `Machine`."""

from __future__ import annotations

from polyir.choose.machine import Cache, Machine

RASPBERRY_PI_4 = Machine(
    caches=(
        Cache(32 * 1024, bandwidth=16.0, latency=4.0),
        Cache(1024 * 1024, shared_by=4, bandwidth=8.0, latency=21.0),
    ),
    cores=4,
    gigahertz=1.5,
    memory_bandwidth=2.0,
    memory_bandwidth_all=3.0,
    vector_bits=128,
    vector_registers=32,
    vector_fma=1.0,
    vector_loads=1.0,
    issue_width=3.0,
)
