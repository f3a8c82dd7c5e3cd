// A scheduler that takes too long has no figures.
// RUN: polyir-opt --poly-dependences --emit=poly %S/../../../benchmarks/polybench/3mm.mlir -o %t
// RUN: polyir-opt --time-limit=0.01 --compare-schedules --emit=none %t | filecheck %s

// CHECK: // original     1 1 1 1 1 1 1 1 1  6
// CHECK: // spatial      not finished       -      -         -      -
