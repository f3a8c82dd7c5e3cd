// RUN: polyir-opt --optimize=target=gpu --remarks --emit=poly %s -o %t.mlir 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix TREE < %t.mlir
// RUN: polyir-opt --lower-poly --check-gpu --emit=none %t.mlir
// RUN: not polyir-opt --optimize="target=gpu threads=2" %s 2>&1 | filecheck %s --check-prefix CPU

// CPU: error: {{.*}}threads is for target=cpu, and target=gpu was given

// A sweep of a stencil: caches do what shared memory would.
// CHECK:     remark: [optimize] sizes: n = 1000 (assumed)
// CHECK:     remark: [optimize] original: 5.98 ms; microseconds: host and copies 5.98e+03
// CHECK:     remark: [optimize] spatial-schedule with tiles of 32 x 32 or 32 x 32 x 32 or 8 x 8 x 32: {{.*}} ms; microseconds: {{.*}}; 1 kernel of {{.*}} blocks or more, 1 launches: {{.*}}
// CHECK:     remark: [optimize] spatial-schedule with tiles of 256 x 32 or 8 x 32 x 32 or 4 x 4 x 32: {{.*}}
// CHECK:     remark: [optimize] chosen: spatial-schedule, {{.*}} times as fast as the host
// CHECK-NOT: in shared memory,
// TREE-LABEL: func.func @stencil(
// TREE-NOT:  poly.local_array
// TREE:      poly.mark #poly.kernel<block [32, 8]>
func.func @stencil(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %2 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
      %3 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %4 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
      %5 = arith.addf %0, %1 : f64
      %6 = arith.addf %5, %2 : f64
      %7 = arith.addf %6, %3 : f64
      %8 = arith.addf %7, %4 : f64
      affine.store %8, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A product: the elements of a tile are read 32 times.
// CHECK:      remark: [optimize] chosen: spatial-schedule
// CHECK:      remark: [gpu-promote] S0: of A, a block keeps 32 x 32 elements in shared memory
// CHECK:      remark: [gpu-promote] S0: of C, a thread keeps 4 elements in registers
// TREE-LABEL: func.func @product(
// TREE:       poly.local_array @A_shared workgroup
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Sums of rows, with one parallel loop: many small blocks, so that all multiprocessors have work.
// CHECK:      remark: [gpu-map] S0: blocks of 32 threads
// TREE-LABEL: func.func @rows(
// TREE:       poly.mark #poly.kernel<block [32]>
func.func @rows(%n: index, %A: memref<?x?xf64>, %s: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %s[%i] : memref<?xf64>
      %2 = arith.addf %1, %0 : f64
      affine.store %2, %s[%i] : memref<?xf64>
    }
  }
  return
}

// The sum of each iteration is in a temporary, which only blocks parallelism: it gets copies.
// CHECK:      remark: [privatize] t has a copy for each iteration of loop 1: memref<?xf64>
// CHECK:      remark: [gpu-promote] {{.*}}: of t, a thread keeps one element in registers (t_private), without copies
func.func @private(%n: index, %A: memref<?x?xf64>, %s: memref<?xf64>) {
  %t = memref.alloc() : memref<f64>
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %zero, %t[] : memref<f64>
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%j, %i] : memref<?x?xf64>
      %1 = affine.load %t[] : memref<f64>
      %2 = arith.addf %1, %0 : f64
      affine.store %2, %t[] : memref<f64>
    }
    %3 = affine.load %t[] : memref<f64>
    affine.store %3, %s[%i] : memref<?xf64>
  }
  memref.dealloc %t : memref<f64>
  return
}

// No loop is parallel: the host is faster, and the function stays as it is.
// CHECK:      remark: [optimize] chosen: original, on the host
// TREE-LABEL: func.func @chain(
// TREE-NOT:   #poly.kernel
func.func @chain(%n: index, %x: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %x[%i - 1] : memref<?xf64>
    %1 = affine.load %x[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %x[%i] : memref<?xf64>
  }
  return
}
