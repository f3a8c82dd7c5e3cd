"""Descriptions of networks between the ranks of a distributed program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Network:
    """Times in seconds: `alpha` of a call that sends or receives a message, `beta` of a byte.

    `iteration` is the time of one iteration, or of one statement instance.
    """

    alpha: float
    beta: float
    iteration: float


CLUSTER: Final = Network(
    # Estimates for a cluster of the years 2020 to 2025: latency and bandwidth of InfiniBand between
    # two processes, and some cycles of a core at 3 GHz on elements from caches.
    alpha=2e-6,
    beta=1e-10,
    iteration=1e-9,
)
"""What `polyir-simulate-ranks` takes for granted; `benchmarks/ping_pong.py` measures a real one."""
