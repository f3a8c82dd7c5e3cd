// RUN: polyir-opt --intra-tile-order --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --diamond-tile --emit=poly %s 2>&1 | filecheck %s --check-prefix DIAMOND

// Column by column would be right for the cache and wrong for the result: a carries (1,-1).
func.func @columns(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%j + 1, %i - 1] : memref<?x?xf64>
      affine.store %0, %a[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      intra_tile_order_refused.mlir:6:3: warning: [intra-tile-order] no loop was moved: there is no permutable band of 2 or more: the loops from the band of 1 over S0 down are not permutable, because array a carries (1,-1): S0[1, 1] must run before S0[2, 0] (n = 3)
// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i)] }]"
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]"

// DIAMOND: warning: [diamond-tile] nothing was tiled: there is no permutable band of 2 or more: the loops from the band of 1 over S0 down are not permutable, because array a carries (1,-1): S0[1, 1] must run before S0[2, 0] (n = 3)
