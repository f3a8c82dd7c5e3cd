"""Find the fastest pipeline for a kernel on this machine by measuring, and write it to a file.

FILE is a program in affine MLIR, or a C file, of which one region is tuned. Candidates are
compiled and run in processes of their own; results must have the bits of the original's before
anything is timed. The file that is written is for `polyir-opt --tuned=FILE`, `polyir-cc
--tuned=FILE` and `polyir.compile(tuned=...)`. Data is generated as by polyir-run. Ctrl-C ends the
search and keeps what was found.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TextIO, get_args

from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import OptionError, PolyirError, missed
from polyir.base.limits import processors, time_limited_to
from polyir.frontend.c.preprocess import preprocess
from polyir.frontend.c.region_pragmas import files_of_regions
from polyir.frontend.c.source import detect_regions, read_regions
from polyir.frontend.c.translation import TranslatedRegion
from polyir.pipeline import DEFAULT_PIPELINE
from polyir.runtime import CompilerOptions
from polyir.runtime.compiler import DEFAULT_FLAGS, find_compiler
from polyir.tools.command_line import (
    ArgumentParser,
    add_sizes,
    add_time_limit,
    add_version,
    exit_code_of,
    parsed_counts,
    parsed_positive,
    read_text,
    require_writable,
    write_output,
)
from polyir.tools.tuning_progress import progress
from polyir.tuning.bayesian import SearchName, search_of
from polyir.tuning.evaluation import Candidate, Limits, ProcessEvaluator
from polyir.tuning.kernel import MeasuredFunction, measured_function
from polyir.tuning.programs import Flags
from polyir.tuning.record import TuningFile, TuningRecord, record_of
from polyir.tuning.search import Budget, Found, tune
from polyir.tuning.space import Space, space_of

DEFAULT_SECONDS = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code and prints any error as one diagnostic."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    options = _parse_options(arguments)
    start, budget = time.monotonic(), _budget(options)
    output = options.output or f"{Path(options.file).with_suffix('')}.tuned.json"
    require_writable(output)
    with time_limited_to(options.time_limit):
        module = _read(options)
        kernel = measured_function(
            module, options.function, dict(options.size), options.default_size
        )
        space = space_of(kernel, options.threads)
        base = Candidate(DEFAULT_PIPELINE, options.threads[0])
        found = _search(options, kernel, space, base, budget, start)
    record = record_of(kernel, base, found)
    # Standard output may be for the file.
    shown = sys.stderr if output == "-" else sys.stdout
    _print_result(record, found.interrupted, shown)
    write_output(output, TuningFile(output, (record,)).to_json().encode())
    if output != "-":
        print(f"written to {output}")
    return 0


def _search(
    options: argparse.Namespace,
    kernel: MeasuredFunction,
    space: Space,
    base: Candidate,
    budget: Budget,
    start: float,
) -> Found:
    search = search_of(options.search, space)
    limits = Limits.within(budget.seconds)
    with ProcessEvaluator(kernel, base, _flags(options), limits) as evaluator:
        if evaluator.note:
            missed("polyir-tune", evaluator.note, name="sizes")
        seconds, left = evaluator.base_seconds, budget.after(start)
        with progress(left, seconds, options.quiet) as show:
            return tune(evaluator, base, seconds, search, left, show)


def _budget(options: argparse.Namespace) -> Budget:
    seconds, trials = options.seconds, options.trials
    if seconds is None and trials is None:
        seconds = DEFAULT_SECONDS
    return Budget(inf if seconds is None else seconds, inf if trials is None else trials)


def _flags(options: argparse.Namespace) -> Flags:
    checked = CompilerOptions()
    more = ("-ffp-contract=fast",) if options.fma else ()
    find_compiler(checked)
    timed = CompilerOptions(flags=DEFAULT_FLAGS + more)
    return Flags(checked, timed, options.time_limit)


def _print_result(record: TuningRecord, interrupted: bool, shown: TextIO) -> None:
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in record.counts.items())
    if interrupted:
        print("interrupted: the result is the best that was found so far", file=sys.stderr)
    print(f"@{record.function}: {counts}", file=shown)
    print(f"  {record.base_seconds * 1e3:10.3f} ms          {record.base}", file=shown)
    print(f"  {record}", file=shown)


# The program.


def _read(options: argparse.Namespace) -> ModuleOp:
    path = options.file
    text = read_text(path)
    if path.endswith(".c"):
        return _read_c(options, path, text)
    return api.parse(text, path)


def _read_c(options: argparse.Namespace, path: str, text: str) -> ModuleOp:
    """The module of the only region, or of the one in the line or function that is chosen."""
    flags = [f"-{letter}{value}" for letter in "DUI" for value in getattr(options, letter)]
    preprocessed = preprocess(find_compiler(CompilerOptions()), flags, path)
    has_regions = path in files_of_regions(preprocessed.text)
    read = read_regions if has_regions else detect_regions
    file = read(preprocessed.text, path, preprocessed.macros, text)
    regions = [each for each in file.regions if options.line in (None, each.location.line)]
    lines = ", ".join(str(each.location.line) for each in file.regions)
    if not regions:
        if not file.regions and (file.skipped or file.lost):
            raise (*file.skipped, *file.lost)[0]
        known = f"; regions begin in the lines {lines}" if lines else ""
        raise OptionError(f"there is no region to tune{known}")
    if len(regions) > 1:
        raise OptionError(f"select a region with --line: {lines}")
    content = regions[0].content
    if isinstance(content, PolyirError):
        raise content
    assert isinstance(content, TranslatedRegion)
    return content.module


def _parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = ArgumentParser(
        prog="polyir-tune",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", help="a program in affine MLIR, or a C file (.c)")
    parser.add_argument(
        "-o", dest="output", help="the result (default: FILE with .tuned.json; -: standard output)"
    )
    parser.add_argument("--function", help="the function to tune, if there are several")
    parser.add_argument(
        "--line", type=parsed_positive, help="the line in which the region of a C file begins"
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        help=f"how long the search may take (default: {DEFAULT_SECONDS:.0f}, unless --trials)",
    )
    parser.add_argument("--trials", type=parsed_positive, help="how many candidates may be tried")
    parser.add_argument(
        "--search",
        choices=get_args(SearchName),
        default="auto",
        help="in a fixed order and around the best, or by optuna's model too; auto is bayesian if "
        "optuna is installed (default: auto)",
    )
    _add_data_options(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    add_time_limit(parser)
    add_version(parser)
    for letter, meaning in (("D", "define"), ("U", "undefine"), ("I", "folder of headers:")):
        parser.add_argument(f"-{letter}", action="append", default=[], help=f"{meaning}, for C")
    options = parser.parse_args(arguments)
    options.threads = tuple(sorted(set(options.threads), reverse=True))
    return options


def _add_data_options(parser: ArgumentParser) -> None:
    add_sizes(parser)
    parser.add_argument(
        "--threads",
        type=parsed_counts,
        default=_all_threads(),
        metavar="COUNT,...",
        help="numbers of threads to try (default: all processors, their half, ..., 1)",
    )
    parser.add_argument(
        "--fma",
        action="store_true",
        help="time with fused multiply-add; results are still checked without",
    )


def _all_threads() -> tuple[int, ...]:
    counts = [processors()]
    while counts[-1] > 1:
        counts.append(counts[-1] // 2)
    return tuple(counts)


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text) or float(text) <= 0:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, not '{text}'")
    return float(text)


if __name__ == "__main__":
    sys.exit(main())
