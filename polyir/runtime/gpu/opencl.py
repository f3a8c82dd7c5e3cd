"""Devices of OpenCL, through pyopencl.

A GPU is preferred to other devices; `POLYIR_OPENCL_DEVICE` chooses by a part of the name. PoCL,
which runs kernels on the CPU, comes with `pip install 'polyir[opencl]'`. It needs no installation
as root: its package puts it where the loader of pyopencl's package looks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from polyir.base.cache import cache_folder
from polyir.base.diagnostics import MissingPackageError
from polyir.runtime.gpu.device import Array, Buffer, Device, DeviceError, Size

if TYPE_CHECKING:
    import pyopencl as cl

WANTED: Final = "POLYIR_OPENCL_DEVICE"
"""The environment variable that chooses a device."""

_MISSING: Final = (
    "running OpenCL requires pyopencl, which is not installed (pip install 'polyir[opencl]')"
)


class OpenclDevice(Device):
    """A device of OpenCL with a queue that runs commands in order."""

    def __init__(self) -> None:
        try:
            import pyopencl as cl
        except ImportError:
            raise MissingPackageError(_MISSING) from None
        self._cl = cl
        # PoCL keeps compiled kernels; by default in a folder of its own.
        if "POCL_CACHE_DIR" not in os.environ:
            os.environ["POCL_CACHE_DIR"] = str(cache_folder() / "pocl")
        with self._reported("open a device"):
            self._device = _chosen()
            self._context = cl.Context([self._device])
            self._queue = cl.CommandQueue(self._context)
        self.name = _full_name(self._device)
        # The arguments of a kernel are set one by one before it is launched.
        self._launching = Lock()

    def build(self, source: str, kernels: Sequence[str]) -> Mapping[str, object]:
        program = self._cl.Program(self._context, source)
        exact = self._cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
        options = []
        if self._device.single_fp_config & exact:
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        if _is_pocl(self._device.platform.version):
            options.append("-cl-opt-disable")
        with self._reported("compile the kernels"):
            program.build(options)
            return {name: self._cl.Kernel(program, name) for name in kernels}

    def allocate(self, size: int) -> Buffer:
        flags = self._cl.mem_flags.READ_WRITE
        with self._reported(f"allocate {size} bytes"):
            # A buffer must not be empty.
            return Buffer(self._cl.Buffer(self._context, flags, max(size, 1)), size)

    def free(self, buffer: Buffer) -> None:
        with self._reported("free memory"):
            buffer.handle.release()

    def copy_in(self, target: Buffer, source: Array) -> None:
        self._copy(target.handle, source, source.nbytes)

    def copy_out(self, target: Array, source: Buffer) -> None:
        self._copy(target, source.handle, target.nbytes)

    def copy(self, target: Buffer, source: Buffer) -> None:
        if source.size:
            with self._reported(f"copy {source.size} bytes"):
                self._cl.enqueue_copy(
                    self._queue, target.handle, source.handle, byte_count=source.size
                )

    def _copy(self, target: object, source: object, size: int) -> None:
        if size:
            with self._reported(f"copy {size} bytes"):
                self._cl.enqueue_copy(self._queue, target, source, is_blocking=True)

    def launch(
        self,
        kernel: object,
        grid: Size,
        block: Size,
        arguments: Sequence[Buffer | np.generic],
        memory: int = 0,
    ) -> None:
        assert isinstance(kernel, self._cl.Kernel)
        assert memory == 0, "kernels of OpenCL declare all of their memory"
        threads = tuple(blocks * size for blocks, size in zip(grid, block, strict=True))
        shown = " x ".join(map(str, block))
        with self._reported(f"launch a kernel with {shown} threads a block"), self._launching:
            for position, value in enumerate(arguments):
                kernel.set_arg(position, value.handle if isinstance(value, Buffer) else value)
            self._cl.enqueue_nd_range_kernel(self._queue, kernel, threads, block)

    def synchronise(self) -> None:
        with self._reported("run the kernels"):
            self._queue.finish()

    @contextmanager
    def _reported(self, task: str) -> Iterator[None]:
        """Errors of OpenCL as a `DeviceError`."""
        try:
            yield
        except self._cl.Error as error:
            raise DeviceError(f"OpenCL cannot {task}: {error}") from error


def _is_pocl(platform: str) -> bool:
    """Whether a platform is PoCL, whose optimised kernels may be wrong.

    In some, threads take the branches of others, and in some, stores are lost.
    """
    return "pocl" in platform.lower()


def _chosen() -> cl.Device:
    """The device that the environment names, or the first GPU, or the first device."""
    import pyopencl as cl

    devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    if not devices:
        raise DeviceError("OpenCL has no device")
    wanted = os.environ.get(WANTED)
    if wanted:
        for device in devices:
            if wanted.lower() in _full_name(device).lower():
                return device
        names = ", ".join(f"'{_full_name(device)}'" for device in devices)
        raise DeviceError(f"no OpenCL device has '{wanted}' in its name (there are: {names})")
    return max(devices, key=lambda device: bool(device.type & cl.device_type.GPU))


def _full_name(device: cl.Device) -> str:
    return f"{device.name.strip()} ({device.platform.name.strip()})"
