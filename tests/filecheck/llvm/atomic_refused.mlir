// RUN: not polyir-opt --emit=c %s 2>&1 | filecheck %s --check-prefix C
// RUN: not polyir-opt --emit=llvm %s 2>&1 | filecheck %s

// C: error: memref.atomic_rmw addf on double is not supported by the C target
// CHECK: error: memref.atomic_rmw addf on f64 is not supported by the LLVM target
func.func @add(%A: memref<?xf64>, %i: index, %v: f64) -> f64 {
  %old = memref.atomic_rmw addf %v, %A[%i] : (f64, memref<?xf64>) -> f64
  return %old : f64
}
