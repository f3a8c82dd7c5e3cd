// RUN: polyir-opt --poly-raise --poly-dependences --promote-private=makes-parallel --mark-parallel --lower-poly %s | filecheck %s

// Iterations use one row after the other, and others may read what the last one leaves there.

// CHECK-LABEL: func.func @rows(
// CHECK:         affine.parallel (%i) = (0) to (symbol(%n)) {
// CHECK:           affine.store %{{.*}}, [[ROW:%row_local]][%j]
// CHECK:           affine.load [[ROW]][%n - %j
// CHECK:           affine.if affine_set<(d0)[s0] : (d0 - s0 == -1)>(%i)[%n]
// CHECK:             affine.load [[ROW]]
// CHECK-NEXT:        affine.store %{{.*}}, %row[
func.func @rows(%n: index, %A: memref<?x?xf64>, %row: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %row[%j] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %0 = affine.load %row[symbol(%n) - 1 - %j] : memref<?xf64>
      affine.store %0, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A value that the next iteration reads keeps the loop sequential.

// CHECK-LABEL: func.func @carried(
// CHECK:         affine.for %i_1 = 0 to %n_1 {
// CHECK-NOT:     row_local
func.func @carried(%n: index, %A: memref<?x?xf64>, %row: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %row[%j] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %0 = affine.load %row[%j - 1] : memref<?xf64>
      affine.store %0, %A[%i, %j] : memref<?x?xf64>
    }
    %1 = affine.load %A[%i, %i] : memref<?x?xf64>
    affine.store %1, %row[-1] : memref<?xf64>
  }
  return
}
