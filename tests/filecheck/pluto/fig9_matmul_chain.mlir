// Pluto, figure 9: D += E (A B). The i of the first meets the k of the second, j meets j (the two
// rows are of equal cost, their order is free; this one has the parallel loop outside), then a
// scalar dimension: an element of C is consumed right after it is made.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[i, j, k] -> [(j)]; S1[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(i)]; S1[i, j, k] -> [(k)] }]" permutable coincident [true, false] {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[i, j, k] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(k)] }]"
// CHECK: poly.filter "[n] -> { S1[i, j, k] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S1[i, j, k] -> [(i)] }]"
