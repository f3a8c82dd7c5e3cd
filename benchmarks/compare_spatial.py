"""Prints the table of `docs/spatial-schedule.md`: polyir's schedules and published ones.

The published schedules are isl's text, one file a kernel, `FOLDER/gemm.isl`, with the statements
numbered in program order. Run it by

    python benchmarks/compare_spatial.py FOLDER [KERNEL ...]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import islpy as isl
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.analysis import compute_dependences
from polyir.model.locality import innermost_localities
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Statement
from polyir.schedule.comparison import figures_of
from polyir.sets.lists import sets_of
from polyir.tree import Schedule

PASS = "spatial-schedule{live_range_reordering=true}"


@dataclass(frozen=True)
class SpatialFigures:
    """What a schedule offers to a CPU.

    `widths` are the numbers of members of its bands. `parallel` is how many statements have a
    coincident member at the front of their outermost band. Along the innermost loop of each
    statement, `near` of `references` stay where they are or go to the next element.
    """

    widths: tuple[int, ...]
    parallel: int
    near: int
    references: int

    def __str__(self) -> str:
        widths = " ".join(map(str, self.widths))
        return f"{widths} | {self.parallel} | {self.near} of {self.references}"


def original(name: str) -> Scop:
    """The kernel as it is written."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "poly-dependences")
    return scop_of(scops_in(module)[0])


def ours(name: str, scheduler: str = PASS) -> Schedule:
    """The schedule that polyir finds."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), scheduler)
    return scop_of(scops_in(module)[0]).schedule


def spatial_figures(scop: Scop, schedule: Schedule) -> SpatialFigures:
    """The figures of `schedule` for the statements of `scop`, by the false dependences it makes."""
    figures = figures_of(schedule, compute_dependences(scop, schedule=schedule))
    by_name = {statement.name: statement for statement in scop.statements}
    localities = innermost_localities(schedule.root, by_name, 1)
    near = sum(each.spatial + each.temporal for each in localities)
    parallel = sum(count > 0 for _, count in figures.outer_coincident)
    return SpatialFigures(
        figures.widths, parallel, near, near + sum(each.other for each in localities)
    )


def published(text: str, scop: Scop) -> Schedule | None:
    """The published schedule for the statements of `scop`; `None` where they are other ones.

    Constants that the original program computes before its loops are statements without loops
    there, and values outside of the loops here.
    """
    # The only size that the published ones have as a number.
    schedule = Schedule(text.replace("[n] -> {", "[n, tsteps] -> {").replace("500", "tsteps"))
    pieces = list(sets_of(schedule.domain))
    if len(pieces) != len(scop.statements):
        pieces = [each for each in pieces if each.dim(isl.dim_type.set)]
    theirs = sorted(pieces, key=lambda each: int((each.get_tuple_name() or "S_0")[2:]))
    if len(theirs) != len(scop.statements):
        return None
    pullback = isl.UnionPwMultiAff.empty(scop.context.get_space())
    for instances, statement in zip(theirs, scop.statements, strict=True):
        image = _image(statement, instances)
        if image is None:
            return None
        pullback = pullback.union_add(isl.UnionPwMultiAff.from_multi_aff(image))
    return schedule.intersect_domain(_union(pieces)).pullback_union_pw_multi_aff(pullback)


def _union(pieces: list[isl.Set]) -> isl.UnionSet:
    union = isl.UnionSet.from_set(pieces[0])
    for piece in pieces[1:]:
        union = union.union(isl.UnionSet.from_set(piece))
    return union


def _image(statement: Statement, instances: isl.Set) -> isl.MultiAff | None:
    """The function from the instances of `statement` to the published ones, the first loop's
    iterator reversed or shifted if need be."""
    depth = statement.domain.dim(isl.dim_type.set)
    if instances.dim(isl.dim_type.set) != depth:
        return None
    names = [f"x{place}" for place in range(depth)]
    for first in ("x0", "n - 1 - x0", "x0 + 1"):
        images = ", ".join([first, *names[1:]][:depth])
        function = isl.MultiAff(
            f"[n] -> {{ {statement.name}[{', '.join(names)}] -> "
            f"{instances.get_tuple_name()}[{images}] }}"
        )
        if instances.preimage_multi_aff(function).is_equal(statement.domain):
            return function
    return None


def row(name: str, folder: Path) -> str:
    """The table's row of one kernel."""
    scop = original(name)
    theirs = published((folder / f"{name}.isl").read_text(), scop)
    found = spatial_figures(scop, ours(name))
    other = "- | - | -" if theirs is None else str(spatial_figures(scop, theirs))
    return f"| {name} | {found} | {other} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the published schedules are")
    parser.add_argument("kernels", nargs="*", help="names of kernels (default: all)")
    arguments = parser.parse_args()
    print("| kernel | bands | parallel | near | published bands | parallel | near |")
    print("| --- " * 7 + "|")
    for name in arguments.kernels or KERNELS:
        print(row(name, arguments.folder), flush=True)


if __name__ == "__main__":
    main()
