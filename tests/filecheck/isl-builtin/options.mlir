// isl's options reach isl: its Feautrier variant, and no fusion of components.
// RUN: polyir-opt --isl-builtin-schedule --emit=poly %S/../../../examples/fig4-stencil.mlir | filecheck %s --check-prefix BAND
// RUN: polyir-opt --isl-builtin-schedule=feautrier --emit=poly %S/../../../examples/fig4-stencil.mlir | filecheck %s --check-prefix FEAUTRIER
// RUN: polyir-opt --isl-builtin-schedule="serialize-sccs=true" --emit=poly %S/../../../benchmarks/polybench/gemm.mlir | filecheck %s --check-prefix SERIAL
// RUN: polyir-opt --isl-builtin-schedule --emit=poly %S/../../../benchmarks/polybench/gemm.mlir | filecheck %s --check-prefix FUSED
// RUN: not polyir-opt --isl-builtin-schedule=fautrier %S/../../../examples/fig4-stencil.mlir 2>&1 | filecheck %s --check-prefix CHOICE
// RUN: not polyir-opt --isl-builtin-schedule="max-coefficient=few" %S/../../../examples/fig4-stencil.mlir 2>&1 | filecheck %s --check-prefix VALUE

// BAND: poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable
// FEAUTRIER: poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }]"
// SERIAL: poly.sequence {
// SERIAL-NEXT: poly.filter "[ni, nj, nk] -> { S0[i, j] }" {
// FUSED: poly.band "[ni, nj, nk] -> [{ S0[i, j] -> [(i)]; S1[i, k, j] -> [(i)] }
// CHOICE: error: option 'algorithm' of pass 'isl-builtin-schedule' cannot be 'fautrier'; did you mean 'feautrier'?
// VALUE: error: option 'max-coefficient' of pass 'isl-builtin-schedule' must be integer, not 'few'
