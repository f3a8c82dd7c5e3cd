// RUN: polyir-opt --pluto-schedule --tile=8 --wavefront --distribute-memory --remarks %s 2>&1 | filecheck %s

// Tiles of s = t + i are in wavefronts w = t + s. A block has the tiles whose 2 s - w are neighbours,
// for that is i, so that a rank has a part of A.

// CHECK: a rank sends A after each step
// CHECK-NOT: nearly all
// CHECK-LABEL: func.func private @seidel_compute_P0(
// CHECK: affine.for %t0 = max {{.*}}%step0, %own_d0b0] to min {{.*}}%step0, %own_d0e0] step 8
// CHECK-LABEL: func.func @seidel(

func.func @seidel(%steps: index, %n: index, %A: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %right = affine.load %A[%i + 1] : memref<?xf64>
      %sum = arith.addf %left, %right : f64
      affine.store %sum, %A[%i] : memref<?xf64>
    }
  }
  return
}
