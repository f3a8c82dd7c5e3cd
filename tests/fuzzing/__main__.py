"""`make fuzz`: random programs through random pipelines, and what fails, made small."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzzing.generate import random_program
from fuzzing.pipelines import random_gpu_pipeline, random_pipeline, random_vector_pipeline
from fuzzing.regression import regression_text
from fuzzing.run import SECONDS, Case, Summary, run_batch
from fuzzing.shrink import shrunk

BATCH = 25


def main() -> int:
    """Run the tester; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("count", type=int, help="programs")
    parser.add_argument("seed", type=int, help="the number of the first program")
    parser.add_argument("--shrink-tries", type=int, default=300)
    parser.add_argument("--gpu", action="store_true", help="kernels, as OpenCL on PoCL")
    parser.add_argument("--vectors", action="store_true", help="`optimize`, and vectors")
    parser.add_argument("--folder", type=Path, help="where failing cases are written")
    options = parser.parse_args()
    begin = time.monotonic()
    total = Summary()
    pipelines: set[tuple[str, ...]] = set()
    for first in range(options.seed, options.seed + options.count, BATCH):
        last = min(first + BATCH, options.seed + options.count)
        cases = [_case(n, options) for n in range(first, last)]
        pipelines.update(case.pipeline for case in cases)
        with tempfile.TemporaryDirectory() as folder:
            summary = run_batch(cases, Path(folder))
        total.add(summary)
        _say_failures(summary)
        print(f"{last - options.seed} programs, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"programs tried: {total.tried} (numbers {options.seed} to {last - 1})")
    print(f"pipelines tried: {len(pipelines)}")
    print(f"legal transformations applied: {_counted(total.applied)}")
    print(f"refused: {_counted(total.refused)}")
    print(f"limits exceeded: {_counted(total.bounded)}")
    if options.gpu:
        print(f"programs for the device: {_counted(total.launching)}")
    print(f"too slow, over {SECONDS} s: {_counted(Counter(stage for _, stage in total.slow))}")
    print(f"failures: {_counted(Counter(failure.kind for _, failure in total.failures))}")
    _write_shrunk(total, options.shrink_tries, options.folder)
    return 1 if total.failures else 0


def _case(number: int, options: argparse.Namespace) -> Case:
    if options.gpu:
        return Case(random_program(number), random_gpu_pipeline(number))
    if options.vectors:
        return Case(random_program(number, longer=True), random_vector_pipeline(number))
    return Case(random_program(number), random_pipeline(number))


def _counted(items: Counter[str]) -> str:
    each = ", ".join(f"{number} {what}" for what, number in items.most_common() if number)
    return f"{items.total()} ({each})" if each else "0"


def _say_failures(summary: Summary) -> None:
    for case, stage in summary.slow:
        print(f"program {case.program.seed}: too slow: {stage}\n  {','.join(case.pipeline)}")
    for case, failure in summary.failures:
        print(f"program {case.program.seed}: {failure.kind}\n  {','.join(case.pipeline)}")


def _write_shrunk(total: Summary, tries: int, folder: Path | None) -> None:
    """Shrink one case of each kind of failure, and print it or write it into `folder`."""
    kinds: set[str] = set()
    for case, failure in total.failures:
        if failure.kind in kinds or tries == 0:
            continue
        kinds.add(failure.kind)

        def fails(candidate: Case, kind: str = failure.kind) -> bool:
            with tempfile.TemporaryDirectory() as scratch:
                found = run_batch([candidate], Path(scratch)).failures
            return bool(found) and found[0][1].kind == kind

        small = shrunk(case, fails, tries)
        text = regression_text(small, failure)
        if folder is None:
            print(text, flush=True)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"program_{case.program.seed}.mlir").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
