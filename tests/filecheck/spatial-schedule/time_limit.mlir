// Where the search takes too long, the schedule stays, and the user is told.
// RUN: polyir-opt --poly-dependences --emit=poly %S/../../../benchmarks/polybench/3mm.mlir -o %t
// RUN: polyir-opt --time-limit=0.01 --spatial-schedule --emit=none %t 2>&1 | filecheck %s

// CHECK: warning: [spatial-schedule] the transformation takes more than 0.01 s of processor time (--time-limit): the schedule is left as it was
