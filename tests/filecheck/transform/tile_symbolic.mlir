// RUN: polyir-opt --tile-symbolic --mark-parallel --emit=poly %s | filecheck %s
// RUN: polyir-opt --tile-symbolic --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --tile-symbolic="origins=box" --emit=c %s | filecheck %s --check-prefix BOX
// RUN: polyir-opt --tile-symbolic="loops=S0.1" --emit=poly %s | filecheck %s --check-prefix ADDRESSED
// RUN: not polyir-opt --tile-symbolic="loops=S0.1,S0.0" %s 2>&1 | filecheck %s --check-prefix APART
// RUN: not polyir-opt --tile-symbolic="min-width=0" %s 2>&1 | filecheck %s --check-prefix WIDTH
// RUN: not polyir-opt --tile-symbolic="origins=inset" %s 2>&1 | filecheck %s --check-prefix INSET
// RUN: not polyir-opt --tile-symbolic --strip-mine="loop=S0.0 size=4" %s 2>&1 | filecheck %s --check-prefix AFTER
// RUN: not polyir-opt --tile-symbolic --reverse=S0.0 %s 2>&1 | filecheck %s --check-prefix REFUSED

// The sizes are arguments after the others; a mark stands for the loops over tiles.
func.func @triangle(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: func.func @triangle(%n: index, %a: memref<?x?xf64>, %T0: index, %T1: index)
// CHECK-NEXT: poly.scop (%n as "n", %T0 as "T0", %T1 as "T1")
// CHECK:      poly.mark #poly.tile<outset [T0, T1] loops {{\[\[}}], [#poly.parallel]]> {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable coincident [false, true]

// LOOPS: func.func @triangle(%{{.*}}: index, %{{.*}}: memref<?x?xf64>, %[[T0:.*]]: index, %[[T1:.*]]: index)
// LOOPS: arith.maxsi
// LOOPS: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// LOOPS:   scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}})
// LOOPS:     scf.for
// LOOPS:       scf.for

// BOX: for (int64_t ti = polyir_floordiv(1, T0_used) * T0_used; ti < n; ti += T0_used) {
// BOX-NEXT: for (int64_t tj = 0; tj < {{.*}}; tj += T1_used) {
// BOX-NEXT: if (

// ADDRESSED:      poly.band "[n] -> [{ S0[i, j] -> [(i)] }]"
// ADDRESSED-NEXT:   poly.mark #poly.tile<outset [T0]> {
// ADDRESSED-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(j)] }]"

// APART: error: S0.1, S0.0 are not perfectly nested
// WIDTH: error: min-width must be 1 or more: min-width=0
// INSET: error: option 'origins' of pass 'tile-symbolic' cannot be 'inset'
// AFTER: tile_symbolic.mlir:{{[0-9]+}}:3: error: the mark #poly.tile<outset [T0, T1]> would no longer be above the loops that it tiles
// REFUSED: tile_symbolic.mlir:{{[0-9]+}}:3: error: reversing S0.0 violates the flow dependence through a: S0[1, 0] must run before S0[2, 0]
