// One sequential loop carries both dependences, (1, 0) and (0, 1); the loop inside is parallel.
// RUN: polyir-opt --feautrier-schedule --emit=poly %S/../../../examples/fig4-stencil.mlir | filecheck %s
// RUN: polyir-opt --feautrier-schedule --emit=poly --remarks %S/../../../examples/fig4-stencil.mlir 2>&1 >/dev/null | filecheck %s --check-prefix REMARK

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }]" permutable {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true]{{$}}

// REMARK: remark: [feautrier-schedule] sequential loop for S0: carries 1 of 1 dependences
// REMARK-NEXT: remark: [feautrier-schedule] parallel loops for S0: 1
