// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig4-stencil.mlir | filecheck %s

// Figure 4: one band of two for a wavefront over tiles.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable coincident [false, false]
// CHECK-NEXT: }
