// vectorize: what a block stores moves with the counter of the loop around it
// pipeline: tile{sizes=4,2,2,4 min-width=1},register-tile{width=4},vectorize
// run: 
func.func @program() {
  %A0 = memref.alloc() : memref<12xi64>
  %v0 = arith.constant 3 : i64
  affine.for %v1 = 0 to 12 {
  affine.store %v0, %A0[%v1] : memref<12xi64>
  }
  %v2 = affine.load %A0[3 * 3 + 2] : memref<12xi64>
  affine.store %v2, %A0[2] : memref<12xi64>
  %v3 = arith.constant 1 : i64
  affine.store %v3, %A0[3 * -1 + 3] : memref<12xi64>
  return
}
