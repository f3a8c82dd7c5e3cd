// Pluto's section 4.1: a skewed band, although coefficients of both signs are tried.
// RUN: polyir-opt --isl-schedule --emit=poly %S/../../../examples/sec41-transpose.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }, { S0[i, j] -> [(i)] }]" permutable{{$}}
