// RUN: polyir-opt --expand --emit=loops %s | filecheck %s
// RUN: polyir-opt --expand --print-dependences --emit=none %s | filecheck %s --check-prefix FLOW
// RUN: polyir-opt --expand=A,maybe --emit=none %s 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: not polyir-opt --expand=n %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --expand=size=3 %s 2>&1 | filecheck %s --check-prefix OPTION

// A sum in `t`: the first read of each row takes the initial value, the others the last sum.
func.func @sums(%n: index, %A: memref<?x?xf64>, %out: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %t = memref.alloca() : memref<f64>
  %maybe = memref.alloca() : memref<f64>
  affine.store %zero, %maybe[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.store %zero, %t[] : memref<f64>
    affine.for %j = 0 to 10 {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %t[] : memref<f64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %t[] : memref<f64>
    }
    %3 = affine.load %t[] : memref<f64>
    %positive = arith.cmpf ogt, %3, %zero : f64
    scf.if %positive {
      affine.store %3, %maybe[] : memref<f64>
    }
    %4 = affine.load %maybe[] : memref<f64>
    affine.store %4, %out[%i] : memref<?xf64>
  }
  return
}

// CHECK:      %[[N:.*]] = affine.max affine_map<({{.*}}) -> ({{.*}}, 1)>(%n)
// CHECK-NEXT: %[[START:.*]] = memref.alloc(%[[N]]) : memref<?xf64>
// CHECK-NEXT: %[[SUM:.*]] = memref.alloc(%[[N]]) : memref<?x10xf64>
// CHECK:      affine.for %[[I:.*]] = 0 to %n {
// CHECK-NEXT:   affine.store %zero, %[[START]][%[[I]]] : memref<?xf64>
// CHECK:          %[[FIRST:.*]] = affine.load %[[START]][%[[I]]] : memref<?xf64>
// CHECK-NEXT:     %[[SUM0:.*]] = arith.addf %{{.*}}, %[[FIRST]] : f64
// CHECK-NEXT:     affine.store %[[SUM0]], %[[SUM]][%[[I]], 0] : memref<?x10xf64>
// CHECK-NEXT:   affine.for %[[J:.*]] = 1 to 10 {
// CHECK:          %[[LAST:.*]] = affine.load %[[SUM]][%[[I]], %[[J]] - 1] : memref<?x10xf64>
// CHECK:          affine.store %{{.*}}, %[[SUM]][%[[I]], %[[J]]] : memref<?x10xf64>
// CHECK:        affine.load %[[SUM]][%[[I]], 9] : memref<?x10xf64>
// CHECK:      memref.dealloc %[[SUM]]
// CHECK-NEXT: memref.dealloc %[[START]]

// FLOW:     // flow  t  S1 -> S2
// FLOW-NOT: {{anti|output}}  t

// REFUSED: expand.mlir:12:3: warning: [expand] A is not a temporary: it is not allocated in the function
// REFUSED-NEXT: expand.mlir:12:3: warning: [expand] maybe was not expanded: S{{[0-9]}} may or may not write it

// UNKNOWN: error: pass 'expand': there is no array 'n' (arrays: maybe, t, A, out)

// OPTION: error: pass 'expand' has no option 'size' (options: arrays)
