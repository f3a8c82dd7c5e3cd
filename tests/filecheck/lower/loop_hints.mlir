// What a pass asks of a loop: MLIR keeps it, C has pragmas for it, LLVM metadata.
// RUN: polyir-opt --emit=loops %s | filecheck %s
// RUN: polyir-opt --emit=loops %s | polyir-opt --emit=loops | filecheck %s
// RUN: polyir-opt --emit=c %s | filecheck %s --check-prefix C
// RUN: polyir-opt --emit="c{openmp=false}" %s | filecheck %s --check-prefix SEQUENTIAL
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix LLVM

// CHECK-LABEL: func.func @hints
// CHECK: } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}
// CHECK: } {poly.unroll = #poly.unroll<4>}
// CHECK: } {poly.vector = #poly.vector<4>}
// CHECK: } {poly.vector = #poly.vector<16>}
// CHECK: } {poly.vector = #poly.vector<8>}
// CHECK: } {poly.unroll = #poly.unroll<2>}
// CHECK: } {poly.vector = #poly.vector<8>}
func.func @hints(%n: index, %x: memref<?xf64>, %y: memref<?x?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64

  // Vectors are preferred to unrolling.
  // C: #pragma omp simd simdlen(8)
  // C-NEXT: for (int64_t i = 0; i < n; i++) {
  // SEQUENTIAL: #pragma GCC unroll 4
  // SEQUENTIAL-NEXT: for
  // LLVM: define double @"hints"
  // LLVM: br {{.*}}, !llvm.loop ![[BOTH:[0-9]+]]
  affine.for %i = 0 to %n {
    affine.store %one, %x[%i] : memref<?xf64>
  } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}

  // C: #pragma GCC unroll 4
  // C-NEXT: for
  // SEQUENTIAL: #pragma GCC unroll 4
  // SEQUENTIAL-NEXT: for
  // LLVM: br {{.*}}, !llvm.loop ![[UNROLL:[0-9]+]]
  affine.for %i = 0 to %n {
    affine.store %one, %x[%i] : memref<?xf64>
  } {poly.unroll = #poly.unroll<4>}

  // C: #pragma omp parallel for simd simdlen(16)
  // C-NEXT: for (int64_t i = 0; i < n; i++) {
  // C-NEXT: #pragma omp simd simdlen(4)
  // C-NEXT: for (int64_t j = 0; j < n; j++) {
  affine.parallel (%i) = (0) to (%n) {
    affine.parallel (%j) = (0) to (%n) {
      affine.store %one, %y[%i, %j] : memref<?x?xf64>
    } {poly.vector = #poly.vector<4>}
  } {poly.vector = #poly.vector<16>}

  // C: #pragma omp simd simdlen(8)
  // C-NEXT: for
  scf.for %i = %c0 to %n step %c1 {
    memref.store %one, %x[%i] : memref<?xf64>
  } {poly.vector = #poly.vector<8>}

  // C: #pragma omp parallel for
  // C-NEXT: for
  // SEQUENTIAL: #pragma GCC unroll 2
  // SEQUENTIAL-NEXT: for
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %one, %x[%i] : memref<?xf64>
    scf.reduce
  } {poly.unroll = #poly.unroll<2>}

  // A loop that carries values is not executed in vectors.
  // C: double s = 0.0;
  // C-NEXT: for
  // C-NOT: pragma
  // SEQUENTIAL-NOT: pragma
  %s = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f64) {
    %a = affine.load %x[%i] : memref<?xf64>
    %u = arith.addf %t, %a : f64
    affine.yield %u : f64
  } {poly.vector = #poly.vector<8>}
  return %s : f64
}

// LLVM-DAG: ![[WIDTH:[0-9]+]] = !{ !"llvm.loop.vectorize.width", i32 8 }
// LLVM-DAG: ![[COUNT:[0-9]+]] = !{ !"llvm.loop.unroll.count", i32 4 }
// LLVM-DAG: ![[BOTH]] = distinct !{ ![[BOTH]], ![[WIDTH]], ![[COUNT]] }
// LLVM-DAG: ![[UNROLL]] = distinct !{ ![[UNROLL]], ![[COUNT]] }
