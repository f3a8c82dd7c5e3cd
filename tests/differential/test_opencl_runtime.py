"""Kernels outlined by hand, run by PoCL: the bits of the C target and of NumPy, and errors."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gpu_devices import missing_opencl

from polyir import api
from polyir.frontend.parse import parse_module
from polyir.runtime import CompiledModule, compare_bits
from polyir.runtime.functions import NativeFunction
from polyir.runtime.gpu.device import DeviceError, open_device
from polyir.runtime.gpu.module import GpuFunction, compile_gpu
from polyir.runtime.gpu.opencl import WANTED

pytestmark = pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl())


def on_device(text: str) -> CompiledModule:
    return compile_gpu(parse_module(text), "opencl")


# C = C + A B, in tiles of 8 x 16 that are copied to memory of the block.
GEMM = """
module attributes {gpu.container_module} {
  gpu.module @gemm_kernels {
    gpu.func @gemm_0(%n: index, %m: index, %k: index,
                     %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>)
        workgroup(%s: memref<8x16xf64, #gpu.address_space<workgroup>>)
        kernel attributes {gpu.known_block_size = array<i32: 16, 8, 1>} {
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      %sixteen = arith.constant 16 : index
      %row = arith.muli %by, %eight : index
      %i = arith.addi %row, %ty : index
      %column = arith.muli %bx, %sixteen : index
      %j = arith.addi %column, %tx : index
      scf.for %kk = %zero to %k step %sixteen {
        %kt = arith.addi %kk, %tx : index
        %in_rows = arith.cmpi slt, %i, %n : index
        %in_columns = arith.cmpi slt, %kt, %k : index
        %in = arith.andi %in_rows, %in_columns : i1
        scf.if %in {
          %a = memref.load %A[%i, %kt] : memref<?x?xf64>
          memref.store %a, %s[%ty, %tx] : memref<8x16xf64, #gpu.address_space<workgroup>>
        }
        gpu.barrier
        %in_width = arith.cmpi slt, %j, %m : index
        %inside = arith.andi %in_rows, %in_width : i1
        scf.if %inside {
          %end = arith.addi %kk, %sixteen : index
          %last = arith.minsi %end, %k : index
          scf.for %p = %kk to %last step %one {
            %q = arith.subi %p, %kk : index
            %a = memref.load %s[%ty, %q] : memref<8x16xf64, #gpu.address_space<workgroup>>
            %b = memref.load %B[%p, %j] : memref<?x?xf64>
            %c = memref.load %C[%i, %j] : memref<?x?xf64>
            %ab = arith.mulf %a, %b : f64
            %sum = arith.addf %c, %ab : f64
            memref.store %sum, %C[%i, %j] : memref<?x?xf64>
          }
        }
        gpu.barrier
      }
      gpu.return
    }
  }
  func.func @gemm(%n: index, %m: index, %k: index,
                  %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %C0 = memref.dim %C, %c0 : memref<?x?xf64>
    %C1 = memref.dim %C, %c1 : memref<?x?xf64>
    %A0 = memref.dim %A, %c0 : memref<?x?xf64>
    %A1 = memref.dim %A, %c1 : memref<?x?xf64>
    %B0 = memref.dim %B, %c0 : memref<?x?xf64>
    %B1 = memref.dim %B, %c1 : memref<?x?xf64>
    %C_dev = gpu.alloc(%C0, %C1) : memref<?x?xf64>
    %A_dev = gpu.alloc(%A0, %A1) : memref<?x?xf64>
    %B_dev = gpu.alloc(%B0, %B1) : memref<?x?xf64>
    gpu.memcpy %C_dev, %C : memref<?x?xf64>, memref<?x?xf64>
    gpu.memcpy %A_dev, %A : memref<?x?xf64>, memref<?x?xf64>
    gpu.memcpy %B_dev, %B : memref<?x?xf64>, memref<?x?xf64>
    %gx = affine.apply affine_map<(d0) -> (d0 ceildiv 16)>(%m)
    %gy = affine.apply affine_map<(d0) -> (d0 ceildiv 8)>(%n)
    gpu.launch_func @gemm_kernels::@gemm_0 blocks in (%gx, %gy, %c1) threads in (%c16, %c8, %c1)
        args(%n : index, %m : index, %k : index,
             %C_dev : memref<?x?xf64>, %A_dev : memref<?x?xf64>, %B_dev : memref<?x?xf64>)
    gpu.memcpy %C, %C_dev : memref<?x?xf64>, memref<?x?xf64>
    gpu.dealloc %C_dev : memref<?x?xf64>
    gpu.dealloc %A_dev : memref<?x?xf64>
    gpu.dealloc %B_dev : memref<?x?xf64>
    return
  }
}
"""

GEMM_LOOPS = """
func.func @gemm(%n: index, %m: index, %k: index,
                %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %p = 0 to %k {
        %a = affine.load %A[%i, %p] : memref<?x?xf64>
        %b = affine.load %B[%p, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %ab : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
"""


def test_a_product_of_matrices_has_the_bits_of_c() -> None:
    ours, theirs = on_device(GEMM), api.compile(GEMM_LOOPS, "", backend="c")
    for n, m, k in ((20, 25, 30), (16, 32, 16), (1, 1, 1), (37, 5, 70)):
        random = np.random.default_rng(n)
        a, b, c = (random.uniform(-1, 1, shape) for shape in ((n, k), (k, m), (n, m)))
        actual, expected = c.copy(), c.copy()
        ours.gemm(n, m, k, actual, a, b)
        theirs.gemm(n, m, k, expected, a, b)
        assert compare_bits([expected], [actual]) is None
        assert compare_bits([c], [actual]) is not None


# One launch a sweep, from one array to the other and back; in single precision.
STENCIL = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sweep(%n: index, %third: f32, %to: memref<?xf32>, %from: memref<?xf32>) kernel {
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %size = gpu.block_dim x
      %first = arith.muli %b, %size : index
      %p = arith.addi %first, %t : index
      %one = arith.constant 1 : index
      %i = arith.addi %p, %one : index
      %last = arith.subi %n, %one : index
      %inside = arith.cmpi slt, %i, %last : index
      scf.if %inside {
        %i1 = arith.addi %i, %one : index
        %x = memref.load %from[%p] : memref<?xf32>
        %y = memref.load %from[%i] : memref<?xf32>
        %z = memref.load %from[%i1] : memref<?xf32>
        %xy = arith.addf %x, %y : f32
        %xyz = arith.addf %xy, %z : f32
        %mean = arith.divf %xyz, %third : f32
        memref.store %mean, %to[%i] : memref<?xf32>
      }
      gpu.return
    }
  }
  func.func @stencil(%steps: index, %n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %three = arith.constant 3.0 : f32
    %A0 = memref.dim %A, %c0 : memref<?xf32>
    %B0 = memref.dim %B, %c0 : memref<?xf32>
    %A_dev = gpu.alloc(%A0) : memref<?xf32>
    %B_dev = gpu.alloc(%B0) : memref<?xf32>
    gpu.memcpy %A_dev, %A : memref<?xf32>, memref<?xf32>
    gpu.memcpy %B_dev, %B : memref<?xf32>, memref<?xf32>
    %blocks = affine.max affine_map<(d0) -> (0, (d0 - 2) ceildiv 32)>(%n)
    affine.for %t = 0 to %steps {
      gpu.launch_func @kernels::@sweep blocks in (%blocks, %c1, %c1) threads in (%c32, %c1, %c1)
          args(%n : index, %three : f32, %B_dev : memref<?xf32>, %A_dev : memref<?xf32>)
      gpu.launch_func @kernels::@sweep blocks in (%blocks, %c1, %c1) threads in (%c32, %c1, %c1)
          args(%n : index, %three : f32, %A_dev : memref<?xf32>, %B_dev : memref<?xf32>)
    }
    gpu.memcpy %A, %A_dev : memref<?xf32>, memref<?xf32>
    gpu.memcpy %B, %B_dev : memref<?xf32>, memref<?xf32>
    gpu.dealloc %A_dev : memref<?xf32>
    gpu.dealloc %B_dev : memref<?xf32>
    return
  }
}
"""


def test_a_stencil_has_the_bits_of_numpy() -> None:
    ours = on_device(STENCIL)
    for steps, n in ((3, 100), (0, 40), (2, 2), (1, 0)):
        first, second = np.random.default_rng(n).random((2, n)).astype(np.float32)
        expected = [first.copy(), second.copy()]
        for _ in range(steps if n > 2 else 0):
            for source, target in (expected, expected[::-1]):
                total = source[:-2] + source[1:-1] + source[2:]
                target[1:-1] = total / np.float32(3)
        ours.stencil(steps, n, first, second)
        assert compare_bits(expected, [first, second]) is None


def test_functions_without_kernels_are_not_interpreted() -> None:
    # No loop of it is parallel; the other function has kernels.
    text = """
    func.func @running(%n: index, %A: memref<?xf64>) -> f64 {
      %zero = arith.constant 0.0 : f64
      %s = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f64) {
        %x = func.call @twice(%t) : (f64) -> f64
        %a = affine.load %A[%i] : memref<?xf64>
        %u = arith.addf %x, %a : f64
        affine.yield %u : f64
      }
      return %s : f64
    }
    func.func private @twice(%x: f64) -> f64 {
      %r = arith.addf %x, %x : f64
      return %r : f64
    }
    func.func @zero(%n: index, %A: memref<?xf64>) {
      %zero = arith.constant 0.0 : f64
      affine.for %i = 0 to %n {
        affine.store %zero, %A[%i] : memref<?xf64>
      }
      return
    }
    """
    kernels = api.compile(text, target="opencl")
    assert isinstance(kernels.running, NativeFunction)
    assert isinstance(kernels.zero, GpuFunction)
    array = np.arange(5.0)
    assert kernels.running(5, array) == 26.0
    with pytest.raises(ValueError, match="outside the context"):
        kernels.zero(6, array)
    again = pickle.loads(pickle.dumps(kernels))
    again.zero(5, array)
    assert again.running(5, array) == 0.0


# ------------------------------------------------------------------------------------ errors


def test_too_many_threads_are_reported_and_memory_is_freed() -> None:
    module = on_device(STENCIL.replace("%c32 = arith.constant 32", "%c32 = arith.constant 320000"))
    arrays = np.zeros((2, 10), np.float32)
    with pytest.raises(DeviceError, match="OpenCL cannot launch a kernel with 320000 x 1 x 1"):
        module.stencil(1, 10, *arrays)
    # The device goes on.
    on_device(STENCIL).stencil(1, 10, *arrays)


def test_more_memory_than_there_is() -> None:
    text = """
    func.func @f(%n: index) {
      %A = gpu.alloc(%n) : memref<?xf64>
      gpu.dealloc %A : memref<?xf64>
      return
    }
    """
    with pytest.raises(DeviceError, match="OpenCL cannot allocate"):
        on_device(text).f(2**55)


def test_text_that_the_driver_rejects() -> None:
    with pytest.raises(DeviceError, match=r"OpenCL cannot compile the kernels: (?s:.*)error"):
        open_device("opencl").build("kernel void f(undefined *x) {}", ["f"])


# PoCL 3.0 loses the stores of this program's kernel when it optimises.
LOST = """
func.func @f(%A: memref<4x8xi64>, %B: memref<3xi64>) {
  %zero = arith.constant 0 : i64
  affine.for %i = 0 to 4 step 2 {
    affine.for %j = 1 to 2 {
      affine.for %k = affine_map<(d0) -> (d0 - 1)>(%i) to 3 {
        %0 = affine.load %B[%i] : memref<3xi64>
        %1 = affine.load %B[%j] : memref<3xi64>
        %2 = arith.addi %0, %1 : i64
        %3 = arith.minsi %2, %zero : i64
        affine.store %3, %A[%i, %j + 2] : memref<4x8xi64>
      }
    }
  }
  return
}
"""


def test_kernel_that_pocl_optimises_wrongly() -> None:
    pipeline = "pluto-schedule,map-to-gpu{tile=7,7,8 grid=100,1,3 sequential=device}"
    module = api.compile(LOST, pipeline, target="opencl")
    first, second = np.full((4, 8), 5, np.int64), np.array([7, -3, -9], np.int64)
    module["f"](first, second)
    assert (first[0, 3], first[2, 3]) == (0, -12)


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    return done.stdout.strip()


OPEN = """
from polyir.base.diagnostics import PolyirError
from polyir.runtime.gpu.device import open_device
try:
    print(open_device("opencl").name)
except PolyirError as error:
    print(error.render())
"""


def test_the_environment_chooses_the_device() -> None:
    name = open_device("opencl").name
    assert run(OPEN, **{WANTED: name[-8:-2].upper()}) == name
    expected = f"error: no OpenCL device has 'abacus' in its name (there are: '{name}'"
    assert run(OPEN, **{WANTED: "abacus"}).startswith(expected)


def test_without_a_driver() -> None:
    no_platform = "import pyopencl\npyopencl.get_platforms = lambda: []\n"
    assert run(no_platform + OPEN) == "error: OpenCL has no device [device]"


def test_compiled_kernels_are_kept_in_the_cache_of_polyir(tmp_path: Path) -> None:
    code = """
import os
del os.environ["POCL_CACHE_DIR"]
from polyir.runtime.gpu.device import open_device
open_device("opencl").build("kernel void f(global int *x) { *x = 1; }", ["f"])
"""
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    run(code, HOME=str(home), POLYIR_CACHE=str(cache), XDG_CACHE_HOME=str(home))
    assert not list(home.iterdir())
    assert list((cache / "pocl").iterdir())
