"""How each stage grows: chains of statements, and deeper nests, from text to C.

python benchmarks/scaling.py [--longest 300] [--hard 100] [--seed 1]

Also small programs that are hard: strided loops, subscripts with `mod`, bounds with minima and
maxima, and up to ten loops. Each pass should take less than ten seconds of processor time.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Mapping
from itertools import pairwise

from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.base.limits import time_limited_to

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


def hard(seed: int) -> str:
    """A nest of up to ten loops with steps, `mod` and several bounds, number `seed`."""
    choose = random.Random(seed)
    depth = choose.randint(1, 10)
    heads: list[str] = []
    for level in range(depth):
        outer = f"%i{choose.randrange(level)}" if level else "%n"
        lower = choose.choice(
            ("0", f"max affine_map<(d0) -> (1, d0 - {choose.randint(1, 9)})>({outer})")
            if choose.random() < 0.7
            else (f"affine_map<(d0) -> (d0 mod {choose.randint(2, 7)})>({outer})",)
        )
        upper = choose.choice(
            ("%n", f"min affine_map<(d0)[s0] -> ({choose.randint(1, 3)} * d0, s0)>({outer})[%n]")
        )
        step = choose.choice((1, 1, 2, 3, 5))
        heads.append(f"  affine.for %i{level} = {lower} to {upper} step {step} {{")

    def subscript() -> str:
        first, second = (f"%i{choose.randrange(depth)}" for _ in range(2))
        total = f"{choose.randint(1, 3)} * {first} + {choose.randint(0, 3)} * {second}"
        form = choose.choice(("{}", "({}) mod {}", "({}) floordiv {}", "0"))
        return form.format(total, choose.randint(2, 13))

    body = "\n".join(
        f"  %x{number} = affine.load %A[{subscript()}] : memref<?xf64>\n"
        f"  affine.store %x{number}, %A[{subscript()}] : memref<?xf64>"
        for number in range(choose.randint(1, 3))
    )
    nest = "\n".join(heads)
    return (
        f"func.func @hard(%n: index, %A: memref<?xf64>) {{\n{nest}\n{body}\n"
        f"{'  }' * depth}\n  return\n}}"
    )


def processor_time() -> float:
    """Seconds of this process and of the workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def show_hard(count: int, seed: int) -> None:
    """One line for each pass of a hard program that takes a second or more, and for messages."""
    print(f"{count} hard programs: passes of a second or more, and limits that were hit")
    slowest = 0.0
    for number in range(seed, seed + count):
        limits: list[str] = []

        def note(remark: object, limits: list[str] = limits) -> None:
            if " takes " in str(remark):
                limits.append(str(remark))

        with remarks_to(note):
            module = api.parse(hard(number))
            for name in (*PASSES, "lower-poly"):
                begin = processor_time()
                module = api.run_pipeline(module, name)
                taken = processor_time() - begin
                slowest = max(slowest, taken)
                if taken >= 1 or limits:
                    print(f"{number:6} {name:18}{taken:8.2f}s", *limits, flush=True)
                limits.clear()
    print(f"the slowest pass took {slowest:.2f} s")


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
    parser.add_argument("--hard", type=int, default=100, help="how many hard programs")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first of them")
    options = parser.parse_args()
    with remarks_to(lambda remark: None), time_limited_to(0):
        lengths = [length for length in LENGTHS if length <= options.longest]
        show("chains of statements", {length: chain(length) for length in lengths})
        show("depth of a nest", {depth: nest(depth) for depth in DEPTHS})
    show_hard(options.hard, options.seed)


if __name__ == "__main__":
    main()
