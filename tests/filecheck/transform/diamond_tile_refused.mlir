// RUN: polyir-opt --pluto-schedule --diamond-tile --emit=poly %s 2>&1 | filecheck %s

// A stencil in place: what is written at (t, i - 1) is read at (t, i).
func.func @in_place(%steps: index, %n: index, %a: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%i - 1] : memref<?xf64>
      %1 = affine.load %a[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK:     diamond_tile_refused.mlir:5:3: warning: [diamond-tile] nothing was tiled: tiles of the band of 2 over S0 cannot start concurrently along any loop: array a carries (0,1): S0[0, 1] must run before S0[0, 2] (steps = 1, n = 4)
// CHECK:     poly.band "{{.*}}[{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]"
// CHECK-NOT: mod
