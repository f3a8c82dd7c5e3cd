// RUN: polyir-opt --isl-schedule --map-to-gpu="buffers=2 tile=16 limit=6144" --remarks --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --isl-schedule --gpu-kernels --gpu-tile=tile=16 --gpu-map --gpu-promote="buffers=2 registers=none arrays=A shared=all" --emit=none %s 2>&1 | filecheck %s --check-prefix NAMED
// RUN: not polyir-opt --map-to-gpu=buffers=3 --emit=none %s 2>&1 | filecheck %s --check-prefix WRONG

// WRONG: error: buffers must be 1 or 2: buffers=3

// There is no room for a second tile of B.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
// CHECK:      remark: [gpu-promote] S0: of A, a block keeps 2 x 16 x 16 elements in shared memory, 4096 bytes (A_shared), copied in, one iteration ahead
// CHECK-NEXT: remark: [gpu-promote] S0: of B, a block keeps 16 x 16 elements in shared memory, 2048 bytes (B_shared), copied in
// CHECK:      remark: [gpu-promote] S0: no tile of B is copied ahead: it takes 2048 more bytes of shared memory, and 0 are left

// All of the tile of a block is copied at once.
func.func @stencil(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = affine.load %A[%i + 1] : memref<?xf64>
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    affine.store %4, %B[%i] : memref<?xf64>
  }
  return
}
// CHECK: remark: [gpu-promote] S0: no tile of A is copied ahead: no sequential loop is around it
// NAMED: warning: [gpu-promote] S0: no tile of A is copied ahead: no sequential loop is around it

// Each iteration of the loop in a block writes what the next one reads.
func.func @in_place(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%j, %i] : memref<?x?xf64>
      %1 = affine.load %A[%j + 1, %i] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %A[%j + 1, %i] : memref<?x?xf64>
    }
  }
  return
}
// NAMED: warning: [gpu-promote] S0: no tile of A is copied ahead: the loop around it writes to the array

// Every third tile of the loop in a block is left out: it can copy nothing for the next one.
func.func @holes(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      affine.if affine_set<(d0) : (d0 mod 48 - 16 >= 0)>(%k) {
        %0 = affine.load %A[%k] : memref<?xf64>
        %1 = affine.load %B[%i] : memref<?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %B[%i] : memref<?xf64>
      }
    }
  }
  return
}
// CHECK: remark: [gpu-promote] S0: no tile of A is copied ahead: the iterations of the loop around it are not all 16 apart
// NAMED: warning: [gpu-promote] S0: no tile of A is copied ahead: the iterations of the loop around it are not all 16 apart
