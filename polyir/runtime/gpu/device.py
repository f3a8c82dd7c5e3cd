"""What the runtime needs of a device: memory, copies to and from it, kernels.

`open_device` gives the one that a program runs on, by the name of its target.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from polyir.base.diagnostics import OptionError, PolyirError, nearest

GpuTarget = Literal["opencl", "cuda"]
"""The languages that kernels are written in, and by which a device is opened."""

Array = npt.NDArray[np.generic]

Size = tuple[int, int, int]
"""A number of blocks or of threads in the directions x, y and z."""


class DeviceError(PolyirError):
    """There is no device, or it cannot do what it was asked to."""

    name = "device"


@dataclass(eq=False)
class Buffer:
    """A piece of the memory of a device; `handle` is the object of the library that made it."""

    handle: Any
    size: int


@dataclass(eq=False)
class DeviceArray:
    """An array in the memory of a device, contiguous and row-major.

    It `is_aligned` if it begins where an allocation may begin, so that vectors of it can be loaded.
    """

    buffer: Buffer
    shape: tuple[int, ...]
    is_aligned: bool = True


@dataclass(frozen=True)
class Adopted:
    """An array of the caller that is on the device."""

    array: DeviceArray
    element: np.dtype[np.generic]
    address: int


class Device(ABC):
    """A device that runs kernels, in the order in which they are launched.

    All methods raise `DeviceError` if the device or its driver refuses.
    """

    name: str
    """How its driver calls it."""

    @abstractmethod
    def build(self, source: str, kernels: Sequence[str]) -> Mapping[str, object]:
        """Compile `source` and give its `kernels` by name, as `launch` takes them."""

    @abstractmethod
    def allocate(self, size: int) -> Buffer:
        """Memory of `size` bytes, which `free` must give back."""

    @abstractmethod
    def free(self, buffer: Buffer) -> None:
        """Give back memory, at once or when the kernels that use it are done."""

    @abstractmethod
    def copy_in(self, target: Buffer, source: Array) -> None:
        """Copy a contiguous array to the device; it may be changed afterwards."""

    @abstractmethod
    def copy_out(self, target: Array, source: Buffer) -> None:
        """Copy what the kernels launched so far have left in `source` to a contiguous array."""

    @abstractmethod
    def copy(self, target: Buffer, source: Buffer) -> None:
        """Copy memory of the device to other memory of it, of the same size."""

    def adopt(self, value: object) -> Adopted | None:
        """An object of another library as an array, if it is one on this device; not copied.

        Raises `ArgumentError` for an array in another form.
        """
        return None

    @abstractmethod
    def launch(
        self,
        kernel: object,
        grid: Size,
        block: Size,
        arguments: Sequence[Buffer | np.generic],
        memory: int = 0,
    ) -> None:
        """Start `grid` blocks of `block` threads, none of which is 0; numbers have C types.

        Each block gets `memory` bytes that the kernel does not declare.
        """

    @abstractmethod
    def synchronise(self) -> None:
        """Wait until all kernels are done."""


@cache
def open_device(target: GpuTarget) -> Device:
    """The device for kernels in the language of `target`, opened once a process.

    Raises `MissingPackageError` if a package is missing, `DeviceError` if there is no device, and
    `OptionError` for an unknown target.
    """
    match target:
        case "opencl":
            from polyir.runtime.gpu.opencl import OpenclDevice

            return OpenclDevice()
        case "cuda":
            from polyir.runtime.gpu.cuda import CudaDevice

            return CudaDevice()
        case _:
            choices = get_args(GpuTarget)
            hint = nearest(str(target), choices) or f" (one of: {', '.join(choices)})"
            raise OptionError(f"there are no devices for target '{target}'{hint}")
