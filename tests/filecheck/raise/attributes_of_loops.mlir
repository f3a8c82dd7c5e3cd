// RUN: polyir-opt --poly-raise --emit=poly %s | filecheck %s
// RUN: polyir-opt --poly-raise %s | filecheck %s --check-prefix LOOPS

// Bands keep the attributes of loops, but for those which only dependences can show to be true.

func.func @clear(%n: index, %A: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %zero, %A[%i, %j] : memref<?x?xf64>
    } {poly.unroll = #poly.unroll<4>, poly.vector = #poly.vector<8>, label = "inner"}
  }
  return
}

// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" loop_attributes {{\[\[}}#poly.unroll<4>]]

// LOOPS: affine.for %j
// LOOPS: } {poly.unroll = #poly.unroll<4>}
