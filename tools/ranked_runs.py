"""`polyir-run --ranks`: the original runs once here, and the result on ranks of MPI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir import api
from polyir.api.described_functions import functions_with_scops
from polyir.base.diagnostics import OptionError, named, print_diagnostic
from polyir.dialects.scop import ScopOp
from polyir.model.scop import scop_of
from polyir.runtime import (
    CompilerOptions,
    Difference,
    best_times,
    public_signatures,
)
from polyir.runtime.data import Value, make_arguments
from polyir.runtime.measure import Argument, copy_arguments
from polyir.runtime.ranks import RankReport, build_program, run_on_ranks
from polyir.target.abi import calls_mpi
from polyir.tuning.kernel import function_of

PASS = "distribute-memory"
"""The pass that makes a program for ranks."""


@dataclass(frozen=True)
class RankedRuns:
    """How a program runs on ranks: once with each number of `ranks`, `repeat` times."""

    ranks: Sequence[int]
    threads: int
    repeat: int
    time_limit: float


def check_options(passes: Sequence[ModulePass], ranks: Sequence[int] | None, target: str) -> None:
    """Raise `OptionError` unless the passes, if there are any, and `--ranks` belong together."""
    is_distributed = any(each.name == PASS for each in passes)
    if ranks is None:
        if is_distributed:
            raise OptionError(f"--{PASS} makes a program for ranks: say how many with --ranks")
        return
    if passes and not is_distributed:
        raise OptionError(f"--ranks needs --{PASS} among the passes, or no passes")
    if target != "cpu":
        raise OptionError("--ranks is for the target 'cpu'")


def sample_arguments(
    original: ModuleOp, name: str, sizes: dict[str, int], default_size: int
) -> tuple[Value, ...]:
    """Arguments for a function of the program before all passes."""
    function = function_of(original, name)
    raised = functions_with_scops(original).get(name, function)
    scops = tuple(scop_of(op) for op in raised.walk() if isinstance(op, ScopOp))
    return make_arguments(function, scops, sizes, default_size)


def run_ranked(
    original: ModuleOp,
    result: ModuleOp,
    name: str,
    values: Sequence[Value],
    flags: CompilerOptions,
    runs: RankedRuns,
    difference: Callable[[Sequence[Argument], Sequence[Argument]], Difference | None],
    word: str,
) -> int:
    """Compare the results on ranks with that of the original, and print the times.

    Returns 0 if all are equal, which is what `word` says, else 1 after a diagnostic.
    """
    if not calls_mpi(result):
        raise OptionError(f"--{PASS} has not distributed @{name}: it cannot run on ranks")
    signature = next(each for each in public_signatures(result) if each.symbol == name)
    if len(signature.parameters) != len(values):
        raise OptionError("--ranks does not go with symbolic tile sizes")
    before = api.compile_loops(original, flags, "c")
    expected = copy_arguments(values)
    with before.threads(1):
        before[name](*expected)
    reports: dict[int, RankReport] = {}
    with TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        build_program(api.emit(result, "c"), signature, flags, program)
        for ranks in runs.ranks:
            actual, report = run_on_ranks(
                program, signature, values, ranks, runs.time_limit, runs.threads, runs.repeat
            )
            found = difference(expected, actual)
            if found is None:
                reports[ranks] = report
            else:
                message = f"error: result, {_label(ranks, runs.threads)}: {found}"
                print_diagnostic(named(message, "wrong-result"))
    if len(reports) < len(runs.ranks):
        return 1
    with before.threads(1):
        base = best_times({name: before[name]}, values, runs.repeat)[name]
    print(f"@{name}: outputs are {word}; best of {runs.repeat} runs")
    _print_line("original, 1 thread", base, base)
    for ranks, report in reports.items():
        _print_line(f"result, {_label(ranks, runs.threads)}", min(report.times), base)
        print(f"    {_described(report)}")
    return 0


def _label(ranks: int, threads: int) -> str:
    text = f"{ranks} rank{'s' if ranks > 1 else ''}"
    return text if threads == 1 else f"{text} of {threads} threads"


def _print_line(label: str, seconds: float, base: float) -> None:
    print(f"  {label:28} {seconds * 1e3:10.3f} ms {base / seconds:8.2f}x")


def _described(report: RankReport) -> str:
    """What was sent in one run."""
    steps, first = report.sent["MPI_Isend"], report.sent["MPI_Send"]
    return (
        f"{steps.messages} messages in steps, {steps.bytes} bytes; {first.messages} from and to "
        f"the first rank, {first.bytes} bytes"
    )
