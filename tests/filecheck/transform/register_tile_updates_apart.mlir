// RUN: polyir-opt --split-input-file --register-tile="width=4 reassociate=true" --emit=poly %s | filecheck %s
// RUN: polyir-opt --split-input-file --register-tile="width=4 reassociate=true" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --split-input-file --register-tile="width=4" --emit=poly %s | filecheck %s --check-prefix ORDER

// Statements that update one element each share a loop in vectors.
func.func @shared(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %s = arith.addf %c, %a : f64
      affine.store %s, %y[%i] : memref<?xf64>
      %d = affine.load %x[%i] : memref<?xf64>
      %m = arith.maximumf %d, %a : f64
      affine.store %m, %x[%i] : memref<?xf64>
    }
  }
  return
}

// REMARK: remark: [register-tile] partial results of 4 along loop 2 of the band of 2 over S0, S1
// CHECK: func.func @shared
// CHECK:     poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(i)] }, { S0[i, j] -> [(j)]; S1[i, j] -> [(j)] }]" permutable coincident [true, false] loop_attributes {{\[}}[], [#poly.reduction<4>]]
// ORDER-NOT: #poly.reduction

// -----

// A statement that has no vectors does not keep the other one from partial results.
func.func @apart(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %s = arith.addf %c, %a : f64
      affine.store %s, %y[%i] : memref<?xf64>
      affine.store %a, %B[%j, 2 * %i] : memref<?x?xf64>
    }
  }
  return
}

// REMARK: remark: [register-tile] separated the statements in the band of 2 over S0, S1 inside loop 1
// REMARK: remark: [register-tile] partial results of 4 along loop 1 of the band of 1 over S0
// CHECK: func.func @apart
// CHECK:     poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(i)] }]"
// CHECK:         poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" {{.*}} loop_attributes {{\[\[}}#poly.reduction<4>]]

// -----

// A sum of what another one has so far: they cannot be apart.
func.func @together(%n: index, %A: memref<?xf64>, %x: memref<f64>, %y: memref<f64>) {
  affine.for %j = 0 to %n {
    %a = affine.load %A[%j] : memref<?xf64>
    %b = affine.load %y[] : memref<f64>
    %p = arith.mulf %a, %b : f64
    %c = affine.load %x[] : memref<f64>
    %s = arith.addf %c, %p : f64
    affine.store %s, %x[] : memref<f64>
    %d = affine.load %x[] : memref<f64>
    %m = arith.addf %b, %d : f64
    affine.store %m, %y[] : memref<f64>
  }
  return
}

// CHECK: func.func @together
// CHECK-NOT: #poly.reduction

// -----

// With the outer loop in common, the sums of columns would have no vectors: no loop stays common.
func.func @transposed(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %s = arith.addf %c, %a : f64
      affine.store %s, %y[%i] : memref<?xf64>
      %b = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = affine.load %x[%i] : memref<?xf64>
      %t = arith.addf %d, %b : f64
      affine.store %t, %x[%i] : memref<?xf64>
    }
  }
  return
}
// REMARK: remark: [register-tile] separated the statements in the band of 2 over S0, S1{{$}}
// REMARK: remark: [register-tile] vectors of 4 along loop 1 of the band of 2 over S0
// REMARK: remark: [register-tile] partial results of 4 along loop 2 of the band of 2 over S1
// CHECK: func.func @transposed
// CHECK:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.vector<4>]]
// CHECK:       poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable loops [unroll]
// CHECK:     poly.band "[n] -> [{ S1[i, j] -> [(i)] }, { S1[i, j] -> [(j)] }]" permutable coincident [true, false] loop_attributes {{\[}}[], [#poly.reduction<4>]]
