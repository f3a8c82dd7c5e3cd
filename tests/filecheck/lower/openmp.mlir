// The outermost parallel loops become teams; what does not depend on their variable stays affine.
// RUN: polyir-opt --convert-parallel-to-omp %s | filecheck %s
// RUN: polyir-opt --convert-parallel-to-omp %s 2>&1 >/dev/null | filecheck %s --check-prefix MISSED

// CHECK-LABEL: func.func @rows
// CHECK: %[[HALF:.*]] = arith.ceildivsi %[[N:n]], %{{.*}} : index
// CHECK: %[[UPPER:.*]] = arith.minsi %[[HALF]], %[[M:m]] : index
// CHECK: omp.parallel {
// CHECK-NEXT: omp.wsloop {
// CHECK-NEXT: omp.loop_nest (%[[I:i]]) : index = (%{{.*}}) to (%[[UPPER]]) step (%{{.*}}) {
// CHECK: affine.for %[[J:j]] = 0 to %[[M]] {
// CHECK-NEXT: %[[LOADED:.*]] = affine.load %[[B:B]][%[[J]]] : memref<?xf64>
// CHECK-NEXT: memref.store %[[LOADED]], %[[A:A]][%[[I]], %[[J]]] : memref<?x?xf64>
// CHECK: scf.for %[[K:k]] = %[[I]] to %[[N]] step
// CHECK: omp.yield
// CHECK: omp.terminator
// CHECK: omp.terminator
func.func @rows(%A: memref<?x?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  affine.parallel (%i) = (0) to (min(%n ceildiv 2, %m)) {
    affine.for %j = 0 to %m {
      %b = affine.load %B[%j] : memref<?xf64>
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = affine_map<(d0) -> (d0)>(%i) to %n {
      %a = affine.load %A[%k, %i] : memref<?x?xf64>
      affine.store %a, %A[%i, %k] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @sum
// CHECK: affine.parallel
// MISSED: openmp.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: [convert-parallel-to-omp] parallel loop not converted: it has a reduction
func.func @sum(%A: memref<?xf64>, %n: index) -> f64 {
  %sum = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> (f64) {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.yield %a : f64
  }
  return %sum : f64
}
