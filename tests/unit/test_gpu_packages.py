"""Devices where packages are missing, and how CUDA's device uses CuPy, which is not there."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest

from polyir import api
from polyir.base.diagnostics import MissingPackageError, OptionError
from polyir.runtime.gpu import device
from polyir.runtime.gpu.cuda import CudaDevice
from polyir.runtime.gpu.device import Buffer, DeviceError, GpuTarget, open_device
from polyir.tools import polyir_run

COPY = """
func.func @copy(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}
"""


@pytest.fixture(autouse=True)
def devices_are_opened_again() -> Iterator[None]:
    open_device.cache_clear()
    yield
    open_device.cache_clear()


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *arguments: object, **options: object) -> object:
        if name.partition(".")[0] in ("cupy", "pyopencl"):
            raise ImportError(name)
        return original(name, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)


@pytest.mark.usefixtures("no_packages")
@pytest.mark.parametrize("target", get_args(GpuTarget))
def test_a_missing_package_is_named(target: GpuTarget) -> None:
    with pytest.raises(MissingPackageError, match=rf"not installed \(pip .* 'polyir\[{target}\]'"):
        api.compile(COPY, target=target)


@pytest.mark.usefixtures("no_packages")
def test_polyir_run_says_so_too(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "copy.mlir"
    path.write_text(COPY)
    assert polyir_run.main(["--target=cuda", str(path)]) == 1
    assert capsys.readouterr().err.startswith("error: running CUDA requires CuPy")


def test_unknown_targets() -> None:
    with pytest.raises(OptionError, match="unknown target 'opncl'; did you mean 'opencl'"):
        api.compile(COPY, target="opncl")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no devices for target 'vulkan'"):
        open_device("vulkan")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="options and backend are for the target 'cpu'"):
        api.compile(COPY, target="opencl", backend="c")


# ------------------------------------------------------------------------------------ CUDA


class FakeArray:
    """What a `cupy.ndarray` does here."""

    def __init__(self, size: int) -> None:
        self.data = np.zeros(size, np.uint8)

    def set(self, array: np.ndarray, stream: object = None) -> None:
        assert array.dtype == np.uint8
        self.data[:] = array

    def get(self, stream: object = None, out: np.ndarray | None = None) -> None:
        assert out is not None
        out[:] = self.data


class FakeKernel:
    """A kernel that notes its launches, with the limit of its memory."""

    max_dynamic_shared_size_bytes = 48 * 1024

    def __init__(self, name: str, calls: list[object]) -> None:
        self.name = name
        self.calls = calls

    def __call__(self, *launch: object, shared_mem: int = 0) -> None:
        if shared_mem > self.max_dynamic_shared_size_bytes:
            raise FakeErrors.CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        self.calls.append((self.name, *launch, shared_mem))


class FakeStream:
    """The default stream."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *arguments: object) -> None:
        pass

    def synchronize(self) -> None:
        pass


class FakeErrors:
    """The errors of CUDA and of its compiler."""

    class CUDARuntimeError(RuntimeError):
        pass

    class CUDADriverError(RuntimeError):
        pass

    class CompileException(Exception):  # noqa: N818
        pass

    class OutOfMemoryError(MemoryError):
        pass


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    """A CuPy that copies memory of the host; `calls` has the launches."""
    fake: Any = ModuleType("cupy")
    fake.calls = []

    def module(code: str, options: tuple[str, ...], backend: str) -> object:
        if "undefined" in code:
            raise FakeErrors.CompileException("kernel.cu(1): error: undefined")
        assert "--fmad=false" in options
        return SimpleNamespace(get_function=lambda name: FakeKernel(name, fake.calls))

    fake.RawModule = module
    fake.empty = lambda size, dtype: FakeArray(size)
    fake.copyto = lambda target, source: target.set(source.data)
    fake.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            CUDARuntimeError=FakeErrors.CUDARuntimeError,
            getDevice=lambda: 0,
            getDeviceProperties=lambda number: {"name": b"a GPU"},
        ),
        driver=FakeErrors,
        compiler=FakeErrors,
        memory=FakeErrors,
        Stream=SimpleNamespace(null=FakeStream()),
    )
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setenv("POLYIR_CACHE", str(tmp_path))
    return fake


def test_cuda_copies_and_launches(cupy: Any) -> None:
    cuda = open_device("cuda")
    assert isinstance(cuda, CudaDevice)
    assert cuda.name == "a GPU"
    first, second = cuda.allocate(24), cuda.allocate(24)
    cuda.copy_in(first, np.arange(3.0))
    cuda.copy(second, first)
    result = np.zeros((3, 1))
    cuda.copy_out(result, second)
    assert result.tolist() == [[0.0], [1.0], [2.0]]
    kernels = cuda.build('extern "C" __global__ void f(double *A, long long n) {}', ["f"])
    cuda.launch(kernels["f"], (1, 2, 3), (4, 5, 6), [first, np.int64(3)])
    cuda.synchronise()
    cuda.launch(kernels["f"], (1, 1, 1), (4, 1, 1), [], memory=100_000)
    assert cupy.calls == [
        ("f", (1, 2, 3), (4, 5, 6), (first.handle, 3), 0),
        ("f", (1, 1, 1), (4, 1, 1), (), 100_000),
    ]
    cuda.free(first)
    assert first.handle is None


class OnTheDevice:
    """An array of another library, by the interface that its name is."""

    def __init__(self, interface: str, device: int = 2) -> None:
        setattr(self, interface, None)
        self.device = device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


@pytest.mark.parametrize("address", [1234, 4096])
@pytest.mark.parametrize("interface", ["__cuda_array_interface__", "__dlpack__"])
def test_cuda_takes_arrays_that_are_on_the_device(cupy: Any, interface: str, address: int) -> None:
    array = np.arange(6.0).reshape(2, 3)
    converted = SimpleNamespace(
        flags=array.flags,
        reshape=array.reshape,
        nbytes=array.nbytes,
        shape=array.shape,
        dtype=array.dtype,
        data=SimpleNamespace(ptr=address),
    )
    cupy.asarray = cupy.from_dlpack = lambda value: converted
    found = open_device("cuda").adopt(OnTheDevice(interface))
    assert found is not None
    assert (found.array.shape, found.element, found.address) == ((2, 3), np.float64, address)
    assert found.array.is_aligned == (address == 4096)
    assert found.array.buffer.size == 48
    assert np.shares_memory(found.array.buffer.handle, array)


def test_cuda_takes_no_other_arrays(cupy: Any) -> None:
    cuda = open_device("cuda")
    assert cuda.adopt(OnTheDevice("__dlpack__", device=1)) is None
    assert cuda.adopt([]) is None


def test_errors_of_cuda_are_diagnostics(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = open_device("cuda")
    with pytest.raises(DeviceError, match=r"CUDA cannot compile the kernels: kernel\.cu\(1\)"):
        cuda.build("undefined", ["f"])

    def refuse(*arguments: object, **options: object) -> None:
        raise FakeErrors.CUDARuntimeError("cudaErrorInvalidValue: invalid argument")

    with pytest.raises(DeviceError, match="cannot launch a kernel with 4 x 5 x 6 threads a block"):
        cuda.launch(refuse, (1, 1, 1), (4, 5, 6), [Buffer(None, 0)])
    monkeypatch.setattr(cupy.cuda.runtime, "getDevice", refuse)
    device.open_device.cache_clear()
    with pytest.raises(DeviceError, match="CUDA cannot find a device: cudaErrorInvalidValue"):
        open_device("cuda")
