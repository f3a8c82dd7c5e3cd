"""Devices of CUDA, through CuPy, which compiles kernels with NVRTC.

The device is CuPy's current one: the first that `CUDA_VISIBLE_DEVICES` leaves.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from polyir.base.cache import cache_folder
from polyir.base.diagnostics import MissingPackageError
from polyir.model.vectors import VECTOR_BYTES
from polyir.runtime.argument_checks import ArgumentError
from polyir.runtime.gpu.device import (
    Adopted,
    Array,
    Buffer,
    Device,
    DeviceArray,
    DeviceError,
    Size,
)

_MISSING: Final = "running CUDA requires CuPy, which is not installed (pip install 'polyir[cuda]')"

_DLPACK_CUDA: Final = 2
"""How DLPack numbers devices of CUDA."""

_OPTIONS: Final = ("--std=c++17", "--fmad=false")
"""Contraction would change the bits of results."""


class CudaDevice(Device):
    """A device of CUDA. All commands go to its default stream, which runs them in order."""

    def __init__(self) -> None:
        # CuPy keeps compiled kernels; by default in a folder of its own.
        os.environ.setdefault("CUPY_CACHE_DIR", str(cache_folder() / "cupy"))
        try:
            import cupy
        except ImportError:
            raise MissingPackageError(_MISSING) from None
        self._cupy = cupy
        with self._reported("find a device"):
            number = cupy.cuda.runtime.getDevice()
            properties = cupy.cuda.runtime.getDeviceProperties(number)
        self.name = properties["name"].decode()
        self._stream = cupy.cuda.Stream.null

    def build(self, source: str, kernels: Sequence[str]) -> Mapping[str, object]:
        with self._reported("compile the kernels"):
            module = self._cupy.RawModule(code=source, options=_OPTIONS, backend="nvrtc")
            return {name: module.get_function(name) for name in kernels}

    def allocate(self, size: int) -> Buffer:
        with self._reported(f"allocate {size} bytes"):
            return Buffer(self._cupy.empty(size, np.uint8), size)

    def free(self, buffer: Buffer) -> None:
        # CuPy's pool gives the memory to the next array, whose commands come later.
        buffer.handle = None

    def copy_in(self, target: Buffer, source: Array) -> None:
        with self._reported(f"copy {source.nbytes} bytes"):
            target.handle.set(_bytes(source), stream=self._stream)
            self._stream.synchronize()

    def copy_out(self, target: Array, source: Buffer) -> None:
        with self._reported(f"copy {target.nbytes} bytes"):
            source.handle.get(stream=self._stream, out=_bytes(target))
            self._stream.synchronize()

    def copy(self, target: Buffer, source: Buffer) -> None:
        with self._reported(f"copy {source.size} bytes"), self._stream:
            self._cupy.copyto(target.handle, source.handle)

    def adopt(self, value: object) -> Adopted | None:
        """An array by its `__cuda_array_interface__`, or by DLPack."""
        if hasattr(value, "__cuda_array_interface__"):
            array = self._cupy.asarray(value)
        elif _is_dlpack_of_cuda(value):
            array = self._cupy.from_dlpack(value)
        else:
            return None
        if not array.flags.c_contiguous:
            raise ArgumentError("must be C-contiguous")
        buffer = Buffer(array.reshape(-1).view(np.uint8), array.nbytes)
        address = array.data.ptr
        adopted = DeviceArray(buffer, tuple(array.shape), address % VECTOR_BYTES == 0)
        return Adopted(adopted, array.dtype, address)

    def launch(
        self,
        kernel: object,
        grid: Size,
        block: Size,
        arguments: Sequence[Buffer | np.generic],
        memory: int = 0,
    ) -> None:
        assert callable(kernel)
        passed = tuple(each.handle if isinstance(each, Buffer) else each for each in arguments)
        task = f"launch a kernel with {' x '.join(map(str, block))} threads a block"
        if memory:
            task += f" and {memory} bytes of shared memory"
        with self._reported(task), self._stream:
            if memory:
                # Without it, a block gets at most 48 KiB. CuPy keeps what was set.
                kernel.max_dynamic_shared_size_bytes = memory  # type: ignore[attr-defined]
            kernel(grid, block, passed, shared_mem=memory)

    def synchronise(self) -> None:
        with self._reported("run the kernels"):
            self._stream.synchronize()

    @contextmanager
    def _reported(self, task: str) -> Iterator[None]:
        """Errors of CUDA as a `DeviceError`."""
        cuda = self._cupy.cuda
        try:
            yield
        except (
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
            cuda.compiler.CompileException,
            cuda.memory.OutOfMemoryError,
        ) as error:
            raise DeviceError(f"CUDA cannot {task}: {error}") from error


def _is_dlpack_of_cuda(value: object) -> bool:
    place = getattr(value, "__dlpack_device__", None)
    return place is not None and place()[0] == _DLPACK_CUDA


def _bytes(array: Array) -> Array:
    """The bytes of a contiguous array, in one dimension."""
    return array.reshape(-1).view(np.uint8)
