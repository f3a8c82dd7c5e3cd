// RUN: polyir-opt %s --pluto-schedule --distribute-memory | filecheck %s

// Subscripts with a floor are inside of the array: the steps have the same parameters everywhere.
// CHECK: func.func @rounded_context
// CHECK: func.call @rounded_context_step_P0
func.func @rounded_context(%n: index, %m: index, %A: memref<20x41xf64>) {
  affine.for %i = 0 to 20 {
    %a = affine.load %A[%i, ((%n + 1) floordiv 3) * 2 + %m] : memref<20x41xf64>
    affine.store %a, %A[%i, 40 - %m] : memref<20x41xf64>
  }
  return
}
