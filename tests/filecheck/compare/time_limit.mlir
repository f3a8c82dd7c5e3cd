// A scheduler that takes too long ends the run: what is printed does not depend on time.
// RUN: polyir-opt --poly-dependences --emit=poly %S/../../../benchmarks/polybench/3mm.mlir -o %t
// RUN: not polyir-opt --time-limit=0.01 --compare-schedules --emit=none %t 2>&1 | filecheck %s

// CHECK-NOT: not finished
// CHECK:     error: the scheduler {{.*}} takes more than 0.01 s of processor time (--time-limit)
