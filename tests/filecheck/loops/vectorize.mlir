// RUN: polyir-opt --split-input-file --vectorize --remarks %s 2>&1 | filecheck %s

// A block: rows are jammed, columns are vectors, and C stays in registers.
func.func @block(%n: index, %A: memref<2x?xf32>, %B: memref<?x8xf32>, %C: memref<2x8xf32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to 2 {
      affine.for %j = 0 to 8 {
        %a = affine.load %A[%i, %k] : memref<2x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x8xf32>
        %c = affine.load %C[%i, %j] : memref<2x8xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<2x8xf32>
      } {poly.vector = #poly.vector<8>}
    } {poly.jam = #poly.jam<2>}
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in blocks of 2 x 8, in vectors of 8, with elements of %C in registers
// CHECK:      affine.if affine_set<()[s0] : (s0 >= 1)>()[%n] {
// CHECK-NEXT:   %[[C0:.+]] = affine.vector_load %C[0, 0] : memref<2x8xf32>, vector<8xf32>
// CHECK-NEXT:   %[[C1:.+]] = affine.vector_load %C[1, 0] : memref<2x8xf32>, vector<8xf32>
// CHECK-NEXT:   affine.for %[[K:.+]] = 0 to %n iter_args({{.+}} = %[[C0]], {{.+}} = %[[C1]])
// CHECK-NEXT:     affine.load %A[0, %[[K]]]
// CHECK-NEXT:     affine.load %A[1, %[[K]]]
// CHECK-NEXT:     affine.vector_load %B[%[[K]], 0] : memref<?x8xf32>, vector<8xf32>
// CHECK-NEXT:     vector.broadcast
// CHECK-NEXT:     arith.mulf {{.*}} : vector<8xf32>
// CHECK-NEXT:     arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT:     vector.broadcast
// CHECK-NEXT:     arith.mulf {{.*}} : vector<8xf32>
// CHECK-NEXT:     arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT:     affine.yield
// CHECK:        affine.vector_store {{.*}}, %C[0, 0]
// CHECK-NEXT:   affine.vector_store {{.*}}, %C[1, 0]

// -----

// Any number of iterations: full vectors, and a masked one.
func.func @scale(%n: index, %x: f64, %A: memref<?xf64>) {
  affine.for %i = 3 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %p = arith.mulf %a, %x : f64
    affine.store %p, %A[%i] : memref<?xf64>
  } {poly.vector = #poly.vector<4>}
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %i runs in vectors of 4
// CHECK:      affine.for %[[I:.+]] = 3 to affine_map<()[s0] -> (s0 - 3)>()[%n] step 4 {
// CHECK-NEXT:   affine.vector_load %A[%[[I]]] : memref<?xf64>, vector<4xf64>
// CHECK:        affine.vector_store
// CHECK:      %[[REST:.+]] = arith.remsi
// CHECK:      affine.if {{.*}}[%[[REST]]]
// CHECK-NEXT:   %[[MASK:.+]] = vector.create_mask %[[REST]] : vector<4xi1>
// CHECK:        vector.maskedload %A[%{{.+}}], %[[MASK]]
// CHECK:        vector.maskedstore %A[%{{.+}}], %[[MASK]]

// -----

// The same array with different elements in the loop around: nothing is kept in registers.
func.func @overlap(%n: index, %A: memref<?x?xf64>) {
  affine.for %k = 0 to 9 {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[0, %j + 4] : memref<?x?xf64>
      %b = affine.load %A[%k, %j] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %A[0, %j + 4] : memref<?x?xf64>
    } {poly.vector = #poly.vector<4>}
  }
  affine.for %k = 0 to 9 {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[0, %j + 3] : memref<?x?xf64>
      %b = affine.load %A[%k, %j] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %A[0, %j + 3] : memref<?x?xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in blocks of 4, in vectors of 4, with elements of %A in registers
// CHECK-NEXT: remark: [vectorize] the loop over %j runs in blocks of 4, in vectors of 4{{$}}

// -----

// Another array at the same subscripts is not what is kept.
func.func @same_subscripts(%n: index, %A: memref<8xf64>, %B: memref<8xf64>) {
  affine.for %k = 0 to 9 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%j] : memref<8xf64>
      %b = affine.load %B[%j] : memref<8xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %B[%j] : memref<8xf64>
    } {poly.vector = #poly.vector<8>}
  }
  return
}

// CHECK-LABEL: func.func @same_subscripts
// CHECK:      %[[B:.+]] = affine.vector_load %B[0]
// CHECK-NEXT: affine.for %{{.+}} = 0 to 9 iter_args(%[[SUM:.+]] = %[[B]])
// CHECK-NEXT:   %[[A:.+]] = affine.vector_load %A[0]
// CHECK-NEXT:   %[[NEXT:.+]] = arith.addf %[[A]], %[[SUM]]
// CHECK-NEXT:   affine.yield %[[NEXT]]

// -----

// Operands of a block that are not successive are gathered; a loop without a block stays scalar.
func.func @gather(%n: index, %A: memref<?x?xi32>, %B: memref<?xi32>) {
  affine.for %j = 0 to 2 {
    %a = affine.load %A[%j, 0] : memref<?x?xi32>
    affine.store %a, %B[%j] : memref<?xi32>
  } {poly.vector = #poly.vector<2>}
  affine.for %j = 0 to %n {
    %a = affine.load %A[%j, 0] : memref<?x?xi32>
    affine.store %a, %B[%j] : memref<?xi32>
  } {poly.vector = #poly.vector<2>}
  affine.for %j = 0 to %n {
    %a = affine.load %B[%j] : memref<?xi32>
    affine.store %a, %A[%j, 0] : memref<?x?xi32>
  } {poly.vector = #poly.vector<2>}
  affine.for %j = 0 to %n {
    %a = affine.load %B[%j] : memref<?xi32>
    %q = arith.divsi %a, %a : i32
    affine.store %q, %B[%j] : memref<?xi32>
  } {poly.vector = #poly.vector<2>}
  affine.for %j = 0 to %n {
    %number = arith.index_cast %j : index to i32
    affine.store %number, %B[%j] : memref<?xi32>
  } {poly.vector = #poly.vector<2>}
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in blocks of 2, in vectors of 2
// CHECK: warning: [vectorize] the loop over %j stays scalar: it loads elements that are not next to each other
// CHECK: warning: [vectorize] the loop over %j stays scalar: it stores to elements that are not next to each other
// CHECK: warning: [vectorize] the loop over %j stays scalar: integers are divided
// CHECK: warning: [vectorize] the loop over %j stays scalar: arith.index_cast computes with a counter
// CHECK:      %[[X:.+]] = affine.load %A[0, 0]
// CHECK-NEXT: %[[V:.+]] = vector.broadcast %[[X]] : i32 to vector<2xi32>
// CHECK-NEXT: %[[Y:.+]] = affine.load %A[1, 0]
// CHECK-NEXT: vector.insert %[[Y]], %[[V]] [1] : i32 into vector<2xi32>

// -----

// Comparisons, selections and conversions of vectors.
func.func @root(%n: index, %A: memref<?xf64>, %B: memref<?xf32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %a, %zero : f64
    %s = arith.select %c, %a, %zero : f64
    %r = math.sqrt %s : f64
    %t = arith.truncf %r : f64 to f32
    affine.store %t, %B[%i] : memref<?xf32>
  } {poly.vector = #poly.vector<8>}
  return
}

// CHECK-LABEL: func.func @root
// CHECK:      %[[ZERO:.+]] = vector.broadcast %zero : f64 to vector<8xf64>
// CHECK-NEXT: %[[C:.+]] = arith.cmpf ogt, %[[A:.+]], %[[ZERO]] : vector<8xf64>
// CHECK-NEXT: %[[S:.+]] = arith.select %[[C]], %[[A]], %[[ZERO]] : vector<8xi1>, vector<8xf64>
// CHECK-NEXT: %[[R:.+]] = math.sqrt %[[S]] : vector<8xf64>
// CHECK-NEXT: %[[T:.+]] = arith.truncf %[[R]] : vector<8xf64> to vector<8xf32>
// CHECK-NEXT: affine.vector_store %[[T]], %B[0]

// -----

// Index values are computed where they are used; those that differ from lane to lane are refused.
func.func @indices(%n: index, %A: memref<8xi64>, %B: memref<8x8xi64>, %C: memref<8xindex>) {
  affine.for %j = 0 to 8 {
    affine.store %j, %C[%j] : memref<8xindex>
  } {poly.vector = #poly.vector<8>}
  affine.for %j = 0 to 8 {
    %k = affine.apply affine_map<(d0) -> (d0 + 1)>(%j)
    %c = arith.index_cast %k : index to i64
    affine.store %c, %A[%j] : memref<8xi64>
  } {poly.vector = #poly.vector<8>}
  affine.parallel (%j) = (0) to (8) {
    %b = affine.load %B[0, %j] : memref<8x8xi64>
    affine.store %b, %A[%j] : memref<8xi64>
  } {poly.vector = #poly.vector<8>}
  affine.for %j = 0 to 8 {
    %k = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
    %c = arith.index_cast %k : index to i64
    %row = arith.constant 3 : index
    %other = arith.addi %row, %row : index
    %b = memref.load %B[%other, %j] : memref<8x8xi64>
    %s = arith.addi %b, %c : i64
    memref.store %s, %A[%j] : memref<8xi64>
  } {poly.vector = #poly.vector<8>}
  return
}

// CHECK: warning: [vectorize] the loop over %j stays scalar: affine.store computes with a counter
// CHECK: warning: [vectorize] the loop over %j stays scalar: arith.index_cast computes with a counter
// CHECK: warning: [vectorize] a loop stays scalar: it is parallel, or its bounds are not affine
// CHECK: affine.parallel
// CHECK:      %[[ROW:.+]] = arith.constant 6 : index
// CHECK-NEXT: %[[FIRST:.+]] = arith.constant 0 : index
// CHECK-NEXT: %[[B:.+]] = vector.load %B[%[[ROW]], %[[FIRST]]] : memref<8x8xi64>, vector<8xi64>
// CHECK-NEXT: %[[K:.+]] = affine.apply affine_map<()[s0] -> (s0 + 1)>{{ ?}}()[%n]
// CHECK-NEXT: %[[C:.+]] = arith.index_cast %[[K]] : index to i64
// CHECK-NEXT: %[[SPREAD:.+]] = vector.broadcast %[[C]] : i64 to vector<8xi64>
// CHECK-NEXT: %[[S:.+]] = arith.addi %[[B]], %[[SPREAD]] : vector<8xi64>
// CHECK:      vector.store %[[S]], %A[%{{.+}}] : memref<8xi64>, vector<8xi64>

// -----

func.func @nothing() {
  return
}

// CHECK: warning: [vectorize] nothing to do: no loop has the attribute #poly.vector

// -----

// A partial block: rows beyond the last one load what that one does, and store nothing.
func.func @partial(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %t = 0 to %n step 2 {
    affine.for %k = 0 to 32 {
      affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 2, s0)>(%t)[%n] {
        affine.for %j = 0 to min affine_map<(d0) -> (4, d0 + 1)>(%i) {
          %a = affine.load %A[%i, %k] : memref<?x?xf64>
          %b = affine.load %B[%k, %j] : memref<?x?xf64>
          %c = affine.load %C[%i, %j] : memref<?x?xf64>
          %p = arith.mulf %a, %b : f64
          %s = arith.addf %c, %p : f64
          affine.store %s, %C[%i, %j] : memref<?x?xf64>
        } {poly.vector = #poly.vector<4>}
      } {poly.jam = #poly.jam<2>}
    }
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in partial blocks of 2 x 4, in vectors of 4, with elements of %C in registers
// CHECK:      affine.for %[[T:.+]] = 0 to %n step 2 {
// CHECK-NEXT:   %[[N0:.+]] = affine.min affine_map<(d0)[s0] -> (d0 + 1, s0 * 4 - d0 * 4)>{{ ?}}(%[[T]])[%n]
// CHECK-NEXT:   %[[M0:.+]] = vector.create_mask %[[N0]]
// CHECK:        vector.maskedload %C[%[[T]], %{{.+}}], %[[M0]]
// CHECK:        %[[N1:.+]] = affine.min affine_map<(d0)[s0] -> (d0 + 2, s0 * 4 - d0 * 4 - 4)>{{ ?}}(%[[T]])[%n]
// CHECK-NEXT:   %[[M1:.+]] = vector.create_mask %[[N1]]
// CHECK:        vector.maskedload %C[{{.+}}], %[[M1]]
// CHECK:        %[[LAST:.+]] = "affine.min"(%[[T]], %n) <{map = affine_map<(d0)[s0] -> (d0 + 1, s0 - 1)>}> {poly.clamped = #poly.clamped}
// CHECK:        %[[ALL:.+]] = affine.min
// CHECK-NEXT:   %[[M:.+]] = vector.create_mask %[[ALL]]
// CHECK:        affine.for %[[K:.+]] = 0 to 32
// CHECK-NEXT:     affine.load %A[%[[T]], %[[K]]]
// CHECK-NEXT:     memref.load %A[%[[LAST]], %[[K]]]
// CHECK:          vector.maskedload %B[%[[K]], %{{.+}}], %[[M]]
// CHECK:        vector.maskedstore %C[%[[T]], %{{.+}}], %[[M0]]
// CHECK:        vector.maskedstore %C[{{.+}}], %[[M1]]

// -----

// Most accesses are to column %j + 2 of a row, so vectors start where that is a multiple of 4.
func.func @rows(%n: index, %a: index, %A: memref<?x800xf64>, %B: memref<?x800xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = %a to %n {
      %0 = affine.load %A[%i - 1, %j + 2] : memref<?x800xf64>
      %1 = affine.load %A[%i, %j + 2] : memref<?x800xf64>
      %2 = affine.load %A[%i, %j + 3] : memref<?x800xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %B[%i, %j + 2] : memref<?x800xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in vectors of 4, from multiples of it on
// CHECK:      affine.if affine_set<()[s0] : (s0 - (s0 + 2) floordiv 4 * 4 >= -1)>()[%a] {
// CHECK-NEXT:   %[[FIRST:.+]] = affine.apply affine_map<()[s0] -> ((s0 + 2) floordiv 4 * 4 - 2)> ()[%a]
// CHECK:        %[[END:.+]] = vector.create_mask
// CHECK:        %[[START:.+]] = vector.create_mask
// CHECK-NEXT:   %[[MASK:.+]] = arith.xori %[[END]], %[[START]] : vector<4xi1>
// CHECK:        vector.maskedload %A[{{.+}}], %[[MASK]],
// CHECK:        vector.maskedstore %B[{{.+}}], %[[MASK]],
// CHECK:      affine.for %{{.+}} = affine_map<()[s0] -> ((s0 + 2) ceildiv 4 * 4 - 2)>()[%a] to affine_map<()[s0] -> (s0 - 3)>()[%n] step 4 {
// CHECK:        affine.vector_store
// CHECK:      affine.if affine_set<()[s0, s1] : ((s0 + 2) floordiv 4 * 4 - s1 >= 2)>()[%n, %a] {
// CHECK:        vector.maskedstore %B

// -----

// Rows of other lengths may start anywhere in a cache line: two accesses are too few then.
func.func @rows_of_any_length(%n: index, %a: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = %a to %n {
      %0 = affine.load %A[%i - 1, %j + 2] : memref<?x?xf64>
      %1 = affine.load %A[%i, %j + 2] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i, %j + 2] : memref<?x?xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %j runs in vectors of 4{{$}}

// -----

// Along %j, rows of A are in memory as vectors: blocks of 4 x 4 are transposed, and their columns
// are added in order. The last columns are gathered; beyond the last row, that is loaded again.
func.func @transposed(%n: index, %m: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %t = 0 to %n step 4 {
    affine.for %j = 1 to %m {
      affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%n] {
        %a = affine.load %A[%i, %j + 2] : memref<?x?xf64>
        %v = affine.load %x[%j] : memref<?xf64>
        %s = affine.load %y[%i] : memref<?xf64>
        %p = arith.mulf %a, %v : f64
        %d = arith.addf %s, %p : f64
        affine.store %d, %y[%i] : memref<?xf64>
      } {poly.vector = #poly.vector<4>}
    }
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %i runs in partial blocks of 4, in vectors of 4, with elements of %y in registers, and rows of %A transposed
// CHECK:      affine.for %[[T:.+]] = 0 to %n step 4 {
// CHECK:        %[[Y:.+]] = vector.maskedload %y[%[[T]]], %[[MASK:.+]], %{{.+}} :
// CHECK:        %[[L1:.+]] = "affine.min"(%[[T]], %n)
// CHECK:        %[[SUMS:.+]] = affine.for %[[J:.+]] = 1 to affine_map<()[s0] -> (s0 - 3)>()[%m] step 4 iter_args(%[[S:.+]] = %[[Y]]) -> (vector<4xf64>) {
// CHECK-NEXT:     %[[R0:.+]] = affine.vector_load %A[%[[T]], %[[J]] + 2]
// CHECK-NEXT:     %[[JJ:.+]] = {{.+}}
// CHECK-NEXT:     %[[R1:.+]] = vector.load %A[%[[L1]], %[[JJ]]]
// CHECK:          %[[A0:.+]] = vector.shuffle %[[R0]], %[[R1]] [0, 4, 2, 6]
// CHECK-NEXT:     %[[A1:.+]] = vector.shuffle %[[R0]], %[[R1]] [1, 5, 3, 7]
// CHECK-NEXT:     %[[B0:.+]] = vector.shuffle %{{.+}}, %{{.+}} [0, 4, 2, 6]
// CHECK-NEXT:     %[[B1:.+]] = vector.shuffle %{{.+}}, %{{.+}} [1, 5, 3, 7]
// CHECK-NEXT:     %[[C0:.+]] = vector.shuffle %[[A0]], %[[B0]] [0, 1, 4, 5]
// CHECK-NEXT:     %[[C2:.+]] = vector.shuffle %[[A0]], %[[B0]] [2, 3, 6, 7]
// CHECK-NEXT:     %[[C1:.+]] = vector.shuffle %[[A1]], %[[B1]] [0, 1, 4, 5]
// CHECK-NEXT:     %[[C3:.+]] = vector.shuffle %[[A1]], %[[B1]] [2, 3, 6, 7]
// CHECK-NEXT:     affine.load %x[%[[J]]]
// CHECK:          arith.mulf %[[C0]],
// CHECK-NEXT:     %[[S0:.+]] = arith.addf %[[S]],
// CHECK-NEXT:     affine.load %x[%[[J]] + 1]
// CHECK:          arith.mulf %[[C1]],
// CHECK-NEXT:     %[[S1:.+]] = arith.addf %[[S0]],
// CHECK:          arith.mulf %[[C2]],
// CHECK-NEXT:     %[[S2:.+]] = arith.addf %[[S1]],
// CHECK:          arith.mulf %[[C3]],
// CHECK-NEXT:     %[[S3:.+]] = arith.addf %[[S2]],
// CHECK-NEXT:     affine.yield %[[S3]]
// CHECK:        %[[LAST:.+]] = affine.for %{{.+}} = affine_map<()[s0] -> ((s0 - 1) floordiv 4 * 4 + 1)>()[%m] to %m iter_args(%{{.+}} = %[[SUMS]])
// CHECK:          vector.insert
// CHECK:        vector.maskedstore %y[%[[T]]], %[[MASK]], %[[LAST]]

// -----

// What is stored in each iteration may be what the next one loads: nothing is loaded before.
func.func @stored(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %y: memref<4xf64>) {
  affine.for %j = 0 to 32 {
    affine.for %i = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = affine.load %y[%i] : memref<4xf64>
      %d = arith.addf %s, %a : f64
      affine.store %d, %y[%i] : memref<4xf64>
      affine.store %d, %A[%j + 1, %i] : memref<?x?xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}

// CHECK-LABEL: remark: [vectorize] the loop over %i runs in blocks of 4, in vectors of 4, with elements of %y in registers
// CHECK-NOT:  transposed
// CHECK:      affine.for %{{.+}} = 0 to 32 iter_args
// CHECK-NOT:    vector.shuffle
// CHECK:        affine.vector_store %{{.+}}, %A

// -----

// Lanes that do not run could divide by zero.
func.func @divided(%n: index, %m: index, %A: memref<?x?xi32>, %y: memref<?xi32>) {
  affine.for %t = 0 to %n step 4 {
    affine.for %j = 0 to %m {
      affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%n] {
        %a = affine.load %A[%i, %j] : memref<?x?xi32>
        %s = affine.load %y[%i] : memref<?xi32>
        %d = arith.divsi %a, %s : i32
        affine.store %d, %y[%i] : memref<?xi32>
      } {poly.vector = #poly.vector<4>}
    }
  }
  return
}

// CHECK: warning: [vectorize] the loop over %i stays scalar: integers are divided

// -----

// A block without vectors may store anywhere.
func.func @column(%n: index, %A: memref<?x?xf64>) {
  affine.for %ti = 0 to %n step 4 {
    affine.for %i = affine_map<(d0) -> (d0)>(%ti) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%ti)[%n] {
      %0 = affine.load %A[0, %i] : memref<?x?xf64>
      affine.store %0, %A[%i, 1] : memref<?x?xf64>
    } {poly.jam = #poly.jam<4>}
  }
  return
}

// CHECK-LABEL: func.func @column
// CHECK: affine.store %{{.*}}, %A[%i, 1]

// -----

// Loops of few iterations inside become straight-line code, whose sums are values.
func.func @window(%A: memref<802xf64>, %W: memref<3xf64>, %B: memref<800xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 800 {
    affine.store %zero, %B[%i] : memref<800xf64>
    affine.for %k = 0 to 3 {
      %0 = affine.load %A[%i + %k] : memref<802xf64>
      %1 = affine.load %W[%k] : memref<3xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = affine.load %B[%i] : memref<800xf64>
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %B[%i] : memref<800xf64>
    }
  } {poly.vector = #poly.vector<4>}
  return
}

// CHECK-LABEL: func.func @window(
// CHECK:      affine.for %[[I:.+]] = 0 to 797 step 4 {
// CHECK:        affine.vector_load %A[%[[I]]] : memref<802xf64>, vector<4xf64>
// CHECK:        affine.vector_load %A[%[[I]] + 1] : memref<802xf64>, vector<4xf64>
// CHECK:        affine.vector_load %A[%[[I]] + 2] : memref<802xf64>, vector<4xf64>
// CHECK-COUNT-3: arith.addf %{{.+}}, %{{.+}} : vector<4xf64>
// CHECK-NEXT:   affine.vector_store
// CHECK-NEXT: }

// -----

// A local scalar of an iteration, and a loop in a loop.
func.func @local(%A: memref<810x810xf64>, %B: memref<800x800xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 800 {
    affine.for %j = 0 to 800 {
      %s = memref.alloca() : memref<f64>
      affine.store %zero, %s[] : memref<f64>
      affine.for %k = 0 to 2 {
        affine.for %l = 0 to 2 {
          %0 = affine.load %A[%i + %k, %j + %l] : memref<810x810xf64>
          %1 = affine.load %s[] : memref<f64>
          %2 = arith.addf %1, %0 : f64
          affine.store %2, %s[] : memref<f64>
        }
      }
      %3 = affine.load %s[] : memref<f64>
      affine.store %3, %B[%i, %j] : memref<800x800xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}

// CHECK-LABEL: func.func @local(
// CHECK-NOT:  alloca
// CHECK:      affine.for %[[J:.+]] = 0 to 797 step 4 {
// CHECK-COUNT-4: arith.addf %{{.+}}, %{{.+}} : vector<4xf64>
// CHECK-NEXT:   affine.vector_store

// -----

// Elements that certainly exist may be loaded although a condition does not hold, inner ones first.
func.func @conditions(%A: memref<801xf64>, %B: memref<800xf64>, %C: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 800 {
    %0 = affine.load %A[%i] : memref<801xf64>
    %1 = arith.cmpf olt, %0, %zero : f64
    %2 = scf.if %1 -> (f64) {
      %3 = affine.load %B[%i] : memref<800xf64>
      %4 = arith.cmpf olt, %3, %zero : f64
      %5 = scf.if %4 -> (f64) {
        %6 = affine.load %A[%i + 1] : memref<801xf64>
        scf.yield %6 : f64
      } else {
        scf.yield %3 : f64
      }
      scf.yield %5 : f64
    } else {
      scf.yield %zero : f64
    }
    affine.store %2, %C[%i] : memref<?xf64>
  } {poly.vector = #poly.vector<4>}
  return
}

// CHECK-LABEL: func.func @conditions(
// CHECK:         affine.vector_load %A[%[[I:.+]] + 1]
// CHECK:         arith.select
// CHECK:         arith.select
// CHECK-NEXT:    affine.vector_store

// -----

// Whether %A has an element after the last one is not known.
func.func @beyond(%A: memref<800xf64>, %B: memref<800xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 800 {
    %0 = affine.load %B[%i] : memref<800xf64>
    %1 = arith.cmpf olt, %0, %zero : f64
    %2 = scf.if %1 -> (f64) {
      %3 = affine.load %A[%i + 1] : memref<800xf64>
      scf.yield %3 : f64
    } else {
      scf.yield %zero : f64
    }
    affine.store %2, %B[%i] : memref<800xf64>
  } {poly.vector = #poly.vector<4>}
  return
}

// CHECK-LABEL: func.func @beyond(
// CHECK:       scf.if
// CHECK-NEXT:    affine.load %A

// -----

// One loop alone gains nothing from being straight-line code.
func.func @long(%A: memref<800xf64>, %B: memref<800xf64>) {
  affine.for %i = 0 to 800 {
    %0 = affine.load %A[%i] : memref<800xf64>
    affine.store %0, %B[%i] : memref<800xf64>
  } {poly.vector = #poly.vector<16>}
  return
}

// CHECK-LABEL: func.func @long(
// CHECK:      affine.for %{{.+}} = 0 to 785 step 16 {
// CHECK-NEXT:   affine.vector_load
// CHECK-NEXT:   affine.vector_store
// CHECK-NEXT: }
// CHECK-NEXT: func.return
