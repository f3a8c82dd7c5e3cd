// Pluto paper, figure 4: a[i,j] = a[i-1,j] + a[i,j-1], parallel along wavefronts of tiles.
#after = affine_map<()[s0] -> (s0 + 1)>

func.func @stencil(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to #after()[%n] {
    affine.for %j = 1 to #after()[%n] {
      %north = affine.load %a[%i - 1, %j] : memref<?x?xf64>
      %west = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %sum = arith.addf %north, %west : f64
      affine.store %sum, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
