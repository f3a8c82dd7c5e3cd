// RUN: polyir-opt --map-to-gpu=assume-on-device=true --emit=poly %s | filecheck %s --check-prefix POLY
// RUN: polyir-opt --map-to-gpu=assume-on-device=true --emit=poly %s | polyir-opt - | filecheck %s
// RUN: polyir-opt --map-to-gpu --lower-poly=assume-on-device=true %s | filecheck %s
// RUN: polyir-opt --map-to-gpu=assume-on-device=true --emit=cuda %s | filecheck %s --check-prefix CUDA
// RUN: not polyir-opt --map-to-gpu=assume-on-device=true --emit=opencl %s 2>&1 | filecheck %s --check-prefix OPENCL
// RUN: sed 's|^ *// after|func.call @show(%%A) : (memref<?xf64>) -> ()|' %s | not polyir-opt --map-to-gpu=assume-on-device=true - 2>&1 | filecheck %s --check-prefix HOST

func.func private @show(memref<?xf64>)

// Arrays of the caller are used where they are; others, and numbers in memory, are copied.
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<8xf64>, %s: memref<f64>) {
  %C = memref.alloc() : memref<8xf64>
  affine.for %i = 0 to 8 {
    %0 = affine.load %B[%i] : memref<8xf64>
    affine.store %0, %C[%i] : memref<8xf64>
  }
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = affine.load %s[] : memref<f64>
    %2 = affine.load %C[%i mod 8] : memref<8xf64>
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    affine.store %4, %A[%i] : memref<?xf64>
  }
  // after
  return
}

// POLY: func.func @f({{.*}}) attributes {{{"?}}poly.assume_on_device{{"?}}} {

// CHECK:      func.func @f(%n: index, %A: memref<?xf64>, %B: memref<8xf64>, %s: memref<f64>) {
// CHECK-NOT:  memref.dim
// CHECK:      %C_dev = gpu.alloc() : memref<8xf64>
// CHECK-NOT:  gpu.alloc() : memref<8xf64>
// CHECK:      gpu.memcpy %s_dev, %s : memref<f64>, memref<f64>
// CHECK-NOT:  gpu.memcpy
// CHECK:      affine.load %B[
// CHECK:      affine.store {{.*}}, %A[
// CHECK-NOT:  gpu.memcpy

// CUDA: extern "C" void f(
// CUDA-NEXT: int64_t n, double *__restrict__ A, int64_t A_0, double *__restrict__ B,
// The loop over eight elements is one tile, and one block.
// CUDA: f_0<<<dim3(1, 1, 1), dim3(8, 1, 1)>>>(B, C_dev);

// OPENCL: error: an argument of the kernel does not come from 'gpu.alloc'

// HOST: error: code of the host accesses 'A', which is assumed to be on the device
