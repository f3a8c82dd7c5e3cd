// RUN: polyir-opt --pluto-schedule --tile=8 --wavefront=all --mark-parallel --emit=c %s 2>&1 | filecheck %s

// The tiles that have points are too hard for isl; the loops over tiles come from the rational
// projection, and nothing is given up.
// CHECK-NOT: takes more than
// CHECK-NOT: original order
// CHECK: for (int64_t t0 = 0; t0 < 4 * steps + 3 * n - 8; t0 += 8) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (int64_t t1 = polyir_max(polyir_max(polyir_max(0,
// CHECK-NEXT: t0 + 8 * polyir_floordiv(-3 * steps - 2 * n - 2, 8) + 16),
// CHECK-NEXT: 8 * polyir_floordiv(t0 - 2 * steps - 2 * n + 4, 16) + 8),
// CHECK-NEXT: 8 * polyir_floordiv(t0 - 2 * n - 10, 32) + 8);
// CHECK-NEXT: t1 < polyir_min(polyir_min(t0 + 8, steps + n - 1), polyir_ceildiv(3 * n + t0, 4) + 4);
// CHECK-NEXT: t1 += 8) {
// CHECK-NEXT: for (int64_t t2 = polyir_max(polyir_max(polyir_max(polyir_max(polyir_max(polyir_max(0,
// CHECK-NEXT: t0 - 2 * t1 - 8 * polyir_floordiv(steps + n + 5, 8) + 8),
// CHECK-NEXT: t1 - 8 * polyir_floordiv(n + 5, 8)),
// CHECK-NEXT: t0 + 8 * polyir_floordiv(3 - 2 * steps - n, 8) - t1 + 8),
// CHECK-NEXT: t0 - 3 * t1 - 8 * polyir_floordiv(n + 4, 8)),
// CHECK-NEXT: 8 * polyir_floordiv(t0 + t1 - steps - n + 2, 16) - t1 + 8),
// CHECK-NEXT: 8 * polyir_floordiv(t0 - n - t1 - 5, 24) + 8);
// CHECK-NEXT: t2 < polyir_min(polyir_min(polyir_min(polyir_min(t0 - t1 + 8, t0 + 2 * n - 3 * t1 + 11),
// CHECK-NEXT: steps + n - 2), t1 + n + 5), polyir_ceildiv(2 * n + t0 - t1, 3) + 3);
// CHECK-NEXT: t2 += 8) {
// CHECK-NEXT: for (int64_t t3 = polyir_max(polyir_max(polyir_max(t0 - 2 * t1 - t2, t0 - t1 - 2 * t2),
// CHECK-NEXT: t0 + 8 * polyir_floordiv(-steps, 8) - t1 - t2 + 8),
// CHECK-NEXT: 8 * ((t0 + t1 + t2 + 8) / 16) - t1 - t2);
// CHECK-NEXT: t3 < polyir_min(polyir_min(polyir_min(polyir_min(t0 - t1 - t2 + 8,
// CHECK-NEXT: t0 + n - t1 - 2 * t2 + 6), steps + n - 2), t0 + n - 2 * t1 - t2 + 7),
// CHECK-NEXT: polyir_floordiv(n + t0 + t1 + t2 + 5, 2) - t1 - t2 + 1);
// CHECK-NEXT: t3 += 8) {
// CHECK-NEXT: for (int64_t t = polyir_max(polyir_max(polyir_max(t1 - n + 1, t2 - n + 2),

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
