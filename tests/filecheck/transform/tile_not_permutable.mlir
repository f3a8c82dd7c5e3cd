// RUN: polyir-opt --tile=32 --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=32 --emit=poly %s 2>&1 | filecheck %s --check-prefix SKEWED

// The loops carry (1,-1), so that tiles of them would wait for each other. Pluto skews first.
func.func @stencil(%t_end: index, %n: index, %a: memref<?x?xf64>) {
  affine.for %t = 1 to %t_end {
    affine.for %i = 1 to %n {
      %0 = affine.load %a[%t - 1, %i + 1] : memref<?x?xf64>
      %1 = affine.load %a[%t, %i - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%t, %i] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      tile_not_permutable.mlir:6:3: warning: [tile] nothing was tiled: no permutable band of 2 or more: the band of 1 over S0 has too few loops, because array a carries (1,-1): S0[1, 2] must run before S0[2, 1] (t_end = 3, n = 3)
// CHECK:      poly.band "{{.*}} S0[t, i] -> [(t)] }]" {
// CHECK-NEXT:   poly.band "{{.*}} S0[t, i] -> [(i)] }]"{{$}}

// SKEWED-NOT: warning
// SKEWED:      poly.band "{{.*}} mod 32)] }, {{.*}} mod 32)] }]" permutable {
// SKEWED-NEXT:   poly.band {{.*}} permutable{{$}}
