// RUN: polyir-opt --reassociate=4 --emit=poly --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --reassociate="lanes=4 blocks=4" --emit=poly %s | filecheck %s --check-prefix PARTS
// RUN: polyir-opt --reassociate --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix DEFAULT
// RUN: polyir-opt --reassociate=4 --emit=poly %s | polyir-opt --check-schedule --mark-parallel --emit=c - 2>&1 | filecheck %s --check-prefix AGAIN

// A result for each row. Rows are independent, so that a block gets a group of them.
func.func @rows(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[%i] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [reassociate] S0: each sum in X is computed in 4 lanes, 64 at a time
// CHECK-LABEL: func.func @rows
// CHECK:       %[[N:.*]] = affine.max {{.*}}(%n)
// CHECK:       %X_partial = memref.alloc(%[[N]]) : memref<?x4xf64>
// CHECK:       poly.stmt @S0 domain {{.*}} (%i, %j) {
// CHECK-NEXT:    %[[OLD:.*]] = affine.load %X_partial[%i, %j mod 4] : memref<?x4xf64>
// CHECK-NEXT:    %[[A:.*]] = affine.load %A[%i, %j]
// CHECK-NEXT:    %[[NEW:.*]] = arith.addf %[[OLD]], %[[A]] : f64
// CHECK-NEXT:    affine.store %[[NEW]], %X_partial[%i, %j mod 4]
// CHECK:       poly.stmt @S0_init domain "[n, m] -> { S0_init[i0, l] : m > 0 and 0 <= i0 < n and 0 <= l <= 3 }" (%[[I:.*]], %[[L:.*]]) {
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant -0.0{{.*}} : f64
// CHECK-NEXT:    affine.store %[[ZERO]], %X_partial[%[[I]], %[[L]]]
// CHECK:       poly.stmt @S0_tree2 domain "[n, m] -> { S0_tree2[i0, l] : m > 0 and 0 <= i0 < n and 0 <= l <= 1 }" (%[[I:.*]], %[[L:.*]]) {
// CHECK-NEXT:    %[[OWN:.*]] = affine.load %X_partial[%[[I]], %[[L]]]
// CHECK-NEXT:    %[[OTHER:.*]] = affine.load %X_partial[%[[I]], %[[L]] + 2]
// CHECK-NEXT:    %[[BOTH:.*]] = arith.addf %[[OWN]], %[[OTHER]] : f64
// CHECK-NEXT:    affine.store %[[BOTH]], %X_partial[%[[I]], %[[L]]]
// CHECK:       poly.stmt @S0_result domain "[n, m] -> { S0_result[i0] : m > 0 and 0 <= i0 < n }" (%[[I:.*]]) {
// CHECK-NEXT:    %[[OWN:.*]] = affine.load %X_partial[%[[I]], 0]
// CHECK-NEXT:    %[[OTHER:.*]] = affine.load %X_partial[%[[I]], 1]
// CHECK-NEXT:    %[[BOTH:.*]] = arith.addf %[[OWN]], %[[OTHER]] : f64
// CHECK-NEXT:    %[[X:.*]] = affine.load %X[%[[I]]]
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[X]], %[[BOTH]] : f64
// CHECK-NEXT:    affine.store %[[SUM]], %X[%[[I]]]
// CHECK:       poly.domain
// CHECK-NEXT:    poly.band {{.*}}S0[i, j] -> [(i - (i) mod 64)]{{.*}} coincident [true] {
// CHECK-NEXT:      poly.mark #poly.one_block {
// CHECK-NEXT:        poly.sequence {
// CHECK-NEXT:          poly.filter "[n, m] -> { S0[i, j]; S0_init[i0, l] }" {
// CHECK-NEXT:            poly.band "[n, m] -> [{ S0[i, j] -> [(i)]; S0_init[i0, l] -> [(i0)] }, { S0[i, j] -> [((j) mod 4)]; S0_init[i0, l] -> [(l)] }]" permutable coincident [true, true] {
// CHECK-NEXT:              poly.sequence {
// CHECK-NEXT:                poly.filter "[n, m] -> { S0_init[i0, l] }"
// CHECK-NEXT:                poly.filter "[n, m] -> { S0[i, j] }" {
// CHECK-NEXT:                  poly.band "[n, m] -> [{ S0[i, j] -> [(j)] }]" permutable{{$}}
// CHECK:               poly.filter "[n, m] -> { S0_tree2[i0, l] }" {
// CHECK-NEXT:            poly.band {{.*}} coincident [true, true]
// CHECK:               poly.filter "[n, m] -> { S0_result[i0] }" {
// CHECK-NEXT:            poly.band {{.*}} coincident [true]
// CHECK:       memref.dealloc %X_partial

// AGAIN: remark: [check-schedule]
// AGAIN-LABEL: void rows(
// AGAIN:       #pragma omp parallel for
// AGAIN-NEXT:  for (int64_t t0 = 0; t0 < n; t0 += 64)

// DEFAULT: [reassociate] S0: each sum in X is computed in 32 lanes, 8 at a time

// Where neighbouring results are neighbours in memory, the results are the last dimension.
func.func @columns(%n: index, %A: memref<?x?xi32>, %X: memref<?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %X[%j] : memref<?xi32>
      %1 = affine.load %A[%i, %j] : memref<?x?xi32>
      %2 = arith.minsi %0, %1 : i32
      affine.store %2, %X[%j] : memref<?xi32>
    }
  }
  return
}

// DEFAULT: [reassociate] S0: each minimum in X is computed in 8 lanes, 32 at a time
// CHECK-LABEL: func.func @columns
// CHECK:       poly.stmt @S0 domain
// CHECK:         affine.store {{.*}}, %X_partial_1[%i_1 mod 4, %j_1] : memref<4x?xi32>
// CHECK:         arith.constant 2147483647 : i32

// The two loops of a sum: the outer one is divided among the parts.
func.func @everything(%n: index, %A: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %s[] : memref<f64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = arith.subf %0, %1 : f64
      affine.store %2, %s[] : memref<f64>
    }
  }
  return
}

// DEFAULT: [reassociate] S0: the sum in s is computed in 256 parts of 256 lanes
// PARTS-LABEL: func.func @everything
// PARTS:       %[[P:.*]] = memref.alloc() : memref<16xf64>
// PARTS:       %[[R:.*]] = memref.alloc() : memref<4xf64>
// PARTS:         affine.load %[[P]][%{{.*}} mod 4 * 4 + %{{.*}} mod 4]
// PARTS:         arith.subf
// PARTS:       poly.stmt @S0_tree2 domain {{.*}}S0_tree2[b, l]{{.*}} (%[[B:.*]], %[[L:.*]]) {
// PARTS:         affine.load %[[P]][%[[B]] * 4 + %[[L]]]
// PARTS:         affine.load %[[P]][%[[B]] * 4 + %[[L]] + 2]
// PARTS:         arith.addf
// PARTS:       poly.stmt @S0_part domain {{.*}}S0_part[b]{{.*}} (%[[B:.*]]) {
// PARTS:         affine.store {{.*}}, %[[R]][%[[B]]]
// PARTS:       poly.stmt @S0_part_tree2
// PARTS:       poly.stmt @S0_result
// PARTS:         affine.load %s[]
// PARTS:       poly.domain
// PARTS-NEXT:    poly.sequence {
// PARTS-NEXT:      poly.filter {{.*}}S0_part[b]
// PARTS-NEXT:        poly.band {{.*}}S0[i, j] -> [((i) mod 4)]; {{.*}} coincident [true] {
// PARTS-NEXT:          poly.mark #poly.one_block {
// PARTS:           poly.filter {{.*}}S0_result[]{{.*}} {
// PARTS-NEXT:        poly.mark #poly.one_block {

// In a loop of the host, a single block computes the sum. What the loop also has runs before and
// after it. There are at most 20 iterations, and no more lanes.
func.func @in_loop(%n: index, %A: memref<?x20xf64>, %B: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %first = affine.load %B[%i] : memref<?xf64>
    affine.store %first, %s[] : memref<f64>
    affine.for %j = 0 to 20 {
      %0 = affine.load %s[] : memref<f64>
      %1 = affine.load %A[%i, %j] : memref<?x20xf64>
      %2 = arith.mulf %1, %0 : f64
      affine.store %2, %s[] : memref<f64>
    }
    %3 = affine.load %s[] : memref<f64>
    affine.store %3, %B[%i] : memref<?xf64>
  }
  return
}

// DEFAULT: [reassociate] S1: the product in s is computed in 16 lanes
// CHECK-LABEL: func.func @in_loop
// CHECK:       poly.band {{.*}} -> [(i)]; {{.*}} {
// CHECK-NEXT:    poly.sequence {
// CHECK-NEXT:      poly.filter {{.*}}S0[i]
// CHECK-NEXT:      poly.filter {{.*}}S1[i, j]; {{.*}} {
// CHECK-NEXT:        poly.mark #poly.one_block {
// CHECK:           poly.filter {{.*}}S2[i]
