// Loops are split where a test of their counter changes its outcome.
// RUN: polyir-opt --split-loops --split-input-file %s | filecheck %s

// The first iteration, and the others.
// CHECK-LABEL: func.func @first
// CHECK-NEXT: affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] {
// CHECK-NEXT:   affine.store %x, %A[0] : memref<?xf64>
// CHECK-NEXT:   affine.store %y, %B[0] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[I:i]] = 1 to %n {
// CHECK-NEXT:   affine.store %y, %B[%[[I]]] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @first(%A: memref<?xf64>, %B: memref<?xf64>, %x: f64, %y: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0) : (d0 == 0)>(%i) {
      affine.store %x, %A[%i] : memref<?xf64>
    }
    affine.store %y, %B[%i] : memref<?xf64>
  }
  return
}

// -----

// An iteration somewhere, with an else.
// CHECK-LABEL: func.func @one
// CHECK-NEXT: affine.for %[[I0:i]] = 0 to min affine_map<()[s0, s1] -> (s0, s1)>()[%n, %m] {
// CHECK-NEXT:   affine.store %y, %A[%[[I0]]] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.if affine_set<()[s0, s1] : (s0 >= 0, s1 - s0 >= 1)>()[%m, %n] {
// CHECK-NEXT:   affine.store %x, %A[%m] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[I1:.*]] = max affine_map<()[s0] -> (0, s0 + 1)>()[%m] to %n {
// CHECK-NEXT:   affine.store %y, %A[%[[I1]]] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @one(%A: memref<?xf64>, %x: f64, %y: f64, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0)[s0] : (d0 - s0 == 0)>(%i)[%m] {
      affine.store %x, %A[%i] : memref<?xf64>
    } else {
      affine.store %y, %A[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// A test of the counter of a loop around: that loop is split, as its iterations hold little else.
// CHECK-LABEL: func.func @outer
// CHECK-NEXT: affine.for %[[J:j]] = 0 to %n {
// CHECK-NEXT:   affine.store %x, %A[0, %[[J]]] : memref<?x?xf64>
// CHECK-NEXT:   affine.store %y, %B[0, %[[J]]] : memref<?x?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[K:k]] = 1 to 9 {
// CHECK-NEXT:   affine.for %[[J:.*]] = 0 to %n {
// CHECK-NEXT:     affine.store %y, %B[%[[K]], %[[J]]] : memref<?x?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @outer(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %x: f64, %y: f64, %n: index) {
  affine.for %k = 0 to 9 {
    affine.for %j = 0 to %n {
      affine.if affine_set<(d0) : (d0 == 0)>(%k) {
        affine.store %x, %A[%k, %j] : memref<?x?xf64>
      }
      affine.store %y, %B[%k, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// A parallel loop around a loop is not split, for starting it costs more: the test moves to the
// front of the loop inside.
// CHECK-LABEL: func.func @parallel_outer
// CHECK-NEXT: affine.parallel (%[[K:k]]) = (0) to (9) {
// CHECK-NEXT:   affine.if affine_set<(d0) : (d0 == 0)>(%[[K]]) {
// CHECK-NEXT:     affine.for %[[J:j]] = 0 to %n {
// CHECK-NEXT:       affine.store %x, %A[%[[K]], %[[J]]] : memref<?x?xf64>
// CHECK-NEXT:       affine.store %y, %B[%[[K]], %[[J]]] : memref<?x?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     affine.for %[[J:.*]] = 0 to %n {
// CHECK-NEXT:       affine.store %y, %B[%[[K]], %[[J]]] : memref<?x?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @parallel_outer(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %x: f64, %y: f64, %n: index) {
  affine.parallel (%k) = (0) to (9) {
    affine.for %j = 0 to %n {
      affine.if affine_set<(d0) : (d0 == 0)>(%k) {
        affine.store %x, %A[%k, %j] : memref<?x?xf64>
      }
      affine.store %y, %B[%k, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// An innermost parallel loop is.
// CHECK-LABEL: func.func @parallel
// CHECK-NEXT: affine.parallel (%[[I0:i]]) = (0) to (4) {
// CHECK-NEXT:   affine.store %x, %A[%[[I0]]] : memref<9xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.parallel (%[[I1:.*]]) = (4) to (9) {
// CHECK-NEXT:   affine.store %y, %A[%[[I1]]] : memref<9xf64>
// CHECK-NEXT: }
func.func @parallel(%A: memref<9xf64>, %x: f64, %y: f64) {
  affine.parallel (%i) = (0) to (9) {
    affine.if affine_set<(d0) : (-d0 + 3 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<9xf64>
    } else {
      affine.store %y, %A[%i] : memref<9xf64>
    }
  }
  return
}

// -----

// Each conjunct of a stencil's condition splits its own loop: the first plane, the others' first
// line, the rest.
// CHECK-LABEL: func.func @plane
// CHECK-NEXT: affine.for %[[I:i]] = 0 to 9 {
// CHECK-NEXT:   affine.store %y, %B[0, %[[I]]] : memref<9x9xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[T:t]] = 1 to 9 {
// CHECK-NEXT:   affine.store %y, %B[%[[T]], 0] : memref<9x9xf64>
// CHECK-NEXT:   affine.for %[[I:.*]] = 1 to 9 {
// CHECK-NEXT:     affine.store %y, %B[%[[T]], %[[I]]] : memref<9x9xf64>
// CHECK-NEXT:     affine.store %x, %A[%[[T]] - 1, %[[I]] - 1] : memref<9x9xf64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @plane(%A: memref<9x9xf64>, %B: memref<9x9xf64>, %x: f64, %y: f64) {
  affine.for %t = 0 to 9 {
    affine.for %i = 0 to 9 {
      affine.store %y, %B[%t, %i] : memref<9x9xf64>
      affine.if affine_set<(d0, d1) : (d0 - 1 >= 0, d1 - 1 >= 0)>(%t, %i) {
        affine.store %x, %A[%t - 1, %i - 1] : memref<9x9xf64>
      }
    }
  }
  return
}

// -----

// What the loop carries goes from part to part; also through one that may not run.
// CHECK-LABEL: func.func @carried
// CHECK-NEXT: %[[FIRST:.*]] = affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] -> (f64) {
// CHECK-NEXT:   affine.yield %x : f64
// CHECK-NEXT: } else {
// CHECK-NEXT:   affine.yield %y : f64
// CHECK-NEXT: }
// CHECK-NEXT: %[[LAST:.*]] = affine.for %[[I:i]] = 1 to %n iter_args(%[[S:.*]] = %[[FIRST]]) -> (f64) {
// CHECK-NEXT:   %[[A:.*]] = affine.load %A[%[[I]] - 1] : memref<?xf64>
// CHECK-NEXT:   %[[NEXT:.*]] = arith.addf %[[S]], %[[A]] : f64
// CHECK-NEXT:   affine.yield %[[NEXT]] : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[LAST]] : f64
func.func @carried(%A: memref<?xf64>, %x: f64, %y: f64, %n: index) -> f64 {
  %r = affine.for %i = 0 to %n iter_args(%s = %y) -> (f64) {
    %next = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) -> f64 {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %sum = arith.addf %s, %a : f64
      affine.yield %sum : f64
    } else {
      affine.yield %x : f64
    }
    affine.yield %next : f64
  }
  return %r : f64
}

// -----

// A loop with steps is split at the first counter that it reaches from there on.
// CHECK-LABEL: func.func @steps
// CHECK-NEXT: affine.for %[[I0:i]] = 1 to 12 step 4 {
// CHECK-NEXT:   affine.store %x, %A[%[[I0]]] : memref<99xf64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[I1:.*]] = 13 to 99 step 4 {
// CHECK-NEXT:   affine.store %y, %A[%[[I1]]] : memref<99xf64>
// CHECK-NEXT: }
func.func @steps(%A: memref<99xf64>, %x: f64, %y: f64) {
  affine.for %i = 1 to 99 step 4 {
    affine.if affine_set<(d0) : (-d0 + 11 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<99xf64>
    } else {
      affine.store %y, %A[%i] : memref<99xf64>
    }
  }
  return
}

// -----

// Two times the counter: the place is rounded up.
// CHECK-LABEL: func.func @rounded
// CHECK-NEXT: affine.for %{{.*}} = 0 to min affine_map<()[s0, s1] -> (s0, s1 ceildiv 2)>()[%n, %m] {
// CHECK-NEXT:   affine.store %x
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %{{.*}} = max affine_map<()[s0] -> (0, s0 ceildiv 2)>()[%m] to %n {
// CHECK-NEXT:   affine.store %y
func.func @rounded(%A: memref<?xf64>, %x: f64, %y: f64, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0)[s0] : (d0 * 2 - s0 >= 0)>(%i)[%m] {
      affine.store %y, %A[%i] : memref<?xf64>
    } else {
      affine.store %x, %A[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// A condition that is not a conjunction, in scf.
// CHECK-LABEL: func.func @union
// CHECK: scf.for %[[I0:.*]] = %zero to %[[END:.*]] step %one {
// CHECK-NEXT: memref.store %x, %A[%[[I0]]] : memref<?xf64>
// CHECK-NEXT: }
// CHECK: scf.for %[[I1:.*]] = %{{.*}} to %n step %one {
// CHECK-NEXT: memref.store %x, %A[%[[I1]]] : memref<?xf64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @union(%A: memref<?xf64>, %x: f64, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  scf.for %i = %zero to %n step %one {
    %low = arith.cmpi slt, %i, %three : index
    %high = arith.cmpi sgt, %i, %seven : index
    %either = arith.ori %low, %high : i1
    scf.if %either {
      memref.store %x, %A[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// The loop around is far more than the innermost loop that has the test: only the latter is
// copied, with the test in front of it.
// CHECK-LABEL: func.func @large
// CHECK: affine.for %[[K:k]] = 0 to 9 {
// CHECK: affine.if affine_set<(d0) : (d0 == 0)>(%[[K]]) {
// CHECK-NEXT: affine.for
// CHECK: } else {
// CHECK-NEXT: affine.for
func.func @large(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %x: f64, %y: f64, %n: index) {
  affine.for %k = 0 to 9 {
    affine.store %x, %B[%k, 0] : memref<?x?xf64>
    affine.store %x, %B[%k, 1] : memref<?x?xf64>
    affine.store %x, %B[%k, 2] : memref<?x?xf64>
    affine.store %x, %B[%k, 3] : memref<?x?xf64>
    affine.store %x, %B[%k, 4] : memref<?x?xf64>
    affine.store %x, %B[%k, 5] : memref<?x?xf64>
    affine.store %x, %B[%k, 6] : memref<?x?xf64>
    affine.store %x, %B[%k, 7] : memref<?x?xf64>
    affine.for %j = 0 to %n {
      affine.if affine_set<(d0) : (d0 == 0)>(%k) {
        affine.store %x, %A[%k, %j] : memref<?x?xf64>
      }
      affine.store %y, %A[%k, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// Of a test that is not a conjunction, comparisons of constants go: here that of the first iteration.
// CHECK-LABEL: func.func @decided
// CHECK:      affine.store %x, %B[0]
// CHECK-NOT:  %is_first
// CHECK:      %[[EITHER:.*]] = arith.ori %is_even, %is_triple : i1
// CHECK-NEXT: scf.if %[[EITHER]] {
// CHECK-NEXT:   affine.store %x, %A[0]
// CHECK:      affine.for %{{.*}} = 1 to 4 {
func.func @decided(%A: memref<?xf64>, %B: memref<?xf64>, %x: f64, %n: index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  affine.for %i = 0 to 4 {
    affine.if affine_set<(d0) : (d0 == 0)>(%i) {
      affine.store %x, %B[%i] : memref<?xf64>
    }
    %is_first = arith.cmpi eq, %i, %zero : index
    %by_two = arith.remsi %n, %two : index
    %is_even = arith.cmpi eq, %by_two, %zero : index
    %both = arith.andi %is_first, %is_even : i1
    %by_three = arith.remsi %n, %three : index
    %is_triple = arith.cmpi eq, %by_three, %zero : index
    %either = arith.ori %both, %is_triple : i1
    scf.if %either {
      affine.store %x, %A[%i] : memref<?xf64>
    }
  }
  return
}
