// Zinenko et al., 2017, figure 7: lu. For CPUs S1 (i,k,j), S2 (i,j,j), S3 (i,k,j), tiled, tiles in parallel
// wavefronts. For GPUs S1 (k,1,j,i), S2 (j,0,j,i), S3 (k,1,j,i) with j along x; of S2's last two,
// j is the loop around it again, and left out.
// RUN: polyir-opt --spatial-schedule --emit=poly %S/../../../benchmarks/polybench/lu.mlir | filecheck %s
// RUN: polyir-opt --spatial-schedule --tile=32 --wavefront --mark-parallel --emit=poly --remarks %S/../../../benchmarks/polybench/lu.mlir 2>&1 | filecheck %s --check-prefix TILED
// RUN: polyir-opt --spatial-schedule=gpu --emit=poly %S/../../../benchmarks/polybench/lu.mlir | filecheck %s --check-prefix GPU

// CHECK: poly.domain
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(i)]; S1[i, j] -> [(i)]; S2[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(k)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(j)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(j)] }]" permutable {

// TILED: skewed loops 1 to 2 of the band of 3 over S0, S1, S2 into wavefronts: 1 loop inside can run in parallel
// TILED: #poly.parallel
// The point loops are in the scheduler's order.
// TILED: poly.band "[n] -> [{ S0[i, j, k] -> [(i)]; S1[i, j] -> [(i)]; S2[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(k)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(j)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(j)] }]"

// GPU: poly.domain
// GPU-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(k)]; S1[i, j] -> [(j)]; S2[i, j, k] -> [(k)] }]" permutable {
// GPU-NEXT: poly.sequence {
// GPU-NEXT: poly.filter "[n] -> { S1[i, j] }" {
// GPU-NEXT: poly.band "[n] -> [{ S1[i, j] -> [(i)] }]" permutable coincident [true]
// GPU: poly.filter "[n] -> { S0[i, j, k]; S2[i, j, k] }" {
// GPU-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(j)]; S2[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(i)]; S2[i, j, k] -> [(i)] }]" permutable coincident [true, true] loop_attributes {{\[\[}}#poly.map<thread x>], []] {
