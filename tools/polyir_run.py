"""Optimise a program, run the original and the result, compare them bit for bit, and time both.
If a pass may reassociate, floating-point numbers are compared up to rounding.

Passes are flags, as for polyir-opt; without any, the default pipeline of polyir.compile runs. The
input data is generated: sizes come from --size NAME=VALUE, and arrays are as large as the program
needs for these sizes. Sizes for which an access would be out of bounds are refused if they are
given, and not chosen otherwise.

With --ranks, the result runs on ranks of MPI on this machine, as distribute-memory makes it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir import api
from polyir.api.described_functions import functions_with_scops
from polyir.base.diagnostics import (
    OptionError,
    Remark,
    named,
    print_all,
    print_diagnostic,
    print_missed,
    print_missed_by_default,
    remarks_to,
)
from polyir.base.limits import time_limited_to
from polyir.dialects.scop import ScopOp, scops_in
from polyir.model.scop import Scop, scop_of
from polyir.pipeline import (
    RANKS_PIPELINE,
    AvailablePasses,
    passes_of_pipeline,
    split_pass_flags,
)
from polyir.runtime import (
    CompiledModule,
    CompilerOptions,
    Difference,
    best_times,
    compare_bits,
    compare_rounded,
)
from polyir.runtime.compiler import DEFAULT_FLAGS
from polyir.runtime.data import Value, make_arguments
from polyir.runtime.measure import Argument, copy_arguments
from polyir.runtime.ranks import DEFAULT_RUN_LIMIT
from polyir.tools.command_line import (
    ArgumentParser,
    add_sizes,
    add_time_limit,
    exit_code_of,
    parsed_counts,
    parsed_positive,
    read_text,
)
from polyir.tools.pass_help import add_information
from polyir.tools.ranked_runs import RankedRuns, check_options, run_ranked, sample_arguments
from polyir.tree.symbolic_tiles import all_tiles
from polyir.tuning.kernel import function_of
from polyir.universe import available_passes


@dataclass(frozen=True)
class TimedRun:
    """One line of the table: a program with a number of threads, or on a device.

    It takes the first `arity` arguments; the last ones, tile sizes, are for the result only.
    """

    name: str
    program: CompiledModule
    threads: int
    arity: int
    device: str = ""

    @property
    def label(self) -> str:
        """The name and what the program runs on."""
        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"{self.name}, {self.device or threads}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool. Returns 0 if the results are identical, else 1 after a diagnostic."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    available = available_passes()
    passes, others = split_pass_flags(arguments, available)
    options = _parse_options(others, available)
    check_options(passes, options.ranks, options.target)
    text = read_text(options.file)
    default = api.default_pipeline(options.target) if options.ranks is None else RANKS_PIPELINE
    # What nobody asked for is not reported as missing.
    is_asked = options.ranks is None or bool(passes)
    missed = print_missed if passes else print_missed_by_default
    sink = print_all if options.remarks else missed if is_asked else _ignore
    with remarks_to(sink), time_limited_to(options.time_limit):
        original = api.parse(text, options.file)
        pipeline = passes or passes_of_pipeline(default, available)
        result, origin = api.run_passes(original, pipeline)
        loops = api.lower(result)
    function = function_of(original, options.function)
    if options.show:
        shown = "c" if options.target == "cpu" else options.target
        print(f"== original\n{api.emit(original)}\n== result\n{api.emit(loops, shown)}")
    contraction = ("-ffp-contract=fast",) if options.fma else ()
    flags = CompilerOptions(flags=DEFAULT_FLAGS + contraction)
    compared = _ROUNDED if any(map(_reassociates, pipeline)) else _EXACT
    if options.ranks is not None:
        return _run_on_ranks(original, result, function, flags, compared, options)
    changed = function_of(result, function.sym_name.data)
    raised = functions_with_scops(result, origin).get(function.sym_name.data, changed)
    scops = tuple(scop_of(op) for op in raised.walk() if isinstance(op, ScopOp))
    sizes = _tile_sizes(scops, options.tile_sizes) | dict(options.size)
    values = make_arguments(changed, scops, sizes, options.default_size)
    backend = api.chosen_backend(flags, options.backend)
    if options.fma and (backend == "llvm" or options.target != "cpu"):
        raise OptionError("--fma requires the C backend")
    before = api.compile_loops(original, flags, backend)
    last_with_scops = result if scops_in(result) else origin
    arities = [len(each.function_type.inputs) for each in (function, changed)]
    runs = [TimedRun("original", before, 1, arities[0])]
    if options.target == "cpu":
        after = api.compile_loops(loops, flags, backend, last_with_scops, original=original)
        threads = options.threads or (1, 2)
        runs += [TimedRun("result", after, count, arities[1]) for count in threads]
    else:
        after = api.compile_loops(loops, origin=last_with_scops, target=options.target)
        runs.append(TimedRun("result", after, 1, arities[1], options.target))
    return _compare_and_time(function.sym_name.data, runs, values, options.repeat, compared)


def _run_on_ranks(
    original: ModuleOp,
    result: ModuleOp,
    function: FuncOp,
    flags: CompilerOptions,
    compared: _Comparison,
    options: argparse.Namespace,
) -> int:
    threads: Sequence[int] = options.threads or (1,)
    if len(threads) > 1:
        raise OptionError("with --ranks, --threads is one number: the threads of each rank")
    if options.backend == "llvm":
        raise OptionError("--ranks requires the C backend")
    name = function.sym_name.data
    values = sample_arguments(original, name, dict(options.size), options.default_size)
    runs = RankedRuns(options.ranks, threads[0], options.repeat, options.run_limit)
    compare, word = compared.difference, compared.word
    return run_ranked(original, result, name, values, flags, runs, compare, word)


def _ignore(_: Remark) -> None:
    """A pass that nobody asked for may find nothing to do."""


def _tile_sizes(scops: Sequence[Scop], given: Sequence[int]) -> dict[str, int]:
    """Values for the symbolic tile sizes of `scops`, in order; the last one is repeated."""
    tiles = (each for scop in scops for each in all_tiles(scop.schedule.root))
    names = dict.fromkeys(name for each in tiles for name in each.sizes)
    return {name: given[min(n, len(given) - 1)] for n, name in enumerate(names)}


def _reassociates(step: ModulePass) -> bool:
    """Whether a pass may change the order of floating-point operations."""
    return step.name == "reassociate" or bool(getattr(step, "reassociate", False))


@dataclass(frozen=True)
class _Comparison:
    """How results are compared, and what they are called if nothing differs."""

    difference: Callable[[Sequence[Argument], Sequence[Argument]], Difference | None]
    word: str


_EXACT = _Comparison(compare_bits, "bit-identical")
_ROUNDED = _Comparison(compare_rounded, "equal up to rounding")


def _compare_and_time(
    name: str,
    runs: Sequence[TimedRun],
    values: Sequence[Value],
    repeat: int,
    compared: _Comparison,
) -> int:
    """Compare every run with the first one; if all are identical, time them and print the table."""
    first = runs[0]
    expected = copy_arguments(values)
    with first.program.threads(first.threads):
        first.program[name](*expected[: first.arity])
    agree = True
    for run in runs[1:]:
        actual = copy_arguments(values)
        with run.program.threads(run.threads):
            run.program[name](*actual[: run.arity])
        difference = compared.difference(expected, actual)
        if difference is not None:
            print_diagnostic(named(f"error: {run.label}: {difference}", "wrong-result"))
            agree = False
    if not agree:
        return 1
    if compare_bits(values, expected) is None:
        warning = "warning: the program does not change any of its arrays"
        print_diagnostic(named(warning, "no-result"))
    times = best_times({run.label: _on_threads(run, name) for run in runs}, values, repeat)
    base = times[first.label]
    print(f"@{name}: outputs are {compared.word}; best of {repeat} interleaved runs")
    for run in runs:
        seconds = times[run.label]
        print(f"  {run.label:22} {seconds * 1e3:10.3f} ms {base / seconds:8.2f}x")
    return 0


def _on_threads(run: TimedRun, name: str) -> Callable[..., None]:
    def call(*values: Value) -> None:
        with run.program.threads(run.threads):
            run.program[name](*values[: run.arity])

    return call


def _parse_options(arguments: Sequence[str], available: AvailablePasses) -> argparse.Namespace:
    parser = ArgumentParser(
        prog="polyir-run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="a program in affine MLIR")
    parser.add_argument("--function", help="the function to run, if there are several")
    add_sizes(parser)
    parser.add_argument(
        "--tile-sizes",
        type=parsed_counts,
        default=(32,),
        metavar="SIZE,...",
        help="values of symbolic tile sizes, starting with T0; the last one is used for the rest "
        "(default: 32)",
    )
    parser.add_argument(
        "--threads",
        type=parsed_counts,
        metavar="COUNT,...",
        help="numbers of threads to run the result with (default: 1,2); with --ranks, that of each "
        "rank (default: 1)",
    )
    parser.add_argument(
        "--ranks",
        type=parsed_counts,
        metavar="COUNT,...",
        help="run the result on so many ranks of MPI, once with each number",
    )
    parser.add_argument(
        "--run-limit",
        type=float,
        default=DEFAULT_RUN_LIMIT,
        metavar="SECONDS",
        help="how long the ranks may take (default: %(default)s)",
    )
    parser.add_argument(
        "--target",
        choices=get_args(api.Machine),
        default="cpu",
        help="what the result runs on: this processor, or a device of OpenCL or CUDA; times on a "
        "device include the transfers (default: cpu)",
    )
    parser.add_argument(
        "--backend",
        choices=("auto", "c", "llvm"),
        default="auto",
        help="a C compiler, LLVM in this process, or the first of the two that is available "
        "(default: auto)",
    )
    parser.add_argument(
        "--repeat",
        type=parsed_positive,
        default=5,
        help="number of timed runs of each program (default: 5)",
    )
    parser.add_argument("--show", action="store_true", help="print both programs as C")
    parser.add_argument(
        "--fma", action="store_true", help="let the C compiler use fused multiply-add"
    )
    parser.add_argument("--remarks", action="store_true", help="print the decisions of the passes")
    add_information(parser, available)
    add_time_limit(parser)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
