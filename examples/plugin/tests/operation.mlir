// RUN: polyir-opt --emit=c %s | filecheck %s
// RUN: not polyir-opt --emit=llvm %s 2>&1 | filecheck %s --check-prefix LLVM

// What is read before it changes is not read after it.
// CHECK:      for (int64_t j = 0; j < 200; j++) {
// CHECK-NEXT:   for (int64_t i = 0; i < 100; i++) {
// CHECK-NEXT:     const double y = s[i];
// CHECK-NEXT:     s[i] += A[i][j];
// CHECK-NEXT:     *t += y;

// LLVM: operation.mlir:18:7: error: prefetching.add_to on memrefs is not supported by the LLVM target

func.func @row_sums(%A: memref<100x200xf64>, %s: memref<100xf64>, %t: memref<f64>) {
  affine.for %j = 0 to 200 {
    affine.for %i = 0 to 100 {
      %x = affine.load %A[%i, %j] : memref<100x200xf64>
      %y = affine.load %s[%i] : memref<100xf64>
      prefetching.add_to %x, %s[%i] : f64, memref<100xf64>
      prefetching.add_to %y, %t[] : f64, memref<f64>
    }
  }
  return
}
