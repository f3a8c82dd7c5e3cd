// Elements whose address stays the same in an innermost loop live in SSA values there.
// RUN: polyir-opt --scalar-replacement --split-input-file %s | filecheck %s
// RUN: polyir-opt --scalar-replacement --emit=c --split-input-file %s | filecheck %s --check-prefix=EMIT

// An accumulator: loaded before the loop, carried through it, stored after it.
// CHECK-LABEL: func.func @accumulator
// CHECK-NEXT: affine.for %[[I:i]] = 0 to %{{.*}} {
// CHECK-NEXT:   %[[FIRST:.*]] = affine.load %C[%[[I]]] : memref<?xf64>
// CHECK-NEXT:   %[[LAST:.*]] = affine.for %[[K:k]] = 0 to 100 iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (f64) {
// CHECK-NEXT:     %[[A:.*]] = affine.load %A[%[[I]], %[[K]]] : memref<?x100xf64>
// CHECK-NEXT:     %[[NEXT:.*]] = arith.addf %[[SUM]], %[[A]] : f64
// CHECK-NEXT:     affine.yield %[[NEXT]] : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   affine.store %[[LAST]], %C[%[[I]]] : memref<?xf64>
// CHECK-NEXT: }
//
// EMIT-LABEL: void accumulator(double *restrict C
// EMIT: double C_value = C[i];
// EMIT-NEXT: for (int64_t k = 0; k < 100; k++) {
// EMIT-NEXT:   C_value += A[i][k];
// EMIT-NEXT: }
// EMIT-NEXT: C[i] = C_value;
func.func @accumulator(%C: memref<?xf64>, %A: memref<?x100xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to 100 {
      %c = affine.load %C[%i] : memref<?xf64>
      %a = affine.load %A[%i, %k] : memref<?x100xf64>
      %sum = arith.addf %c, %a : f64
      affine.store %sum, %C[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// Where the loop may not run, nothing is loaded or stored. The test moves out of the loops that
// hold nothing else.
// CHECK-LABEL: func.func @maybe_empty
// CHECK-NEXT: affine.for %[[T:t]] = 0 to %{{.*}} {
// CHECK-NEXT:   affine.store %{{.*}}, %S[%[[T]]] : memref<?xf64>
// CHECK-NEXT:   affine.if affine_set<()[s0] : (s0 >= 1)>()[%m] {
// CHECK-NEXT:     affine.for %[[I:i]] = 0 to %n {
// CHECK-NEXT:       %[[FIRST:.*]] = affine.load %C[%[[I]]] : memref<?xf64>
// CHECK-NEXT:       %[[LAST:.*]] = affine.for %{{.*}} = 0 to %m iter_args(%{{.*}} = %[[FIRST]]) -> (f64) {
// CHECK:            affine.store %[[LAST]], %C[%[[I]]] : memref<?xf64>
func.func @maybe_empty(%C: memref<?xf64>, %S: memref<?xf64>, %x: f64, %n: index, %m: index) {
  affine.for %t = 0 to %n {
    affine.store %x, %S[%t] : memref<?xf64>
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %m {
        %c = affine.load %C[%i] : memref<?xf64>
        %sum = arith.addf %c, %x : f64
        affine.store %sum, %C[%i] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// What the loops around say of the bounds makes the test unnecessary.
// CHECK-LABEL: func.func @never_empty
// CHECK-NEXT: affine.for %[[I:i]] = 0 to %n {
// CHECK-NEXT:   %[[FIRST:.*]] = affine.load %C[%[[I]]] : memref<?xf64>
// CHECK-NEXT:   %[[LAST:.*]] = affine.for %{{.*}} = affine_map<(d0) -> (d0)>(%[[I]]) to %n iter_args(
// CHECK:        affine.store %[[LAST]], %C[%[[I]]] : memref<?xf64>
func.func @never_empty(%C: memref<?xf64>, %x: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %k = affine_map<(d0) -> (d0)>(%i) to %n {
      %c = affine.load %C[%i] : memref<?xf64>
      %sum = arith.addf %c, %x : f64
      affine.store %sum, %C[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// A loop that may not run, with a result.
// CHECK-LABEL: func.func @result
// CHECK-NEXT: %[[SUM:.*]] = affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] -> (f64) {
// CHECK-NEXT:   %[[READ:.*]] = affine.load %A[3] : memref<?xf64>
// CHECK-NEXT:   %[[INNER:.*]] = affine.for %{{.*}} = 0 to %n iter_args(%[[S:.*]] = %x) -> (f64) {
// CHECK-NEXT:     %[[NEXT:.*]] = arith.addf %[[S]], %[[READ]] : f64
// CHECK-NEXT:     affine.yield %[[NEXT]] : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   affine.yield %[[INNER]] : f64
// CHECK-NEXT: } else {
// CHECK-NEXT:   affine.yield %x : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[SUM]] : f64
func.func @result(%A: memref<?xf64>, %x: f64, %n: index) -> f64 {
  %sum = affine.for %i = 0 to %n iter_args(%s = %x) -> (f64) {
    %a = affine.load %A[3] : memref<?xf64>
    %next = arith.addf %s, %a : f64
    affine.yield %next : f64
  }
  return %sum : f64
}

// -----

// The element was stored just before: its value is known, that store is no longer needed, and the
// element may be stored after the loop even if that does not run.
// CHECK-LABEL: func.func @stored_before
// CHECK-NEXT: affine.for %[[I:i]] = 0 to %n {
// CHECK-NEXT:   %[[LAST:.*]] = affine.for %{{.*}} = 0 to %m iter_args(%{{.*}} = %zero) -> (f64) {
// CHECK:        affine.store %[[LAST]], %C[%[[I]]] : memref<?xf64>
// CHECK-NEXT: }
func.func @stored_before(%C: memref<?xf64>, %x: f64, %zero: f64, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.store %zero, %C[%i] : memref<?xf64>
    affine.for %k = 0 to %m {
      %c = affine.load %C[%i] : memref<?xf64>
      %sum = arith.addf %c, %x : f64
      affine.store %sum, %C[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// In between, the element is read: the store stays.
// CHECK-LABEL: func.func @read_in_between
// CHECK: affine.store %zero, %C[%[[I:.*]]] : memref<?xf64>
// CHECK: affine.store %{{.*}}, %D[%[[I]]] : memref<?xf64>
// CHECK: affine.for %{{.*}} = 0 to %m iter_args(%{{.*}} = %zero) -> (f64) {
func.func @read_in_between(%C: memref<?xf64>, %D: memref<?xf64>, %x: f64, %zero: f64, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.store %zero, %C[%i] : memref<?xf64>
    affine.for %l = 0 to %n {
      %d = affine.load %C[%l] : memref<?xf64>
      affine.store %d, %D[%i] : memref<?xf64>
    }
    affine.for %k = 0 to %m {
      %c = affine.load %C[%i] : memref<?xf64>
      %sum = arith.addf %c, %x : f64
      affine.store %sum, %C[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// A condition that stores in one branch only yields the value; the store stays where it is,
// for the element may never be stored. The load is certain.
// CHECK-LABEL: func.func @conditional
// CHECK-NEXT: %[[FIRST:.*]] = affine.load %C[0] : memref<?xf64>
// CHECK-NEXT: %{{.*}} = affine.for %[[K:k]] = 0 to 9 iter_args(%[[C:.*]] = %[[FIRST]]) -> (f64) {
// CHECK-NEXT:   affine.store %[[C]], %D[%[[K]]] : memref<?xf64>
// CHECK-NEXT:   %[[NEXT:.*]] = affine.if affine_set<(d0) : (d0 >= 5)>(%[[K]]) -> (f64) {
// CHECK-NEXT:     affine.store %x, %C[0] : memref<?xf64>
// CHECK-NEXT:     affine.yield %x : f64
// CHECK-NEXT:   } else {
// CHECK-NEXT:     affine.yield %[[C]] : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   affine.yield %[[NEXT]] : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @conditional(%C: memref<?xf64>, %D: memref<?xf64>, %x: f64) {
  affine.for %k = 0 to 9 {
    %c = affine.load %C[0] : memref<?xf64>
    affine.store %c, %D[%k] : memref<?xf64>
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%k) {
      affine.store %x, %C[0] : memref<?xf64>
    }
  }
  return
}

// -----

// Both branches store: so does every iteration, and the store moves behind the loop. As each
// iteration stores before it reads, the first value does not matter.
// CHECK-LABEL: func.func @both_branches
// CHECK: %[[LAST:.*]] = affine.for %[[K:k]] = 0 to 9 iter_args(
// CHECK-NEXT: %[[CONDITION:.*]] = arith.cmpf
// CHECK-NEXT: %[[STORED:.*]] = scf.if %[[CONDITION]] -> (f64) {
// CHECK-NEXT:   scf.yield %x : f64
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %y : f64
// CHECK-NEXT: }
// CHECK-NEXT: affine.store %[[STORED]], %D[%[[K]]] : memref<?xf64>
// CHECK-NEXT: affine.yield %[[STORED]] : f64
// CHECK:      affine.store %[[LAST]], %C[0] : memref<?xf64>
func.func @both_branches(%C: memref<?xf64>, %D: memref<?xf64>, %x: f64, %y: f64) {
  affine.for %k = 0 to 9 {
    %condition = arith.cmpf olt, %x, %y : f64
    scf.if %condition {
      affine.store %x, %C[0] : memref<?xf64>
    } else {
      affine.store %y, %C[0] : memref<?xf64>
    }
    %c = affine.load %C[0] : memref<?xf64>
    affine.store %c, %D[%k] : memref<?xf64>
  }
  return
}

// -----

// Of what is stored in each iteration before it is read, nothing is loaded.
// CHECK-LABEL: func.func @stored_first
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[LAST:.*]] = affine.for %[[K:k]] = 0 to 9 iter_args(%{{.*}} = %[[ZERO]]) -> (f64) {
// CHECK-NEXT:   %[[A:.*]] = affine.load %A[%[[K]]] : memref<?xf64>
// CHECK-NEXT:   affine.store %[[A]], %D[%[[K]]] : memref<?xf64>
// CHECK-NEXT:   affine.yield %[[A]] : f64
// CHECK-NEXT: }
// CHECK-NEXT: affine.store %[[LAST]], %t[] : memref<f64>
func.func @stored_first(%t: memref<f64>, %A: memref<?xf64>, %D: memref<?xf64>) {
  affine.for %k = 0 to 9 {
    %a = affine.load %A[%k] : memref<?xf64>
    affine.store %a, %t[] : memref<f64>
    %c = affine.load %t[] : memref<f64>
    affine.store %c, %D[%k] : memref<?xf64>
  }
  return
}

// -----

// The loop over k is not the innermost one.
// CHECK-LABEL: func.func @one_level
// CHECK: affine.for %[[K:k]] = 0 to 9 {
// CHECK: affine.load %C[0]
// CHECK: affine.for %{{.*}} = 0 to 9 iter_args(
// CHECK: affine.store %{{.*}}, %C[0]
func.func @one_level(%C: memref<?xf64>, %A: memref<?x?xf64>) {
  affine.for %k = 0 to 9 {
    affine.for %l = 0 to 9 {
      %c = affine.load %C[0] : memref<?xf64>
      %a = affine.load %A[%k, %l] : memref<?x?xf64>
      %sum = arith.addf %c, %a : f64
      affine.store %sum, %C[0] : memref<?xf64>
    }
  }
  return
}

// -----

// Loops of scf, with operations of memref.
// CHECK-LABEL: func.func @scf
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = memref.load %C[%[[I:i]]] : memref<?xf64>
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} = %zero to %n step %one iter_args(%{{.*}} = %[[FIRST]]) -> (f64) {
// CHECK: memref.store %[[LAST]], %C[%[[I]]] : memref<?xf64>
func.func @scf(%C: memref<?xf64>, %x: f64, %n: index, %i: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %k = %zero to %n step %one {
    %c = memref.load %C[%i] : memref<?xf64>
    %sum = arith.addf %c, %x : f64
    memref.store %sum, %C[%i] : memref<?xf64>
  }
  return
}

// -----

// A parallel loop shares nothing between iterations; loops in it are like others.
// CHECK-LABEL: func.func @parallel
// CHECK-NEXT: affine.parallel (%[[I:i]]) = (0) to (9) {
// CHECK-NEXT:   affine.load %C[5] : memref<?xf64>
// CHECK:        %[[FIRST:.*]] = affine.load %C[%[[I]]] : memref<?xf64>
// CHECK-NEXT:   affine.for %{{.*}} = 0 to 9 iter_args(%{{.*}} = %[[FIRST]]) -> (f64) {
func.func @parallel(%C: memref<?xf64>, %D: memref<?xf64>) {
  affine.parallel (%i) = (0) to (9) {
    %x = affine.load %C[5] : memref<?xf64>
    affine.store %x, %D[%i] : memref<?xf64>
    affine.for %k = 0 to 9 {
      %c = affine.load %C[%i] : memref<?xf64>
      %sum = arith.addf %c, %x : f64
      affine.store %sum, %C[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// The rows that are accessed as vectors end before the element.
// CHECK-LABEL: func.func @beside_rows
// CHECK:      %{{.*}} = affine.load %A[%k] : memref<?xf64>
// CHECK-NEXT: affine.for
// CHECK-NOT:  affine.load
func.func @beside_rows(%A: memref<?xf64>, %k: index) {
  affine.for %j = 0 to affine_map<()[s0] -> (s0 - 3)>()[%k] step 4 {
    %row = affine.vector_load %A[%j] : memref<?xf64>, vector<4xf64>
    %x = affine.load %A[symbol(%k)] : memref<?xf64>
    %all = vector.broadcast %x : f64 to vector<4xf64>
    %sum = arith.addf %row, %all : vector<4xf64>
    affine.vector_store %sum, %A[%j] : memref<?xf64>, vector<4xf64>
  }
  return
}

// -----

// Nothing is in the array before the loop: it is not read.
// CHECK-LABEL: func.func @fresh
// CHECK-NEXT: %A = memref.alloc() : memref<f64>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %{{.*}} = affine.for %i = 0 to 9 iter_args(%[[A:.*]] = %[[ZERO]]) -> (f64) {
// CHECK:        affine.yield %[[A]] : f64
func.func @fresh(%D: memref<9xf64>) {
  %A = memref.alloc() : memref<f64>
  affine.for %i = 0 to 9 {
    affine.if affine_set<(d0) : (d0 mod 4 == 0)>(%i) {
      %z = arith.constant 3.0 : f64
      affine.store %z, %A[] : memref<f64>
    }
    %x = affine.load %A[] : memref<f64>
    affine.store %x, %D[%i] : memref<9xf64>
  }
  memref.dealloc %A : memref<f64>
  return
}

// -----

// What another loop may have stored is read.
// CHECK-LABEL: func.func @stored_before
// CHECK:      %[[FIRST:.*]] = affine.load %A[] : memref<f64>
// CHECK-NEXT: %{{.*}} = affine.for %i{{.*}} = 0 to 9 iter_args(%{{.*}} = %[[FIRST]]) -> (f64) {
func.func @stored_before(%D: memref<9xf64>, %n: index) {
  %A = memref.alloc() : memref<f64>
  affine.for %i = 0 to %n {
    %y = affine.load %D[0] : memref<9xf64>
    affine.store %y, %A[] : memref<f64>
    affine.store %y, %D[%i] : memref<9xf64>
  }
  affine.for %i = 0 to 9 {
    affine.if affine_set<(d0) : (d0 mod 4 == 0)>(%i) {
      %z = arith.constant 3.0 : f64
      affine.store %z, %A[] : memref<f64>
    }
    %x = affine.load %A[] : memref<f64>
    affine.store %x, %D[%i] : memref<9xf64>
  }
  memref.dealloc %A : memref<f64>
  return
}

// -----

// A number that a function is passed is only read where the program reads it: in C, the pointer to
// it may be null elsewhere. The elements of an array of known size exist.
// CHECK-LABEL: func.func @read_by_condition
// CHECK-NEXT:  %{{.*}} = affine.load %B[3]
// CHECK-NEXT:  affine.for %i = 0 to 9 {
// CHECK:         scf.if
// CHECK-NEXT:      affine.load %n[] : memref<f64>
func.func @read_by_condition(%n: memref<f64>, %A: memref<9xf64>, %B: memref<9xf64>, %c: f64) {
  affine.for %i = 0 to 9 {
    %a = affine.load %A[%i] : memref<9xf64>
    %is_less = arith.cmpf olt, %a, %c : f64
    scf.if %is_less {
      %0 = affine.load %n[] : memref<f64>
      %1 = affine.load %B[3] : memref<9xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %A[%i] : memref<9xf64>
    }
  }
  return
}

// -----

// Nor is it read where the loop does not run.
// CHECK-LABEL: func.func @read_in_loop
// CHECK-NEXT:  affine.if affine_set<()[s0] : (s0 >= 1)>()[%m] {
// CHECK-NEXT:    %[[N:.*]] = affine.load %n[] : memref<f64>
func.func @read_in_loop(%n: memref<f64>, %m: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %m {
    %0 = affine.load %n[] : memref<f64>
    affine.store %0, %A[%i] : memref<?xf64>
  }
  return
}
