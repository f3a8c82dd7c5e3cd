"""Prints the table of `docs/interleavings.md`: the interleavings of all kernels.

python benchmarks/interleavings.py [KERNEL ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from beyond_kernels import ALL_KERNELS
from xdsl.dialects.affine import ForOp

from polyir import api
from polyir.base.limits import time_limited_to
from polyir.interleaving.schedule import InterleavingScheduler
from polyir.interleaving.space import InterleavingSpace
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.schedule.scop_constraints import schedule_constraints

HEADING = (
    "| kernel | loops | statements | references | dimensions | conditions | interleavings "
    "| dimensions | conditions | legal | seconds |\n"
    "| --- |" + " ---: |" * 10
)


def figures(name: str) -> tuple[object, ...]:
    """The size of a kernel, those of its space before and after pruning, and the time of that."""
    module = api.parse(ALL_KERNELS[name].path.read_text())
    loops = sum(isinstance(op, ForOp) for op in module.walk())
    (scop_op,) = analysed_scops(module)
    scop = scop_of(scop_op)
    assert scop.dependences is not None
    constraints = schedule_constraints(scop, scop.dependences)
    start = time.perf_counter()
    legal = InterleavingScheduler(constraints).legal_space
    size = legal.size()
    seconds = time.perf_counter() - start
    references = sum(len(each.accesses) for each in scop.statements)
    everything = InterleavingSpace(legal.count)
    return (
        *(name, loops, legal.count, references),
        *_size(everything),
        f"{everything.size():.4g}",
        *_size(legal),
        size,
        f"{seconds:.2f}",
    )


def _size(space: InterleavingSpace) -> Iterator[int]:
    yield len(space.linear_form.open_variables)
    yield len(space.linear_form.conditions)


def main() -> int:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", default=list(ALL_KERNELS), metavar="KERNEL")
    print(HEADING)
    with time_limited_to(0):
        for name in parser.parse_args().kernels:
            print("| " + " | ".join(map(str, figures(name))) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
