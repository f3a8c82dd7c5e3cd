// A pass that was asked for and finds nothing to do says so.
// RUN: polyir-opt --lower-poly --convert-parallel-to-omp --emit=none %s 2>&1 | filecheck %s

// CHECK: warning: [lower-poly] nothing to do: the module has no poly.scop
// CHECK: warning: [convert-parallel-to-omp] nothing to convert: the module has no parallel loop
func.func @f(%A: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %A[%i] : memref<?xf64>
  }
  return
}
