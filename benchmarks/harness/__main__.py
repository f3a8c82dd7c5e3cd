"""Measure compilers, external tools and polyir's pipelines side by side."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from beyond_kernels import ALL_KERNELS, SUITES
from kernels import DATA_SETS

from . import limits
from .arguments import absolute_path, counts, kernel_names, names, positive
from .build import Contraction
from .measure import Settings, measure_kernel
from .originals import Baseline
from .performance import DOCS_FOLDER, results_path, write_docs
from .plot import NoPlotError, plot
from .report import as_json, machine, saved_results, table
from .results import Result, Status
from .variants import BASE, Variant, VariantError, all_variants, choose, measured_by_default, named

OUTPUT_FOLDER = Path(__file__).parents[2] / "build" / "bench"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the harness; 1 if a result of polyir is wrong or the command line is, else 0."""
    options = _parse(arguments)
    try:
        variants = all_variants(options.peer, options.pipeline)
        if options.variants:
            # What was described on the command line takes part in any case.
            described = [named(text)[0] for text in (*options.peer, *options.pipeline)]
            variants = choose(variants, (*options.variants, *described))
        else:
            variants = measured_by_default(variants)
        variants = _installed(variants)
    except VariantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    settings = _settings(options)
    print(f"{machine()['processor']}, {machine()['cores']} cores; data set {settings.data_set}")
    options.output.mkdir(parents=True, exist_ok=True)
    path = results_path(options.output, options.suite, options.size)
    order = tuple(ALL_KERNELS)
    chosen = options.kernels or tuple(SUITES[options.suite])
    results: list[Result] = []
    if options.keep and path.exists():
        saved = saved_results(json.loads(path.read_text()))
        results = [each for each in saved if each.kernel not in chosen]
    for name in chosen:
        start = time.perf_counter()
        found = measure_kernel(ALL_KERNELS[name], variants, settings, options.output)
        right = sum(result.status is Status.RIGHT for result in found)
        seconds = time.perf_counter() - start
        print(f"{name}: {right} of {len(found)} right, {seconds:.0f} s", file=sys.stderr)
        results += found
        results.sort(key=lambda each: order.index(each.kernel))
        # What is known so far: a long run that is stopped is not lost.
        path.write_text(as_json(results, variants, settings))
    print(table(results, variants))
    _plot(results, path.with_suffix(".svg"))
    print(f"all times: {path}")
    if options.write_docs:
        _write_docs(options, path)
    ours = [variant.name for variant in variants if variant.is_polyir]
    return int(any(r.status is Status.WRONG and r.variant in ours for r in results))


def _installed(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """The variants that can run here; the others are named. Raises `VariantError` without gcc."""
    found: list[Variant] = []
    for variant in variants:
        missing = variant.missing_program
        if missing is None:
            found.append(variant)
        elif variant.name == BASE.name:
            raise VariantError(f"{missing} is not installed, and every ratio is relative to it")
        else:
            print(f"{variant.name} is left out: {missing} is not installed", file=sys.stderr)
    return tuple(found)


def _plot(results: Sequence[Result], path: Path) -> None:
    try:
        plot(results, path)
    except NoPlotError as error:
        print(f"no picture: {error}")
    else:
        print(f"picture: {path}")


def _write_docs(options: argparse.Namespace, results: Path) -> None:
    """Measure the machine, and write docs/performance.md with what was measured."""
    chosen = [f"--suite={options.suite}", f"--size={options.size}", f"--output={options.output}"]
    chosen += [f"--threads={','.join(map(str, options.threads))}"]
    chosen += [f"--kernels={','.join(options.kernels)}"] if options.kernels else []
    if limits.main(chosen) == 0:
        saved = results_path(options.output, options.suite, options.size, "limits-")
        write_docs(results, saved, options.docs)


def _settings(options: argparse.Namespace) -> Settings:
    return Settings(
        data_set=options.size,
        threads=options.threads,
        rounds=options.rounds,
        turn_seconds=options.turn_seconds,
        contraction=Contraction.OFF if options.exact else Contraction.FAST,
        baseline=Baseline(options.baseline),
        tool_limit=options.tool_limit,
        compile_limit=options.compile_limit,
        run_limit=options.run_limit,
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    default = Settings()
    add = parser.add_argument
    add("--size", choices=DATA_SETS, default=default.data_set, help="PolyBench's data set (large)")
    add("--suite", choices=SUITES, default="polybench", help="the kernels to measure (polybench)")
    add("--kernels", type=kernel_names, help="names, separated by commas (all)")
    add("--threads", type=counts, default=default.threads, help="numbers of threads (1,2)")
    add("--rounds", type=positive, default=default.rounds, help="turns of each variant (5)")
    add("--variants", type=names, help="of the table; gcc always takes part")
    add("--peer", action="append", default=[], help="NAME=COMMAND with {in} and {out}, C to C")
    add("--pipeline", action="append", default=[], help="NAME=PASSES, another one of polyir's")
    add("--baseline", choices=list(Baseline), default=default.baseline, help="the C: by hand in "
        "polybench_c/ and beyond/, or emitted from MLIR (c)")  # fmt: skip
    add("--exact", action="store_true", help="time the builds without contraction")
    add("--turn-seconds", type=float, default=default.turn_seconds, help="least time of a turn")
    add("--tool-limit", type=float, default=default.tool_limit, help="seconds for a tool")
    add("--compile-limit", type=float, default=default.compile_limit, help="... a C compiler")
    add("--run-limit", type=float, default=default.run_limit, help="... a turn of a kernel")
    add("--write-docs", action="store_true", help="write docs/performance.md and its picture")
    add("--docs", type=Path, default=DOCS_FOLDER, help="where that is written (docs)")
    add("--keep", action="store_true", help="keep the saved results of other kernels")
    add("--output", type=absolute_path, default=OUTPUT_FOLDER, help="folder for JSON and picture")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
