// With levels, the loops around innermost loops are looked at, too.
// RUN: polyir-opt --scalar-replacement=2 %s | filecheck %s --check-prefix=TWO
// RUN: polyir-opt --scalar-replacement=2 --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: polyir-opt --scalar-replacement=all %s | filecheck %s --check-prefix=ALL
// RUN: not polyir-opt --scalar-replacement=0 %s 2>&1 | filecheck %s --check-prefix=BAD
// RUN: not polyir-opt --scalar-replacement=some %s 2>&1 | filecheck %s --check-prefix=CHOICE

// TWO-LABEL: func.func @sum
// TWO-NEXT: affine.for %[[K:k]] = 0 to 9 {
// TWO-NEXT:   %[[FIRST:.*]] = affine.load %C[0] : memref<?xf64>
// TWO-NEXT:   %[[LAST:.*]] = affine.for %[[L:l]] = 0 to 9 iter_args(%[[OUTER:.*]] = %[[FIRST]]) -> (f64) {
// TWO-NEXT:     %[[NEXT:.*]] = affine.for %[[M:m]] = 0 to 9 iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (f64) {
// TWO:            affine.yield
// TWO-NEXT:     }
// TWO-NEXT:     affine.yield %[[NEXT]] : f64
// TWO-NEXT:   }
// TWO-NEXT:   affine.store %[[LAST]], %C[0] : memref<?xf64>

// ALL-LABEL: func.func @sum
// ALL-NEXT: %[[FIRST:.*]] = affine.load %C[0] : memref<?xf64>
// ALL-NEXT: %[[LAST:.*]] = affine.for %{{.*}} = 0 to 9 iter_args(%{{.*}} = %[[FIRST]]) -> (f64) {
// ALL-NEXT:   affine.for %{{.*}} = 0 to 9 iter_args(
// ALL-NEXT:     affine.for %{{.*}} = 0 to 9 iter_args(
// ALL-NEXT:       affine.load %A
// ALL-NEXT:       arith.addf
// ALL-NEXT:       affine.yield
// ALL-NEXT:     }
// ALL-NEXT:     affine.yield
// ALL-NEXT:   }
// ALL-NEXT:   affine.yield
// ALL-NEXT: }
// ALL-NEXT: affine.store %[[LAST]], %C[0] : memref<?xf64>

// REMARK: scalar_replacement_levels.mlir:{{[0-9]+}}:7: remark: [scalar-replacement] %C[0] is kept in a value in the loop over %m, stored after it
// REMARK: scalar_replacement_levels.mlir:{{[0-9]+}}:5: remark: [scalar-replacement] %C[0] is kept in a value in the loop over %l, stored after it
// BAD: error: option 'levels' of pass 'scalar-replacement' must be at least 1
// CHOICE: error: option 'levels' of pass 'scalar-replacement' must be integer or all, not 'some'
func.func @sum(%C: memref<?xf64>, %A: memref<?x?x?xf64>) {
  affine.for %k = 0 to 9 {
    affine.for %l = 0 to 9 {
      affine.for %m = 0 to 9 {
        %c = affine.load %C[0] : memref<?xf64>
        %a = affine.load %A[%k, %l, %m] : memref<?x?x?xf64>
        %sum = arith.addf %c, %a : f64
        affine.store %sum, %C[0] : memref<?xf64>
      }
    }
  }
  return
}
