// Stores that need the same work are one statement; split-statements lets each compute it.
// RUN: polyir-opt --poly-raise --emit=poly %s | filecheck %s
// RUN: polyir-opt --split-statements --distribute=statements=S0_0,S0_1 --remarks --emit=c %s \
// RUN:     > %t.c 2> %t.err
// RUN: filecheck %s --check-prefix=CODE < %t.c
// RUN: filecheck %s --check-prefix=WHY < %t.err
// RUN: polyir-opt --split-statements=S1 --emit=none %s 2>&1 | filecheck %s --check-prefix=KEPT
// RUN: polyir-opt --tile=loops=S0.0 --promote="arrays=A loop=S0.0" --split-statements --emit=none \
// RUN:     %s 2>&1 | filecheck %s --check-prefix=LOCAL

func.func @root(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = math.sqrt %0 : f64
    affine.store %1, %B[%i] : memref<?xf64>
    %2 = arith.addf %1, %0 : f64
    affine.store %2, %C[%i] : memref<?xf64>
  }
  // What the first store changes was loaded for the second one.
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = math.sqrt %0 : f64
    affine.store %1, %A[%i] : memref<?xf64>
    %2 = arith.addf %1, %0 : f64
    affine.store %2, %C[%i] : memref<?xf64>
  }
  return
}

// CHECK:      poly.stmt @S0
// CHECK:        math.sqrt
// CHECK-NEXT:   affine.store %{{.*}}, %B
// CHECK-NEXT:   arith.addf
// CHECK-NEXT:   affine.store %{{.*}}, %C
// CHECK-NEXT: }
// CHECK-NEXT: poly.stmt @S1
// CHECK:      poly.domain "[n] -> { S0[i] : 0 <= i < n; S1[i] : 0 <= i < n }"

// WHY:      split_statements.mlir:12:3: remark: [split-statements] cut S0 into S0_0, S0_1
// WHY-NEXT: remark: [distribute] separated S0_0 from S0_1: it now has its own loop nest

// CODE:        B[i] = sqrt(A[i]);
// CODE-NEXT:   }
// CODE-NEXT:   for
// CODE-NEXT:     const double t = A[i];
// CODE-NEXT:     C[i] = sqrt(t) + t;
// CODE-NEXT:   }
// CODE-NEXT:   for
// CODE-NEXT:     const double t = A[i];
// CODE-NEXT:     const double t_1 = sqrt(t);
// CODE-NEXT:     A[i] = t_1;
// CODE-NEXT:     C[i] = t_1 + t;

// KEPT:  warning: [split-statements] nothing to do: no statement has stores that may be apart
// LOCAL: warning: [split-statements] the scop is left as it was: it has local arrays already
