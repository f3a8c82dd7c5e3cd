// RUN: polyir-opt --poly-dependences=reassociate=true --emit=poly %s | filecheck %s --check-prefix CHECK
// RUN: polyir-opt --poly-dependences=reassociate=true --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --poly-dependences --emit=poly %s | filecheck %s --check-prefix ORDERED

func.func private @fmax(f64, f64) -> f64 attributes {llvm.readnone}

// Two calls, of which one holds the old value.
func.func @calls(%n: index, %A: memref<?xf64>, %X: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = affine.load %X[] : memref<f64>
    %2 = func.call @fmax(%0, %1) : (f64, f64) -> f64
    %3 = func.call @fmax(%2, %0) : (f64, f64) -> f64
    affine.store %3, %X[] : memref<f64>
  }
  return
}
// REMARK:      S0: updates for a maximum in X may run in any order
// CHECK:       func.func @calls
// CHECK:         %[[A:.*]] = affine.load %A[%i]
// CHECK-NEXT:    %[[X:.*]] = affine.load %X[]
// CHECK-NEXT:    %[[S:.*]] = arith.maxnumf %[[A]], %[[X]] : f64
// CHECK-NEXT:    %[[T:.*]] = arith.maxnumf %[[S]], %[[A]] : f64
// CHECK-NEXT:    affine.store %[[T]], %X[]
// ORDERED:     func.func @calls
// ORDERED-NOT:   arith.maxnumf

// Branches, as C's conditional operator has them, with a value that is computed twice.
func.func @branches(%n: index, %A: memref<?xi32>, %X: memref<i32>) {
  %two = arith.constant 2 : i32
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<i32>
    %1 = affine.load %A[%i] : memref<?xi32>
    %2 = arith.muli %1, %two : i32
    %3 = arith.cmpi ult, %0, %2 : i32
    %4 = scf.if %3 -> (i32) {
      %5 = affine.load %A[%i] : memref<?xi32>
      %6 = arith.muli %5, %two : i32
      scf.yield %6 : i32
    } else {
      %5 = affine.load %X[] : memref<i32>
      scf.yield %5 : i32
    }
    affine.store %4, %X[] : memref<i32>
  }
  return
}
// REMARK:      S0: updates for a maximum in X may run in any order
// CHECK:       func.func @branches
// CHECK:         %[[X:.*]] = affine.load %X
// CHECK-NEXT:    %[[A:.*]] = affine.load %A
// CHECK-NEXT:    %[[B:.*]] = arith.muli %[[A]], %two : i32
// CHECK-NEXT:    %[[S:.*]] = arith.maxui %[[B]], %[[X]] : i32
// CHECK-NEXT:    affine.store %[[S]], %X
// ORDERED:     func.func @branches
// ORDERED:       scf.if

// Of floating-point numbers, a choice stays one: it says what becomes of NaN.
func.func @choice(%n: index, %A: memref<?xf32>, %X: memref<f32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f32>
    %1 = affine.load %A[%i] : memref<?xf32>
    %2 = arith.cmpf uge, %0, %1 : f32
    %3 = scf.if %2 -> (f32) {
      %4 = affine.load %A[%i] : memref<?xf32>
      scf.yield %4 : f32
    } else {
      scf.yield %0 : f32
    }
    affine.store %3, %X[] : memref<f32>
  }
  return
}
// REMARK:      S0: updates for a minimum in X may run in any order
// CHECK:       func.func @choice
// CHECK:         %[[X:.*]] = affine.load %X
// CHECK-NEXT:    %[[A:.*]] = affine.load %A
// CHECK-NEXT:    %[[T:.*]] = arith.cmpf uge, %[[X]], %[[A]] : f32
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[T]], %[[A]], %[[X]] : f32
// CHECK-NEXT:    affine.store %[[S]], %X

// What is chosen is not what is compared; the call is not one of the element.
func.func @others(%n: index, %A: memref<?xf64>, %X: memref<f64>, %Y: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = affine.load %A[%i + 1] : memref<?xf64>
    %3 = arith.cmpf ogt, %0, %1 : f64
    %4 = arith.select %3, %0, %2 : f64
    affine.store %4, %X[] : memref<f64>
    %5 = affine.load %Y[] : memref<f64>
    %6 = func.call @fmax(%1, %2) : (f64, f64) -> f64
    %7 = arith.addf %5, %6 : f64
    affine.store %7, %Y[] : memref<f64>
  }
  return
}
// REMARK:      S1: updates for a sum in Y may run in any order
// REMARK-NEXT: S0 must update X in order
// CHECK:       func.func @others
// CHECK:         arith.cmpf ogt
// CHECK:         func.call @fmax
