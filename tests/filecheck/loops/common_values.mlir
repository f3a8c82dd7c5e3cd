// What two statements compute of the same operands is computed once, where nothing comes between.
// RUN: polyir-opt --split-input-file --poly-raise --lower-poly %s | filecheck %s

// The loads are equal, and so is what is computed of them.
// CHECK-LABEL: func.func @shared
// CHECK:      affine.for %i = 0 to 100 {
// CHECK-NEXT:   %x = affine.load %A[%i] : memref<100xf64>
// CHECK-NEXT:   %s = arith.mulf %x, %x : f64
// CHECK-NEXT:   affine.store %s, %B[%i] : memref<100xf64>
// CHECK-NEXT:   %t = arith.addf %s, %x : f64
// CHECK-NEXT:   affine.store %t, %C[%i] : memref<100xf64>
// CHECK-NEXT: }
func.func @shared(%A: memref<100xf64>, %B: memref<100xf64>, %C: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %x = affine.load %A[%i] : memref<100xf64>
    %s = arith.mulf %x, %x : f64
    affine.store %s, %B[%i] : memref<100xf64>
    %t = arith.addf %s, %x : f64
    affine.store %t, %C[%i] : memref<100xf64>
  }
  return
}

// -----

// Loads that are two in the source stay two.
// CHECK-LABEL: func.func @two_loads
// CHECK:      affine.load %A[%i] : memref<100xf64>
// CHECK-NEXT: affine.store
// CHECK-NEXT: affine.load %A[%i] : memref<100xf64>
func.func @two_loads(%A: memref<100xf64>, %B: memref<100xf64>, %C: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %x = affine.load %A[%i] : memref<100xf64>
    affine.store %x, %B[%i] : memref<100xf64>
    %y = affine.load %A[%i] : memref<100xf64>
    affine.store %y, %C[%i] : memref<100xf64>
  }
  return
}

// -----

// A store between two loads, also to an element that may be another one.
// CHECK-LABEL: func.func @overwritten
// CHECK:      arith.mulf
// CHECK-NEXT: affine.store {{.*}} %A
// CHECK:      arith.mulf
// CHECK-NEXT: affine.store {{.*}} %B
func.func @overwritten(%A: memref<100xf64>, %B: memref<100xf64>, %k: index) {
  affine.for %i = 0 to 100 {
    %x = affine.load %A[%i] : memref<100xf64>
    %p = arith.mulf %x, %x : f64
    affine.store %p, %A[symbol(%k)] : memref<100xf64>
    %y = affine.load %A[%i] : memref<100xf64>
    %q = arith.mulf %y, %y : f64
    affine.store %q, %B[%i] : memref<100xf64>
  }
  return
}

// -----

// A loop that overwrites what is loaded before it.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:      arith.divf
// CHECK:      affine.for %j
// CHECK:        arith.divf
// CHECK-NEXT:   affine.store
func.func @in_a_loop(%A: memref<100xf64>, %B: memref<100xf64>) {
  affine.for %i = 0 to 99 {
    %x = affine.load %A[%i] : memref<100xf64>
    %y = affine.load %A[%i + 1] : memref<100xf64>
    %p = arith.divf %x, %y : f64
    affine.store %p, %B[%i] : memref<100xf64>
    affine.for %j = 0 to 100 {
      %z = affine.load %A[%i] : memref<100xf64>
      %u = affine.load %A[%i + 1] : memref<100xf64>
      %q = arith.divf %z, %u : f64
      affine.store %q, %A[%j] : memref<100xf64>
    }
  }
  return
}

// -----

// What differs in a flag or a constant is not the same.
// CHECK-LABEL: func.func @flags
// CHECK:      arith.mulf %x, %x : f64
// CHECK:      arith.mulf %x, %x fastmath<fast> : f64
func.func @flags(%A: memref<100xf64>, %B: memref<100xf64>, %C: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %x = affine.load %A[%i] : memref<100xf64>
    %p = arith.mulf %x, %x : f64
    affine.store %p, %B[%i] : memref<100xf64>
    %q = arith.mulf %x, %x fastmath<fast> : f64
    affine.store %q, %C[%i] : memref<100xf64>
  }
  return
}
