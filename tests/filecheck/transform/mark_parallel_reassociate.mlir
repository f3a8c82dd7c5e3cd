// RUN: polyir-opt --split-input-file --mark-parallel=reassociate=true --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --mark-parallel --emit=poly %s 2>&1 | filecheck %s --check-prefix ORDER

// ORDER-NOT: #poly.parts

// One sum: no loop is parallel, but parts of the first one may be.
func.func @norm(%n: index, %A: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %s[] : memref<f64>
      %c = arith.addf %b, %a : f64
      affine.store %c, %s[] : memref<f64>
    }
  }
  return
}

// CHECK: remark: [mark-parallel] loop 1 around S0 has partial results of 16 iterations
// CHECK-NOT: no loop around S0 is parallel
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i)] }{{.*}} loop_attributes {{\[\[}}#poly.parts<16>]

// -----

// A sum for each row: the rows are parallel. Maxima of a vector are in parts.
func.func @rows(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%i] : memref<?xf64>
      %c = arith.addf %b, %a : f64
      affine.store %c, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %s[] : memref<f64>
    %c = arith.maximumf %b, %a : f64
    affine.store %c, %s[] : memref<f64>
  }
  return
}

// CHECK: remark: [mark-parallel] loop 1 around S0 is parallel
// CHECK: remark: [mark-parallel] loop 1 around S1 has partial results of 4096 iterations
// CHECK: loop_attributes {{\[\[}}#poly.parallel]
// CHECK: loop_attributes {{\[\[}}#poly.parts<4096>]]

// -----

// The next value is computed from the last one: there is nothing to share.
func.func @recurrence(%n: index, %x: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %s[] : memref<f64>
    %c = arith.divf %a, %b : f64
    affine.store %c, %s[] : memref<f64>
  }
  return
}

// CHECK: nothing was marked parallel: no loop around S0 is parallel: loop 1 carries dependences through s
// CHECK-NOT: #poly.parts
