// Pluto, figure 4: a tiled band of 2; over the tiles a sequential wavefront, parallel inside.
// RUN: polyir-opt --pluto-schedule --tile=32 --wavefront --emit=poly %S/../../../examples/fig4-stencil.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i + j - (i) mod 32 - (j) mod 32)] }]" permutable {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(j - (j) mod 32)] }]" permutable coincident [true]
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable{{$}}
