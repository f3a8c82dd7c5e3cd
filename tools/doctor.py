"""`polyir doctor`: print what polyir finds on this machine, and what is missing for what.

Each part is tried, not only looked for: a loop is compiled with OpenMP, devices are opened. The
exit code is 1 if code cannot be compiled and run here.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

from polyir.base.diagnostics import OptionError, PolyirError
from polyir.choose.machine import describe, machine_of_option
from polyir.runtime.compiler import CompilerOptions, build_library, find_compiler, run_command
from polyir.runtime.gpu.device import GpuTarget, open_device
from polyir.runtime.mpi import find_mpi
from polyir.tools.command_line import ArgumentParser, add_version, exit_code_of

EXTRAS: Final = {
    "jit": "compiles without a C compiler; --emit=llvm",
    "plot": "plot-domain, plot-schedule",
    "opencl": "--target=opencl runs kernels, with PoCL on the CPU",
    "cuda": "--target=cuda runs kernels",
    "mpi": "--ranks, polyir-cc --mpi",
    "report": "--report",
    "tune": "polyir-tune: search=bayesian, progress",
    "irregular": "orders of graphs for loops with index arrays",
    "highs": "large integer programs of schedulers",
    "geometric": "tile{model}",
    "completion": "--print-completion, for shells",
}
"""What each extra of the package is for."""


@dataclass(frozen=True)
class Part:
    """A part of what polyir can use: what it is for, whether it works, and what was found.

    `advice` says how to get it, where it does not work.
    """

    name: str
    purpose: str
    works: bool
    found: str
    advice: str = ""


def examine() -> list[Part]:
    """All parts, in the order in which most people need them."""
    return [
        _tried(
            "C compiler",
            "runs and times what is compiled",
            _compiler_with_openmp,
            "apt-get install gcc, or set CC",
        ),
        *_extras(),
        _tried("OpenCL device", EXTRAS["opencl"], partial(_device, "opencl"), ""),
        _tried("CUDA device", EXTRAS["cuda"], partial(_device, "cuda"), ""),
        _tried(
            "nvcc",
            "compiles the kernels of polyir-cc --target=cuda",
            partial(_program, "nvcc"),
            "install NVIDIA's CUDA toolkit",
        ),
        _tried("MPI", EXTRAS["mpi"], lambda: find_mpi().launcher, ""),
        *(
            _tried(
                name,
                "compares results in polyir's own tests",
                partial(_program, name),
                f"apt-get install {package}",
            )
            for name, package in (("mlir-opt-19", "mlir-19-tools"), ("clang-19", "clang-19"))
        ),
    ]


def _tried(name: str, purpose: str, find: Callable[[], str], advice: str) -> Part:
    try:
        return Part(name, purpose, True, find())
    except PolyirError as error:
        return Part(name, purpose, False, error.message.partition("\n")[0], advice)


def _compiler_with_openmp() -> str:
    """The compiler, after it has compiled a loop whose threads are counted."""
    compiler = find_compiler(CompilerOptions())
    library = ctypes.CDLL(str(build_library(_COUNT_THREADS, CompilerOptions())))
    said = run_command([*compiler, "--version"]).stdout.partition("\n")[0]
    return f"{' '.join(compiler)}: {said}; OpenMP runs {library.threads()} threads"


_COUNT_THREADS = """
int threads(void) {
  int count = 0;
  #pragma omp parallel reduction(+ : count)
  count += 1;
  return count;
}
"""


def _extras() -> Iterator[Part]:
    for extra, purpose in EXTRAS.items():
        found, missing = [], []
        for name in _packages_of(extra):
            try:
                found.append(f"{name} {version(name)}")
            except PackageNotFoundError:
                missing.append(name)
        text = ", ".join(found) if not missing else f"missing: {', '.join(missing)}"
        advice = f"pip install 'polyir[{extra}]'"
        yield Part(f"polyir[{extra}]", purpose, not missing, text, advice)


def _packages_of(extra: str) -> list[str]:
    """The packages of an extra, but those for some systems only."""
    marker = re.compile(rf"""^([\w.-]+)[^;]*;\s*extra == ["']{extra}["']$""")
    return [found[1] for each in requires("polyir") or () if (found := marker.match(each))]


def _device(target: GpuTarget) -> str:
    return open_device(target).name


def _program(name: str) -> str:
    if (path := shutil.which(name)) is None:
        raise PolyirError(f"not found: {name}", name="missing-tool")
    return path


def report(parts: Sequence[Part]) -> str:
    """The parts as text: first those that work, then those that are missing."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("polyir", "xdsl", "islpy", "numpy"))
    lines = [f"{packages}, Python {sys.version.split()[0]}"]
    lines += ["", "these work:"]
    lines += [f"  {part.name:20} {part.found}" for part in parts if part.works]
    if not all(part.works for part in parts):
        lines += ["", "these are missing:"]
    for part in parts:
        if not part.works:
            lines += [f"  {part.name:20} for: {part.purpose}", f"  {'':20} {part.found}"]
            lines += [f"  {'':20} to get it: {part.advice}"] if part.advice else []
    lines += ["", "the machine that --optimize compiles for:"]
    lines += [f"  {describe(machine_of_option(''))}"]
    lines += ["  polyir-machine prints all of it; polyir-machine --measure measures its speeds"]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool. Returns 0, or 1 after an error or if compiled code cannot run here."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        prog="polyir",
        description="polyir doctor: " + (__doc__ or "").partition(": ")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", help="doctor")
    add_version(parser)
    options = parser.parse_args(arguments)
    if options.command != "doctor":
        raise OptionError("the only command of polyir is doctor; polyir-cc and polyir-opt compile")
    parts = examine()
    print(report(parts))
    compiling = {"C compiler", "polyir[jit]"}
    return 0 if any(part.works for part in parts if part.name in compiling) else 1


if __name__ == "__main__":
    sys.exit(main())
