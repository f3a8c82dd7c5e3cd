// RUN: polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=A loop=S0.0" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=A loop=S0.0" --emit=c %s 2>&1 | filecheck %s --check-prefix EMITTED

// What may not be written is copied in, because it is copied out: all of it is in the array.

func.func @clear_some(%x: memref<?xf64>, %A: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %n = memref.dim %A, %first : memref<?xf64>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf64>
    %1 = arith.cmpf olt, %0, %zero : f64
    scf.if %1 {
      affine.store %zero, %A[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.0 keeps 8 elements of A in A_local, copied in and out

// EMITTED: double A_local[8];
// EMITTED-NEXT: for (int64_t a0 = ti; a0 < polyir_min(A_0, ti + 8); a0++) {
// EMITTED-NEXT: A_local[a0 - ti] = A[a0];
// EMITTED-NEXT: }
// EMITTED-NEXT: for (int64_t i = ti; i < polyir_min(A_0, ti + 8); i++) {
// EMITTED-NEXT: if (x[i] < 0.0) {
// EMITTED-NEXT: A_local[i - ti] = 0.0;
// EMITTED-NEXT: }
// EMITTED-NEXT: }
// EMITTED-NEXT: for (int64_t a0 = ti; a0 < polyir_min(A_0, ti + 8); a0++) {
// EMITTED-NEXT: A[a0] = A_local[a0 - ti];
