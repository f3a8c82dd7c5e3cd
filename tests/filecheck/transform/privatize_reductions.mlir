// RUN: polyir-opt --poly-dependences=reassociate=true --privatize-reductions=parts=3 --emit=poly %s | filecheck %s --check-prefix CHECK
// RUN: polyir-opt --poly-dependences=reassociate=true --privatize-reductions=parts=3 --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --poly-dependences=reassociate=true --privatize-reductions=parts=3 --mark-parallel --convert-parallel-to-omp %s | filecheck %s --check-prefix OMP

// The rows of a matrix are added up: threads share them, each with a row of results.
func.func @columns(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[%j] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK: builtin.module {
// CHECK-NEXT:   func.func @columns(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
// CHECK-NEXT:     %[[V0:.*]] = affine.max affine_map<(d0) -> (d0, 1)>(%m)
// CHECK-NEXT:     %X_partial = memref.alloc(%[[V0]]) : memref<3x?xf64>
// CHECK-NEXT:     poly.scop {{.*}} dependences <value, [
// CHECK:            flow "X_partial" "{{.*}}S0[p, i, j] -> S0_result[i0 = j]{{.*}}",
// CHECK:            reduction "X_partial" "{{.*}}S0[p, i, j] -> S0[p' = p, i', j' = j]{{.*}}"
// CHECK-NEXT:       ] {{.*}} {
// CHECK-NEXT:       poly.stmt @S0 domain "[n, m] -> { S0[p, i, j] : (p - i) mod 3 = 0 and 0 <= p <= 2 and 0 <= i < n and 0 <= j < m }" (%p, %i, %j) {
// CHECK-NEXT:         %[[V1:.*]] = affine.load %X_partial[%p, %j] : memref<3x?xf64>
// CHECK-NEXT:         %[[V2:.*]] = affine.load %A[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:         %[[V3:.*]] = arith.addf %[[V1]], %[[V2]] : f64
// CHECK-NEXT:         affine.store %[[V3]], %X_partial[%p, %j] : memref<3x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:       poly.stmt @S0_init domain "[n, m] -> { S0_init[p, i0] : n > 0 and 0 <= p <= 2 and 0 <= i0 < m }" (%p_1, %i0) {
// CHECK-NEXT:         %[[V4:.*]] = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:         affine.store %[[V4]], %X_partial[%p_1, %i0] : memref<3x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:       poly.stmt @S0_result domain "[n, m] -> { S0_result[i0] : n > 0 and 0 <= i0 < m }" (%i0_1) {
// CHECK-NEXT:         %[[V5:.*]] = affine.load %X_partial[0, %i0_1] : memref<3x?xf64>
// CHECK-NEXT:         %[[V6:.*]] = affine.load %X_partial[1, %i0_1] : memref<3x?xf64>
// CHECK-NEXT:         %[[V7:.*]] = arith.addf %[[V5]], %[[V6]] : f64
// CHECK-NEXT:         %[[V8:.*]] = affine.load %X_partial[2, %i0_1] : memref<3x?xf64>
// CHECK-NEXT:         %[[V9:.*]] = arith.addf %[[V7]], %[[V8]] : f64
// CHECK-NEXT:         %[[V10:.*]] = affine.load %X[%i0_1] : memref<?xf64>
// CHECK-NEXT:         %[[V11:.*]] = arith.addf %[[V10]], %[[V9]] : f64
// CHECK-NEXT:         affine.store %[[V11]], %X[%i0_1] : memref<?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:       poly.domain "[n, m] -> { S0[p, i, j] : (-p + i) mod 3 = 0 and 0 <= p <= 2 and 0 <= i < n and 0 <= j < m; S0_init[p, i0] : n > 0 and 0 <= p <= 2 and 0 <= i0 < m; S0_result[i0] : n > 0 and 0 <= i0 < m }" {
// CHECK-NEXT:         poly.sequence {
// CHECK-NEXT:           poly.filter "[n, m] -> { S0[p, i, j]; S0_init[p, i0] }" {
// CHECK-NEXT:             poly.band "[n, m] -> [{ S0[p, i, j] -> [(p)]; S0_init[p, i0] -> [(p)] }]" permutable coincident [true] loops [atomic] {
// CHECK-NEXT:               poly.sequence {
// CHECK-NEXT:                 poly.filter "[n, m] -> { S0_init[p, i0] }" {
// CHECK-NEXT:                   poly.band "[n, m] -> [{ S0_init[p, i0] -> [(i0)] }]" permutable coincident [true]
// CHECK-NEXT:                 }
// CHECK-NEXT:                 poly.filter "[n, m] -> { S0[p, i, j] }" {
// CHECK-NEXT:                   poly.band "[n, m] -> [{ S0[p, i, j] -> [(i)] }]" permutable {
// CHECK-NEXT:                     poly.band "[n, m] -> [{ S0[p, i, j] -> [(j)] }]" permutable coincident [true]
// CHECK-NEXT:                   }
// CHECK-NEXT:                 }
// CHECK-NEXT:               }
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:           poly.filter "[n, m] -> { S0_result[i0] }" {
// CHECK-NEXT:             poly.band "[n, m] -> [{ S0_result[i0] -> [(i0)] }]" permutable coincident [true]
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     memref.dealloc %X_partial : memref<3x?xf64>
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// LOOPS: builtin.module {
// LOOPS-NEXT:   func.func @columns(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
// LOOPS-NEXT:     %[[V0:.*]] = affine.max affine_map<(d0) -> (d0, 1)>(%m)
// LOOPS-NEXT:     %X_partial = memref.alloc(%[[V0]]) : memref<3x?xf64>
// LOOPS-NEXT:     affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] {
// LOOPS-NEXT:       affine.parallel (%p) = (0) to (3) {
// LOOPS-NEXT:         affine.for %i0 = 0 to %m {
// LOOPS-NEXT:           %[[V1:.*]] = arith.constant -0.000000e+00 : f64
// LOOPS-NEXT:           affine.store %[[V1]], %X_partial[%p, %i0] : memref<3x?xf64>
// LOOPS-NEXT:         }
// LOOPS-NEXT:         affine.for %i = affine_map<(d0) -> (d0)>(%p) to %n step 3 {
// LOOPS-NEXT:           affine.for %j = 0 to %m {
// LOOPS-NEXT:             %[[V2:.*]] = affine.load %X_partial[%p, %j] : memref<3x?xf64>
// LOOPS-NEXT:             %[[V3:.*]] = affine.load %A[%i, %j] : memref<?x?xf64>
// LOOPS-NEXT:             %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] : f64
// LOOPS-NEXT:             affine.store %[[V4]], %X_partial[%p, %j] : memref<3x?xf64>
// LOOPS-NEXT:           }
// LOOPS-NEXT:         }
// LOOPS-NEXT:       }
// LOOPS-NEXT:       affine.parallel (%i0_1) = (0) to (symbol(%m)) {
// LOOPS-NEXT:         %[[V5:.*]] = affine.load %X_partial[0, %i0_1] : memref<3x?xf64>
// LOOPS-NEXT:         %[[V6:.*]] = affine.load %X_partial[1, %i0_1] : memref<3x?xf64>
// LOOPS-NEXT:         %[[V7:.*]] = arith.addf %[[V5]], %[[V6]] : f64
// LOOPS-NEXT:         %[[V8:.*]] = affine.load %X_partial[2, %i0_1] : memref<3x?xf64>
// LOOPS-NEXT:         %[[V9:.*]] = arith.addf %[[V7]], %[[V8]] : f64
// LOOPS-NEXT:         %[[V10:.*]] = affine.load %X[%i0_1] : memref<?xf64>
// LOOPS-NEXT:         %[[V11:.*]] = arith.addf %[[V10]], %[[V9]] : f64
// LOOPS-NEXT:         affine.store %[[V11]], %X[%i0_1] : memref<?xf64>
// LOOPS-NEXT:       }
// LOOPS-NEXT:     }
// LOOPS-NEXT:     memref.dealloc %X_partial : memref<3x?xf64>
// LOOPS-NEXT:     func.return
// LOOPS-NEXT:   }
// LOOPS-NEXT: }

// OMP: builtin.module {
// OMP-NEXT:   func.func @columns(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
// OMP-NEXT:     %[[V0:.*]] = affine.max affine_map<(d0) -> (d0, 1)>(%m)
// OMP-NEXT:     %X_partial = memref.alloc(%[[V0]]) : memref<3x?xf64>
// OMP-NEXT:     affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] {
// OMP-NEXT:       %[[V1:.*]] = arith.constant 0 : index
// OMP-NEXT:       %[[V2:.*]] = arith.constant 3 : index
// OMP-NEXT:       %[[V3:.*]] = arith.constant 1 : index
// OMP-NEXT:       omp.parallel {
// OMP-NEXT:         omp.wsloop {
// OMP-NEXT:           omp.loop_nest (%p) : index = (%[[V1]]) to (%[[V2]]) step (%[[V3]]) {
// OMP-NEXT:             affine.for %i0 = 0 to %m {
// OMP-NEXT:               %[[V4:.*]] = arith.constant -0.000000e+00 : f64
// OMP-NEXT:               memref.store %[[V4]], %X_partial[%p, %i0] : memref<3x?xf64>
// OMP-NEXT:             }
// OMP-NEXT:             %[[V5:.*]] = arith.constant 3 : index
// OMP-NEXT:             scf.for %i = %p to %n step %[[V5]] {
// OMP-NEXT:               affine.for %j = 0 to %m {
// OMP-NEXT:                 %[[V6:.*]] = memref.load %X_partial[%p, %j] : memref<3x?xf64>
// OMP-NEXT:                 %[[V7:.*]] = memref.load %A[%i, %j] : memref<?x?xf64>
// OMP-NEXT:                 %[[V8:.*]] = arith.addf %[[V6]], %[[V7]] : f64
// OMP-NEXT:                 memref.store %[[V8]], %X_partial[%p, %j] : memref<3x?xf64>
// OMP-NEXT:               }
// OMP-NEXT:             }
// OMP-NEXT:             omp.yield
// OMP-NEXT:           }
// OMP-NEXT:           "omp.terminator"() : () -> ()
// OMP-NEXT:         }
// OMP-NEXT:         "omp.terminator"() : () -> ()
// OMP-NEXT:       }
