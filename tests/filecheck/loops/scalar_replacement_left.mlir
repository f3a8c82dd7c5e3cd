// What stays in memory, and why.
// RUN: polyir-opt --scalar-replacement --split-input-file --emit=loops %s > %t.out 2> %t.err
// RUN: filecheck %s < %t.out
// RUN: filecheck %s --check-prefix=WHY < %t.err

// Another subscript of the same array may be equal in some iteration.
// WHY: warning: [scalar-replacement] %A[%i, %k] stays in memory in the loop over %j: %A[%i, %j] in the loop may be the same element
// CHECK-LABEL: func.func @alias
// CHECK: affine.for %{{.*}} = 0 to %n {
// CHECK: affine.for %{{.*}} = 0 to %n {
// CHECK-NEXT: affine.for %{{.*}} = 0 to %n {
// CHECK-NEXT: affine.load %A[
func.func @alias(%A: memref<?x?xf64>, %x: f64, %n: index) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        affine.store %a, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Here they never are: j is greater than k, and i is odd.
// WHY-NOT: @no_alias
// CHECK-LABEL: func.func @no_alias
// CHECK: %[[VALUE:.*]] = affine.load %A[%{{.*}}, %{{.*}}] : memref<?x?xf64>
// CHECK-NEXT: affine.for %[[J:j]] =
// CHECK-NEXT: affine.store %[[VALUE]], %A[%{{.*}}, %[[J]]]
// CHECK: %[[EVEN:.*]] = affine.load %B[4] : memref<?xf64>
// CHECK-NEXT: affine.for %[[L:l]] = 1 to 9 step 2 {
// CHECK-NEXT: affine.store %[[EVEN]], %B[%[[L]]]
func.func @no_alias(%A: memref<?x?xf64>, %B: memref<?xf64>, %x: f64, %n: index) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to affine_map<(d0) -> (d0 + 9)>(%k) {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        affine.store %a, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %l = 1 to 9 step 2 {
    %b = affine.load %B[4] : memref<?xf64>
    affine.store %b, %B[%l] : memref<?xf64>
  }
  return
}

// -----

// An index from memory may be any.
// WHY: %A[0] stays in memory in the loop over %k: %A[%p] in the loop may be the same element
// CHECK-LABEL: func.func @any_index
// CHECK-NEXT: affine.for
func.func @any_index(%A: memref<?xf64>, %P: memref<?xindex>) {
  affine.for %k = 0 to 9 {
    %a = affine.load %A[0] : memref<?xf64>
    %p = affine.load %P[%k] : memref<?xindex>
    memref.store %a, %A[%p] : memref<?xf64>
  }
  return
}

// -----

// The element may not exist where the condition does not hold.
// WHY: %A[%i] stays in memory in the loop over %k: some iterations may skip it, and it may be out of bounds
// CHECK-LABEL: func.func @condition
// CHECK-NEXT: affine.for
func.func @condition(%A: memref<?xf64>, %D: memref<?xf64>, %i: index, %n: index) {
  affine.for %k = 0 to 9 {
    affine.if affine_set<(d0)[s0] : (s0 - d0 >= 0)>(%i)[%n] {
      %a = affine.load %A[%i] : memref<?xf64>
      affine.store %a, %D[%k] : memref<?xf64>
    }
  }
  return
}

// -----

// This one does exist, but must not be stored.
// WHY: %A[7] stays in memory in the loop over %k: it is only stored, and some iterations may skip the store
// CHECK-LABEL: func.func @only_stored
// CHECK-NEXT: affine.for
func.func @only_stored(%A: memref<8xf64>, %x: f64) {
  affine.for %k = 0 to 9 {
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%k) {
      affine.store %x, %A[7] : memref<8xf64>
    }
  }
  return
}

// -----

// A function may do anything.
// WHY: %A[7] stays in memory in the loop over %k: func.call in the loop may access it
// CHECK-LABEL: func.func @call
// CHECK-NEXT: affine.for
func.func private @anything()
func.func @call(%A: memref<8xf64>, %D: memref<?xf64>) {
  affine.for %k = 0 to 9 {
    %a = affine.load %A[7] : memref<8xf64>
    affine.store %a, %D[%k] : memref<?xf64>
    func.call @anything() : () -> ()
  }
  return
}

// -----

// A view shows the same memory.
// WHY: %A[7] stays in memory in the loop over %k: %view[%k] in the loop may be the same element
// CHECK-LABEL: func.func @view
// CHECK: affine.for %{{.*}} = 0 to 8 {
func.func @view(%A: memref<8xf64>) {
  %view = memref.cast %A : memref<8xf64> to memref<?xf64>
  affine.for %k = 0 to 8 {
    %a = affine.load %A[7] : memref<8xf64>
    affine.store %a, %view[%k] : memref<?xf64>
  }
  return
}

// -----

// Only whether the loop runs could be tested, and that takes too many comparisons.
// WHY: %A[%i] stays in memory in the loop over %k: no simple test says whether the loop runs
// CHECK-LABEL: func.func @many_bounds
// CHECK-NEXT: affine.for
func.func @many_bounds(%A: memref<?xf64>, %D: memref<?xf64>, %i: index, %a: index, %b: index, %c: index, %d: index, %e: index) {
  affine.for %k = max affine_map<()[s0, s1] -> (s0, s1)>()[%a, %b] to min affine_map<()[s0, s1, s2] -> (s0, s1, s2)>()[%c, %d, %e] {
    %x = affine.load %A[%i] : memref<?xf64>
    affine.store %x, %D[%k] : memref<?xf64>
  }
  return
}

// -----

// WHY: warning: [scalar-replacement] nothing to do: no loop touches an element whose address stays the same in it
// CHECK-LABEL: func.func @nothing
func.func @nothing(%A: memref<?xf64>, %x: f64) {
  affine.for %k = 0 to 9 {
    affine.store %x, %A[%k] : memref<?xf64>
  }
  return
}

// -----

// The last row may include the element.
// WHY: %A[%k] stays in memory in the loop over %j: affine.vector_store in the loop may access it
// CHECK-LABEL: func.func @row_with_element
// CHECK: affine.load
func.func @row_with_element(%A: memref<?xf64>, %k: index) {
  affine.for %j = 0 to affine_map<()[s0] -> (s0 - 2)>()[%k] step 4 {
    %x = affine.load %A[symbol(%k)] : memref<?xf64>
    %all = vector.broadcast %x : f64 to vector<4xf64>
    affine.vector_store %all, %A[%j] : memref<?xf64>, vector<4xf64>
  }
  return
}
