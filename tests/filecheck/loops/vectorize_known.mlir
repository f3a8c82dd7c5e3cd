// Vectors that are known to have no lane, or whose number of lanes is known, need no test.
// RUN: polyir-opt --split-input-file --vectorize %s | filecheck %s

// Tiles start at multiples of 8: no vector before the first one.
// CHECK-LABEL: func.func @tiles
// CHECK:      affine.for %tj = 0 to %n step 16 {
// CHECK-NOT:    affine.if
// CHECK:        affine.for %j
// CHECK:        vector.create_mask
// CHECK:        vector.maskedstore
// CHECK-NOT:    vector.maskedstore
// CHECK:      }
func.func @tiles(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %tj = 0 to %n step 16 {
    affine.for %j = affine_map<(d0) -> (d0)>(%tj) to min affine_map<(d0)[s0] -> (d0 + 16, s0)>(%tj)[%n] {
      %a = affine.load %A[%j] : memref<?xf64>
      %b = affine.load %B[%j] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %C[%j] : memref<?xf64>
    } {poly.vector = #poly.vector<8>}
  }
  return
}

// -----

// Loops that start anywhere have it.
// CHECK-LABEL: func.func @anywhere
// CHECK:      affine.if
// CHECK:        vector.maskedstore
// CHECK:      affine.for %j
func.func @anywhere(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %j = %m to %n {
    %a = affine.load %A[%j] : memref<?xf64>
    %b = affine.load %B[%j] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %C[%j] : memref<?xf64>
  } {poly.vector = #poly.vector<8>}
  return
}

// -----

// Of 21 iterations, five are left.
// CHECK-LABEL: func.func @constant
// CHECK:      affine.for %j = 0 to 14 step 8 {
// CHECK-NOT:  affine.if
// CHECK:      %[[REST:.+]] = arith.constant 5 : index
// CHECK-NEXT: vector.create_mask %[[REST]]
// CHECK-NOT:  affine.if
// CHECK:      vector.maskedstore
func.func @constant(%x: f64, %A: memref<21xf64>) {
  affine.for %j = 0 to 21 {
    %a = affine.load %A[%j] : memref<21xf64>
    %p = arith.mulf %a, %x : f64
    affine.store %p, %A[%j] : memref<21xf64>
  } {poly.vector = #poly.vector<8>}
  return
}

// -----

// The number of iterations is a multiple in each iteration of the loop around.
// CHECK-LABEL: func.func @multiples
// CHECK-NOT:  vector.mask
// CHECK-NOT:  affine.if
// CHECK:      func.return
func.func @multiples(%x: f64, %A: memref<96xf64>) {
  affine.for %i = 0 to 96 step 32 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 96 {
      %a = affine.load %A[%j] : memref<96xf64>
      %p = arith.mulf %a, %x : f64
      affine.store %p, %A[%j] : memref<96xf64>
    } {poly.vector = #poly.vector<8>}
  }
  return
}

// -----

// Without the step, it is not.
// CHECK-LABEL: func.func @not_multiples
// CHECK:      arith.remsi
// CHECK:      scf.if
// CHECK:      vector.maskedstore
func.func @not_multiples(%x: f64, %A: memref<96xf64>) {
  affine.for %i = 0 to 96 step 4 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 96 {
      %a = affine.load %A[%j] : memref<96xf64>
      %p = arith.mulf %a, %x : f64
      affine.store %p, %A[%j] : memref<96xf64>
    } {poly.vector = #poly.vector<8>}
  }
  return
}
