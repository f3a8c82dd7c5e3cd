"""Compiles versions of a nest, and times them in turns in one process."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from .nests import Array, Nest

COMPILERS: Final[Mapping[str, tuple[str, ...]]] = {
    "gcc": ("gcc", "-O3", "-march=native", "-fopenmp"),
    "clang": ("clang-19", "-O3", "-march=native", "-fopenmp", "-ffp-contract=fast"),
}
LIMIT: Final = 60.0
"""Seconds that a tool, a compiler or all runs of a nest may take."""

_DRIVER: Final = """\
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xmmintrin.h>
typedef void Kernel(%(types)s);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
%(arrays)s
static void reset(void) {
%(reset)s
}
static void idle(void) {
  // Threads of a version that spin disturb no other one.
  struct timespec t = {0, 3000000};
  nanosleep(&t, 0);
}
int main(int count, char **names) {
  // Numbers near zero would be slow, and come from calling a nest again and again.
  _mm_setcsr(_mm_getcsr() | 0x8040);
%(allocate)s
  int versions = count - 1;
  Kernel *kernel[64];
  double best[64], difference[64];
  long calls[64];
  for (int v = 0; v < versions; v++) {
    void *library = dlopen(names[v + 1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%%s\\n", dlerror());
      return 1;
    }
    kernel[v] = (Kernel *)dlsym(library, "kernel");
    reset();
    kernel[v](%(call)s);
    difference[v] = 0;
%(compare)s
    reset();
    double start = now();
    kernel[v](%(call)s);
    double once = now() - start;
    calls[v] = once > %(turn)s ? 1 : (long)(%(turn)s / (once + 1e-8)) + 1;
    best[v] = 1e9;
  }
  double begin = now();
  for (int round = 0; round < %(rounds)d || round < 3 * %(rounds)d && now() - begin < 0.1; round++)
    for (int v = 0; v < versions; v++) {
      reset();
      idle();
      kernel[v](%(call)s);
      double start = now();
      for (long call = 0; call < calls[v]; call++)
        kernel[v](%(call)s);
      double time = (now() - start) / calls[v];
      if (time < best[v])
        best[v] = time;
    }
  for (int v = 0; v < versions; v++)
    printf("%%.9g %%.3g\\n", best[v], difference[v]);
}
"""


class MeasureError(Exception):
    """A version could not be made or run; the text says why."""


@dataclass(frozen=True)
class Version:
    """What `polyir-cc` made of a nest: its C text, the strategy, and the estimates in seconds."""

    text: str
    chosen: str
    estimates: Mapping[str, float]
    seconds: float


def run(command: Sequence[str], **environment: str) -> str:
    """What a command prints. Raises `MeasureError`."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, env=os.environ | environment
        )
    except subprocess.TimeoutExpired:
        raise MeasureError(f"{Path(command[0]).name} took more than {LIMIT:g} s") from None
    if done.returncode not in (0, 2):
        raise MeasureError(f"{Path(command[0]).name}: {(done.stderr or 'failed').strip()[-300:]}")
    return done.stdout + done.stderr


_ESTIMATE: Final = re.compile(r"\[optimize\] ([\w-]+): ([\d.e+-]+) (ns|us|ms|s);")
_CHOSEN: Final = re.compile(r"\[optimize\] chosen: ([\w-]+)")
_UNITS: Final[Mapping[str, float]] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def transformed(
    tool: Path, source: Path, options: str, sizes: Mapping[str, int] = MappingProxyType({})
) -> Version:
    """What `polyir-cc` makes of a file with options of `optimize`, and sizes that it is told.

    Raises `MeasureError`.
    """
    result = source.with_name(f"{source.stem}-{re.sub('[^a-z0-9]+', '-', options)}.c")
    result.unlink(missing_ok=True)
    before = os.times()
    command = [str(tool), str(source), f"--optimize={options}", "--remarks", "-o", str(result)]
    if sizes:
        command += ["--size", ",".join(f"{name}={size}" for name, size in sizes.items())]
    remarks = run(command)
    after = os.times()
    estimates = {
        name: float(number) * _UNITS[unit] for name, number, unit in _ESTIMATE.findall(remarks)
    }
    chosen = _CHOSEN.findall(remarks)
    seconds = after.children_user + after.children_system
    seconds -= before.children_user + before.children_system
    return Version(result.read_text(), chosen[0] if chosen else "original", estimates, seconds)


def compiled(text: str, folder: Path, name: str, compiler: str) -> Path:
    """The shared library of a C text. Raises `MeasureError`."""
    source, library = folder / f"{name}-{compiler}.c", folder / f"{name}-{compiler}.so"
    source.write_text(text)
    run([*COMPILERS[compiler], "-w", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"])
    return library


def times(
    nest: Nest, libraries: Sequence[Path], folder: Path, threads: int
) -> list[tuple[float, float]]:
    """The shortest time of a call of each library, in seconds, and how far its result is off.

    The distance is that of the largest element from the first library's, relative to it. Raises
    `MeasureError`.
    """
    driver = folder / "driver"
    source = folder / "driver.c"
    source.write_text(_driver(nest))
    run(["gcc", "-O1", "-w", str(source), "-o", str(driver), "-ldl", "-lm"])
    lines = run([str(driver), *map(str, libraries)], OMP_NUM_THREADS=str(threads)).split()
    numbers = list(map(float, lines))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _driver(nest: Nest) -> str:
    arrays, allocate, reset, compare, call, types = [], [], [], [], [], []
    for number, each in enumerate(nest.arguments):
        if not isinstance(each, Array):
            call.append(str(each))
            types.append("int")
            continue
        a, c = f"a{number}", each.count
        call.append(a)
        types.append(f"{each.type} *")
        arrays.append(f"static {each.type} *{a}, *first{number}, *expected{number};")
        if each.type in ("float", "double"):
            value = "rand() / (double)RAND_MAX"
        else:
            value = f"rand() % {each.limit}"
        allocate.append(
            f"  {a} = aligned_alloc(64, sizeof *{a} * {c} / 64 * 64 + 64);\n"
            f"  first{number} = malloc(sizeof *{a} * {c});\n"
            f"  expected{number} = malloc(sizeof *{a} * {c});\n"
            f"  for (long i = 0; i < {c}; i++)\n    first{number}[i] = {value};"
        )
        reset.append(f"  memcpy({a}, first{number}, sizeof *{a} * {c});")
        compare.append(
            f"    if (!v)\n      memcpy(expected{number}, {a}, sizeof *{a} * {c});\n"
            f"    for (long i = 0; i < {c}; i++) {{\n"
            f"      double e = expected{number}[i], d = fabs({a}[i] - e) / (fabs(e) + 1e-3);\n"
            f"      if (d > difference[v])\n        difference[v] = d;\n    }}"
        )
    return _DRIVER % {
        "types": ", ".join(types),
        "arrays": "\n".join(arrays),
        "allocate": "\n".join(allocate),
        "reset": "\n".join(reset),
        "compare": "\n".join(compare),
        "call": ", ".join(call),
        "turn": "2e-3",
        "rounds": 7 if nest.work < 1e8 else 3,
    }


def saved(path: Path) -> list[dict[str, object]]:
    """The lines of a file of results."""
    return [json.loads(line) for line in path.read_text().splitlines()]
