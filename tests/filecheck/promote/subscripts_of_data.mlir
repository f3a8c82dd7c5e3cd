// RUN: polyir-opt --poly-raise --poly-dependences --privatize --promote-private --lower-poly %s | filecheck %s

// Data says which elements of a row are accessed: an iteration has a whole row for itself.

// CHECK-LABEL: func.func @histograms(
// CHECK:         %count_local = memref.alloca() {alignment = 64 : i64} : memref<256xi32>
// CHECK-NEXT:    affine.for %i = 0 to %n {
// CHECK-NEXT:      affine.for %v = 0 to 256 {
// CHECK-NEXT:        affine.store %{{.*}}, %count_local[%v] : memref<256xi32>
// CHECK:           affine.for %j = 0 to %n {
// CHECK:             [[VALUE:%.*]] = arith.index_castui
// CHECK-NEXT:        [[OLD:%.*]] = memref.load %count_local{{\[}}[[VALUE]]] : memref<256xi32>
// CHECK-NEXT:        [[NEW:%.*]] = arith.addi [[OLD]]
// CHECK-NEXT:        memref.store [[NEW]], %count_local{{\[}}[[VALUE]]] : memref<256xi32>
func.func @histograms(%n: index, %A: memref<?x?xi8>, %B: memref<?x256xi32>) {
  %count = memref.alloca() : memref<256xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  affine.for %i = 0 to %n {
    affine.for %v = 0 to 256 {
      affine.store %zero, %count[%v] : memref<256xi32>
    }
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xi8>
      %1 = arith.index_castui %0 : i8 to index
      %2 = memref.load %count[%1] : memref<256xi32>
      %3 = arith.addi %2, %one : i32
      memref.store %3, %count[%1] : memref<256xi32>
    }
    affine.for %v = 0 to 256 {
      %0 = affine.load %count[%v] : memref<256xi32>
      affine.store %0, %B[%i, %v] : memref<?x256xi32>
    }
  }
  return
}

// An element that nothing has written before makes it one array for all iterations.

// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     count_local
// CHECK:         memref.load %count
func.func @carried(%n: index, %A: memref<?x?xi8>, %B: memref<?xi32>) {
  %count = memref.alloca() : memref<256xi32>
  %one = arith.constant 1 : i32
  affine.for %i = 0 to %n {
    affine.for %v = 0 to 255 {
      affine.store %one, %count[%v] : memref<256xi32>
    }
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xi8>
      %1 = arith.index_castui %0 : i8 to index
      %2 = memref.load %count[%1] : memref<256xi32>
      affine.store %2, %B[%i] : memref<?xi32>
      memref.store %one, %count[%1] : memref<256xi32>
    }
  }
  return
}
