// RUN: polyir-opt --apply-schedule="{ S0[i,j] -> [0,i,j]; S1[i,j,k] -> [1,k,i,j] }" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix MAP
// RUN: polyir-opt --apply-schedule=file=%S/product.isl --emit=poly %s | filecheck %s --check-prefix TREE
// RUN: not polyir-opt --apply-schedule="{ S0[i,j] -> [i,j,0]; S1[i,j,k] -> [i,j,1 - k] }" %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --apply-schedule="[n] -> { S0[i,j] -> [0]; S1[i,j,k] -> [1,k] : k < 5 }" %s 2>&1 | filecheck %s --check-prefix PARTIAL
// RUN: not polyir-opt --apply-schedule="{ S0[i,j] -> [0]; S1[i,j,k] -> [1,l] }" %s 2>&1 | filecheck %s --check-prefix DATES
// RUN: not polyir-opt --apply-schedule="{ S0[i,j] -> [0]; S5[i,j,k] -> [1,k] }" %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --apply-schedule="[m] -> { S0[i,j] -> [m]; S1[i,j,k] -> [1,k] }" %s 2>&1 | filecheck %s --check-prefix PARAMETER
// RUN: not polyir-opt --apply-schedule="{ S0[i,j] -> [0 }" %s 2>&1 | filecheck %s --check-prefix MALFORMED
// RUN: not polyir-opt --apply-schedule=file=%t.no-such-file %s 2>&1 | filecheck %s --check-prefix FILE
// RUN: not polyir-opt --apply-schedule %s 2>&1 | filecheck %s --check-prefix NONE

func.func @product(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %c[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf64>
        %1 = affine.load %b[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %c[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %c[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// MAP: remark: [apply-schedule] applied the given schedule to S0, S1
// MAP:      poly.sequence {
// MAP-NEXT:   poly.filter "[n] -> { S0[i, j] }" {
// MAP-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable coincident [true, true]
// MAP-NEXT:   }
// MAP-NEXT:   poly.filter "[n] -> { S1[i, j, k] }" {
// MAP-NEXT:     poly.band "[n] -> [{ S1[i, j, k] -> [(k)] }, { S1[i, j, k] -> [(i)] }, { S1[i, j, k] -> [(j)] }]" permutable coincident [false, true, true]

// TREE:      poly.domain "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n; S1[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }" {
// TREE-NEXT:   poly.sequence {
// TREE-NEXT:     poly.filter "[n] -> { S0[i, j] }" {
// TREE-NEXT:       poly.band "[n] -> [{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]" permutable coincident [true, true]
// TREE-NEXT:     }
// TREE-NEXT:     poly.filter "[n] -> { S1[i, j, k] }" {
// TREE-NEXT:       poly.band "[n] -> [{ S1[i, j, k] -> [(j)] }, { S1[i, j, k] -> [(i)] }, { S1[i, j, k] -> [(k)] }]" permutable coincident [true, true, false]

// ILLEGAL: apply_schedule.mlir:{{[0-9]+}}:3: error: the given schedule violates the flow dependence through c: S1[0, 0, 0] must run before S1[0, 0, 1] (n = 2)
// PARTIAL: error: the given schedule leaves out S1[0, 0, 5] (n = 6)
// DATES: error: the given schedule has several dates for an instance of S1
// UNKNOWN: error: pass 'apply-schedule': there is no statement 'S5' (statements: S0, S1)
// PARAMETER: error: the given schedule has the unknown parameter 'm' (parameters: n)
// MALFORMED: error: '{ S0[i,j] -> [0 }' is not a schedule: write a union map such as { S0[i, j] -> [j, i] }, or isl's text of a schedule tree
// FILE: error: cannot read the schedule '{{.*}}.no-such-file': No such file or directory
// NONE: error: give exactly one schedule: schedule='{ S0[i, j] -> [j, i] }' or file=schedule.isl
