// The C used the iterator outside of its loop, in a value that only an unused branch yields.
// pipeline: poly-raise
// run: 3 [1x4]
func.func @program(%n: index, %A0: memref<1x?xf64>) {
  %v3 = arith.constant 1.5 : f64
  affine.for %i4 = 0 to %n {
    %v5 = arith.cmpf olt, %v3, %v3 : f64
    %v6 = scf.if %v5 -> (f64) {
      scf.yield %v3 : f64
    } else {
      %v8 = affine.load %A0[0, %i4] : memref<1x?xf64>
      scf.yield %v8 : f64
    }
    %x0 = arith.addf %v6, %v6 : f64
  }
  affine.store %v3, %A0[0, 0] : memref<1x?xf64>
  return
}
