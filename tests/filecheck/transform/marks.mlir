// RUN: polyir-opt --mark-parallel=all --intra-tile-order --emit=poly %s 2>&1 | filecheck %s

// A mark stays as long as its loop is parallel: the column's sum goes outermost.

func.func @columns(%n: index, %a: memref<?x?xf64>, %sum: memref<?xf64>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %s = affine.load %sum[%j] : memref<?xf64>
      %t = arith.addf %s, %x : f64
      affine.store %t, %sum[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK:      marks.mlir:6:3: warning: [intra-tile-order] a loop around S0 is no longer marked parallel
// CHECK:      poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S0[j, i] -> [(i)] }, { S0[j, i] -> [(j)] }]" permutable coincident [false, true]
// CHECK-NOT:  poly.mark
