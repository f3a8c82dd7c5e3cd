"""Devices for tests: whether OpenCL is there, and one that keeps count of its memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from polyir.diagnostics import PolyirError
from polyir.runtime.gpu.device import Array, Buffer, Device, DeviceError, Size, open_device


@cache
def missing_opencl() -> str:
    """Why no kernel of OpenCL can run here; empty if one can."""
    try:
        open_device("opencl")
    except PolyirError as error:
        return error.message
    return ""


class CountingDevice(Device):
    """A device with memory, whose kernels do nothing; the launch number `fails_at` fails."""

    name = "counting"

    def __init__(self, fails_at: int = -1) -> None:
        self.memory: dict[Buffer, Array] = {}
        self.launches: list[tuple[Size, Size, list[object]]] = []
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

    def launch(
        self, kernel: object, grid: Size, block: Size, arguments: Sequence[Buffer | np.generic]
    ) -> None:
        if len(self.launches) == self.fails_at:
            raise DeviceError("the device is on fire")
        self.launches.append((grid, block, list(arguments)))

    def synchronise(self) -> None:
        pass
