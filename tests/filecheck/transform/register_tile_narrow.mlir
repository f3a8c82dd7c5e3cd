// RUN: polyir-opt --register-tile="masked=true" --remarks %s 2>&1 | filecheck %s

// CHECK: remark: [register-tile] blocks of 8 x 16 along loops 1 and 2 of the band of 3 over S0
// CHECK: remark: [register-tile] vectors of 8 along loop 2 of the band of 3 over S0

// No block of 24 columns is complete, and masks do not cover what the loop over %k decides: blocks
// have as many vectors as fit into a row.
// CHECK-LABEL: @narrow(
// CHECK-NEXT: affine.for %tj = 0 to 20 step 16 {
// CHECK-NEXT: affine.for %ti = 0 to 61 step 8 {
// CHECK-NEXT: affine.if affine_set<(d0, d1) : (d0 == 0, d1 <= 48)>(%tj, %ti) {
// CHECK-NEXT: affine.for %k = 0 to
// CHECK-NEXT: affine.for %i = affine_map<(d0) -> (d0)>(%ti) to affine_map<(d0) -> (d0 + 8)>(%ti) {
// CHECK-NEXT: affine.for %j = 0 to 16 {
// CHECK: affine.store %s, %C[%i, %j]
// CHECK-NEXT: } {poly.vector = #poly.vector<8>}
// CHECK-NEXT: } {poly.jam = #poly.jam<8>}
func.func @narrow(%L: memref<61x61xf64>, %B: memref<61x20xf64>, %C: memref<61x20xf64>) {
  affine.for %i = 0 to 61 {
    affine.for %j = 0 to 20 {
      affine.for %k = 0 to affine_map<(i) -> (i + 1)>(%i) {
        %l = affine.load %L[%i, %k] : memref<61x61xf64>
        %b = affine.load %B[%k, %j] : memref<61x20xf64>
        %c = affine.load %C[%i, %j] : memref<61x20xf64>
        %p = arith.mulf %l, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<61x20xf64>
      }
    }
  }
  return
}

// Not even one vector fits into a row: there are no blocks.
// CHECK-LABEL: @narrower(
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 61 {
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to affine_map<(d0) -> (d0 + 1)>(%[[I]]) {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 7 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: } {poly.vector = #poly.vector<8>}
func.func @narrower(%L: memref<61x61xf64>, %B: memref<61x7xf64>, %C: memref<61x7xf64>) {
  affine.for %i = 0 to 61 {
    affine.for %j = 0 to 7 {
      affine.for %k = 0 to affine_map<(i) -> (i + 1)>(%i) {
        %l = affine.load %L[%i, %k] : memref<61x61xf64>
        %b = affine.load %B[%k, %j] : memref<61x7xf64>
        %c = affine.load %C[%i, %j] : memref<61x7xf64>
        %p = arith.mulf %l, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<61x7xf64>
      }
    }
  }
  return
}
