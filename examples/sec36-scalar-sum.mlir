// Pluto paper, section 3.6: all elements of a matrix summed into one scalar, s = s + a[i,j].
func.func @scalar_sum(%n: index, %a: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %s[] : memref<f64>
      %value = affine.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %value : f64
      affine.store %new, %s[] : memref<f64>
    }
  }
  return
}
