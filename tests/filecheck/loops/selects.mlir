// RUN: polyir-opt --vectorize %s | filecheck %s

// Both branches may run: the element is loaded in any case, and the sum is the function's own.
// CHECK-LABEL: func.func @sums_of_large_elements
// CHECK: arith.cmpf ogt, {{.*}} : vector<4xf64>
// CHECK-NOT: scf.if
// CHECK: arith.select {{.*}} : vector<4xi1>, vector<4xf64>
// CHECK-NOT: scf.if
func.func @sums_of_large_elements(%A: memref<64x64xf64>, %R: memref<64xf64>, %c: f64) {
  %s = memref.alloca() : memref<64xf64>
  affine.for %j = 0 to 64 {
    affine.for %i = 0 to 64 {
      %a = affine.load %A[%j, %i] : memref<64x64xf64>
      %is_large = arith.cmpf ogt, %a, %c : f64
      scf.if %is_large {
        %b = affine.load %A[%j, %i] : memref<64x64xf64>
        %old = affine.load %s[%i] : memref<64xf64>
        %new = arith.addf %old, %b : f64
        affine.store %new, %s[%i] : memref<64xf64>
      }
    } {poly.vector = #poly.vector<4>}
  }
  affine.for %i = 0 to 64 {
    %t = affine.load %s[%i] : memref<64xf64>
    affine.store %t, %R[%i] : memref<64xf64>
  }
  return
}

// Nobody knows whether there is an element of B where the condition does not hold, nor whether R
// may be written there.
// CHECK-LABEL: func.func @guarded
// CHECK: scf.if
// CHECK: scf.if
func.func @guarded(%A: memref<64xf64>, %B: memref<?xf64>, %R: memref<64xf64>, %c: f64) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    %is_large = arith.cmpf ogt, %a, %c : f64
    %v = scf.if %is_large -> (f64) {
      %b = affine.load %B[%i] : memref<?xf64>
      scf.yield %b : f64
    } else {
      scf.yield %c : f64
    }
    affine.store %v, %R[%i] : memref<64xf64>
  } {poly.vector = #poly.vector<4>}
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    %is_large = arith.cmpf ogt, %a, %c : f64
    scf.if %is_large {
      affine.store %a, %R[%i] : memref<64xf64>
    }
  } {poly.vector = #poly.vector<4>}
  return
}

// The element in the middle is between two that are loaded in any case; there may be none after
// the last one.
// CHECK-LABEL: func.func @between
// CHECK-NOT: scf.if
// CHECK: %[[MIDDLE:[^ ]+]] = affine.vector_load %A{{[^[]*}}[%{{[^ ,]+}}, 1]
// CHECK: arith.select %{{.+}}, %[[MIDDLE]], %{{.+}} : vector<4xi1>, vector<4xf64>
// CHECK-NOT: scf.if
// CHECK: affine.for {{.*}} = 1 to
// CHECK: scf.if
func.func @between(%A: memref<?x?xf64>, %R: memref<64x64xf64>, %c: f64, %n: index) {
  affine.for %i = 1 to 63 {
    affine.for %j = 0 to 64 {
      %above = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %below = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
      %is_large = arith.cmpf ogt, %above, %below : f64
      %v = scf.if %is_large -> (f64) {
        %a = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        scf.yield %a : f64
      } else {
        scf.yield %c : f64
      }
      affine.store %v, %R[%i, %j] : memref<64x64xf64>
    } {poly.vector = #poly.vector<4>}
  }
  affine.for %i = 1 to 63 {
    affine.for %j = 0 to 64 {
      %above = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %below = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
      %is_large = arith.cmpf ogt, %above, %below : f64
      %v = scf.if %is_large -> (f64) {
        %a = affine.load %A[%i, %j + 2] : memref<?x?xf64>
        scf.yield %a : f64
      } else {
        scf.yield %c : f64
      }
      affine.store %v, %R[%i, %j] : memref<64x64xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}

// Subscripts with products of variables: the same element is loaded in any case, or another one.
// CHECK-LABEL: func.func @products
// CHECK: %[[SAME:[^ ]+]] = affine.load %A{{[^[]*}}[%{{[^ ]+}} * symbol(%n{{.*}})]
// CHECK: %[[OTHER:[^ ]+]] = affine.load %A{{[^[]*}}[%{{[^ ]+}} * symbol(%n{{.*}})]
// CHECK-NEXT: arith.select %{{.+}}, %[[OTHER]], %[[SAME]] : f64
// CHECK: scf.if
func.func @products(%A: memref<?xf64>, %R: memref<64xf64>, %c: f64, %n: index) {
  affine.for %j = 0 to 64 {
    %x = affine.load %R[%j] : memref<64xf64>
    %is_large = arith.cmpf ogt, %x, %c : f64
    %y = affine.load %A[%j * symbol(%n)] : memref<?xf64>
    %v = scf.if %is_large -> (f64) {
      %a = affine.load %A[%j * symbol(%n)] : memref<?xf64>
      scf.yield %a : f64
    } else {
      scf.yield %y : f64
    }
    affine.store %v, %R[%j] : memref<64xf64>
  } {poly.vector = #poly.vector<4>}
  affine.for %j = 0 to 64 {
    %x = affine.load %R[%j] : memref<64xf64>
    %is_large = arith.cmpf ogt, %x, %c : f64
    %y = affine.load %A[%j * symbol(%n)] : memref<?xf64>
    %v = scf.if %is_large -> (f64) {
      %a = affine.load %A[%j * symbol(%n) + 1] : memref<?xf64>
      scf.yield %a : f64
    } else {
      scf.yield %y : f64
    }
    affine.store %v, %R[%j] : memref<64xf64>
  } {poly.vector = #poly.vector<4>}
  return
}
