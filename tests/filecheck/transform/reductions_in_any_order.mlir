// RUN: polyir-opt --poly-dependences=reassociate=true --reverse=S0.0 --print-dependences --emit=c %s 2>&1 | filecheck %s
// RUN: not polyir-opt --poly-dependences --reverse=S0.0 --emit=none %s 2>&1 | filecheck %s --check-prefix WITHOUT
// RUN: not polyir-opt --poly-dependences=reassociate=true --reverse=S1.0 --emit=none %s 2>&1 | filecheck %s --check-prefix READ

// The first loop may run backwards; then, its reduction goes in that direction. The second one
// stores partial results.
func.func @sums(%n: index, %A: memref<?xf64>, %X: memref<f64>, %Y: memref<f64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %X[] : memref<f64>
  }
  affine.for %i = 0 to %n {
    %0 = affine.load %Y[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %Y[] : memref<f64>
    %3 = affine.load %Y[] : memref<f64>
    affine.store %3, %B[%i] : memref<?xf64>
  }
  return
}

// CHECK:      reduction  X  S0 -> S0  ({{.*}})  [n] -> { S0[i] -> S0[i'] : i < n and 0 <= i' < i }
// CHECK:        for (int64_t [[T:.*]] = 1 - n; [[T]] < 1; [[T]]++) {
// CHECK-NEXT:     *X += A[-[[T]]];

// WITHOUT: error: reversing S0.0 violates the flow dependence through X: S0[0] must run before S0[1] (n = 2)

// READ: error: reversing S1.0 violates the flow dependence through Y: S1[0] must run before S2[1] (n = 2)
