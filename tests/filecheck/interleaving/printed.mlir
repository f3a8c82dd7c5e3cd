// The legal interleavings of three products (Pouchet et al., 2011, figure 1), with those rows under
// which the statements are fused: all three of them by the loops j, i and k.
// RUN: polyir-opt --print-interleavings --emit=none %S/../../../examples/three-products.mlir | filecheck %s
// RUN: polyir-opt --pluto-schedule=fuse=none --print-interleavings="rows=any most=1" --emit=none %S/../../../examples/three-products.mlir | filecheck %s --check-prefix FIRST

// CHECK:      // 6 legal interleavings of 13 in @products:
// CHECK-NEXT: //   S0,S1,S2
// CHECK-NEXT: //       S0 (j, i); S1 (i, j); S2 (k, i + j); no parallel members
// CHECK-NEXT: //   S0,S1|S2
// CHECK-NEXT: //       S0 (i, j, k); S1 (i, j, k); parallel members 0, 1
// CHECK-NEXT: //       S2 (i, j, k); parallel members 0, 1
// CHECK-NEXT: //   S0|S1,S2
// CHECK-NEXT: //       S0 (i, j, k); parallel members 0, 1
// CHECK-NEXT: //       S1 (j, i); S2 (j, k); parallel members 0
// CHECK-NEXT: // * S0|S1|S2
// CHECK:      //   S1|S0,S2
// CHECK:      //   S1|S0|S2

// FIRST:      // 6 legal interleavings of 13 in @products:
// FIRST-NEXT: //   S0,S1,S2
// FIRST-NEXT: //
// FIRST-NEXT: // ... and 5 more
