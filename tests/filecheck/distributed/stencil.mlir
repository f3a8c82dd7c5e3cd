// RUN: polyir-opt --feautrier-schedule --distribute-memory %s | filecheck %s

func.func @smooth(%steps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %here = affine.load %A[%i] : memref<?xf64>
      %sum = arith.addf %left, %here : f64
      affine.store %sum, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to %n {
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
    }
  }
  return
}
