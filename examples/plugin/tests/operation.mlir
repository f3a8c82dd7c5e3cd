// RUN: polyir-opt --emit=c %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=8,32 --mark-parallel --emit=c %s | filecheck %s --check-prefix TILED
// RUN: polyir-opt --pluto-schedule --map-to-gpu --emit=cuda %s | filecheck %s --check-prefix CUDA
// RUN: not polyir-opt --emit=llvm %s 2>&1 | filecheck %s --check-prefix LLVM

// CHECK:      for (int64_t j = 0; j < 200; j++) {
// CHECK-NEXT:   for (int64_t i = 0; i < 100; i++) {
// CHECK-NEXT:     s[i] += A[i][j];

// The loop over j adds to the same elements again and again.
// TILED:      #pragma omp parallel for
// TILED-NEXT: for (int64_t ti = 0; ti < 104; ti += 8) {
// TILED-NEXT:   for (int64_t tj = 0; tj < 224; tj += 32) {
// TILED-NEXT:     for (int64_t i = ti; i < polyir_min(100, ti + 8); i++) {
// TILED-NEXT:       for (int64_t j = tj; j < polyir_min(200, tj + 32); j++) {
// TILED-NEXT:         s[i] += A[i][j];

// CUDA: __global__ void
// CUDA: s_private += A_shared

// What is read before it changes is not read after it.
// CHECK:      const double y = t[i];
// CHECK-NEXT: t[i] += y;
// CHECK-NEXT: B[i] = y;

// LLVM: operation.mlir:32:7: error: prefetching.add_to on memrefs is not supported by the LLVM target

func.func @row_sums(%A: memref<100x200xf64>, %s: memref<100xf64>) {
  affine.for %j = 0 to 200 {
    affine.for %i = 0 to 100 {
      %x = affine.load %A[%i, %j] : memref<100x200xf64>
      prefetching.add_to %x, %s[%i] : f64, memref<100xf64>
    }
  }
  return
}

func.func @twice(%B: memref<100xf64>, %t: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %y = affine.load %t[%i] : memref<100xf64>
    prefetching.add_to %y, %t[%i] : f64, memref<100xf64>
    affine.store %y, %B[%i] : memref<100xf64>
  }
  return
}
