// RUN: polyir-opt --poly-dependences=reassociate=true --print-dependences --emit=none %s | filecheck %s --check-prefix CHECK
// RUN: polyir-opt --poly-dependences=reassociate=true --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix REMARK

// Columns: rows may be added in any order. What sets an element stays before all updates of it, and
// what reads it after them, not only next to the first and the last one.
func.func @columns(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %j = 0 to %m {
    affine.store %zero, %X[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %X[%j] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %X[%j] : memref<?xf64>
    }
  }
  affine.for %j = 0 to %m {
    %0 = affine.load %X[%j] : memref<?xf64>
    affine.store %0, %B[%j] : memref<?xf64>
  }
  return
}


// A read between the updates stays where it is.
func.func @partial_sums(%n: index, %A: memref<?xi32>, %X: memref<i32>, %B: memref<?xi32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<i32>
    %1 = affine.load %A[%i] : memref<?xi32>
    %2 = arith.addi %0, %1 : i32
    affine.store %2, %X[] : memref<i32>
    %3 = affine.load %X[] : memref<i32>
    affine.store %3, %B[%i] : memref<?xi32>
  }
  return
}

// An update of one element that reads others that are updated.
func.func @solver(%n: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %0 = affine.load %X[%i] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = affine.load %X[%j] : memref<?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.subf %0, %3 : f64
      affine.store %4, %X[%i] : memref<?xf64>
    }
  }
  return
}

// Two statements that add to the same elements, and one that multiplies them.
func.func @several(%n: index, %m: index, %A: memref<?x?xi64>, %X: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %0 = affine.load %X[%j] : memref<?xi64>
      %1 = arith.addi %0, %a : i64
      affine.store %1, %X[%j] : memref<?xi64>
      %2 = affine.load %X[%j] : memref<?xi64>
      %3 = arith.subi %2, %a : i64
      affine.store %3, %X[%j] : memref<?xi64>
      %4 = affine.load %X[%j] : memref<?xi64>
      %5 = arith.muli %4, %a : i64
      affine.store %5, %X[%j] : memref<?xi64>
    }
  }
  return
}

// What loops carry from iteration to iteration: one cell for both.
func.func @carried(%n: index, %m: index, %A: memref<?x?xf64>, %X: memref<f64>) {
  %start = affine.load %X[] : memref<f64>
  %sum = affine.for %i = 0 to %n iter_args(%s = %start) -> (f64) {
    %inner = affine.for %j = 0 to %m iter_args(%t = %s) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %u = arith.maximumf %t, %a : f64
      affine.yield %u : f64
    }
    affine.yield %inner : f64
  }
  affine.store %sum, %X[] : memref<f64>
  return
}

// CHECK: // value-based dependences in @columns:
// CHECK-NEXT: // flow       X  S0 -> S1         [m, n] -> { S0[j] -> S1[i, j' = j] : 0 <= j < m and 0 <= i < n }
// CHECK-NEXT: // flow       X  S0 -> S2         [m, n] -> { S0[j] -> S2[j' = j] : 0 <= j < m }
// CHECK-NEXT: // flow       X  S1 -> S2         [m, n] -> { S1[i, j] -> S2[j' = j] : 0 <= i < n and 0 <= j < m }
// CHECK-NEXT: // output     X  S0 -> S1         [m, n] -> { S0[j] -> S1[i, j' = j] : 0 <= j < m and 0 <= i < n }
// CHECK-NEXT: // reduction  X  S1 -> S1  (+,0)  [m, n] -> { S1[i, j] -> S1[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // value-based dependences in @partial_sums:
// CHECK-NEXT: // flow       X  S0 -> S1  (0+)  [n] -> { S0[i] -> S1[i'] : i >= 0 and i <= i' < n }
// CHECK-NEXT: // anti       X  S1 -> S0  (+)   [n] -> { S1[i] -> S0[i'] : i >= 0 and i < i' < n }
// CHECK-NEXT: // reduction  X  S0 -> S0  (+)   [n] -> { S0[i] -> S0[i'] : i >= 0 and i < i' < n }
// CHECK-NEXT: // value-based dependences in @solver:
// CHECK-NEXT: // flow       X  S0 -> S0  (+,+)  [n] -> { S0[i, j] -> S0[i', j' = i] : 0 <= j < i and i < i' < n }
// CHECK-NEXT: // reduction  X  S0 -> S0  (0,+)  [n] -> { S0[i, j] -> S0[i' = i, j'] : i < n and j >= 0 and j < j' < i }
// CHECK-NEXT: // value-based dependences in @several:
// CHECK-NEXT: // flow       X  S0 -> S2  (0+,0)  [n, m] -> { S0[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // flow       X  S1 -> S2  (0+,0)  [n, m] -> { S1[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // flow       X  S2 -> S0  (+,0)   [n, m] -> { S2[i, j] -> S0[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // flow       X  S2 -> S1  (+,0)   [n, m] -> { S2[i, j] -> S1[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // anti       X  S0 -> S2  (0+,0)  [n, m] -> { S0[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // anti       X  S1 -> S2  (0+,0)  [n, m] -> { S1[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // anti       X  S2 -> S0  (+,0)   [n, m] -> { S2[i, j] -> S0[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // anti       X  S2 -> S1  (+,0)   [n, m] -> { S2[i, j] -> S1[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // output     X  S0 -> S2  (0+,0)  [n, m] -> { S0[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // output     X  S1 -> S2  (0+,0)  [n, m] -> { S1[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // output     X  S2 -> S0  (+,0)   [n, m] -> { S2[i, j] -> S0[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // output     X  S2 -> S1  (+,0)   [n, m] -> { S2[i, j] -> S1[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // reduction  X  S0 -> S0  (+,0)   [n, m] -> { S0[i, j] -> S0[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // reduction  X  S0 -> S1  (0+,0)  [n, m] -> { S0[i, j] -> S1[i', j' = j] : i >= 0 and 0 <= j < m and i <= i' < n }
// CHECK-NEXT: // reduction  X  S1 -> S0  (+,0)   [n, m] -> { S1[i, j] -> S0[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // reduction  X  S1 -> S1  (+,0)   [n, m] -> { S1[i, j] -> S1[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // reduction  X  S2 -> S2  (+,0)   [n, m] -> { S2[i, j] -> S2[i', j' = j] : i >= 0 and 0 <= j < m and i < i' < n }
// CHECK-NEXT: // value-based dependences in @carried:
// CHECK-NEXT: // flow       s  S0 -> S1               [n, m] -> { S0[] -> S1[i, j] : 0 <= i < n and 0 <= j < m }
// CHECK-NEXT: // flow       s  S0 -> S2               [n, m] -> { S0[] -> S2[] }
// CHECK-NEXT: // flow       s  S1 -> S2               [n, m] -> { S1[i, j] -> S2[] : 0 <= i < n and 0 <= j < m }
// CHECK-NEXT: // output     s  S0 -> S1               [n, m] -> { S0[] -> S1[i, j] : 0 <= i < n and 0 <= j < m }
// CHECK-NEXT: // reduction  s  S1 -> S1  (+,*) (0,+)  [n, m] -> { S1[i, j] -> S1[i', j'] : i >= 0 and 0 <= j < m and i < i' < n and 0 <= j' < m; S1[i, j] -> S1[i' = i, j'] : 0 <= i < n and j >= 0 and j < j' < m }

// REMARK: {{.*}}reductions.mlir:8:3: remark: [poly-dependences] S1: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:8:3: remark: [poly-dependences] value-based dependences: 3 flow, 1 output, 1 reduction
// REMARK-NEXT: {{.*}}reductions.mlir:29:3: remark: [poly-dependences] S0: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:29:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 reduction
// REMARK-NEXT: {{.*}}reductions.mlir:42:3: remark: [poly-dependences] S0: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:42:3: remark: [poly-dependences] value-based dependences: 1 flow, 1 reduction
// REMARK-NEXT: {{.*}}reductions.mlir:57:3: remark: [poly-dependences] S0: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:57:3: remark: [poly-dependences] S1: updates for a sum in X may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:57:3: remark: [poly-dependences] S2: updates for a product in X may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:57:3: remark: [poly-dependences] value-based dependences: 4 flow, 4 anti, 4 output, 5 reduction
// REMARK-NEXT: {{.*}}reductions.mlir:77:10: remark: [poly-dependences] S1: updates for a maximum in s may run in any order
// REMARK-NEXT: {{.*}}reductions.mlir:77:10: remark: [poly-dependences] value-based dependences: 3 flow, 1 output, 1 reduction
