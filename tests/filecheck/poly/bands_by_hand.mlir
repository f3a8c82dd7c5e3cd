// Trees as a person writes them: what has a default is left out, here and there.
// RUN: polyir-opt --emit=poly --split-input-file %s | filecheck %s
// RUN: polyir-opt --emit=poly --split-input-file %s | polyir-opt --emit=poly --split-input-file | filecheck %s
// RUN: polyir-opt --split-input-file %s | filecheck %s --check-prefix LOOPS

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]"{{$}}
// LOOPS: affine.for %j
// LOOPS-NEXT: affine.for %i
func.func @interchanged(%n: index, %A: memref<?x?xf64>) {
  poly.scop (%n as "n") {
    poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n }" (%i, %j) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %A[%i, %j] : memref<?x?xf64>
    }
    poly.domain "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n }" {
      poly.band "[n] -> [{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]"
    }
  }
  return
}
// -----
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 8)] }, { S0[i, j] -> [(j - (j) mod 4)] }]" permutable {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"{{$}}
// LOOPS: affine.for %{{.*}} step 8
// LOOPS-NEXT: affine.for %{{.*}} step 4
// LOOPS-NEXT: affine.for
// LOOPS-NEXT: affine.for
func.func @tiled(%n: index, %A: memref<?x?xf64>) {
  poly.scop (%n as "n") {
    poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n }" (%i, %j) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %A[%i, %j] : memref<?x?xf64>
    }
    poly.domain "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n }" {
      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 8)] }, { S0[i, j] -> [(j - (j) mod 4)] }]" permutable {
        poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
      }
    }
  }
  return
}
// -----
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" coincident [true] {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(j)] }]"{{$}}
// LOOPS: affine.for %i
// LOOPS-NEXT: affine.for %j
func.func @partly(%n: index, %A: memref<?x?xf64>) {
  poly.scop (%n as "n") {
    poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 <= i < n and 0 < j < n }" (%i, %j) {
      %a = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      affine.store %a, %A[%i, %j] : memref<?x?xf64>
    }
    poly.domain "[n] -> { S0[i, j] : 0 <= i < n and 0 < j < n }" {
      poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" coincident [true] {
        poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" coincident [false]
      }
    }
  }
  return
}
// -----
// CHECK: poly.filter "{ S1[i] }" {
// CHECK-NEXT: poly.band "[{ S1[i] -> [(i)] }]"{{$}}
// LOOPS: affine.for
// LOOPS: affine.store %{{.*}}, %B
// LOOPS: affine.for
// LOOPS: affine.store %{{.*}}, %A
func.func @reordered(%A: memref<9xf64>, %B: memref<9xf64>) {
  poly.scop () {
    poly.stmt @S0 domain "{ S0[i] : 0 <= i < 9 }" (%i) {
      %z = arith.constant 0.0 : f64
      affine.store %z, %A[%i] : memref<9xf64>
    }
    poly.stmt @S1 domain "{ S1[i] : 0 <= i < 9 }" (%i) {
      %z = arith.constant 1.0 : f64
      affine.store %z, %B[%i] : memref<9xf64>
    }
    poly.domain "{ S0[i] : 0 <= i < 9; S1[i] : 0 <= i < 9 }" {
      poly.sequence {
        poly.filter "{ S1[i] }" {
          poly.band "[{ S1[i] -> [(i)] }]"
        }
        poly.filter "{ S0[i] }" {
          poly.band "[{ S0[i] -> [(i)] }]"
        }
      }
    }
  }
  return
}
// -----
// CHECK: poly.scop () {
// CHECK: poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]" {
// LOOPS: affine.for %i
// LOOPS-NOT: affine.for
func.func @fused(%A: memref<9xf64>, %B: memref<9xf64>) {
  poly.scop () context "{ : }" {
    poly.stmt @S0 domain "{ S0[i] : 0 <= i < 9 }" (%i) {
      %z = arith.constant 0.0 : f64
      affine.store %z, %A[%i] : memref<9xf64>
    }
    poly.stmt @S1 domain "{ S1[i] : 0 <= i < 9 }" (%i) {
      %z = arith.constant 1.0 : f64
      affine.store %z, %B[%i] : memref<9xf64>
    }
    poly.domain "{ S0[i] : 0 <= i < 9; S1[i] : 0 <= i < 9 }" {
      poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]" {
        poly.sequence {
          poly.filter "{ S0[i] }"
          poly.filter "{ S1[i] }"
        }
      }
    }
  }
  return
}
