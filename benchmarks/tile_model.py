"""Compares tile sizes: those of `tile=model` with the best of a grid, kernel by kernel.

    python benchmarks/tile_model.py [KERNEL ...] [--grid=4,8,16,...]

The sizes are arguments of one compiled function (`tile-symbolic`), so that nothing else differs.
Each point of the grid runs once, the best ones and those of the models several times, in turns, on
one thread; the shortest time counts. Arrays have half the sizes of PolyBench's data set LARGE.
Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product

from kernels import KERNELS, Kernel
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.loop_tree import bands_of
from polyir.choose.model import CostModel
from polyir.choose.this_machine import machine_of_system
from polyir.choose.tile_program import modelled_tile_sizes
from polyir.choose.tile_sizes import tile_sizes
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of
from polyir.runtime import CompilerOptions, best_times
from polyir.runtime.measure import copy_arguments

SCHEDULE = "pluto-schedule,intra-tile-order{distribute=false}"
FLAGS = ("-std=gnu11", "-O3", "-march=native", "-fopenmp", "-ffp-contract=fast")
CHOSEN = ("gemm", "2mm", "syrk", "trmm", "covariance", "lu", "jacobi-2d", "fdtd-2d")
GRID = (4, 8, 16, 32, 64, 128, 256, 512)
FINALISTS = 5

Sizes = tuple[int, ...]


def half_sizes(kernel: Kernel) -> dict[str, int]:
    """Half the sizes of the data set LARGE."""
    return {name: (size + 1) // 2 for name, size in kernel.sizes("large").items()}


def scheduled(kernel: Kernel) -> ModuleOp:
    """The kernel with the bands that are tiled."""
    with remarks_to(lambda remark: None):
        return api.run_pipeline(api.parse(kernel.path.read_text()), SCHEDULE)


def modelled_sizes(kernel: Kernel, module: ModuleOp) -> tuple[Sizes, Sizes]:
    """The sizes that the geometric program and the cost model choose for the widest band."""
    scop = scop_of(scops_in(module)[0])
    model = CostModel(scop, machine_of_system(), half_sizes(kernel), threads=1)
    tree = model.tree(scop.schedule)
    bands = bands_of(tree)
    widest = max(range(len(bands)), key=lambda number: len(bands[number]))
    band = bands[widest][0].band
    found = modelled_tile_sizes(model, tree, band)
    assert found is not None
    return found.sizes, tile_sizes(model, tree, band, most_levels=1, must_tile=True).levels[0]


def compiled(kernel: Kernel, module: ModuleOp) -> Callable[..., object]:
    """The kernel's function, whose last arguments are the tile sizes."""
    with remarks_to(lambda remark: None):
        loops = api.lower(api.run_pipeline(module, "tile-symbolic"))
    program = api.compile_loops(loops, CompilerOptions(compiler="gcc", flags=FLAGS), "c")
    return program[kernel.function]


def measured(kernel: Kernel, grid: Sequence[int]) -> str:
    """A line of the table."""
    module = scheduled(kernel)
    by_program, by_model = modelled_sizes(kernel, module)
    function = compiled(kernel, module)
    arguments = kernel.make_arguments(half_sizes(kernel))

    def run(sizes: Sizes) -> float:
        copies = copy_arguments(arguments)
        start = time.perf_counter()
        function(*copies, *sizes)
        return time.perf_counter() - start

    points = list(product(grid, repeat=len(by_program)))
    first = {sizes: run(sizes) for sizes in points}
    best = sorted(points, key=first.__getitem__)[:FINALISTS]
    plain = (32,) * len(by_program)
    chosen = dict.fromkeys([by_program, by_model, plain, *best])

    def called(sizes: Sizes) -> Callable[..., object]:
        return lambda *given: function(*given, *sizes)

    times = best_times({str(each): called(each) for each in chosen}, arguments, rounds=7)
    least = min(best, key=lambda each: times[str(each)])
    cells = [kernel.name]
    for sizes in (least, by_program, by_model, plain):
        milliseconds = 1e3 * times[str(sizes)]
        ratio = times[str(least)] / times[str(sizes)]
        cells += [" x ".join(map(str, sizes)), f"{milliseconds:.3g}", f"{ratio:.2f}"]
    del cells[3]
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", default=CHOSEN, metavar="KERNEL")
    parser.add_argument("--grid", default=",".join(map(str, GRID)), help="sizes for each loop")
    options = parser.parse_args()
    grid = [int(size) for size in options.grid.split(",")]
    print(
        "| kernel | best of grid | ms | `tile=model` | ms | best / ms | `tile=auto` | ms "
        "| best / ms | `tile=32` | ms | best / ms |"
    )
    print("| --- |" + " --- | ---: |" + " --- | ---: | ---: |" * 3)
    for name in options.kernels:
        print(measured(KERNELS[name], grid), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
