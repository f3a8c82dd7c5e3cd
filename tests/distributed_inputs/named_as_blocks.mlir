// Sizes have the names that the pass would give to blocks.
func.func @named_as_blocks(%A: memref<?x?xf64>, %own_d0b0: index, %peer_d0e0: index) {
  affine.for %t = 0 to %peer_d0e0 {
    affine.for %i = 1 to %own_d0b0 {
      affine.for %j = 1 to %own_d0b0 {
        %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
