// One function with every kind of argument, for docs/c-abi.md.
func.func @update(%n: index, %alpha: f32, %A: memref<100x110xf64>, %x: memref<?xf32>,
                  %M: memref<?x?xf64>, %count: memref<i64>) -> f32 {
  %one = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i, 0] : memref<100x110xf64>
    affine.store %a, %M[%i, 1] : memref<?x?xf64>
    affine.store %alpha, %x[%i] : memref<?xf32>
    %c = affine.load %count[] : memref<i64>
    %next = arith.addi %c, %one : i64
    affine.store %next, %count[] : memref<i64>
  }
  return %alpha : f32
}
