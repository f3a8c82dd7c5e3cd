// The host copies a temporary from the device before anything has written to it there.
// pipeline: feautrier-schedule,map-to-gpu{sequential=host}
// run: 7 2 [7] [1x1]
func.func @program(%n: index, %m: index, %A0: memref<7xf64>, %A2: memref<1x1xf64>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 {
  %v0 = arith.constant 1.5 : f64
  %x0_last = affine.for %i1 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 iter_args(%x0 = %v0) -> (f64) {
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  affine.store %x0, %A2[0, 0] : memref<1x1xf64>
  }
  %v1 = arith.constant 1.5 : f64
  affine.yield %v1 : f64
  }
  affine.store %x0_last, %A0[%i0] : memref<7xf64>
  }
  return
}
