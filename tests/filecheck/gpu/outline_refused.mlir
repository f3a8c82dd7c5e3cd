// RUN: not polyir-opt --gpu-outline %s --split-input-file 2>&1 >%t | filecheck %s

func.func @nothing(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %v = affine.load %A[0] : memref<?xf64>
    affine.store %v, %A[%i] : memref<?xf64>
  }
  return
}
// CHECK: warning: [gpu-outline] nothing to do: the module has no gpu.launch

// -----

func.func @unknown_size(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %s = memref.alloca(%n) : memref<?xf64, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
// CHECK: outline_refused.mlir:16:10: error: the memory %s of a kernel must have constant extents, not memref<?xf64, #gpu.address_space<workgroup>>

// -----

func.func @passed_on(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %r = scf.execute_region -> memref<8xf64, #gpu.address_space<workgroup>> {
      %s = memref.alloca() : memref<8xf64, #gpu.address_space<workgroup>>
      scf.yield %s : memref<8xf64, #gpu.address_space<workgroup>>
    }
    gpu.terminator
  }
  return
}
// CHECK: outline_refused.mlir:29:7: error: a loop or a branch of a kernel must not pass on its memory %s

// -----

memref.global "private" @table : memref<8xf64>
func.func @global(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %s = memref.get_global @table : memref<8xf64>
    gpu.terminator
  }
  return
}
// CHECK: outline_refused.mlir:42:10: error: a kernel must not use the global '@table', which is in the host's memory

// -----

func.func @nested(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.launch blocks(%bx1, %by1, %bz1) in (%gx1 = %n, %gy1 = %n, %gz1 = %n) threads(%tx1, %ty1, %tz1) in (%sx1 = %n, %sy1 = %n, %sz1 = %n) {
      gpu.terminator
    }
    gpu.terminator
  }
  return
}
// CHECK: outline_refused.mlir:53:5: error: a kernel must not launch kernels

// -----

%n = arith.constant 8 : index
gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
  gpu.terminator
}
// CHECK: outline_refused.mlir:65:1: error: a kernel must be launched in a function
