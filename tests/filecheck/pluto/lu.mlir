// Zinenko et al., 2017, section 5: Pluto's lu, S1 (i,j,k), S2 (i,j,j), S3 (i,j,k), one band of 3 without a
// parallel loop, and j innermost in the tiles. The three rows cost the same, and may come in any
// order: here j is innermost from the start, and stays there.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../benchmarks/polybench/lu.mlir | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=32 --intra-tile-order --emit=poly %S/../../../benchmarks/polybench/lu.mlir 2>&1 | filecheck %s --check-prefix TILED

// CHECK: poly.domain
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(k)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(i)]; S1[i, j] -> [(i)]; S2[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(j)] }]" permutable {

// TILED: warning: [intra-tile-order] no loop was moved: loop 3 of the band of 3 over S0, S1, S2 is already innermost and has the best locality
// TILED: { S0[i, j, k] -> [(j)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(j)] }]" permutable {
// TILED-NEXT: poly.sequence {
