// RUN: polyir-opt --poly-dependences=reassociate=true --split="statements=S0 condition='i < 100'" --privatize-reductions --emit=c %s 2>&1 | filecheck %s

// The statement is in two loops: if it updated the partial results of one, the other would, too.
func.func @f(%n: index, %m: index, %A: memref<?x?xi32>, %X: memref<?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %old = affine.load %X[%j] : memref<?xi32>
      %new = arith.addi %old, %a : i32
      affine.store %new, %X[%j] : memref<?xi32>
    }
  }
  return
}

// CHECK: warning: [privatize-reductions] nothing to do: loop 1 around S0 has no parts: S0 is in several places of the schedule tree
// CHECK-NOT: _partial
