"""What the CUDA compiler makes of the kernels: registers, shared memory, spills.

python benchmarks/gpu.py [--pipeline PASSES] [--architecture sm_90] [--folder FOLDER] [kernel ...]

Each kernel of PolyBench is mapped to the GPU, emitted as CUDA, and compiled with
`nvcc -Xptxas -v`, without a device. One line for each function of the device. With `--folder`, the
emitted files stay there. A kernel whose file does not compile without a warning is an error.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kernels import KERNELS

from polyir import api
from polyir.diagnostics import remarks_to

PIPELINE = "isl-schedule{outer-coincidence},map-to-gpu"


@dataclass(frozen=True)
class Usage:
    """What a thread of a kernel uses: registers, and bytes of shared, local and spilled memory."""

    function: str
    registers: int
    shared: int
    stack: int
    spilled: int


def emit(name: str, pipeline: str, folder: Path) -> Path:
    """Write a kernel as CUDA."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), pipeline)
        text = api.emit(module, "cuda")
    file = folder / f"{name}.cu"
    file.write_text(text)
    return file


def compiled(file: Path, architecture: str, folder: Path) -> str:
    """What ptxas says of a file; exits if there is a warning."""
    result = subprocess.run(
        [
            *("nvcc", f"-arch={architecture}", "-O3", "-Xptxas", "-v", "--Werror", "all-warnings"),
            *("-Xcompiler", "-Wall,-Wextra", "-c", str(file), "-o", str(folder / "kernel.o")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{file}:\n{result.stderr}")
    return result.stderr


def usages(report: str) -> Iterator[Usage]:
    """The functions that ptxas reports."""
    parts = re.split(r"Compiling entry function '(\w+)'", report)
    for function, text in zip(parts[1::2], parts[2::2], strict=True):

        def number(pattern: str, text: str = text) -> int:
            found = re.search(pattern, text)
            return int(found[1]) if found else 0

        spilled = number(r"(\d+) bytes spill stores") + number(r"(\d+) bytes spill loads")
        yield Usage(
            function,
            number(r"Used (\d+) registers"),
            number(r"(\d+) bytes smem"),
            number(r"(\d+) bytes stack frame"),
            spilled,
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="default: all")
    parser.add_argument("--pipeline", default=PIPELINE, help=f"default: {PIPELINE}")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--folder", type=Path, help="where the emitted files stay")
    arguments = parser.parse_args()
    if shutil.which("nvcc") is None:
        sys.exit("there is no nvcc")
    unknown = [name for name in arguments.kernels if name not in KERNELS]
    if unknown:
        parser.error(f"no kernel '{unknown[0]}'; known kernels: {', '.join(KERNELS)}")
    if arguments.folder is not None:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'kernel':28}{'registers':>10}{'shared':>8}{'stack':>7}{'spilled':>9}")
    with TemporaryDirectory() as temporary:
        for name in arguments.kernels or KERNELS:
            file = emit(name, arguments.pipeline, arguments.folder or Path(temporary))
            for each in usages(compiled(file, arguments.architecture, Path(temporary))):
                sizes = f"{each.shared:8}{each.stack:7}{each.spilled:9}"
                print(f"{each.function:28}{each.registers:10}{sizes}", flush=True)


if __name__ == "__main__":
    main()
