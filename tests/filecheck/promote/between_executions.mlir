// RUN: polyir-opt --promote="arrays=t loop=S0.0" %s | filecheck %s

// What the last iteration of %k leaves in %t is read by the next execution of the loops.
func.func private @more() -> i1
// CHECK: } do {
// CHECK-NEXT: [[LOCAL:%.*]] = memref.alloca() : memref<8xf64>
// CHECK-NEXT: affine.for %k = 0 to 10 {
// CHECK: affine.for %i = 0 to 8 {
// CHECK: affine.store {{%.*}}, %A[%i] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for [[J:%.*]] = 0 to 8 {
// CHECK-NEXT: [[V:%.*]] = affine.load [[LOCAL]][[[J]]] : memref<8xf64>
// CHECK-NEXT: affine.store [[V]], %t[[[J]]] : memref<8xf64>
func.func @f(%n: index, %y: f64, %A: memref<?xf64>) {
  %t = memref.alloca() : memref<8xf64>
  scf.while : () -> () {
    %c = func.call @more() : () -> i1
    scf.condition(%c)
  } do {
    affine.for %k = 0 to 10 {
      affine.for %i = 0 to 8 {
        %v = affine.load %t[%i] : memref<8xf64>
        %w = arith.addf %v, %y : f64
        affine.store %w, %t[%i] : memref<8xf64>
        affine.store %w, %A[%i] : memref<?xf64>
      }
    }
    scf.yield
  }
  return
}
