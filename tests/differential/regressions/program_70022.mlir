// crash: llvm
// exit code 1
// pipeline: promote{loop=S1.0}
// run: 6 5 [1x6x1] [4]
func.func @program(%n: index, %m: index, %A1: memref<1x6x1xf64>, %A2: memref<?xf64>) {
  affine.for %i3 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 2 {
  %v0 = arith.constant -3.5 : f64
  %x0_last = affine.for %i4 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 3 iter_args(%x0 = %v0) -> (f64) {
  %v1 = affine.load %A2[%i4] : memref<?xf64>
  affine.yield %v1 : f64
  }
  %v2 = arith.constant 1.5 : f64
  affine.store %v2, %A1[0, %i3, 0] : memref<1x6x1xf64>
  }
  return
}
