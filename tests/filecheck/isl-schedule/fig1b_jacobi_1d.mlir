// The imperfect Jacobi: a skewed band of two; with outer-coincidence time and parallel loops.
// RUN: polyir-opt --isl-schedule --emit=poly %S/../../../examples/fig1b-jacobi-1d-imperfect.mlir | filecheck %s
// RUN: polyir-opt --isl-schedule=outer-coincidence --emit=poly %S/../../../examples/fig1b-jacobi-1d-imperfect.mlir | filecheck %s --check-prefix OUTER
// RUN: polyir-opt --isl-schedule=outer-coincidence --emit=poly --remarks %S/../../../examples/fig1b-jacobi-1d-imperfect.mlir 2>&1 >/dev/null | filecheck %s --check-prefix REMARK

// CHECK: poly.band "[t_end, n] -> [{ S0[t, i] -> [(t)]; S1[t, i] -> [(t)] }, { S0[t, i] -> [(2t + i)]; S1[t, i] -> [(1 + 2t + i)] }]" permutable {
// CHECK-NEXT: poly.sequence {

// OUTER: poly.band "[t_end, n] -> [{ S0[t, i] -> [(2t)]; S1[t, i] -> [(1 + 2t)] }]" permutable {
// OUTER-NEXT: poly.sequence {
// OUTER-NEXT: poly.filter "[t_end, n] -> { S0[t, i] }" {
// OUTER-NEXT: poly.band "[t_end, n] -> [{ S0[t, i] -> [(i)] }]" permutable coincident [true]{{$}}

// REMARK: remark: [isl-schedule] sequential loop for S0, S1: no band has a parallel outermost loop
// REMARK-NEXT: remark: [isl-schedule] not fused: S0 | S1
// REMARK-NEXT: remark: [isl-schedule] band of 1 for S0: parallel members 0
