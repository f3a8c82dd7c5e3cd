// RUN: polyir-opt --vectorize --pack %s | filecheck %s

// The loop over %t begins at each even number: copies in steps of 3 from 0 on would have other rows.
// CHECK-LABEL: func.func @begins_elsewhere
// CHECK-NOT: A_packed
// CHECK: func.func @begins_on_step
// CHECK: %A_packed = memref.alloc
func.func @begins_elsewhere(%A: memref<40x40xf64>, %B: memref<40x40xf64>, %D: memref<40x40xf64>) {
  affine.for %r = 0 to 2 {
    affine.for %u = 0 to 18 step 2 {
      affine.for %t = affine_map<(d0) -> (d0)>(%u) to 18 step 3 {
        affine.for %k = 0 to 5 {
          affine.for %i = affine_map<(d0) -> (d0)>(%t) to affine_map<(d0) -> (d0 + 3)>(%t) {
            affine.for %j = affine_map<(d0) -> (d0)>(%u) to affine_map<(d0) -> (d0 + 2)>(%u) {
              %0 = affine.load %A[%i, %k] : memref<40x40xf64>
              %1 = affine.load %B[%k, %j] : memref<40x40xf64>
              %2 = affine.load %D[%i, %j] : memref<40x40xf64>
              %3 = arith.mulf %0, %1 : f64
              %4 = arith.addf %2, %3 : f64
              affine.store %4, %D[%i, %j] : memref<40x40xf64>
            } {poly.vector = #poly.vector<2>}
          } {poly.jam = #poly.jam<3>}
        }
      }
    }
  }
  return
}

func.func @begins_on_step(%A: memref<40x40xf64>, %B: memref<40x40xf64>, %D: memref<40x40xf64>) {
  affine.for %r = 0 to 2 {
    affine.for %u = 0 to 18 step 6 {
      affine.for %t = affine_map<(d0) -> (d0)>(%u) to 18 step 3 {
        affine.for %k = 0 to 5 {
          affine.for %i = affine_map<(d0) -> (d0)>(%t) to affine_map<(d0) -> (d0 + 3)>(%t) {
            affine.for %j = affine_map<(d0) -> (d0)>(%u) to affine_map<(d0) -> (d0 + 2)>(%u) {
              %0 = affine.load %A[%i, %k] : memref<40x40xf64>
              %1 = affine.load %B[%k, %j] : memref<40x40xf64>
              %2 = affine.load %D[%i, %j] : memref<40x40xf64>
              %3 = arith.mulf %0, %1 : f64
              %4 = arith.addf %2, %3 : f64
              affine.store %4, %D[%i, %j] : memref<40x40xf64>
            } {poly.vector = #poly.vector<2>}
          } {poly.jam = #poly.jam<3>}
        }
      }
    }
  }
  return
}
