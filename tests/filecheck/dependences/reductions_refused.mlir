// RUN: polyir-opt --poly-dependences=reassociate=true --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix REMARK

// Division is not associative.
func.func @quotient(%n: index, %A: memref<?xf64>, %X: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.divf %0, %1 : f64
    affine.store %2, %X[] : memref<f64>
  }
  return
}

// What is taken away from is not the element.
func.func @turned(%n: index, %A: memref<?xf64>, %X: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.subf %1, %0 : f64
    affine.store %2, %X[] : memref<f64>
  }
  return
}

// Two operations.
func.func @scaled(%n: index, %A: memref<?xf64>, %X: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    %3 = arith.mulf %2, %1 : f64
    affine.store %3, %X[] : memref<f64>
  }
  return
}

// For i = j, the element is combined with itself.
func.func @itself(%n: index, %X: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %X[%i] : memref<?xf64>
      %1 = affine.load %X[%j] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%i] : memref<?xf64>
    }
  }
  return
}

// Some elements are not added.
func.func @conditional(%n: index, %A: memref<?xf64>, %X: memref<f64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.cmpf ogt, %1, %zero : f64
    scf.if %2 {
      %0 = affine.load %X[] : memref<f64>
      %3 = arith.addf %0, %1 : f64
      affine.store %3, %X[] : memref<f64>
    }
  }
  return
}

// A maximum with its place: it is a comparison, and two elements.
func.func @place(%n: index, %A: memref<?xf64>, %X: memref<f64>, %P: memref<index>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.cmpf ogt, %1, %0 : f64
    scf.if %2 {
      affine.store %1, %X[] : memref<f64>
      affine.store %i, %P[] : memref<index>
    }
  }
  return
}

// REMARK: {{.*}}reductions_refused.mlir:5:3: warning: [poly-dependences] no dependence is a reduction: S0 must update X in order: its value is not the old one and others, combined by one associative operation [no-reduction]
// REMARK-NEXT: {{.*}}reductions_refused.mlir:5:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 output
// REMARK-NEXT: {{.*}}reductions_refused.mlir:16:3: warning: [poly-dependences] no dependence is a reduction: S0 must update X in order: its value is not the old one and others, combined by one associative operation
// REMARK-NEXT: {{.*}}reductions_refused.mlir:16:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 output
// REMARK-NEXT: {{.*}}reductions_refused.mlir:27:3: warning: [poly-dependences] no dependence is a reduction: S0 must update X in order: its value is not the old one and others, combined by one associative operation
// REMARK-NEXT: {{.*}}reductions_refused.mlir:27:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 output
// REMARK-NEXT: {{.*}}reductions_refused.mlir:39:3: warning: [poly-dependences] no dependence is a reduction: S0 must update X in order: S0[0, 0] combines it with X[0] itself (n = 1)
// REMARK-NEXT: {{.*}}reductions_refused.mlir:39:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 output
// REMARK-NEXT: {{.*}}reductions_refused.mlir:53:3: warning: [poly-dependences] no dependence is a reduction: S0 must update X in order: some of its instances may not update it
// REMARK-NEXT: {{.*}}reductions_refused.mlir:53:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 output
// REMARK-NEXT: {{.*}}reductions_refused.mlir:67:3: warning: [poly-dependences] no dependence is a reduction: S0 must update X in order: it writes other elements too
// REMARK-NEXT: {{.*}}reductions_refused.mlir:67:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 2 output
