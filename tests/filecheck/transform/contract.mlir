// RUN: polyir-opt --contract --emit=loops %s | filecheck %s
// RUN: polyir-opt --contract --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix REMARKS
// RUN: polyir-opt --contract=whole,B --emit=none %s 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: not polyir-opt --contract --distribute=S2 %s 2>&1 | filecheck %s --check-prefix ORDER
// RUN: not polyir-opt --contract=wholf %s 2>&1 | filecheck %s --check-prefix UNKNOWN

// A stencil in time needs two rows of `state`; each row of it is whole until the next. Of
// `window` two elements are live at once, of `whole` all.
func.func @stencil(%steps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %state = memref.alloc(%steps, %n) : memref<?x?xf64>
  %window = memref.alloc(%n) : memref<?xf64>
  %whole = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %state[0, %i] : memref<?x?xf64>
  }
  affine.for %t = 1 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %1 = affine.load %state[%t - 1, %i] : memref<?x?xf64>
      affine.store %1, %state[%t, %i] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %2 = affine.load %A[%i] : memref<?xf64>
    affine.store %2, %window[%i] : memref<?xf64>
    affine.store %2, %whole[%i] : memref<?xf64>
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
      %3 = affine.load %window[%i - 1] : memref<?xf64>
      affine.store %3, %B[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %4 = affine.load %whole[%i] : memref<?xf64>
    affine.store %4, %A[-%i + symbol(%n) - 1] : memref<?xf64>
  }
  memref.dealloc %state : memref<?x?xf64>
  memref.dealloc %window : memref<?xf64>
  memref.dealloc %whole : memref<?xf64>
  return
}

// CHECK:      %[[WHOLE:.*]] = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT: %[[STATE:.*]] = memref.alloc(%n) : memref<2x?xf64>
// CHECK-NEXT: %[[WINDOW:.*]] = memref.alloc() : memref<2xf64>
// CHECK:        affine.store %{{.*}}, %[[STATE]][0, %{{.*}}] : memref<2x?xf64>
// CHECK:      affine.for %[[T:.*]] = 1 to %steps {
// CHECK-NEXT:   affine.for %[[I:.*]] = 1 to
// CHECK-NEXT:     affine.load %[[STATE]][(%[[T]] - 1) mod 2, %[[I]]] : memref<2x?xf64>
// CHECK-NEXT:     affine.store %{{.*}}, %[[STATE]][%[[T]] mod 2, %[[I]]] : memref<2x?xf64>
// CHECK:        affine.store %{{.*}}, %[[WINDOW]][%[[J:.*]] mod 2] : memref<2xf64>
// CHECK:        affine.store %{{.*}}, %[[WHOLE]][%[[J]]] : memref<?xf64>
// CHECK:        affine.load %[[WINDOW]][(%[[J]] - 1) mod 2] : memref<2xf64>
// CHECK:        affine.load %[[WHOLE]][%{{.*}}] : memref<?xf64>

// REMARKS:      contract.mlir:13:3: remark: [contract] state contracted from memref<?x?xf64> to memref<2x?xf64>
// REMARKS-NEXT: contract.mlir:13:3: remark: [contract] window contracted from memref<?xf64> to memref<2xf64>
// REMARKS-NOT:  contract

// REFUSED:      contract.mlir:13:3: warning: [contract] B is not a temporary: it is not allocated in the function
// REFUSED-NEXT: contract.mlir:13:3: warning: [contract] whole was not contracted: all its elements may be live at once

// ORDER: error: distributing S2 violates the anti dependence through window

// UNKNOWN: error: pass 'contract': there is no array 'wholf'; did you mean 'whole'?
