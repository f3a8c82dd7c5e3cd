"""Builds, checks and times emitted CUDA on a machine with a GPU; needs nvcc, gcc and NumPy.

python3 gpu_run.py [--size large] [--check small] [--peer NAME=FOLDER] [kernel ...]

It runs in a folder that `benchmarks/gpu.py --bundle FOLDER` has written, and needs nothing else of
polyir. Every kernel is compiled twice: without contraction, to be compared with C on the CPU, and
with nvcc's defaults, to be timed. The time of kernels is that of a call without its copies, and
without allocating and freeing memory; it includes launches. A peer's folder has `KERNEL.cu` files
that define the same functions.

The rates are of the operations of the original program, and of the bytes that must move: what it
reads before it writes it, and what it writes, for each time step. The part of the device's rate for
copies, and of its rate for multiply-adds, follows.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from kernels import KERNELS, Array, Kernel

REFERENCE: Final = ("gcc", "-std=c99", "-O2", "-ffp-contract=off", "-shared", "-fPIC")
NVCC: Final = ("nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", "-include", "gpu_timing.h")
PARAMETER_TYPES: Final[Mapping[str, Any]] = {
    "index": ctypes.c_int64,
    "f64": ctypes.c_double,
    "f32": ctypes.c_float,
}
COPY_BYTES: Final = 2**30
PRODUCT_SIZE: Final = 4096
TOLERANCE: Final = 1e-9
"""The relative difference from which on a result is wrong: `exp` and the like are not exact."""


class RunError(Exception):
    """A file cannot be built, or a call has failed."""


@dataclass(frozen=True)
class Times:
    """The time of one call in seconds, and how many bytes were copied."""

    kernels: float
    copies: float
    memory: float
    copied_bytes: int


@dataclass(frozen=True)
class Limits:
    """What the device can do: bytes and operations a second; 0 is unknown."""

    name: str
    copy: float
    to_device: float
    to_host: float
    multiply_add: float
    product: float


@dataclass(frozen=True)
class Bundle:
    """What `benchmarks/gpu.py` has written: functions, work, and folders of files by variant."""

    folder: Path
    parameters: Mapping[str, Sequence[Mapping[str, Any]]]
    work: Mapping[str, Mapping[str, Mapping[str, int]]]
    variants: Mapping[str, Path]

    @staticmethod
    def read(folder: Path, peers: Mapping[str, Path]) -> Bundle:
        """The bundle in a folder, with the files of other tools as further variants."""
        description = json.loads((folder / "bundle.json").read_text())
        own = {name: folder / name for name in description["variants"]}
        return Bundle(folder, description["parameters"], description["work"], {**own, **peers})


# ------------------------------------------------------------------------------------ building


def built(command: Sequence[str | Path], library: Path) -> ctypes.CDLL:
    """The library that a compiler makes."""
    whole = [str(part) for part in (*command, "-o", library)]
    done = subprocess.run(whole, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"{' '.join(whole)}:\n{done.stdout}{done.stderr}")
    return ctypes.CDLL(str(library.resolve()))


def called(
    function: Any, parameters: Sequence[Mapping[str, Any]], arguments: Sequence[Any]
) -> None:
    """Call a function with the C interface: arrays are pointers with their dynamic extents."""
    passed: list[Any] = []
    for parameter, value in zip(parameters, arguments, strict=True):
        if parameter["type"] == "array":
            passed.append(value.ctypes.data_as(ctypes.c_void_p))
            passed += [ctypes.c_int64(value.shape[n]) for n in parameter["dynamic"]]
        else:
            passed.append(PARAMETER_TYPES[parameter["type"]](value))
    function.restype = None
    function(*passed)


def require_no_error(library: ctypes.CDLL) -> None:
    """Raise `RunError` if the library says that CUDA has failed; other tools' do not say it."""
    error = getattr(library, "polyir_cuda_error", None)
    if error is not None and (code := error()):
        raise RunError(f"CUDA error {code}")


# ------------------------------------------------------------------------------------ measuring


def limits_of_device(bundle: Bundle, flags: Sequence[str]) -> Limits:
    """Measure the device; with cuBLAS if it is there."""
    base = ["nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", *flags]
    source, library = bundle.folder / "gpu_machine.cu", bundle.folder / "build" / "machine.so"
    try:
        machine = built([*base, "-DWITH_CUBLAS", source, "-lcublas"], library)
    except (RunError, OSError):
        machine = built([*base, source], library.with_name("machine_alone.so"))
    machine.gpu_name.restype = ctypes.c_char_p
    rates = (
        machine.gpu_copy_rate,
        machine.gpu_transfer_rate,
        machine.gpu_multiply_add_rate_f64,
        machine.gpu_product_rate,
    )
    for rate in rates:
        rate.restype = ctypes.c_double
    host = np.zeros(COPY_BYTES // 4, np.uint8)
    pointer, size = host.ctypes.data_as(ctypes.c_void_p), ctypes.c_longlong(host.nbytes)
    return Limits(
        machine.gpu_name().decode(),
        rates[0](ctypes.c_longlong(COPY_BYTES)),
        rates[1](pointer, size, 0),
        rates[1](pointer, size, 1),
        rates[2](),
        rates[3](PRODUCT_SIZE),
    )


def timed(
    library: ctypes.CDLL,
    kernel: Kernel,
    parameters: Sequence[Mapping[str, Any]],
    size: str,
    repetitions: int,
) -> Times:
    """The fastest call of several, after one that warms up."""
    function = getattr(library, kernel.function)
    arguments = kernel.make_arguments(size)
    found: list[Times] = []
    for _ in range(repetitions + 1):
        _times_of(library)
        begin = time.perf_counter()
        called(function, parameters, arguments)
        total = time.perf_counter() - begin
        require_no_error(library)
        copies, memory, copied = _times_of(library)
        found.append(Times(total - copies - memory, copies, memory, copied))
    return min(found[1:], key=lambda each: each.kernels)


def _times_of(library: ctypes.CDLL) -> tuple[float, float, int]:
    """The seconds of copies and of memory since the last call, and the copied bytes."""
    copies, memory, size = ctypes.c_double(), ctypes.c_double(), ctypes.c_longlong()
    library.polyir_times(ctypes.byref(copies), ctypes.byref(memory), ctypes.byref(size))
    return copies.value, memory.value, size.value


# ------------------------------------------------------------------------------------ checking


def difference(
    library: ctypes.CDLL,
    reference: ctypes.CDLL,
    kernel: Kernel,
    parameters: Sequence[Mapping[str, Any]],
    size: str,
) -> float:
    """The largest relative difference to what C computes on the CPU; 0 if all bits agree."""
    expected, actual = kernel.make_arguments(size), kernel.make_arguments(size)
    called(getattr(reference, kernel.function), parameters, expected)
    called(getattr(library, kernel.function), parameters, actual)
    require_no_error(library)
    pairs = zip(expected, actual, strict=True)
    return max(
        (_distance(a, b) for a, b in pairs if isinstance(a, np.ndarray)),
        default=0.0,
    )


def _distance(expected: Array, actual: Array) -> float:
    if expected.tobytes() == actual.tobytes():
        return 0.0
    scale = float(np.max(np.abs(expected))) or 1.0
    distance = float(np.max(np.abs(actual - expected))) / scale
    return distance if np.isfinite(distance) else float("inf")


# ------------------------------------------------------------------------------------ the table


def rows(
    bundle: Bundle,
    kernel: Kernel,
    limits: Limits,
    options: argparse.Namespace,
) -> Iterator[str]:
    """A line for each variant of a kernel."""
    parameters = bundle.parameters[kernel.name]
    work = bundle.work[kernel.name][options.size]
    build = bundle.folder / "build"
    reference = built(
        [*REFERENCE, bundle.folder / "reference" / f"{kernel.name}.c", "-lm"],
        build / f"{kernel.name}_reference.so",
    )
    for variant, folder in bundle.variants.items():
        source = folder / f"{kernel.name}.cu"
        if not source.exists():
            continue
        head = f"{kernel.name:16}{variant:12}"
        base = [*NVCC, f"-I{bundle.folder}", *options.flags]
        name = f"{kernel.name}_{variant}"
        try:
            exact = built([*base, "-fmad=false", source], build / f"{name}_exact.so")
            distance = difference(exact, reference, kernel, parameters, options.check)
            fast = built([*base, source], build / f"{name}.so")
            times = timed(fast, kernel, parameters, options.size, options.repeat)
        except RunError as error:
            yield f"{head}failed: {error}"
            continue
        seconds = max(times.kernels, 1e-9)
        moved, done = work["bytes"] / seconds, work["operations"] / seconds
        same = "same bits" if distance == 0 else f"{distance:.1e}"
        same += " WRONG" * (distance > TOLERANCE)
        yield (
            f"{head}{times.kernels * 1e3:11.3f}{times.copies * 1e3:11.3f}{times.memory * 1e3:9.3f}"
            f"{moved / 1e9:10.1f}{_part(moved, limits.copy):>7}"
            f"{done / 1e9:10.1f}{_part(done, limits.multiply_add):>7}  {same}"
        )


def _part(rate: float, limit: float) -> str:
    return f"{100 * rate / limit:.0f} %" if limit > 0 else "-"


def heading(limits: Limits, options: argparse.Namespace) -> Iterator[str]:
    """What the device can do, and the titles of the columns."""
    yield f"device: {limits.name or 'none'}"
    yield f"copy on the device, read and written: {limits.copy / 1e9:.1f} GB/s"
    yield f"copy to the device: {limits.to_device / 1e9:.1f} GB/s"
    yield f"copy to the host: {limits.to_host / 1e9:.1f} GB/s"
    yield f"multiply-adds of doubles: {limits.multiply_add / 1e9:.1f} GFLOP/s"
    product = f"{limits.product / 1e9:.1f} GFLOP/s" if limits.product else "not there"
    yield f"cuBLAS, N = {PRODUCT_SIZE}: {product}"
    yield f"sizes: {options.size}; checked with: {options.check}"
    yield ""
    yield (
        f"{'kernel':16}{'variant':12}{'kernels ms':>11}{'copies ms':>11}{'memory':>9}"
        f"{'GB/s':>10}{'copy':>7}{'GFLOP/s':>10}{'peak':>7}  result"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all kernels of the bundle; the exit code is 1 if one fails or differs much."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="default: all")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent, help="the bundle")
    parser.add_argument("--size", default="large", help="the data set that is timed")
    parser.add_argument("--check", default="small", help="the data set that is compared with C")
    parser.add_argument("--repeat", type=int, default=5, help="calls, of which the best counts")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--flags", default="-arch=native", help="further flags of nvcc")
    options = parser.parse_args(arguments)
    options.flags = options.flags.split()
    missing = [tool for tool in ("nvcc", "gcc") if shutil.which(tool) is None]
    if missing:
        parser.error(f"{missing[0]} is not in PATH")
    peers = {name: Path(folder) for name, _, folder in (p.partition("=") for p in options.peer)}
    bundle = Bundle.read(options.folder, peers)
    unknown = [name for name in options.kernels if name not in bundle.parameters]
    if unknown:
        parser.error(f"no kernel '{unknown[0]}'; there are: {', '.join(bundle.parameters)}")
    (bundle.folder / "build").mkdir(exist_ok=True)
    try:
        limits = limits_of_device(bundle, options.flags)
    except RunError as error:
        sys.exit(str(error))
    for line in heading(limits, options):
        print(line)
    is_right = True
    for name in options.kernels or bundle.parameters:
        for line in rows(bundle, KERNELS[name], limits, options):
            print(line, flush=True)
            is_right &= "failed: " not in line and not line.endswith("WRONG")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
