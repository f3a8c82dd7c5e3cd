// Where the search takes too long, the schedule stays, and the user is told.
// RUN: polyir-opt --max-isl-operations=100000 --spatial-schedule --emit=none %S/../../../benchmarks/polybench/3mm.mlir 2>&1 | filecheck %s

// CHECK: 3mm.mlir:8:3: warning: [spatial-schedule] the transformation takes more than 100000 isl operations (--max-isl-operations): the schedule is left as it was
