"""What ranks are predicted to send and to compute is what they do in real runs.

Messages are those that MPI's profiling interface sees, each with its length. The statement
instances of each rank are counted by the program itself, into which the test puts a counter.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from ranks import needs_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import ScopOp
from polyir.distributed.options import DistributionOptions
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.traffic import Traffic
from polyir.model.scop import scop_of
from polyir.runtime.compiler import CompilerOptions
from polyir.runtime.data import make_arguments
from polyir.runtime.functions import public_signatures
from polyir.runtime.ranks import RankReport, Sent, build_program, run_on_ranks
from polyir.tuning.kernel import function_of

pytestmark = needs_mpi

KERNELS = Path(__file__).parents[2] / "benchmarks" / "polybench"
STEPS = "feautrier-schedule"
"""Time is outside, and the rows of a step are parallel; there are no tiles."""

TILES = "pluto-schedule,tile{sizes=4},wavefront"
SIZE, TIMES = 14, 3
RANKS = (2, 4, 8)

LINE = DistributionOptions()
GRID = DistributionOptions(grid=2)
CYCLIC = DistributionOptions(distribution="cyclic")
BLOCKS_OF_2 = DistributionOptions(distribution="block-cyclic", block=2)
CYCLIC_GRID = DistributionOptions(grid=2, distribution="cyclic")
EVERY = (LINE, GRID, CYCLIC, BLOCKS_OF_2, CYCLIC_GRID)

COUNTER = """\
#include <stdio.h>
#include <stdlib.h>

static long long instances;

static void __attribute__((destructor)) log_instances(void) {
  const char *name = getenv("POLYIR_MESSAGE_LOG"), *rank = getenv("PMI_RANK");
  char own[4096];
  snprintf(own, sizeof own, "%s.%s.instances", name, rank);
  FILE *file = fopen(own, "w");
  fprintf(file, "%lld", instances);
  fclose(file);
}
"""


@dataclass(frozen=True)
class Case:
    """A kernel, the passes before its division, and how it is divided."""

    kernel: str
    pipeline: str
    options: DistributionOptions

    def __str__(self) -> str:
        tiles = "tiles" if self.pipeline == TILES else "steps"
        grid = "grid" if self.options.grid == 2 else "line"
        return f"{self.kernel}-{tiles}-{grid}-{self.options.distribution}"

    @property
    def path(self) -> Path:
        """The source of the kernel."""
        return KERNELS / f"{self.kernel}.mlir"

    @property
    def whole_pipeline(self) -> str:
        """All passes."""
        options = self.options
        block = f" block={options.block}" if options.block else ""
        found = f"grid={options.grid} distribution={options.distribution}{block}"
        return f"{self.pipeline},distribute-memory{{{found}}}"


FEW = [
    Case("gemm", TILES, GRID),
    Case("jacobi-1d", TILES, BLOCKS_OF_2),
    Case("jacobi-2d", STEPS, LINE),
    Case("lu", STEPS, CYCLIC),
]
ALL = [
    Case(kernel, pipeline, options)
    for kernel in ("gemm", "2mm", "jacobi-1d", "jacobi-2d", "heat-3d", "lu", "seidel-2d", "fdtd-2d")
    for pipeline in (STEPS, TILES)
    for options in EVERY
    if (kernel, pipeline) != ("seidel-2d", STEPS)
]


@pytest.mark.parametrize("case", FEW, ids=str)
def test_counts_are_those_of_a_run(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(case, tmp_path, monkeypatch)


@pytest.mark.matrix
@pytest.mark.parametrize("case", [each for each in ALL if each not in FEW], ids=str)
def test_counts_are_those_of_a_run_for_more(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(case, tmp_path, monkeypatch)


def check(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each message of each pair of ranks has the predicted length, and there is no other one.

    A message has as many bytes as there are different elements to send in that step: so none is
    sent twice from one rank to another in one step.
    """
    text = case.path.read_text()
    original = api.parse(text)
    raised = api.run_pipeline(api.parse(text), "poly-raise")
    scops = tuple(scop_of(op) for op in raised.walk() if isinstance(op, ScopOp))
    with remarks_to(lambda _: None):
        divided = api.run_pipeline(api.parse(text), case.pipeline)
        (op,) = (each for each in divided.walk() if isinstance(each, ScopOp))
        names = op.parameter_values
        sizes = {name: TIMES if name in ("tsteps", "tmax") else SIZE for name in names}
        program = SizedProgram(scop_of(op), sizes, case.options)
        result = api.run_pipeline(api.parse(text), case.whole_pipeline)
    signature = public_signatures(original)[0]
    steps = {name: TIMES for name in names if name in ("tsteps", "tmax")}
    arguments = make_arguments(function_of(original, None), scops, steps, SIZE)
    source = with_counter(api.emit(result, "c"))
    build_program(source, signature, CompilerOptions(flags=("-O1",)), folder / "program")
    monkeypatch.setenv("MPIR_CVAR_NOLOCAL", "1")
    for ranks in RANKS:
        log = folder / f"log{ranks}"
        monkeypatch.setenv("POLYIR_MESSAGE_LOG", str(log))
        _, report = run_on_ranks(folder / "program", signature, arguments, ranks)
        compare(Simulation(program, ranks), report, log)


def compare(simulation: Simulation, report: RankReport, log: Path) -> None:
    """Compare all numbers of a simulation with those of a run."""
    everyone = range(simulation.ranks)
    for source in everyone:
        predicted = Counter(
            (target, length)
            for target in everyone
            for _, _, length in simulation.lengths(source, target)
        )
        own = log.with_name(f"{log.name}.{source}")
        assert logged(own) == predicted
        work = simulation.of_rank(source)
        length = sum(length * number for (_, length), number in predicted.items())
        assert work.sent == Traffic(predicted.total(), length)
        assert work.instances == int(own.with_name(f"{own.name}.instances").read_text())
    totals = simulation.totals()
    assert totals.is_exact
    sent = totals.all.sent
    assert report.sent["MPI_Isend"] == Sent(sent.messages, sent.bytes)
    first, last, is_exact = simulation.first_and_last()
    assert is_exact
    ends = first + last
    assert report.sent["MPI_Send"] == Sent(ends.messages, ends.bytes)


def with_counter(source: str) -> str:
    """C that counts the stores in functions for the tiles of a rank: one a statement instance."""
    functions = re.split(r"(?m)^(?=static |void )", source)
    store = re.compile(r"(?m)^( +)(?=\w+(?:\[[^=;{]*\])+ [-+*/]?= )")
    counted = [
        store.sub(r"\1instances++; ", each) if "_compute_" in each.partition("(")[0] else each
        for each in functions
    ]
    return COUNTER + "".join(counted)


def logged(path: Path) -> Counter[tuple[int, int]]:
    """The messages of steps that a rank sent: targets and lengths."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = (line.split() for line in lines if line.startswith("MPI_Isend"))
    return Counter((int(target), int(length)) for _, target, length in found)
