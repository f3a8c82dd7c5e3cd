"""What the machine can do: multiply-adds, copies, and NumPy's matrix product."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .build import run_limited
from .calls import ScalarType

_SOURCE: Final = Path(__file__).parent / "machine.c"
_FLAGS: Final = ("-O3", "-march=native", "-fopenmp", "-ffp-contract=fast")

GEMM_SIZE: Final = 1536

_GEMM: Final = """
import sys, time
import numpy
n, seconds = int(sys.argv[1]), float(sys.argv[2])
a, b = (numpy.random.default_rng(seed).random((n, n)) for seed in (1, 2))
c, best, end = a @ b, float("inf"), time.perf_counter() + seconds
while best == float("inf") or time.perf_counter() < end:
    start = time.perf_counter()
    numpy.matmul(a, b, out=c)
    best = min(best, time.perf_counter() - start)
print(2 * n**3 / best)
"""


@dataclass(frozen=True)
class MachineLimits:
    """The best rates with a number of threads.

    `peak` has operations a second for each type, a multiply-add counting as two; `copies` maps
    the bytes of source and destination together to the bytes read and written a second; `gemm`
    is the rate of NumPy's BLAS.
    """

    threads: int
    peak: Mapping[ScalarType, float]
    copies: Mapping[int, float]
    gemm: float

    def bandwidth(self, footprint: int) -> float:
        """The rate of copying a working set that is not larger than `footprint`.

        Of the sizes that were measured the next smaller one: the rate falls with the size, and
        a limit has to be no lower than what can be reached.
        """
        smaller = [size for size in self.copies if size <= footprint]
        return self.copies[max(smaller, default=min(self.copies))]

    def seconds(self, operations: int, type: ScalarType, moved: int, footprint: int) -> float:
        """The roofline: no faster than the operations take, nor than the bytes take."""
        return max(operations / self.peak[type], moved / self.bandwidth(footprint))


def measure_machine(threads: int, seconds: float) -> MachineLimits:
    """Measure; each rate is the best within about `seconds`. Raises `ToolError`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "machine"
        run_limited(["gcc", *_FLAGS, str(_SOURCE), "-o", str(program)], folder, 60)
        limit = 60 + 60 * seconds
        printed = _with_threads(threads, [str(program), str(seconds)], folder, limit)
        gemm = [sys.executable, "-c", _GEMM, str(GEMM_SIZE), str(seconds)]
        rate = float(_with_threads(threads, gemm, folder, limit))
    lines = [line.split() for line in printed.splitlines()]
    peak = {ScalarType(what): float(r) * 1e9 for kind, what, r in lines if kind == "peak"}
    copies = {int(what): float(r) * 1e9 for kind, what, r in lines if kind == "copy"}
    return MachineLimits(threads, peak, copies, rate)


def _with_threads(threads: int, command: list[str], folder: Path, limit: float) -> str:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = dict(os.environ) | dict.fromkeys(names, str(threads))
    return run_limited(command, folder, limit, environment)


def cache_sizes() -> dict[str, int]:
    """The bytes of the data caches by their names, L1 first; empty where Linux does not tell."""
    found: dict[str, int] = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (folder / "type").read_text().strip() != "Instruction":
            kibibytes = (folder / "size").read_text().strip().removesuffix("K")
            found[f"L{(folder / 'level').read_text().strip()}"] = 1024 * int(kibibytes)
    return found
