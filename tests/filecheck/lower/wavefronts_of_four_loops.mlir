// RUN: polyir-opt --pluto-schedule --tile=8 --wavefront=all --mark-parallel --emit=c %s 2>&1 | filecheck %s

// The tiles that have points are too hard for isl; the loops over tiles come from the rational
// projection, and nothing is given up.
// CHECK-NOT: takes more than
// CHECK-NOT: original order
// CHECK:     for (int64_t t0 =
// CHECK:     #pragma omp parallel for
// CHECK:     for (int64_t t1 =
// CHECK:     for (int64_t t2 =
// CHECK:     for (int64_t t3 =
func.func @average(%A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
          %x = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %y = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %z = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %s = arith.addf %x, %y : f64
          %sum = arith.addf %s, %z : f64
          affine.store %sum, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
          %x = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          affine.store %x, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
