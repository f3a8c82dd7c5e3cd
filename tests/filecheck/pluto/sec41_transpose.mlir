// Pluto, section 4.1: (1,1), then (1,0), which needs the other sign of the orthogonal constraint.
// The tile schedule is (2,1).
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/sec41-transpose.mlir | filecheck %s
// RUN: polyir-opt --pluto-schedule --wavefront --emit=poly %S/../../../examples/sec41-transpose.mlir | filecheck %s --check-prefix WAVEFRONT

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }, { S0[i, j] -> [(i)] }]" permutable{{$}}
// WAVEFRONT: poly.band "[n] -> [{ S0[i, j] -> [(2i + j)] }]" permutable {
// WAVEFRONT-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true]{{$}}
