"""`make fuzz-c`: random C functions through polyir-cc, before and after under two sanitizers.

Many functions stand in one file, so that compilers run once for all. Each call of a function runs
in a process of its own. It counts if the original ends without a report of the sanitizers; then
each result must end in the same way, without a report and with the same numbers in memory.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from random import Random

from fuzzing.aliases import HASH
from fuzzing.c_programs import GLOBALS, Function, random_function, smaller
from polyir.tools import polyir_cc

BATCH = 20
DEFAULT: tuple[str, ...] = ()
OTHERS = (
    ("--pluto-schedule", "--tile=4", "--mark-parallel"),
    ("--isl-schedule", "--tile=3", "--mark-parallel"),
    ("--privatize", "--pluto-schedule=fuse=max", "--tile=4", "--wavefront", "--mark-parallel"),
    ("--feautrier-schedule", "--mark-parallel"),
    ("--spatial-schedule", "--tile=5", "--mark-parallel", "--vectorize"),
    ("--expand", "--pluto-schedule", "--mark-parallel", "--contract"),
    ("--poly-raise=data-loops", "--privatize", "--pluto-schedule", "--tile=4", "--mark-parallel"),
    ("--poly-raise=data-loops", "--privatize", "--mark-parallel"),
)
COMPILE = (
    *("gcc", "-std=gnu99", "-w", "-O0", "-g1", "-fopenmp", "-ffp-contract=off"),
    "-fsanitize=address,undefined",
)
SECONDS = 10
"""What a call may take; its loops have few iterations."""
STEP_SECONDS = 5
"""Processor time for a step of polyir-cc."""

HEAD = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
"""

RUNS = """
static struct { void *start; unsigned long size; } made[32];
static int makes;
enum Kind { ZERO, INT, LONG, DOUBLE, FLOAT, CHAR, BOOL, OTHER };

static void *fresh(unsigned long count, unsigned long size, enum Kind kind) {
  char *start = malloc(count *= size);
  for (int i = 0; kind == INT && i < count / 4; i++) ((int *)start)[i] = i * 7 % 19;
  for (int i = 0; kind == LONG && i < count / 8; i++) ((long *)start)[i] = i * 5 % 23 - 6;
  for (int i = 0; kind == DOUBLE && i < count / 8; i++) ((double *)start)[i] = i * 3 % 11 - 2.5;
  for (int i = 0; kind == FLOAT && i < count / 4; i++) ((float *)start)[i] = i * 2 % 7 - 1;
  for (int i = 0; kind == CHAR && i < count; i++) start[i] = i * 9 % 31 - 9;
  for (int i = 0; kind == BOOL && i < count; i++) start[i] = i % 3 == 1;
  if (kind == ZERO || kind == OTHER) memset(start, 0, count);
  made[makes].start = start;
  made[makes++].size = kind == OTHER ? 0 : count;
  return start;
}

static void fill(void) {
  for (int i = 0; i < 28; i++) {
    V[i] = i % 9 - 3; K[i] = i * 5 % 17;
    for (int j = 0; j < 28; j++) {
      D[i][j] = (i * 3 + j) % 17 - 4; F[i][j] = (i + 2 * j) % 13; I[i][j] = (i * j) % 29 - 8;
      U[i][j] = i * 77 + j; L[i][j] = i - j; C[i][j] = (i * 9 + j) % 50; B[i][j] = (i + j) % 3 == 0;
    }
  }
}

static void show(int result) {
  unsigned long h = 5381;
  h = hash(hash(hash(hash(h, D, sizeof D), V, sizeof V), F, sizeof F), I, sizeof I);
  h = hash(hash(hash(hash(h, K, sizeof K), U, sizeof U), L, sizeof L), C, sizeof C);
  h = hash(h, B, sizeof B);
  printf(" %d %a %a %d %ld %lx", result, total, most, count, sum, h);
  for (int i = 0; i < makes; i++) {
    printf(" %lx", hash(5381, made[i].start, made[i].size));
    free(made[i].start);
  }
}

static void run(const char *name, void (*body)(void)) {
  fprintf(stderr, "@%s\\n", name);
  if (fork() == 0) {
    alarm(SECONDS);
    fill();
    body();
    fflush(stdout);
    _exit(0);
  }
  int status;
  wait(&status);
  printf(" %d\\n", status);
  fflush(stdout);
}
"""


@dataclass(frozen=True)
class Failure:
    """What a pipeline did wrong with a function; `kind` is what shrunk functions share."""

    number: int
    pipeline: tuple[str, ...]
    kind: str
    detail: str


@dataclass
class Outcome:
    """What became of functions: `calls` counts those that are tests, `regions` what was done."""

    calls: int = 0
    regions: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        self.calls += other.calls
        self.regions += other.regions
        self.reasons += other.reasons
        self.failures += other.failures


def file_text(functions: Sequence[Function]) -> str:
    """A C program with functions and all of their calls."""
    parts = [HEAD, GLOBALS, HASH, RUNS.replace("SECONDS", str(SECONDS))]
    parts += [f"{function.text()}\n" for function in functions]
    runs: list[str] = []
    for function in functions:
        for call in function.calls:
            name = f"call_{call.name}"
            body = f"  int result;\n{call.text}\n  show(result);\n"
            parts.append(f"static void {name}(void) {{\n{body}}}")
            runs.append(f'  run("{call.name}", {name});')
    return "\n".join((*parts, "int main(void) {", *runs, "}", ""))


def pipelines_of(seed: int) -> tuple[tuple[str, ...], ...]:
    """The default pipeline and three others."""
    return (DEFAULT, *Random(seed).sample(OTHERS, 3))


def try_functions(
    functions: Sequence[Function], pipelines: Sequence[tuple[str, ...]], folder: Path
) -> Outcome:
    """Transform, compile and run functions, as one file."""
    source = folder / "in.c"
    source.write_text(file_text(functions))
    expected = {
        name: text
        for name, (text, report) in _results(source).items()
        if not report and text.endswith(" 0")
    }
    outcome = Outcome(calls=len(expected))
    defined = [
        replace(function, calls=tuple(call for call in function.calls if call.name in expected))
        for function in functions
    ]
    defined = [function for function in defined if function.calls]
    for pipeline in pipelines:
        if defined:
            _try_pipeline(defined, pipeline, expected, source, outcome)
    return outcome


def _try_pipeline(
    functions: Sequence[Function],
    pipeline: tuple[str, ...],
    expected: dict[str, str],
    source: Path,
    outcome: Outcome,
) -> None:
    source.write_text(file_text(functions))
    target, errors = source.with_name("out.c"), StringIO()
    with redirect_stderr(errors):
        code = polyir_cc.main(
            [str(source), "-o", str(target), *pipeline, f"--time-limit={STEP_SECONDS}"]
        )
    messages = errors.getvalue()
    is_defect = code not in (0, polyir_cc.LEFT) or "internal error" in messages
    if is_defect and len(functions) > 1:
        # Which one is it? The others are a test all the same.
        half = len(functions) // 2
        for part in (functions[:half], functions[half:]):
            _try_pipeline(part, pipeline, expected, source, outcome)
        return
    if is_defect:
        kind = next((each for each in messages.split("\n") if "error" in each), "no message")
        kind = re.sub(r"^\S+: |\d+", "", kind)
        outcome.failures.append(Failure(functions[0].number, pipeline, kind, messages))
        return
    outcome.regions["left"] += target.read_text().count("#pragma scop")
    outcome.regions["transformed"] += len(functions) - target.read_text().count("#pragma scop")
    outcome.reasons.update(
        line.partition("transformed: ")[2] for line in messages.split("\n") if "ot transf" in line
    )
    try:
        found = _results(target)
    except subprocess.CalledProcessError as error:
        if len(functions) == 1:
            failure = Failure(functions[0].number, pipeline, "gcc refuses it", error.stderr)
            outcome.failures.append(failure)
            return
        for function in functions:
            _try_pipeline((function,), pipeline, expected, source, outcome)
        return
    outcome.failures += _differences(functions, pipeline, expected, found)


def _differences(
    functions: Sequence[Function],
    pipeline: tuple[str, ...],
    expected: dict[str, str],
    found: dict[str, tuple[str, str]],
) -> list[Failure]:
    """At most one failure for each function."""
    failures: list[Failure] = []
    for function in functions:
        for call in function.calls:
            text, report = found[call.name]
            if text == expected[call.name] and not report:
                continue
            lines = [line for line in report.split("\n") if "rror" in line]
            kind = re.sub(r".*(error|ERROR): |\(.*|0x\w+|\d+", "", lines[0]) if lines else ""
            kind = kind or ("another result" if text.endswith(" 0") else "a crash")
            detail = f"call {call.name}: {expected[call.name]}\nresult: {text}\n{report}"
            failures.append(Failure(function.number, pipeline, kind.strip(), detail))
            break
    return failures


def _results(source: Path) -> dict[str, tuple[str, str]]:
    """For each call what it printed, its status at the end, and what sanitizers reported."""
    program = source.with_suffix(".exe")
    command = [*COMPILE, str(source), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    environment = {
        **os.environ,
        **{"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false"},
        # An access far out of an array must not end in another one, where nobody would notice it.
        "ASAN_OPTIONS": "detect_leaks=0:symbolize=0:redzone=2048:max_redzone=2048",
    }
    done = subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, env=environment, timeout=900
    )
    reports = done.stderr.split("@")[1:]
    names = [report.partition("\n")[0] for report in reports]
    texts = done.stdout.split("\n")[:-1]
    return {
        name: (text, report.partition("\n")[2])
        for name, text, report in zip(names, texts, reports, strict=True)
    }


def shrunk(function: Function, failure: Failure, tries: int) -> Function:
    """A smaller function that fails in the same way; greedy."""
    while tries > 0:
        for candidate in smaller(function):
            tries -= 1
            if _fails(candidate, failure):
                function = candidate
                break
            if tries <= 0:
                break
        else:
            break
    return function


def _fails(function: Function, failure: Failure) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            outcome = try_functions((function,), (failure.pipeline,), Path(folder))
        except subprocess.CalledProcessError:
            # The original is not a C program any more.
            return False
    return any(each.kind == failure.kind for each in outcome.failures)


def main() -> int:
    """Run; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz-c", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--shrink-tries", type=int, default=150)
    options = parser.parse_args()
    begin = time.monotonic()
    total = Outcome()
    end = options.seed + options.count
    for first in range(options.seed, end, BATCH):
        numbers = range(first, min(first + BATCH, end))
        with tempfile.TemporaryDirectory() as folder:
            functions = [random_function(number) for number in numbers]
            outcome = try_functions(functions, pipelines_of(first), Path(folder))
        for failure in outcome.failures:
            print(f"program {failure.number}: {failure.kind} [{' '.join(failure.pipeline)}]")
        total.add(outcome)
        print(
            f"{numbers.stop - options.seed} programs, {time.monotonic() - begin:.0f} s", flush=True
        )
    print(f"programs tried: {options.count} (numbers {options.seed} to {end - 1})")
    print(f"calls without undefined behaviour: {total.calls}")
    print(f"regions: {', '.join(f'{count} {kind}' for kind, count in total.regions.items())}")
    for reason, count in total.reasons.most_common(8):
        print(f"  {count} left: {reason}")
    print(f"failures: {len(total.failures)}")
    _print_shrunk(total.failures, options.shrink_tries)
    return 1 if total.failures else 0


def _print_shrunk(failures: Sequence[Failure], tries: int) -> None:
    """Print one program for each kind of failure, made small."""
    kinds: set[str] = set()
    for failure in failures:
        if failure.kind not in kinds:
            kinds.add(failure.kind)
            function = shrunk(random_function(failure.number), failure, tries)
            print(f"\n{failure.kind}: program {failure.number}, {' '.join(failure.pipeline)}")
            print(
                f"{failure.detail[:1500]}\n{function.text()}\n{function.calls[0].text}", flush=True
            )


if __name__ == "__main__":
    raise SystemExit(main())
