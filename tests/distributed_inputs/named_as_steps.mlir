// Sizes have the names that the pass would give to steps, blocks and offsets.
func.func @named_as_steps(%A: memref<?x?xf64>, %A_0: index, %step0: index) {
  affine.for %t = 0 to %step0 {
    affine.for %i = 1 to %A_0 {
      affine.for %j = 1 to %A_0 {
        %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
