// RUN: polyir-opt --pluto-schedule --tile=32 --intra-tile-order --mark-parallel --emit=poly %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=32 --intra-tile-order --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --pluto-schedule --intra-tile-order --intra-tile-order --emit=none %s 2>&1 | filecheck %s --check-prefix AGAIN
// RUN: not polyir-opt --intra-tile-order=0 %s 2>&1 | filecheck %s --check-prefix STRIDE
// RUN: not polyir-opt --intra-tile-order="maxstride=2" %s 2>&1 | filecheck %s --check-prefix OPTION

func.func @product(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf64>
        %1 = affine.load %b[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %c[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %c[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      poly.band "[n] -> [{ S0[i, j, k] -> [(i - (i) mod 32)] }, { S0[i, j, k] -> [(j - (j) mod 32)] }, { S0[i, j, k] -> [(k - (k) mod 32)] }]" permutable coincident [true, true, false] loop_attributes {{\[\[}}#poly.parallel], [], []] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(j)] }]" permutable coincident [true, false, true]

// LOOPS:      affine.parallel (%[[TI:.*]]) =
// LOOPS-NEXT:   affine.for %[[TJ:.*]] =
// LOOPS-NEXT:     affine.for %[[TK:.*]] =
// LOOPS-NEXT:       affine.for %[[I:.*]] = {{.*}}(%[[TI]]) to
// LOOPS-NEXT:         affine.for %[[K:.*]] = {{.*}}(%[[TK]]) to
// LOOPS-NEXT:           affine.for %[[J:.*]] = {{.*}}(%[[TJ]]) to
// LOOPS:                  affine.load %a[%[[I]], %[[K]]]
// LOOPS-NEXT:             affine.load %b[%[[K]], %[[J]]]

// AGAIN: intra_tile_order.mlir:8:3: warning: [intra-tile-order] no loop was moved: loop 3 of the band of 3 over S0 is already innermost and has the best locality (scores -44, -6, 18)
// STRIDE: error: max-stride must be 1 or more: max-stride=0
// OPTION: error: pass 'intra-tile-order' has no option 'maxstride'; did you mean 'max-stride'?
