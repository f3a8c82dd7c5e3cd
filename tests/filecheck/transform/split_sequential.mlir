// Loops that are sequential because of one iteration only.
// RUN: polyir-opt --split-sequential --remarks --split-input-file --emit=poly %s > %t.out 2> %t.err
// RUN: filecheck %s < %t.out
// RUN: filecheck %s --check-prefix=WHY < %t.err

// Element m is read by all iterations, and written by iteration m.
// WHY: 10:3: remark: [split-sequential] split loop 1 around S0 at one iteration: the parts are parallel
// CHECK-LABEL: func.func @element
func.func @element(%m: index, %n: index, %a: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    %1 = affine.load %a[symbol(%m)] : memref<?xf64>
    %2 = arith.mulf %0, %1 : f64
    affine.store %2, %a[%i] : memref<?xf64>
  }
  return
}
// CHECK:      poly.sequence {
// CHECK-NEXT:   poly.filter "[n, m] -> { S0[i] : i < m }" {
// CHECK-NEXT:     poly.band "[n, m] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]
// CHECK-NEXT:   }
// CHECK-NEXT:   poly.filter "[n, m] -> { S0[i = m] }" {
// CHECK-NEXT:     poly.band "[n, m] -> [{ S0[i] -> [(m)] }]" permutable coincident [true]
// CHECK-NEXT:   }
// CHECK-NEXT:   poly.filter "[n, m] -> { S0[i] : i > m }" {
// CHECK-NEXT:     poly.band "[n, m] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]

// -----

// The first iteration is peeled: there is none before it.
// WHY: remark: [split-sequential] split loop 1 around S0 at one iteration: the parts are parallel
// CHECK-LABEL: func.func @peeled
func.func @peeled(%n: index, %a: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[0] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %a[%i] : memref<?xf64>
  }
  return
}
// CHECK:      poly.sequence {
// CHECK-NEXT:   poly.filter "[n] -> { S0[i = 0] }" {
// CHECK-NEXT:     poly.band
// CHECK-NEXT:   }
// CHECK-NEXT:   poly.filter "[n] -> { S0[i] : i > 0 }" {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]

// -----

// All shortest paths: rows and columns are split at k.
// WHY: remark: [split-sequential] split loop 2 around S0 at one iteration: the parts are parallel
// WHY-COUNT-3: remark: [split-sequential] split loop 3 around S0 at one iteration: the parts are parallel
// CHECK-LABEL: func.func @paths
func.func @paths(%n: index, %path: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %direct = affine.load %path[%i, %j] : memref<?x?xi32>
        %to_k = affine.load %path[%i, %k] : memref<?x?xi32>
        %from_k = affine.load %path[%k, %j] : memref<?x?xi32>
        %detour = arith.addi %to_k, %from_k : i32
        %shortest = arith.minsi %direct, %detour : i32
        affine.store %shortest, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
// CHECK:      poly.band "[n] -> [{ S0[k, i, j] -> [(k)] }]" permutable {
// CHECK-NEXT:   poly.sequence {
// CHECK-NEXT:     poly.filter "[n] -> { S0[k, i, j] : i < k }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S0[k, i, j] -> [(i)] }]" permutable coincident [true] {
// CHECK-NEXT:         poly.sequence {
// CHECK-NEXT:           poly.filter "[n] -> { S0[k, i, j] : j < k }" {
// CHECK-NEXT:             poly.band "[n] -> [{ S0[k, i, j] -> [(j)] }]" permutable coincident [true]
// CHECK-NEXT:           }
// CHECK-NEXT:           poly.filter "[n] -> { S0[k, i, j = k] }" {
// CHECK:                poly.filter "[n] -> { S0[k, i, j] : j > k }" {
// CHECK:          poly.filter "[n] -> { S0[k, i = k, j] }" {
// CHECK:          poly.filter "[n] -> { S0[k, i, j] : i > k }" {

// -----

// Each iteration reads what the one before wrote: many iterations touch dependences.
// WHY: warning: [split-sequential] nothing was split: no sequential loop has one iteration that all of its dependences touch
// CHECK-LABEL: func.func @chain
// CHECK-NOT: poly.sequence
func.func @chain(%n: index, %a: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %a[%i - 1] : memref<?xf64>
    affine.store %0, %a[%i] : memref<?xf64>
  }
  return
}
