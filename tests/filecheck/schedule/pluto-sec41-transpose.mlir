// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/sec41-transpose.mlir | filecheck %s

// Section 4.1, figure 5: (1,1), then (1,0), which only the other sign of the orthogonal constraint finds.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }, { S0[i, j] -> [(i)] }]" permutable coincident [false, false]
// CHECK-NEXT: }
