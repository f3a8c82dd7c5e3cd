"""How each stage grows: chains of statements, and deeper nests, from text to C.

python benchmarks/scaling.py [--longest 300]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from itertools import pairwise

from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.diagnostics import remarks_to
from polyir.limits import time_limited_to

LENGTHS = (10, 25, 50, 100, 200, 300)
DEPTHS = (1, 2, 3, 4, 5, 6)
PASSES = ("poly-raise", "poly-dependences", "pluto-schedule", "tile", "mark-parallel")


def chain(length: int) -> str:
    """As many loops as `length`, each of which reads what the one before it wrote."""
    arrays = ", ".join(f"%A{number}: memref<?xf64>" for number in range(length + 1))
    loops = "\n".join(
        f"  affine.for %i = 0 to %n {{\n"
        f"    %x = affine.load %A{number}[%i] : memref<?xf64>\n"
        f"    %y = arith.addf %x, %x : f64\n"
        f"    affine.store %y, %A{number + 1}[%i] : memref<?xf64>\n"
        f"  }}"
        for number in range(length)
    )
    return f"func.func @chain(%n: index, {arrays}) {{\n{loops}\n  return\n}}"


def nest(depth: int) -> str:
    """A nest of that depth around a sum that the innermost loop carries."""
    iterators = [f"%i{level}" for level in range(depth)]
    heads = "\n".join(f"  affine.for {iterator} = 0 to %n {{" for iterator in iterators)
    type = f"memref<{'?x' * depth}f64>"
    element = f"%A[{', '.join(iterators)}] : {type}"
    return (
        f"func.func @nest(%n: index, %A: {type}, %s: memref<f64>) {{\n{heads}\n"
        f"  %x = affine.load {element}\n  %y = affine.load %s[] : memref<f64>\n"
        f"  %z = arith.addf %x, %y : f64\n  affine.store %z, %s[] : memref<f64>\n"
        f"{'  }' * depth}\n  return\n}}"
    )


def wide(length: int) -> str:
    """One loop around that many statements, all on the same two arrays."""
    copies = "\n".join(
        f"    %x{number} = affine.load %A[%i + {number % 7}] : memref<?xf64>\n"
        f"    affine.store %x{number}, %B[%i + {number % 5}] : memref<?xf64>"
        for number in range(length)
    )
    arguments = "%n: index, %A: memref<?xf64>, %B: memref<?xf64>"
    loop = f"  affine.for %i = 0 to %n {{\n{copies}\n  }}"
    return f"func.func @wide({arguments}) {{\n{loop}\n  return\n}}"


def times_of(text: str) -> dict[str, float]:
    """Seconds for each stage."""
    found: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], ModuleOp]) -> ModuleOp:
        begin = time.perf_counter()
        result = work()
        found[stage] = time.perf_counter() - begin
        return result

    module = timed("parse", lambda: api.parse(text))
    for name in PASSES:
        module = timed(name, lambda name=name, module=module: api.run_pipeline(module, name))
    module = timed("lower-poly", lambda: api.lower(module))
    begin = time.perf_counter()
    api.emit(module)
    found["emit C"] = time.perf_counter() - begin
    return found


def show(title: str, programs: Mapping[int, str]) -> None:
    """One line a program, then the growth from the last but one and what dominates."""
    print(title)
    rows: list[tuple[int, dict[str, float]]] = []
    for number, text in programs.items():
        stages = times_of(text)
        if not rows:
            print(f"{'':6}" + "".join(f"{stage:>18}" for stage in (*stages, "all")))
        seconds = (*stages.values(), sum(stages.values()))
        print(f"{number:6}" + "".join(f"{value:17.2f}s" for value in seconds), flush=True)
        rows.append((number, stages))
    for (small, before), (large, after) in pairwise(rows):
        growth = sum(after.values()) / sum(before.values())
        dominating = max(after, key=lambda stage: after[stage])
        print(f"  {small} -> {large}: {growth:.1f} times the time; most goes to {dominating}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=300)
    options = parser.parse_args()
    with remarks_to(lambda remark: None), time_limited_to(0):
        lengths = [length for length in LENGTHS if length <= options.longest]
        show("chains of statements", {length: chain(length) for length in lengths})
        show("depth of a nest", {depth: nest(depth) for depth in DEPTHS})


if __name__ == "__main__":
    main()
