// RUN: polyir-opt --split-input-file --register-tile="width=4 reassociate=true" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --register-tile="width=4" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix ORDER

// A loop that updates one element becomes the innermost one, and runs in vectors, four at once: what
// they load of x is the same.
func.func @rows(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%n - %j] : memref<?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %y[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] partial results of 4 along loop 1 of the band of 2 over S0
// CHECK: remark: [register-tile] unrolled S0.0 by 4 and jammed the copies
// CHECK: poly.band "[n] -> [{ S0[j, i] -> [(i - (i) mod 4)] }]" permutable coincident [true] options
// CHECK:   poly.band "[n] -> [{ S0[j, i] -> [(j)] }]" permutable loop_attributes {{\[\[}}#poly.reduction<4>]]
// CHECK:     poly.band "[n] -> [{ S0[j, i] -> [(i)] }]" permutable coincident [true] loops [unroll]
// ORDER-NOT: #poly.reduction

// -----

// Sums along columns have vectors already: results are next to each other.
func.func @columns(%n: index, %A: memref<?x?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = affine.load %y[%j] : memref<?xf64>
      %s = arith.addf %c, %a : f64
      affine.store %s, %y[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] vectors of 4 along loop 2 of the band of 2 over S0
// CHECK: remark: [register-tile] unrolled S0.0 by 4 and jammed the copies
// CHECK-NOT: #poly.reduction
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.vector<4>]]
// CHECK:   poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable loops [unroll]
// ORDER: remark: [register-tile] blocks of 24 along loop 2 of the band of 2 over S0

// -----

// No operation is associative here; elements of a column are not next to each other.
func.func @none(%n: index, %A: memref<?x?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %s = arith.divf %c, %a : f64
      affine.store %s, %y[%i] : memref<?xf64>
    }
  }
  affine.for %j = 0 to %n {
    %a = affine.load %A[%j, 0] : memref<?x?xf64>
    %c = affine.load %y[0] : memref<?xf64>
    %s = arith.addf %c, %a : f64
    affine.store %s, %y[0] : memref<?xf64>
  }
  return
}

// CHECK-NOT: #poly.reduction
