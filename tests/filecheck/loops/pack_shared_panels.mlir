// RUN: polyir-opt --pluto-schedule --register-tile="masked=true tiles=48,48,64 shared-tiles=32,960,280" --mark-parallel --vectorize --pack %s 2>/dev/null | filecheck %s

// A panel of 960 x 280 elements is packed before the threads that share it, although 24 columns do
// not divide the 2240 elements of a vector in 280 rows. The parallel loop is the one over tiles of
// 32 rows: it has more iterations than the one over 960 columns.
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      %B_packed = memref.alloc() {alignment = 64 : i64} : memref<268800xf64>
// CHECK:      affine.for %tj = 0 to %n step 960 {
// CHECK-NEXT:   affine.for %tk = 0 to %n step 280 {
// CHECK:          affine.vector_store %b, %B_packed[%k * 24 + %tj2 * 280 - %tk * 24 - %tj * 280] : memref<268800xf64>, vector<8xf64>
// CHECK-NEXT:     affine.vector_store %b_1, %B_packed[%k * 24 + %tj2 * 280 - %tk * 24 - %tj * 280 + 8] : memref<268800xf64>, vector<8xf64>
// CHECK:          affine.parallel (%ti) = (0) to (symbol(%n)) step (32) {
// CHECK:          affine.vector_load %B_packed[%k_2 * 24 + %tj2_1 * 280 - %tk * 24 - %tj * 280] : memref<268800xf64>, vector<8xf64>
