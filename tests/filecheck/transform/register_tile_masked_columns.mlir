// RUN: polyir-opt --register-tile="masked=true width=4 vectors=2" --vectorize --remarks --emit=c %s 2>&1 | filecheck %s

// Masks are for blocks with rows. Without rows, complete blocks keep their sums in registers, and
// what is left runs apart from them.
func.func @columns(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%i] : memref<?xf64>
      %c = affine.load %y[%j] : memref<?xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %y[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [register-tile] blocks of 16 along loop 1 of the band of 2
// CHECK: remark: [vectorize] the loop over %j runs in blocks of 16, in vectors of 4, with elements of %y in registers
// CHECK: remark: [vectorize] the loop over %j runs in vectors of 4
// CHECK-LABEL: void columns(
// CHECK: if (n - tj >= 16) {
// CHECK-NEXT: polyir_f64x4 c = *(polyir_f64x4_in_memory *)&y[tj];
// CHECK: for (int64_t i = 0; i < n; i++) {
// CHECK-NEXT: const polyir_f64x4 t = polyir_broadcast_f64x4(x[i]);
// CHECK-NEXT: c += *(polyir_f64x4_in_memory *)&A[i][tj] * t;
// CHECK: *(polyir_f64x4_in_memory *)&y[tj] = c;
// CHECK: } else {
