// RUN: polyir-opt --pluto-schedule --map-to-gpu="limit=1000 shared=auto registers=auto" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix LIMIT
// RUN: polyir-opt --pluto-schedule --gpu-kernels --gpu-tile --gpu-map --gpu-promote="arrays=A,x" --emit=none %s 2>&1 | filecheck %s --check-prefix NAMED
// RUN: polyir-opt --pluto-schedule --gpu-kernels --gpu-tile --gpu-map --gpu-promote="shared=all registers=none" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix ALL
// RUN: not polyir-opt --pluto-schedule --gpu-kernels --gpu-tile --gpu-map --gpu-promote="arrays=Q" --emit=none %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --gpu-promote="padding=-1" %s 2>&1 | filecheck %s --check-prefix PADDING
// RUN: not polyir-opt --gpu-promote="limit=-1" %s 2>&1 | filecheck %s --check-prefix NEGATIVE

// What is not promoted, and why.
func.func @rows(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%j] : memref<?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %0 = arith.mulf %a, %b : f64
      %1 = arith.addf %c, %0 : f64
      affine.store %1, %y[%i] : memref<?xf64>
    }
  }
  return
}

// LIMIT: remark: [gpu-promote] S0: of x, a block keeps 32 elements in shared memory, 256 bytes (x_shared), copied in
// LIMIT: remark: [gpu-promote] S0: of y, a thread keeps one element in registers (y_private), copied in and out
// LIMIT: remark: [gpu-promote] S0: A stays in global memory: a tile of 256 x 33 elements takes 67584 bytes of shared memory, and 1000 of 1000 are left

// NAMED: warning: [gpu-promote] S0: A stays in global memory: a tile of 256 x 33 elements takes 67584 bytes of shared memory, and 49152 of 49152 are left

// ALL: remark: [gpu-promote] S0: of x, a block keeps 32 elements
// ALL: remark: [gpu-promote] S0: of y, a block keeps 256 elements in shared memory, 2048 bytes (y_shared), copied in and out

// UNKNOWN: error: there is no array Q (the scop accesses A, x, y)

// PADDING: error: padding must not be negative: padding=-1
// NEGATIVE: error: limit must not be negative: limit=-1
