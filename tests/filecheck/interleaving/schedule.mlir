// A schedule for each way to fuse three products (Pouchet et al., 2011, figures 1 and 3), in more
// than one level, and in another order.
// RUN: polyir-opt --interleaving-schedule="S0,S1,S2/S0|S1,S2" --remarks --emit=poly %S/../../../examples/three-products.mlir 2>&1 | filecheck %s
// RUN: polyir-opt --interleaving-schedule="pattern='S1 | S0,S2'" --emit=poly %S/../../../examples/three-products.mlir | filecheck %s --check-prefix OTHER

// CHECK: remark: [interleaving-schedule] band of 1 for S0, S1, S2: no parallel members
// CHECK: poly.band "[n] -> [{ S0[i, j, k] -> [(j)]; S1[i, j, k] -> [(i)]; S2[i, j, k] -> [(k)] }]"
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[i, j, k] }" {
// CHECK: poly.filter "[n] -> { S1[i, j, k]; S2[i, j, k] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S1[i, j, k] -> [(j)]; S2[i, j, k] -> [(j)] }

// OTHER: poly.filter "[n] -> { S1[i, j, k] }" {
// OTHER: poly.filter "[n] -> { S0[i, j, k]; S2[i, j, k] }" {
// OTHER-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(i)]; S2[i, j, k] -> [(i)] }, {{.*}} permutable coincident [true, false]
