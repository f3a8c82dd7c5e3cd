"""Times polyir-opt on every kernel, and gcc on the C that it emits; run by `make bench-compile`.

Each kernel is a process of its own, start-up included; the best of `--repeat` runs counts. Python
keeps bytecode, whatever PYTHONDONTWRITEBYTECODE says. The figures are saved as JSON, and
`--before FILE` shows those of an earlier run beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from beyond_kernels import ALL_KERNELS, SUITES
from kernels import Kernel

from polyir.pipeline import DEFAULT_PIPELINE

OUTPUT: Final = Path(__file__).parents[1] / "build" / "bench" / "compile-time.json"
GCC: Final = ("gcc", "-O3", "-march=native", "-fopenmp", "-w", "-c", "-x", "c")

GEMM_LIMIT: Final = 1.0
OPT_LIMIT: Final = 2.5
GCC_LIMIT: Final = 3.0
"""Seconds that issue 14 allows: polyir-opt on gemm, on any kernel, and gcc on what it emits."""


@dataclass(frozen=True)
class CompileTime:
    """The shortest times of a kernel in seconds; `gcc` is `None` where that was not timed."""

    opt: float
    gcc: float | None


Times = Mapping[str, CompileTime]


def seconds_of(command: Sequence[str]) -> float:
    """The wall time of one run; raises `CalledProcessError` if it fails."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    subprocess.run(
        command,
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def times_of(kernel: Kernel, pipeline: str, repeat: int, folder: Path) -> CompileTime:
    """The best of several runs of polyir-opt, and of as many of gcc."""
    emitted = folder / f"{kernel.name}.c"
    tool = str(Path(sys.executable).parent / "polyir-opt")
    opt = [tool, "-p", pipeline, "--emit=c", str(kernel.path), "-o", str(emitted)]
    gcc = [*GCC, str(emitted), "-o", str(folder / "kernel.o")]
    seconds = min(seconds_of(opt) for _ in range(repeat))
    return CompileTime(seconds, min(seconds_of(gcc) for _ in range(repeat)))


def save(times: Times, pipeline: str, path: Path) -> None:
    """Write the figures as JSON, for a later `--before`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kernels = {name: asdict(each) for name, each in times.items()}
    path.write_text(json.dumps({"pipeline": pipeline, "kernels": kernels}, indent=1))


def load(path: Path) -> tuple[str, Times]:
    """The pipeline and the figures that `save` has written."""
    content = json.loads(path.read_text())
    return content["pipeline"], {
        name: CompileTime(each["opt"], each["gcc"]) for name, each in content["kernels"].items()
    }


def row(name: str, *times: CompileTime | None) -> str:
    """A line of the table: two columns for each run."""
    cells = [
        "-" if seconds is None else f"{seconds:.2f}"
        for each in times
        for seconds in ((None, None) if each is None else (each.opt, each.gcc))
    ]
    return f"{name:16}" + "".join(f" {cell:>9}" for cell in cells)


def summary(times: Times, before: Times) -> str:
    """Sums over the kernels that both runs have, and the worst cases against the limits."""
    lines: list[str] = []
    common = [name for name in times if name in before] if before else list(times)

    def total(of: Times) -> CompileTime:
        known = [each.gcc for each in (of[name] for name in common) if each.gcc is not None]
        return CompileTime(sum(of[name].opt for name in common), sum(known) if known else None)

    if common:
        runs = [total(times), *([total(before)] if before else [])]
        lines.append(row(f"sum of {len(common)}", *runs))
    if "gemm" in times:
        lines.append(_against("polyir-opt, gemm", "gemm", times["gemm"].opt, GEMM_LIMIT))
    worst = max(times, key=lambda name: times[name].opt)
    lines.append(_against("polyir-opt, worst", worst, times[worst].opt, OPT_LIMIT))
    compiled = {name: each.gcc for name, each in times.items() if each.gcc is not None}
    if compiled:
        worst = max(compiled, key=lambda name: compiled[name])
        lines.append(_against("gcc, worst", worst, compiled[worst], GCC_LIMIT))
    return "\n".join(lines)


def _against(what: str, kernel: str, seconds: float, limit: float) -> str:
    verdict = "within" if seconds < limit else "ABOVE"
    return f"{what}: {kernel} {seconds:.2f} s, {verdict} the limit of {limit:.1f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="make bench-compile", description=__doc__)
    add = parser.add_argument
    add("--pipeline", default=DEFAULT_PIPELINE, help=f"what polyir-opt runs ({DEFAULT_PIPELINE})")
    add("--suite", choices=SUITES, default="polybench", help="the kernels (polybench)")
    add("--repeat", type=int, default=3, help="runs a kernel (3)")
    add("--before", type=Path, help="JSON of an earlier run, shown beside this one")
    add("--output", type=Path, default=OUTPUT, help="where this run is saved")
    add("kernels", nargs="*", metavar="KERNEL", help="names of kernels (all of the suite)")
    options = parser.parse_args(arguments)
    for name in options.kernels:
        if name not in ALL_KERNELS:
            parser.error(f"no kernel '{name}'")
    before_pipeline, before = load(options.before) if options.before else ("", {})
    print(f"polyir-opt -p '{options.pipeline}' --emit=c, then {' '.join(GCC[:4])}; seconds")
    if before:
        print(f"before: {options.before}, -p '{before_pipeline}'")
    titles = ["opt", "gcc", *(["opt then", "gcc then"] if before else [])]
    print(f"{'kernel':16}" + "".join(f" {title:>9}" for title in titles))
    times: dict[str, CompileTime] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.kernels or SUITES[options.suite]:
            kernel = ALL_KERNELS[name]
            times[name] = times_of(kernel, options.pipeline, options.repeat, Path(folder))
            print(row(name, times[name], *([before.get(name)] if before else [])), flush=True)
    print(summary(times, before))
    save(times, options.pipeline, options.output)
    print(f"saved: {options.output}")


if __name__ == "__main__":
    main()
