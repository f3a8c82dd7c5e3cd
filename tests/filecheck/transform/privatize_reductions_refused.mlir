// RUN: polyir-opt --poly-dependences=reassociate=true --privatize-reductions --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --privatize-reductions --emit=none %s 2>&1 | filecheck %s --check-prefix WARN

// A read of a partial result: the loop over i carries more than a reduction.
func.func @read(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<f64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[] : memref<f64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[] : memref<f64>
    }
    %3 = affine.load %X[] : memref<f64>
    affine.store %3, %B[%i] : memref<?xf64>
  }
  return
}

// Too few iterations to share.
func.func @few(%m: index, %A: memref<16x?xf64>, %X: memref<?xf64>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[0] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<16x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[0] : memref<?xf64>
    }
  }
  return
}

// Rows are parallel as they are.
func.func @rows(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[%i] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%i] : memref<?xf64>
    }
  }
  return
}

// REMARK: {{.*}}privatize_reductions_refused.mlir:6:3: remark: [poly-dependences] S0: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:6:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 reduction
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:21:3: remark: [poly-dependences] S0: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:21:3: remark: [poly-dependences] value-based dependences: 1 reduction
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:34:3: remark: [poly-dependences] S0: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:34:3: remark: [poly-dependences] value-based dependences: 1 reduction
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:6:3: warning: [privatize-reductions] nothing to do: loop 2 around S0 has no parts: in each iteration of the loops around, there is little to do
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:21:3: warning: [privatize-reductions] nothing to do: loop 1 around S0 has no parts: it has at most 16 iterations; loop 2 around S0 has no parts: in each iteration of the loops around, there is little to do
// REMARK-NEXT: {{.*}}privatize_reductions_refused.mlir:34:3: warning: [privatize-reductions] nothing to do: no loop that is not parallel carries only reductions

// WARN: {{.*}}privatize_reductions_refused.mlir:6:3: warning: [privatize-reductions] nothing to do: no dependence is a reduction: poly-dependences=reassociate=true finds them
// WARN-NEXT: {{.*}}privatize_reductions_refused.mlir:21:3: warning: [privatize-reductions] nothing to do: no dependence is a reduction: poly-dependences=reassociate=true finds them
// WARN-NEXT: {{.*}}privatize_reductions_refused.mlir:34:3: warning: [privatize-reductions] nothing to do: no dependence is a reduction: poly-dependences=reassociate=true finds them
