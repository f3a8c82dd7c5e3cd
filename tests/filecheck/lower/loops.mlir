// The schedule tree becomes affine loops, named after the source's iterators where they run over
// one, and iterators are composed into subscripts.
// RUN: polyir-opt --lower-poly=split-loops=false --split-input-file %s | filecheck %s

// CHECK-LABEL: func.func @tiled
// CHECK: affine.parallel (%[[TI:ti]]) = (0) to (symbol(%[[N:n]]) ceildiv 32) {
// CHECK-NEXT: affine.for %[[I:i]] = affine_map<(d0) -> (d0 * 32)>(%[[TI]]) to min affine_map<(d0)[s0] -> (s0, d0 * 32 + 32)>(%[[TI]])[%[[N]]] {
// CHECK-NEXT: affine.if affine_set<(d0) : ((d0 - 1) mod 3 == 0)>(%[[I]]) {
// CHECK-NEXT: %[[DATA:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT: affine.store %[[DATA]], %[[B:B]][%[[I]] floordiv 3] : memref<?xi64>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[SUM:t2]] = affine_map<(d0) -> (d0)>(%[[I]]) to affine_map<(d0)[s0] -> (s0 + d0)>(%[[I]])[%[[M:m]]] {
// CHECK-NEXT: affine.store %[[ONE:one]], %[[A:A]][%[[I]], %[[SUM]] - %[[I]] + 1] : memref<?x?xi64>
func.func @tiled(%A: memref<?x?xi64>, %B: memref<?xi64>, %n: index, %m: index) {
  %one = arith.constant 1 : i64
  poly.scop (%n as "n", %m as "m") context "[n, m] -> { : n > 0 and m > 0 }" {
    poly.stmt @S domain "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }" (%i, %j) {
      affine.store %one, %A[%i, %j + 1] : memref<?x?xi64>
    }
    poly.stmt @T domain "[n, m] -> { T[i] : 0 <= i < n and i mod 3 = 1 }" (%i) {
      %data = arith.index_cast %i : index to i64
      %third = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%i)
      affine.store %data, %B[%third] : memref<?xi64>
    }
    poly.domain "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m; T[i] : 0 <= i < n and i mod 3 = 1 }" {
        poly.band "[n, m] -> [{ S[i, j] -> [(floor((i)/32))]; T[i] -> [(floor((i)/32))] }, { S[i, j] -> [(i)]; T[i] -> [(i)] }]" coincident [true, false] loop_attributes [[#poly.parallel], []] {
          poly.sequence {
            poly.filter "[n, m] -> { T[i] }"
            poly.filter "[n, m] -> { S[i, j] }" {
              poly.band "[n, m] -> [{ S[i, j] -> [(i + j)] }]" coincident [false]
            }
          }
        }
    }
  }
  return
}

// -----

// A loop that runs once has no operation for its attributes; the next loop does not get them.
// CHECK-LABEL: func.func @attribute_of_one_iteration
// CHECK-NEXT: affine.for %[[J:j]] = 0 to %[[M:m]] {
// CHECK-NEXT: affine.store %[[X:x]], %[[A:A]][%[[N:n]], %[[J]]] : memref<?x?xf64>
func.func @attribute_of_one_iteration(%A: memref<?x?xf64>, %x: f64, %n: index, %m: index) {
  poly.scop (%n as "n", %m as "m") context "[n, m] -> { : }" {
    poly.stmt @S domain "[n, m] -> { S[i, j] : i = n and 0 <= j < m }" (%i, %j) {
      affine.store %x, %A[%i, %j] : memref<?x?xf64>
    }
    poly.domain "[n, m] -> { S[i, j] : i = n and 0 <= j < m }" {
        poly.band "[n, m] -> [{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" coincident [true, false] loop_attributes [[#poly.parallel], []]
    }
  }
  return
}

// -----

// What is not affine in the parameters alone is computed in front of the loops; a condition that
// is not a conjunction becomes scf.if, and the loops around it stay affine.
// CHECK-LABEL: func.func @union
// CHECK: %[[END:.*]] = arith.select %{{.*}}, %[[N:n]], %[[M:m]] : index
// CHECK: affine.for %[[I:i]] = 0 to %[[END]] {
// CHECK: %[[OR:.*]] = arith.ori
// CHECK: scf.if %[[OR]] {
// CHECK-NEXT: affine.store %[[X:x]], %[[A:A]][%[[I]]] : memref<?xf64>
func.func @union(%A: memref<?xf64>, %x: f64, %n: index, %m: index) {
  poly.scop (%n as "n", %m as "m") context "[n, m] -> { : n > 0 and m > 0 }" {
    poly.stmt @S domain "[n, m] -> { S[i] : 0 <= i < n }" (%i) {
      affine.store %x, %A[-%i] : memref<?xf64>
    }
    poly.stmt @T domain "[n, m] -> { T[i] : 0 <= i < m and (i > 7 or i <= n - m) }" (%i) {
      affine.store %x, %A[%i] : memref<?xf64>
    }
    poly.domain "[n, m] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < m and (i > 7 or i <= n - m) }" {
      poly.band "[n, m] -> [{ S[i] -> [(i)]; T[i] -> [(i)] }]" coincident [false] loops [atomic] {
        poly.sequence {
          poly.filter "[n, m] -> { S[i] }"
          poly.filter "[n, m] -> { T[i] }"
        }
      }
    }
  }
  return
}

// -----

// The iterator of scf.for is not a valid operand of affine maps: what depends on it is computed.
// CHECK-LABEL: func.func @not_affine
// CHECK: affine.for %[[K:k]] =
// CHECK: %[[LOWER:.*]] = arith.minsi
// CHECK: scf.for %[[I:i]] = %[[LOWER]] to
// CHECK: %[[SUBSCRIPT:.*]] = arith.addi %[[K]], %[[I]] : index
// CHECK: memref.store %[[X:x]], %[[A:A]][%[[SUBSCRIPT]]] : memref<?xf64>
// CHECK: affine.for %[[L:.*]] = 0 to 4 {
// CHECK-NEXT: affine.store %[[X]], %[[A]][%[[L]] + %[[K]]] : memref<?xf64>
func.func @not_affine(%A: memref<?xf64>, %x: f64, %n: index, %m: index) {
  poly.scop (%n as "n", %m as "m") context "[n, m] -> { : n > 0 and m > 0 }" {
    poly.stmt @S domain "[n, m] -> { S[k, i] : 0 <= k < 4 and n + k <= i < 99 }" (%k, %i) {
      affine.store %x, %A[%k + %i] : memref<?xf64>
    }
    poly.stmt @T domain "[n, m] -> { T[k, i] : 0 <= k < 4 and m - k <= i < 99 }" (%k, %i) {
      affine.for %l = 0 to 4 {
        affine.store %x, %A[%l + %k] : memref<?xf64>
      }
    }
    poly.domain "[n, m] -> { S[k, i] : 0 <= k < 4 and n + k <= i < 99; T[k, i] : 0 <= k < 4 and m - k <= i < 99 }" {
      poly.band "[n, m] -> [{ S[k, i] -> [(k)]; T[k, i] -> [(k)] }, { S[k, i] -> [(i)]; T[k, i] -> [(i)] }]" coincident [false, false] loops [atomic, atomic] {
        poly.sequence {
          poly.filter "[n, m] -> { S[k, i] }"
          poly.filter "[n, m] -> { T[k, i] }"
        }
      }
    }
  }
  return
}
