// Loops that copy arrays in another order are not taken for irregular ones by later passes.
// RUN: polyir-opt --reorder-data --reorder-iterations=reassociate=true --emit=none %s 2>&1 | filecheck %s --check-prefix QUIET --allow-empty
// RUN: polyir-opt --reorder-data --inspect-wavefronts %s | filecheck %s

// QUIET-NOT: loop left

// CHECK: func.func @forces_inspector(
// CHECK: func.func @forces_inspector_0(
// CHECK-NOT: func.func @forces_inspector_1(
// CHECK: func.func @forces_executor(
// CHECK: } {polyir.copy_loop}
// CHECK: scf.parallel
// CHECK: } {polyir.copy_loop}
func.func @forces(%n: index, %m: index, %left: memref<?xindex>, %f: memref<?xf64>, %d: memref<?xf64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %left[%j] : memref<?xindex>
    %dj = affine.load %d[%j] : memref<?xf64>
    %fl = memref.load %f[%l] : memref<?xf64>
    %sum = arith.addf %fl, %dj : f64
    memref.store %sum, %f[%l] : memref<?xf64>
  }
  return
}
