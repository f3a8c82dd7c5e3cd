// C has integer products as atomic updates, and LLVM has not.
// RUN: polyir-opt --irregular-reductions=method=atomics --emit=c %s | filecheck %s
// RUN: not polyir-opt --irregular-reductions=method=atomics --emit=llvmir %s 2>&1 | filecheck %s --check-prefix=REFUSED

// CHECK:      #pragma omp atomic
// CHECK-NEXT: *(uint64_t *)&x[{{.*}}] *= (uint64_t)
// REFUSED: irregular_reductions_product.mlir:14:{{[0-9]+}}: error: an atomic update 'muli' is not supported by the LLVM target
func.func @product(%n: index, %p: memref<?xindex>, %e: memref<?xi64>, %x: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %e[%i] : memref<?xi64>
    %old = memref.load %x[%j] : memref<?xi64>
    %new = arith.muli %old, %v : i64
    memref.store %new, %x[%j] : memref<?xi64>
  }
  return
}
