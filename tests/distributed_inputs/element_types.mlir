// Messages of several types; a cell without dimensions; loops with steps and from high to low.
func.func @element_types(%A: memref<?xf32>, %B: memref<?xi32>, %C: memref<?x3xi64>, %D: memref<f64>,
                         %n: index, %m: index) {
  affine.for %t = 0 to %m {
    affine.for %i = 2 to %n step 3 {
      %b = affine.load %B[%n - %i] : memref<?xi32>
      %d = affine.load %D[] : memref<f64>
      %f = arith.sitofp %b : i32 to f32
      %g = arith.truncf %d : f64 to f32
      %h = arith.addf %f, %g : f32
      affine.store %h, %A[%i] : memref<?xf32>
    }
    affine.for %i = 0 to %n {
      %c = affine.load %C[%n - %i - 1, 1] : memref<?x3xi64>
      %b = arith.trunci %c : i64 to i32
      affine.store %b, %B[%i] : memref<?xi32>
    }
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %B[%i - 1] : memref<?xi32>
      %e = arith.extsi %b : i32 to i64
      %f = arith.fptosi %a : f32 to i64
      %g = arith.addi %e, %f : i64
      affine.store %g, %C[%i, 1] : memref<?x3xi64>
      affine.store %e, %C[%n - %i, 0] : memref<?x3xi64>
    }
    %x = affine.load %A[%n floordiv 2] : memref<?xf32>
    %y = arith.extf %x : f32 to f64
    affine.store %y, %D[] : memref<f64>
  }
  return
}
