// RUN: polyir-opt --pluto-schedule --map-to-gpu="shared=none" --emit=cuda %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --map-to-gpu="tile=32,32,16 block=32,8" --emit=opencl %s | filecheck %s --check-prefix COPIES
// RUN: polyir-opt --pluto-schedule --map-to-gpu="shared=none" --lower-poly %s | filecheck %s --check-prefix LOWERED

// The tiles of a thread's innermost loop are full or partial: full ones have a constant number of
// iterations, and are unrolled. What mlir-opt gets has no versions.
// CHECK-LABEL: __launch_bounds__(256) rows_0(
// CHECK:      for (int64_t tj = 0; tj < m; tj += 32) {
// CHECK-NEXT:   if (m - tj >= 32) {
// CHECK-NEXT:     #pragma unroll 8
// CHECK-NEXT:     for (int64_t j = tj; j < tj + 32; j++) {
// CHECK-NEXT:       s_private += A[(tx + 256 * bx) * A_1 + j];
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     for (int64_t j = tj; j < polyir_min(m, tj + 32); j++) {
// CHECK-NEXT:       s_private += A[(tx + 256 * bx) * A_1 + j];
// LOWERED-NOT: unroll
func.func @rows(%n: index, %m: index, %A: memref<?x?xf64>, %s: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %s[%i] : memref<?xf64>
      %2 = arith.addf %1, %0 : f64
      affine.store %2, %s[%i] : memref<?xf64>
    }
  }
  return
}

// Each of eight rows of threads copies every eighth row of a tile.
// COPIES:      if (n - tk - ty >= 9) {
// COPIES-NEXT:   #pragma unroll 2
// COPIES-NEXT:   for (long t1 = ty; t1 < ty + 16; t1 += 8) {
// COPIES-NEXT:     B_shared[t1][tx] = B[(tk + t1) * B_1 + tx + 32 * bx];
// COPIES-NEXT:   }
// COPIES-NEXT: } else {
// COPIES-NEXT:   for (long t1 = ty; t1 < polyir_min(16, n - tk); t1 += 8) {
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

// A constant number of iterations needs no second version.
// CHECK-LABEL: filter_0(
// CHECK:      #pragma unroll 5
// CHECK-NEXT: for (int64_t k = 0; k < 5; k++) {
// CHECK-NOT:  for
func.func @filter(%n: index, %A: memref<?xf64>, %B: memref<5xf64>, %C: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to 5 {
      %0 = affine.load %A[%i + %k] : memref<?xf64>
      %1 = affine.load %B[%k] : memref<5xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = affine.load %C[%i] : memref<?xf64>
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %C[%i] : memref<?xf64>
    }
  }
  return
}
