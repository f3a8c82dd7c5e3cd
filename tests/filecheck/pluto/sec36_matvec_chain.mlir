// Pluto, section 3.6: three matrix-vector products have no common loop; the first two have.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/sec36-matvec-chain.mlir | filecheck %s
// RUN: polyir-opt --pluto-schedule="fuse=max" --emit=poly %S/../../../examples/sec36-matvec-chain.mlir | filecheck %s

// CHECK: poly.domain
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[i, j]; S1[i, j] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(j)] }]"
// CHECK: poly.filter "[n] -> { S2[i, j] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S2[i, j] -> [(i)] }, { S2[i, j] -> [(j)] }]" permutable coincident [true, false]{{$}}
