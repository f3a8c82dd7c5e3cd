"""Times `polyir-opt --pluto-schedule --tile=32 --mark-parallel` on every kernel.

Each kernel is a process of its own, start-up included; the best of `--repeat` runs counts.
Run it by `make bench-compile`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

KERNELS = Path(__file__).parent / "polybench"
FLAGS = ("--pluto-schedule", "--tile=32", "--mark-parallel", "--emit=c")


def seconds_of(tool: Path, kernel: Path) -> float:
    """The wall time of one run of the tool; raises if it fails."""
    start = time.perf_counter()
    subprocess.run(
        [tool, *FLAGS, kernel], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs a kernel (default 3)")
    parser.add_argument("kernels", nargs="*", help="names of kernels (default: all)")
    arguments = parser.parse_args()
    tool = Path(sys.executable).parent / "polyir-opt"
    names = arguments.kernels or sorted(path.stem for path in KERNELS.glob("*.mlir"))
    print(f"{'kernel':16} {'best s':>8} {'median s':>9}")
    for name in names:
        times = [seconds_of(tool, KERNELS / f"{name}.mlir") for _ in range(arguments.repeat)]
        print(f"{name:16} {min(times):8.2f} {statistics.median(times):9.2f}", flush=True)


if __name__ == "__main__":
    main()
