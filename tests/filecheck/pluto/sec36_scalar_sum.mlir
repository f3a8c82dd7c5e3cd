// Pluto, section 3.6: a sum into a scalar has two bands of 1, and nothing parallel.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/sec36-scalar-sum.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable{{$}}
