"""The LLVM backend against the C backend: the same optimised loops, on one thread.

For each kernel the shortest time of several interleaved runs of both, and their ratio; at the end
the geometric mean of the ratios. Results are compared to the bit first.

    python benchmarks/jit_versus_c.py --data-set=large gemm mvt
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from math import exp, log

from kernels import DATA_SETS, KERNELS, Kernel

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.pipeline import DEFAULT_PIPELINE
from polyir.runtime import best_times, compare_bits


def ratio(kernel: Kernel, data_set: str, pipeline: str, rounds: int) -> float:
    """How many times faster LLVM's code is than the C compiler's; prints one line."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(kernel.path.read_text()), pipeline)
    programs = {name: api.compile_loops(module, backend=name) for name in ("c", "llvm")}
    arguments = kernel.make_arguments(data_set)
    results = {}
    for name, program in programs.items():
        results[name] = kernel.make_arguments(data_set)
        with program.threads(1):
            program[kernel.function](*results[name])
    difference = compare_bits(results["c"], results["llvm"])
    if difference is not None:
        sys.exit(f"{kernel.name}: {difference}")
    with programs["c"].threads(1), programs["llvm"].threads(1):
        functions = {name: program[kernel.function] for name, program in programs.items()}
        times = best_times(functions, arguments, rounds)
    quotient = times["c"] / times["llvm"]
    print(
        f"{kernel.name:16} C {times['c'] * 1e3:10.2f} ms   LLVM {times['llvm'] * 1e3:10.2f} ms"
        f"   {quotient:5.2f}x",
        flush=True,
    )
    return quotient


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="all, unless some are named")
    parser.add_argument("--data-set", choices=DATA_SETS, default="large")
    parser.add_argument("--pipeline", default=DEFAULT_PIPELINE)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.kernels if name not in KERNELS]
    if unknown:
        parser.error(f"unknown kernel '{unknown[0]}' (there are: {', '.join(KERNELS)})")
    ratios = [
        ratio(KERNELS[name], options.data_set, options.pipeline, options.rounds)
        for name in options.kernels or KERNELS
    ]
    mean = exp(sum(log(value) for value in ratios) / len(ratios))
    print(f"geometric mean of {len(ratios)} kernels: LLVM is {mean:.2f} times as fast as C")


if __name__ == "__main__":
    main()
