// Pluto paper, section 4.1 and figure 5: non-constant dependences, a[i,j] = a[j,i] + a[i,j-1].
#after = affine_map<()[s0] -> (s0 + 1)>

func.func @transpose(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to #after()[%n] {
    affine.for %j = 2 to #after()[%n] {
      %mirrored = affine.load %a[%j, %i] : memref<?x?xf64>
      %left = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %sum = arith.addf %mirrored, %left : f64
      affine.store %sum, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
