"""Prints the table of `docs/schedulers.md`: what each scheduler finds for the 30 kernels.

One row a kernel and scheduler, as Markdown. Run it by

    python benchmarks/compare_schedulers.py [KERNEL ...]
"""

from __future__ import annotations

import argparse

from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of
from polyir.passes.compare_schedules import comparison_rows
from polyir.schedule.comparison import HEADING


def rows_of(name: str) -> list[tuple[str, ...]]:
    """The rows of one kernel, without the heading and the original schedule."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "poly-dependences")
    return [row for op in scops_in(module) for row in comparison_rows(scop_of(op))[2:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help="names of kernels (default: all)")
    arguments = parser.parse_args()
    print("| kernel | " + " | ".join(HEADING) + " |")
    print("| --- " * (len(HEADING) + 1) + "|")
    for name in arguments.kernels or KERNELS:
        for number, row in enumerate(rows_of(name)):
            cells = (name if number == 0 else "", *(cell.replace("*", "\\*") for cell in row))
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
