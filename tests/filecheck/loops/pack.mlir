// RUN: polyir-opt --split-input-file --vectorize --pack --remarks %s 2>&1 | filecheck %s
// RUN: not polyir-opt --pack="elements=0" %s 2>&1 | filecheck %s --check-prefix ELEMENTS

// B is loaded again for each i: it is packed where no more than 2^21 elements are needed. The loads
// of A move on to another row with the outermost loop.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 step 4 {
      affine.for %k = 0 to 32 {
        affine.for %j2 = affine_map<(d0) -> (d0)>(%j) to affine_map<(d0) -> (d0 + 4)>(%j) {
          %a = affine.load %A[%i, %k] : memref<?x?xf64>
          %b = affine.load %B[%k, %j2] : memref<?x?xf64>
          %c = affine.load %C[%i, %j2] : memref<?x?xf64>
          %p = arith.mulf %a, %b : f64
          %s = arith.addf %c, %p : f64
          affine.store %s, %C[%i, %j2] : memref<?x?xf64>
        } {poly.vector = #poly.vector<4>}
      }
    }
  }
  return
}

// CHECK-LABEL: remark: [pack] packs 4 elements in each iteration of %j, %k in %B_packed
// CHECK:      %[[P:.+]] = memref.alloc() {alignment = 64 : i64} : memref<2048xf64>
// CHECK-NEXT: affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] {
// CHECK-NEXT:   affine.for %[[J:.+]] = 0 to 64 step 4 {
// CHECK-NEXT:     affine.for %[[K:.+]] = 0 to 32 {
// CHECK-NEXT:       %[[V:.+]] = affine.vector_load %B[%[[K]], %[[J]]]
// CHECK-NEXT:       affine.vector_store %[[V]], %[[P]][%[[K]] * 4 + %[[J]] * 32] : memref<2048xf64>, vector<4xf64>
// CHECK:      affine.for %{{.+}} = 0 to %n {
// CHECK-NEXT:   affine.for %[[J2:.+]] = 0 to 64 step 4 {
// CHECK:          affine.for %[[K2:.+]] = 0 to 32
// CHECK:            affine.vector_load %[[P]][%[[K2]] * 4 + %[[J2]] * 32]
// CHECK:      memref.dealloc %[[P]]

// -----

// A column of A, times x, is gathered once; what it is multiplied by is not invariant.
func.func @gathered(%n: index, %x: f64, %A: memref<64x?xf64>, %C: memref<?x64xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 64 step 2 {
      affine.for %k = 0 to 9 {
        affine.for %j2 = affine_map<(d0) -> (d0)>(%j) to affine_map<(d0) -> (d0 + 2)>(%j) {
          %a = affine.load %A[%j2, 2 * %k] : memref<64x?xf64>
          %c = affine.load %C[%i, %j2] : memref<?x64xf64>
          %p = arith.mulf %x, %a : f64
          %s = arith.addf %c, %p : f64
          affine.store %s, %C[%i, %j2] : memref<?x64xf64>
        } {poly.vector = #poly.vector<2>}
      }
    }
  }
  return
}

// CHECK-LABEL: remark: [pack] packs 2 elements in each iteration of %j, %k in %A_packed
// CHECK:      affine.for %[[J:.+]] = 0 to 64 step 2 {
// CHECK-NEXT:   affine.for %[[K:.+]] = 0 to 9 {
// CHECK-NEXT:     affine.load %A[%[[J]], %[[K]] * 2]
// CHECK:          affine.load %A[%[[J]] + 1, %[[K]] * 2]
// CHECK:          %[[P:.+]] = arith.mulf
// CHECK-NEXT:     affine.vector_store %[[P]], %A_packed
// CHECK:      affine.for %{{.+}} = 0 to 100 {
// CHECK-NOT:    affine.load %A
// CHECK:        affine.vector_load %A_packed

// -----

// Nothing is packed that the nest writes to, or that would take too much memory.
func.func @left(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 9 {
        %a = affine.load %A[%k, %j] : memref<?x?xf64>
        affine.store %a, %A[%i + 9, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to 9 {
        %a = affine.load %A[%k, %j] : memref<?x?xf64>
        affine.store %a, %B[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: warning: [pack] nothing to do: no loop loads the same elements repeatedly

// ELEMENTS: error: elements must be 1 or more: elements=0
