// gesummv of PolyBench/C 4.2.1: y := alpha * A * x + beta * B * x.
func.func @kernel_gesummv(%n: index, %alpha: f64, %beta: f64, %A: memref<?x?xf64>,
                          %B: memref<?x?xf64>, %tmp: memref<?xf64>, %x: memref<?xf64>,
                          %y: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %zero, %tmp[%i] : memref<?xf64>
    affine.store %zero, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %x0 = affine.load %x[%j] : memref<?xf64>
      %ax = arith.mulf %a, %x0 : f64
      %t = affine.load %tmp[%i] : memref<?xf64>
      %new_t = arith.addf %ax, %t : f64
      affine.store %new_t, %tmp[%i] : memref<?xf64>

      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %x1 = affine.load %x[%j] : memref<?xf64>
      %bx = arith.mulf %b, %x1 : f64
      %yi = affine.load %y[%i] : memref<?xf64>
      %new_y = arith.addf %bx, %yi : f64
      affine.store %new_y, %y[%i] : memref<?xf64>
    }
    %ti = affine.load %tmp[%i] : memref<?xf64>
    %yi = affine.load %y[%i] : memref<?xf64>
    %alpha_t = arith.mulf %alpha, %ti : f64
    %beta_y = arith.mulf %beta, %yi : f64
    %result = arith.addf %alpha_t, %beta_y : f64
    affine.store %result, %y[%i] : memref<?xf64>
  }
  return
}
