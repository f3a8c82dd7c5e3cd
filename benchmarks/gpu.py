"""What the CUDA compiler makes of the kernels: registers, shared memory, spills.

python benchmarks/gpu.py [--pipeline PASSES] [--architecture sm_90] [--folder FOLDER] [kernel ...]
python benchmarks/gpu.py --bundle FOLDER [--variant NAME=PASSES] [kernel ...]

Each kernel of PolyBench is mapped to the GPU, emitted as CUDA, and compiled with
`nvcc -Xptxas -v`, without a device. One line for each function of the device. With `--folder`, the
emitted files stay there. A kernel whose file does not compile without a warning is an error.

With `--bundle`, nothing is compiled: the folder gets the emitted files of each variant, the
original programs in C, and `gpu_run.py`, which builds, checks and times them on a machine with a
GPU, without polyir.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.counts import work_of
from kernels import KERNELS, Kernel
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import public_signatures
from polyir.target.abi import ArrayParameter, Scalar

PIPELINE = "optimize{target=gpu}"


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


# ------------------------------------------------------------------------------------ the bundle

CARRIED = ("gpu_run.py", "gpu_machine.cu", "gpu_timing.h", "kernels.py")
"""The files that a bundle has beside those that are emitted."""

TIMED = ("small", "medium", "large", "extralarge")
"""The data sets whose work a bundle tells."""


def write_bundle(folder: Path, variants: Mapping[str, str], names: Sequence[str]) -> None:
    """Write all that a machine with a GPU needs to run the kernels."""
    (folder / "reference").mkdir(parents=True, exist_ok=True)
    for name in CARRIED:
        shutil.copy(Path(__file__).with_name(name), folder / name)
    parameters = {}
    for name in names:
        text = KERNELS[name].path.read_text()
        module = api.parse(text)
        (folder / "reference" / f"{name}.c").write_text(api.emit(module, "c"))
        parameters[name] = list(parameters_of(module, KERNELS[name].function))
        for variant, pipeline in variants.items():
            (folder / variant).mkdir(exist_ok=True)
            emit(name, pipeline, folder / variant)
    description = {
        "variants": list(variants),
        "parameters": parameters,
        "work": {name: work_in_data_sets(KERNELS[name]) for name in names},
    }
    (folder / "bundle.json").write_text(json.dumps(description, indent=1))


def parameters_of(module: ModuleOp, symbol: str) -> Iterator[dict[str, object]]:
    """The parameters of a function: their types, and the dynamic dimensions of arrays."""
    (signature,) = (each for each in public_signatures(module) if each.symbol == symbol)
    for parameter in signature.parameters:
        if isinstance(parameter, ArrayParameter):
            yield {"type": "array", "dynamic": list(parameter.type.dynamic_dimensions)}
        else:
            yield {"type": PARAMETER_NAMES[parameter.type]}


PARAMETER_NAMES = {Scalar.INT64: "index", Scalar.DOUBLE: "f64", Scalar.FLOAT: "f32"}


def work_in_data_sets(kernel: Kernel) -> dict[str, dict[str, int]]:
    """The operations of a kernel, and the bytes that it moves at least, by data set.

    A kernel with time steps moves the bytes of one step in each of them.
    """
    found = {}
    for data_set in TIMED:
        sizes = kernel.sizes(data_set)
        steps = next((name for name in sizes if name.lower() == "tsteps"), None)
        operations = work_of(kernel, sizes).operations
        one = work_of(kernel, sizes if steps is None else {**sizes, steps: 1})
        moved = one.bytes * (1 if steps is None else sizes[steps])
        found[data_set] = {"operations": operations, "bytes": moved}
    return found


def main() -> None:
    """Print the table, or write a bundle."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="default: all")
    parser.add_argument("--pipeline", default=PIPELINE, help=f"default: {PIPELINE}")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--folder", type=Path, help="where the emitted files stay")
    parser.add_argument("--bundle", type=Path, help="what is written for a machine with a GPU")
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="NAME=PASSES",
        help="a further pipeline for the bundle; the one of --pipeline is called 'default'",
    )
    arguments = parser.parse_args()
    unknown = [name for name in arguments.kernels if name not in KERNELS]
    if unknown:
        parser.error(f"no kernel '{unknown[0]}'; known kernels: {', '.join(KERNELS)}")
    if arguments.bundle is not None:
        variants = {"default": arguments.pipeline}
        variants |= {
            name: passes for name, _, passes in (v.partition("=") for v in arguments.variant)
        }
        write_bundle(arguments.bundle, variants, arguments.kernels or list(KERNELS))
        return
    if shutil.which("nvcc") is None:
        sys.exit("there is no nvcc")
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
