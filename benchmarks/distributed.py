"""Writes the tables of `docs/distributed-model.md`: programs for ranks, measured and predicted.

python benchmarks/distributed.py [--write-docs] [--tables=messages,scaling,times] [KERNEL ...]

- messages: what ranks sent in real runs on this machine, counted by MPI's profiling interface,
  beside what is predicted;
- scaling: the predicted time for up to 100,000 ranks, for a stated network, with the time of a
  statement instance measured here: by gcc, on one core;
- times: the time on one and two ranks of this machine beside the prediction, with the network that
  a ping-pong between two ranks measures here.

With `--write-docs`, each table replaces that of its section.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final

from ping_pong import measured_network

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.network import CLUSTER
from polyir.dialects.scop import ScopOp
from polyir.distributed.options import DistributionOptions
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.time_model import predicted
from polyir.model.scop import Scop, scop_of
from polyir.runtime import CompilerOptions, best_times, public_signatures
from polyir.runtime.data import Value, make_arguments
from polyir.runtime.ranks import RankReport, build_program, run_on_ranks
from polyir.target.abi import Signature
from polyir.tuning.kernel import function_of

ROOT: Final = Path(__file__).parent
DOCS: Final = ROOT.parent / "docs" / "distributed-model.md"
PIPELINES: Final = MappingProxyType(
    {
        "steps": "feautrier-schedule",
        "tiles": "pluto-schedule,tile{sizes=%d},wavefront",
    }
)
"""The passes before the division, by what the tables call them."""

DIVISIONS: Final = MappingProxyType(
    {
        "line": DistributionOptions(),
        "grid": DistributionOptions(grid=2),
        "cyclic": DistributionOptions(distribution="cyclic"),
    }
)
STEPS: Final = frozenset(("tsteps", "tmax"))
"""The sizes that are numbers of time steps."""


@dataclass(frozen=True)
class Case:
    """A kernel with its passes, its division and its sizes."""

    kernel: str
    schedule: str
    division: str
    size: int
    steps: int = 16
    tile: int = 8

    @property
    def pipeline(self) -> str:
        """The passes before `distribute-memory`."""
        text = PIPELINES[self.schedule]
        return text % self.tile if "%" in text else text

    @property
    def title(self) -> str:
        """The schedule, in words."""
        return "steps" if self.schedule == "steps" else f"tiles of {self.tile}"

    @property
    def text(self) -> str:
        """The source."""
        return (ROOT / "polybench" / f"{self.kernel}.mlir").read_text()

    @cached_property
    def _scheduled(self) -> Scop:
        with remarks_to(lambda _: None):
            module = api.run_pipeline(api.parse(self.text), self.pipeline)
        (op,) = (each for each in module.walk() if isinstance(each, ScopOp))
        return scop_of(op)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The values of all sizes."""
        names = self._scheduled.op.parameter_values
        return {name: self.steps if name in STEPS else self.size for name in names}

    @cached_property
    def program(self) -> SizedProgram:
        """The sets of the distributed program."""
        return SizedProgram(self._scheduled, self.sizes, DIVISIONS[self.division])

    @cached_property
    def signature(self) -> Signature:
        """That of the kernel."""
        return public_signatures(api.parse(self.text))[0]

    @cached_property
    def arguments(self) -> tuple[Value, ...]:
        """Arguments of these sizes."""
        raised = api.run_pipeline(api.parse(self.text), "poly-raise")
        scops = tuple(scop_of(op) for op in raised.walk() if isinstance(op, ScopOp))
        known = {name: value for name, value in self.sizes.items() if name in STEPS}
        with remarks_to(lambda _: None):
            return make_arguments(function_of(api.parse(self.text), None), scops, known, self.size)

    def runs(self, counts: Sequence[int], flags: str, repeat: int) -> Iterator[RankReport]:
        """What real runs on so many ranks report."""
        division = DIVISIONS[self.division]
        options = f"grid={division.grid} distribution={division.distribution}"
        with remarks_to(lambda _: None), TemporaryDirectory() as folder:
            whole = f"{self.pipeline},distribute-memory{{{options}}}"
            module = api.run_pipeline(api.parse(self.text), whole)
            program = Path(folder) / "program"
            source = api.emit(module, "c")
            build_program(source, self.signature, CompilerOptions(flags=(flags,)), program)
            for ranks in counts:
                yield run_on_ranks(
                    program, self.signature, self.arguments, ranks, 300, repeat=repeat
                )[1]


# --------------------------------------------------------------------------------- messages

MESSAGES: Final = (
    Case("gemm", "steps", "line", 64),
    Case("gemm", "tiles", "grid", 64),
    Case("2mm", "steps", "line", 64),
    Case("2mm", "tiles", "line", 64),
    Case("jacobi-2d", "steps", "line", 64),
    Case("jacobi-2d", "steps", "grid", 64),
    Case("jacobi-2d", "tiles", "line", 64),
    Case("heat-3d", "steps", "line", 24),
    Case("heat-3d", "tiles", "line", 24),
    Case("fdtd-2d", "steps", "line", 64),
    Case("fdtd-2d", "tiles", "line", 64),
    Case("lu", "steps", "line", 64),
    Case("lu", "steps", "cyclic", 64),
    Case("lu", "tiles", "line", 64),
)


def messages(case: Case) -> Iterator[list[str]]:
    """A row for each number of ranks."""
    counts = (2, 4, 8)
    for ranks, report in zip(counts, case.runs(counts, "-O1", 1), strict=True):
        simulation = Simulation(case.program, ranks)
        totals = simulation.totals()
        scattered, gathered, _ = simulation.first_and_last()
        ends, sent = (scattered + gathered).bytes, totals.all.sent
        steps, first = report.sent["MPI_Isend"], report.sent["MPI_Send"]
        pairs = ((steps.messages, sent.messages), (steps.bytes, sent.bytes), (first.bytes, ends))
        numbers = [f"{number:,}" for pair in pairs for number in pair]
        yield [case.kernel, case.title, case.division, str(case.size), str(ranks), *numbers]


# ---------------------------------------------------------------------------------- scaling

SCALING: Final = (
    Case("gemm", "steps", "line", 100_000),
    Case("2mm", "steps", "line", 100_000),
    Case("jacobi-2d", "steps", "line", 200_002, 100),
    Case("heat-3d", "steps", "line", 10_002, 100),
    Case("fdtd-2d", "steps", "line", 200_000, 100),
    Case("lu", "steps", "line", 100_001),
)
RANKS: Final = (2, 16, 128, 1024, 10_000, 100_000)


def scaling(case: Case) -> Iterator[list[str]]:
    """A row for each number of ranks."""
    network = replace(CLUSTER, iteration=iteration_time(case.kernel))
    before = [case.kernel, f"{case.title}, {case.division}", f"{case.size:,}"]
    before.append(f"{1e9 * network.iteration:.3g}")
    for ranks in RANKS:
        totals = Simulation(case.program, ranks).totals()
        found = predicted(case.program, ranks, network)
        sign = "" if totals.is_exact else "about "
        sent = totals.all.sent
        numbers = [f"{sign}{sent.messages:,}", f"{sent.bytes:.4g}", f"{found.time:.4g}"]
        yield [*before, f"{ranks:,}", *numbers, f"{found.efficiency:.3f}"]
        before = [""] * len(before)


@cache
def iteration_time(kernel: str) -> float:
    """The seconds of a statement instance by gcc -O3 on one core, after the passes of `LOCAL`."""
    case = LOCAL[kernel]
    name = case.signature.symbol
    with remarks_to(lambda _: None):
        module = api.compile(case.text, case.pipeline, CompilerOptions(), "c")
    with module.threads(1):
        taken = best_times({name: module[name]}, case.arguments, 10)[name]
    return taken / Simulation(case.program, 1).instances(0)


# ------------------------------------------------------------------------------------ times

LOCAL: Final = MappingProxyType(
    {
        case.kernel: case
        for case in (
            Case("gemm", "steps", "line", 400),
            Case("2mm", "steps", "line", 300),
            Case("jacobi-2d", "steps", "line", 1000, 20),
            Case("heat-3d", "steps", "line", 100, 20),
            Case("fdtd-2d", "steps", "line", 1000, 20),
            Case("lu", "steps", "line", 400),
        )
    }
)
"""The sizes that are timed on this machine."""


def times(case: Case) -> Iterator[list[str]]:
    """A row for one rank and one for two."""
    network = measured_network(iteration_time(case.kernel))
    before = [case.kernel, f"{case.title}, {case.division}", str(case.size)]
    counts = (1, 2)
    for ranks, report in zip(counts, case.runs(counts, "-O3", 10), strict=True):
        scattered, gathered, _ = Simulation(case.program, ranks).first_and_last()
        ends = scattered + gathered
        # The first rank has all of these messages, and each has two ends.
        around = 2 * (network.alpha * ends.messages + network.beta * ends.bytes)
        time, measured = predicted(case.program, ranks, network).time + around, min(report.times)
        numbers = [f"{1e3 * measured:.4g}", f"{1e3 * time:.4g}", f"{time / measured:.2f}"]
        yield [*before, str(ranks), *numbers]
        before = [""] * len(before)


# ----------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class Table:
    """A table of the page: its section, its cases, their rows, and which columns are numbers."""

    section: str
    cases: Sequence[Case]
    rows: Callable[[Case], Iterator[list[str]]]
    heading: str
    words: int
    """The first columns, which are not numbers."""

    def lines(self, kernels: Sequence[str]) -> Iterator[str]:
        """The lines of the table, with the rows of some kernels."""
        heading = self.heading.split(",")
        yield f"| {' | '.join(heading)} |"
        columns = ("---" if n < self.words else "---:" for n in range(len(heading)))
        yield f"|{'|'.join(columns)}|"
        for case in self.cases:
            if not kernels or case.kernel in kernels:
                for row in self.rows(case):
                    yield f"| {' | '.join(row)} |"
        if self.rows is times:
            network = measured_network(0)
            found = f"{1e6 * network.alpha:.3g} µs a call, {1e9 * network.beta:.3g} ns a byte"
            yield f"| (network) | {found} |{' |' * (len(heading) - 2)}"


TABLES: Final = MappingProxyType(
    {
        "messages": Table(
            "### Messages",
            MESSAGES,
            messages,
            "kernel,schedule,ranks in a,size,ranks,messages measured,predicted,bytes measured,"
            "predicted,scattered and gathered,predicted",
            3,
        ),
        "scaling": Table(
            "### Scaling",
            SCALING,
            scaling,
            "kernel,schedule,size,ns an instance,ranks,messages,bytes,seconds,efficiency",
            2,
        ),
        "times": Table(
            "### Times on one machine",
            tuple(LOCAL.values()),
            times,
            "kernel,schedule,size,ranks,ms measured,ms predicted,ratio",
            2,
        ),
    }
)


def write_docs(section: str, table: Sequence[str]) -> None:
    """Put a table in the place of the first one of a section of the page."""
    text = DOCS.read_text()
    before, mark, rest = text.partition(f"{section}\n")
    lines = rest.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    last = first
    while last < len(lines) and lines[last].startswith("|"):
        last += 1
    body = "\n".join((*lines[:first], *table, *lines[last:]))
    DOCS.write_text(f"{before}{mark}{body}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="programs for ranks, measured and predicted")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--write-docs", action="store_true", help=f"write to {DOCS.name}")
    options = parser.parse_args()
    for name in options.tables.split(","):
        lines = []
        for line in TABLES[name].lines(options.kernels):
            lines.append(line)
            print(line, flush=True)
        if options.write_docs:
            write_docs(TABLES[name].section, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
