// RUN: polyir-opt --poly-dependences=reassociate=true --interchange=loops=S0.0,S0.1 --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --poly-dependences=reassociate=true --apply-schedule="{ S0[i, j] -> [i, -j] }" --check-schedule --emit=none %s 2>&1 | filecheck %s --check-prefix TURNED
// RUN: not polyir-opt --poly-dependences=reassociate=true --apply-schedule="{ S0[i, j] -> [i] }" --emit=none %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --poly-dependences=reassociate=true --mark-parallel=loops=S0.1 --emit=none %s 2>&1 | filecheck %s --check-prefix PARALLEL

// Which of two updates comes first does not matter, but one of them must: passes that follow values
// would find none from one to the other. In another order, a sum of integers may overflow.
func.func @rows(%n: index, %m: index, %A: memref<?x?xi32>, %X: memref<?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[%i] : memref<?xi32>
      %1 = affine.load %A[%i, %j] : memref<?x?xi32>
      %2 = arith.addi %0, %1 overflow<nsw> : i32
      affine.store %2, %X[%i] : memref<?xi32>
    }
  }
  return
}

// CHECK: X[i] = (int32_t)((uint32_t)X[i] + A[i][j]);

// TURNED: the only dependence holds

// ORDER: error: the given schedule violates the reduction dependence through X: S0[0, 0] and S0[0, 1] must not run at once (n = 1, m = 2)

// PARALLEL: error: S0.1 is not parallel: it carries the reduction dependence through X: S0[0, 0] and S0[0, 1] must not run at once (n = 1, m = 2)
