// Where the search takes too long, the run ends: no other text may depend on time.
// RUN: polyir-opt --poly-dependences --emit=poly %S/../../../benchmarks/polybench/3mm.mlir -o %t
// RUN: not polyir-opt --time-limit=0.01 --spatial-schedule --emit=poly %t 2>&1 | filecheck %s

// CHECK-NOT: poly.scop
// CHECK:     error: the transformation takes more than 0.01 s of processor time (--time-limit)
