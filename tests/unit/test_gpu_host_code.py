"""Host code of GPU programs in xDSL's interpreter: the bits of the C target, loops, and memory."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gpu_devices import CountingDevice
from scalar_operations import CASES, TEXT, Case, bits_of, calls_of
from xdsl.dialects.func import FuncOp

from polyir import api
from polyir.base.diagnostics import OptionError
from polyir.frontend.parse import parse_module
from polyir.runtime import CompiledModule
from polyir.runtime.argument_checks import ArgumentChecks, written_arguments
from polyir.runtime.gpu.device import Buffer, DeviceError
from polyir.runtime.gpu.module import ExecutionError, compile_gpu
from polyir.target.errors import TargetError


def on_host(text: str, device: CountingDevice | None = None) -> CompiledModule:
    return compile_gpu(parse_module(text), "opencl", device=device or CountingDevice())


@pytest.fixture(scope="module")
def interpreted() -> CompiledModule:
    return on_host(TEXT)


@pytest.fixture(scope="module")
def compiled() -> CompiledModule:
    return api.compile(TEXT, "", backend="c")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_operation_has_the_bits_of_c(
    case: Case, interpreted: CompiledModule, compiled: CompiledModule
) -> None:
    calls = list(calls_of(case))
    # C has compiled all of them; a few that differ would be enough.
    for values in calls[:: max(1, len(calls) // 40)]:
        expected = compiled[case.name](*values)
        actual = interpreted[case.name](*values)
        assert bits_of(actual, case.result) == bits_of(expected, case.result), values


LOOPS = """
memref.global "private" @table : memref<3xi32> = dense<[5, 6, 7]>
func.func private @square(%x: f64) -> f64 {
  %r = arith.mulf %x, %x : f64
  return %r : f64
}
func.func @sum(%n: index, %m: index, %A: memref<?x?xf64>) -> (f64, index) {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : index
  %r:2 = affine.for %i = max affine_map<(d0)[s0] -> (1, s0 - 2)>(%n)[%n] to
      min affine_map<(d0)[s0] -> (d0, s0)>(%n)[%m] step 2
      iter_args(%s = %zero, %c = %none) -> (f64, index) {
    %x = affine.load %A[%i - 1, symbol(%n) - %n] : memref<?x?xf64>
    %y = func.call @square(%x) : (f64) -> f64
    %t = affine.if affine_set<(d0)[s0] : (d0 mod 4 - 1 >= 0, s0 - 4 == 0)>(%i)[%n] -> f64 {
      %u = arith.addf %s, %y : f64
      affine.yield %u : f64
    } else {
      affine.yield %s : f64
    }
    %d = affine.apply affine_map<(d0)[s0] -> (d0 + s0 floordiv 2)>(%c)[%i]
    affine.yield %t, %d : f64, index
  }
  return %r#0, %r#1 : f64, index
}
func.func @parallel(%n: index, %A: memref<?xf64>) -> f64 {
  %r = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> f64 {
    %x = affine.load %A[%i] : memref<?xf64>
    affine.yield %x : f64
  }
  affine.parallel (%i, %j) = (0, max(0, 1)) to (%n, min(2, 3)) step (2, 1) {
    affine.store %r, %A[%i + %j] : memref<?xf64>
  }
  return %r : f64
}
func.func @local(%n: index) -> (i32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = memref.alloc(%n) : memref<?x2xf32>
  %B = memref.alloca() : memref<f32>
  %x = arith.constant 0.1 : f32
  memref.store %x, %B[] : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.load %B[] : memref<f32>
    %s = arith.addf %b, %x : f32
    memref.store %s, %B[] : memref<f32>
    memref.store %s, %A[%i, %c1] : memref<?x2xf32>
  }
  %b = affine.load %A[symbol(%n) - 1, 1] : memref<?x2xf32>
  memref.dealloc %A : memref<?x2xf32>
  %T = memref.get_global @table : memref<3xi32>
  %t = affine.load %T[0] : memref<3xi32>
  %c = arith.constant 1 : i32
  %u = arith.addi %t, %c : i32
  affine.store %u, %T[0] : memref<3xi32>
  return %u, %b : i32, f32
}
"""


def test_loops_and_memory_compute_what_c_computes() -> None:
    ours, theirs = on_host(LOOPS), api.compile(LOOPS, "", backend="c")
    for n, m in ((4, 4), (7, 3), (9, 9)):
        array = np.random.default_rng(n).random((9, 9))
        assert ours.sum(n, m, array) == theirs.sum(n, m, array)
        first, second = array[0].copy(), array[0].copy()
        assert ours.parallel(n - 1, first) == theirs.parallel(n - 1, second)
        assert first.tobytes() == second.tobytes()
        # The global keeps what was stored to it.
        assert ours.local(n) == theirs.local(n)


def test_a_module_is_made_again_where_it_is_unpickled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyir.runtime.gpu.module.open_device", lambda _: CountingDevice())
    module = pickle.loads(pickle.dumps(on_host(LOOPS)))
    assert module.parallel(3, np.ones(4)) == 3.0


# ------------------------------------------------------------------------------------ devices

LAUNCHES = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @step(%t: index, %x: f32, %on: i1, %A: memref<?x4xf64>) kernel {
      gpu.return
    }
  }
  func.func @run(%n: index, %x: f32, %on: i1, %A: memref<?x4xf64>, %B: memref<?x4xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %rows = memref.dim %A, %c0 : memref<?x4xf64>
    %D = gpu.alloc(%rows) : memref<?x4xf64>
    %E = gpu.alloc(%rows) : memref<?x4xf64>
    gpu.memcpy %D, %A : memref<?x4xf64>, memref<?x4xf64>
    gpu.memcpy %E, %D : memref<?x4xf64>, memref<?x4xf64>
    affine.for %t = 0 to %n {
      %blocks = affine.apply affine_map<(d0) -> (d0 ceildiv 8)>(%t)
      gpu.launch_func @kernels::@step blocks in (%blocks, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%t : index, %x : f32, %on : i1, %D : memref<?x4xf64>)
    }
    gpu.memcpy %B, %E : memref<?x4xf64>, memref<?x4xf64>
    gpu.dealloc %D : memref<?x4xf64>
    return
  }
}
"""


def test_kernels_get_what_the_c_convention_passes() -> None:
    device = CountingDevice()
    source, target = np.arange(12.0).reshape(3, 4), np.zeros((3, 4))
    on_host(LAUNCHES, device).run(10, 0.1, True, source, target)
    assert device.copies == ["in", "on the device", "out"]
    assert source.tobytes() == target.tobytes()
    # The first iteration has no blocks, and what no operation frees is freed afterwards.
    assert [grid for grid, _, _ in device.launches] == [(1, 1, 1)] * 8 + [(2, 1, 1)]
    assert {block for _, block, _ in device.launches} == {(8, 1, 1)}
    t, x, on, buffer, extent = device.launches[4][2]
    assert (t, x, on, extent) == (5, np.float32(0.1), True, 3)
    assert [type(each) for each in (t, x, on, extent)] == [np.int64, np.float32, np.bool, np.int64]
    assert getattr(buffer, "size", None) == 96
    assert not device.memory


def test_memory_is_freed_after_an_error() -> None:
    device = CountingDevice(fails_at=3)
    module = on_host(LAUNCHES, device)
    with pytest.raises(DeviceError, match=r"^the device is on fire$") as caught:
        module.run(10, 0.1, True, np.zeros((3, 4)), np.zeros((3, 4)))
    # xDSL would add the whole module to the message.
    assert not getattr(caught.value, "__notes__", [])
    assert len(device.launches) == 3
    assert not device.memory


def test_arrays_on_the_device_are_not_copied_to_it() -> None:
    device = CountingDevice()
    source, target = (device.tensor(np.full((3, 4), value)) for value in (1.0, 2.0))
    call: Any = on_host(LAUNCHES, device).run
    call(10, 0.1, True, source, target)
    # One of the two copies of the program is between different arrays.
    assert device.copies == ["on the device"]
    assert device.launches[0][2][3] is source.buffer
    assert device.memory[target.buffer].tobytes() == np.ones(12).tobytes()
    # They stay the caller's, and so they do after an error.
    assert list(device.memory) == [source.buffer, target.buffer]
    device.fails_at = len(device.launches)
    with pytest.raises(DeviceError):
        call(10, 0.1, True, source, target)
    assert list(device.memory) == [source.buffer, target.buffer]


def test_arrays_on_the_device_that_are_not_aligned_are_copied() -> None:
    device = CountingDevice()
    source, target = (device.tensor(np.full((3, 4), value)) for value in (1.0, 2.0))
    call: Any = on_host(LAUNCHES, device).run
    call(10, 0.1, True, replace(source, is_aligned=False), target)
    assert device.copies == ["on the device", "on the device"]
    assert device.launches[0][2][3] not in (source.buffer, target.buffer)
    assert device.memory[target.buffer].tobytes() == np.ones(12).tobytes()


def test_a_launch_asks_for_memory_that_a_kernel_cannot_declare() -> None:
    """CUDA declares 48 KiB at most; OpenCL declares all."""
    module = LAUNCHES.replace(
        "memref<?x4xf64>) kernel {",
        """memref<?x4xf64>)
        workgroup(%s: memref<ROWSx64xf64, #gpu.address_space<workgroup>>) kernel {""",
    )
    for rows, target, memory in ((96, "cuda", 0), (97, "cuda", 97 * 512), (97, "opencl", 0)):
        device = CountingDevice()
        parsed = parse_module(module.replace("ROWS", str(rows)))
        array = np.zeros((3, 4))
        compile_gpu(parsed, target, device=device).run(10, 0.5, True, array, array.copy())
        assert device.memory_of_blocks == [memory] * 9


WRITES = """
      %c0 = arith.constant 0 : index
      %v = arith.constant 5.0 : f64
      memref.store %v, %A[%c0, %c0] : memref<?x4xf64>
      gpu.return
"""


def test_an_array_whose_copy_is_changed_and_not_copied_back_is_copied() -> None:
    device = CountingDevice()
    source, target = (device.tensor(np.full((3, 4), value)) for value in (1.0, 2.0))
    call: Any = on_host(LAUNCHES.replace("      gpu.return\n", WRITES), device).run
    call(10, 0.1, True, source, target)
    assert device.copies == ["on the device", "on the device"]
    assert device.launches[0][2][3] not in (source.buffer, target.buffer)


SCALE = """
func.func @scale(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %B[%i] : memref<?xf64>
  }
  return
}
"""


def test_arrays_that_are_assumed_on_the_device_are_not_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = CountingDevice()
    monkeypatch.setattr("polyir.runtime.gpu.module.open_device", lambda _: device)
    source, target = (device.tensor(np.full(5, value)) for value in (1.0, 2.0))
    call: Any = api.compile(SCALE, target="cuda", assume_on_device=True).scale
    call(5, source, target)
    assert device.copies == []
    (launch,) = device.launches
    assert [each for each in launch[2] if isinstance(each, Buffer)] == [
        source.buffer,
        target.buffer,
    ]
    assert list(device.memory) == [source.buffer, target.buffer]
    with pytest.raises(ValueError, match="argument 2 'B' must be an array of the device: it was"):
        call(5, source, np.zeros(5))
    with pytest.raises(OptionError, match="is for the targets 'opencl' and 'cuda'"):
        api.compile(SCALE, assume_on_device=True)


def test_arrays_on_the_device_are_checked() -> None:
    device = CountingDevice()
    checks = {"run": ArgumentChecks(written=frozenset({4}))}
    call: Any = compile_gpu(parse_module(LAUNCHES), "opencl", checks, device=device).run
    good = device.tensor(np.zeros((3, 4)))
    with pytest.raises(TypeError, match="'A' must have elements of type float64, not float32"):
        call(1, 0.5, True, device.tensor(np.zeros((3, 4), np.float32)), good)
    with pytest.raises(ValueError, match="'A' must have extent 4 in dimension 1, not 5"):
        call(1, 0.5, True, device.tensor(np.zeros((3, 5))), good)
    with pytest.raises(ValueError, match="'A' must be C-contiguous"):
        call(1, 0.5, True, replace(good, is_contiguous=False), good)
    with pytest.raises(ValueError, match="the arrays 'A' and 'B' overlap, and one is written"):
        call(1, 0.5, True, good, good)
    with pytest.raises(TypeError, match="'A' must be a NumPy array, not list"):
        call(1, 0.5, True, [], good)


def test_arguments_are_checked_as_on_the_cpu() -> None:
    module = on_host(LAUNCHES)
    array = np.zeros((3, 4))
    with pytest.raises(TypeError, match="argument 3 'A' must have elements of type float64"):
        module.run(1, 0.5, True, array.astype(np.float32), array)
    with pytest.raises(ValueError, match="must have extent 4 in dimension 1, not 5"):
        module.run(1, 0.5, True, np.zeros((3, 5)), array)
    with pytest.raises(ValueError, match="must be at least 1, not 0"), module.threads(0):
        pass
    assert repr(module.run) == "<compiled function run(n, x, on, A, B)>"


def test_code_that_cannot_be_interpreted_is_refused_before_it_runs() -> None:
    text = """
    func.func @f(%A: memref<4xf64>, %i: index) {
      %v = vector.load %A[%i] : memref<4xf64>, vector<2xf64>
      return
    }
    """
    with pytest.raises(TargetError, match=r"'vector.load' is not supported by the code around"):
        on_host(text)


def test_an_array_that_is_only_copied_from_is_read() -> None:
    functions = [op for op in parse_module(LAUNCHES).ops if isinstance(op, FuncOp)]
    assert written_arguments(functions[0]) & {3, 4} == {4}


def test_errors_of_host_code_are_diagnostics() -> None:
    text = """
    func.func @f(%n: index, %A: memref<4xf64>) -> f64 {
      %x = affine.load %A[symbol(%n)] : memref<4xf64>
      return %x : f64
    }
    """
    with pytest.raises(ExecutionError, match=r"^f: IndexError: ") as caught:
        on_host(text).f(9, np.zeros(4))
    assert not getattr(caught.value, "__notes__", [])
