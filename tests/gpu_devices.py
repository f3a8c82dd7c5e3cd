"""Devices for tests: whether OpenCL is there, and one that keeps count of its memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from polyir.base.diagnostics import PolyirError
from polyir.runtime.argument_checks import ArgumentError
from polyir.runtime.gpu.device import (
    Adopted,
    Array,
    Buffer,
    Device,
    DeviceArray,
    DeviceError,
    Size,
    open_device,
)

STUBS = Path(__file__).parent / "gpu_stubs"
"""Stands in for CUDA's runtime, for an OpenCL driver, and for its headers."""


@cache
def missing_opencl() -> str:
    """Why no kernel of OpenCL can run here; empty if one can."""
    try:
        open_device("opencl")
    except PolyirError as error:
        return error.message
    return ""


@dataclass(frozen=True)
class Tensor:
    """An array of another library, in the memory of a `CountingDevice`."""

    buffer: Buffer
    shape: tuple[int, ...]
    element: np.dtype[np.generic]
    is_contiguous: bool = True
    is_aligned: bool = True


class CountingDevice(Device):
    """A device with memory, whose kernels do nothing; the launch number `fails_at` fails."""

    name = "counting"

    def __init__(self, fails_at: int = -1) -> None:
        self.memory: dict[Buffer, Array] = {}
        self.launches: list[tuple[Size, Size, list[object]]] = []
        self.memory_of_blocks: list[int] = []
        self.copies: list[str] = []
        self.fails_at = fails_at

    def build(self, source: str, kernels: Sequence[str]) -> Mapping[str, object]:
        return {name: name for name in kernels}

    def allocate(self, size: int) -> Buffer:
        buffer = Buffer(None, size)
        self.memory[buffer] = np.zeros(size, np.uint8)
        return buffer

    def free(self, buffer: Buffer) -> None:
        del self.memory[buffer]

    def copy_in(self, target: Buffer, source: Array) -> None:
        self.copies.append("in")
        self.memory[target][:] = source.reshape(-1).view(np.uint8)

    def copy_out(self, target: Array, source: Buffer) -> None:
        self.copies.append("out")
        target.reshape(-1).view(np.uint8)[:] = self.memory[source]

    def copy(self, target: Buffer, source: Buffer) -> None:
        self.copies.append("on the device")
        self.memory[target][:] = self.memory[source]

    def tensor(self, array: Array) -> Tensor:
        """A tensor with the elements of an array."""
        buffer = self.allocate(array.nbytes)
        self.memory[buffer][:] = array.reshape(-1).view(np.uint8)
        return Tensor(buffer, array.shape, array.dtype)

    def adopt(self, value: object) -> Adopted | None:
        if not isinstance(value, Tensor):
            return None
        if not value.is_contiguous:
            raise ArgumentError("must be C-contiguous")
        array = DeviceArray(value.buffer, value.shape, value.is_aligned)
        return Adopted(array, value.element, id(value.buffer))

    def launch(
        self,
        kernel: object,
        grid: Size,
        block: Size,
        arguments: Sequence[Buffer | np.generic],
        memory: int = 0,
    ) -> None:
        if len(self.launches) == self.fails_at:
            raise DeviceError("the device is on fire")
        self.launches.append((grid, block, list(arguments)))
        self.memory_of_blocks.append(memory)

    def synchronise(self) -> None:
        pass


@dataclass(frozen=True)
class OpenclLibrary:
    """The library of OpenCL that pyopencl loads, for programs that are linked with it.

    `environment` are variables without which a program would not find PoCL there.
    """

    path: Path
    environment: Mapping[str, str]

    @property
    def flags(self) -> tuple[str, ...]:
        """What a compiler needs to link a program."""
        return (f"-I{STUBS}", str(self.path), f"-Wl,-rpath,{self.path.parent}")


@cache
def opencl_library() -> OpenclLibrary | None:
    """The library, if kernels can run here and it is found."""
    if missing_opencl():
        return None
    loaded = [Path(line.split()[-1]) for line in Path("/proc/self/maps").read_text().splitlines()]
    path = next((path for path in loaded if path.name.startswith("libOpenCL")), None)
    if path is None:
        return None
    home = {"PYOPENCL_HOME": str(path.parents[1]), "LD_LIBRARY_PATH": str(path.parent)}
    return OpenclLibrary(path, home)
