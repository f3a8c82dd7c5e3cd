// Equation 15.1 of Gautam and Rajopadhye, "Computations on Iteration Spaces", as loops: cubic.
func.func @convolved_triangle(
    %n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>, %Y: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = max affine_map<(i, j) -> (i - j, 0)>(%i, %j) to %n {
        %a = affine.load %A[%i, %j + %k] : memref<?x?xi64>
        %b = affine.load %B[%k, %j] : memref<?x?xi64>
        %product = arith.muli %a, %b : i64
        %old = affine.load %Y[%i] : memref<?xi64>
        %new = arith.addi %old, %product : i64
        affine.store %new, %Y[%i] : memref<?xi64>
      }
    }
  }
  func.return
}
