// Pluto paper, section 4.2 and figure 1(b): imperfectly nested Jacobi in one dimension.
func.func @jacobi_1d(%t_end: index, %n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %third = arith.constant 0.33 : f64
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%t_end] {
    affine.for %i = 2 to %n {
      %left = affine.load %a[%i - 1] : memref<?xf64>
      %centre = affine.load %a[%i] : memref<?xf64>
      %right = affine.load %a[%i + 1] : memref<?xf64>
      %s0 = arith.addf %left, %centre : f64
      %s1 = arith.addf %s0, %right : f64
      %average = arith.mulf %third, %s1 : f64
      affine.store %average, %b[%i] : memref<?xf64>
    }
    affine.for %i = 2 to %n {
      %value = affine.load %b[%i] : memref<?xf64>
      affine.store %value, %a[%i] : memref<?xf64>
    }
  }
  return
}
