// Pluto paper, figure 7: imperfectly nested Jacobi in two dimensions.
func.func @jacobi_2d(%t_end: index, %n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%t_end] {
    affine.for %i = 2 to %n {
      affine.for %j = 2 to %n {
        %north = affine.load %a[%i - 1, %j] : memref<?x?xf64>
        %centre = affine.load %a[%i, %j] : memref<?x?xf64>
        %south = affine.load %a[%i + 1, %j] : memref<?x?xf64>
        %west = affine.load %a[%i, %j - 1] : memref<?x?xf64>
        %east = affine.load %a[%i, %j + 1] : memref<?x?xf64>
        %s0 = arith.addf %north, %centre : f64
        %s1 = arith.addf %s0, %south : f64
        %s2 = arith.addf %s1, %west : f64
        %s3 = arith.addf %s2, %east : f64
        affine.store %s3, %b[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %k = 2 to %n {
      affine.for %l = 2 to %n {
        %value = affine.load %b[%k, %l] : memref<?x?xf64>
        affine.store %value, %a[%k, %l] : memref<?x?xf64>
      }
    }
  }
  return
}
