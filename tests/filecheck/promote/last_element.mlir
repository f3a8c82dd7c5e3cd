// RUN: polyir-opt --promote="arrays=A loop=S0.0" --emit=c %s | filecheck %s

// The box ends at the last element that is accessed: the array may end there, too.

func.func @up_to_the_last(%n: index, %A: memref<?xf64>, %x: memref<f64>) {
  affine.for %t = 0 to 2 {
    affine.for %i = 0 to min affine_map<()[s0] -> (s0, 8)>()[%n] step 3 {
      %0 = affine.load %A[%i] : memref<?xf64>
      affine.store %0, %x[] : memref<f64>
    }
  }
  return
}

// CHECK-LABEL: void up_to_the_last(
// CHECK: if (n >= 8) {
// CHECK-NEXT: for (int64_t a0 = 0; a0 < 7; a0++) {
// CHECK: for (int64_t a0 = 0; a0 < polyir_mod(-n, 3) + n - 2; a0++) {
