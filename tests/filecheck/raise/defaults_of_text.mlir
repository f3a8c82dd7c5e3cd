// What a tree says by default is not printed, and need not be written: a context without conditions,
// members that are not coincident. Each dependence has a line of its own.
// RUN: polyir-opt --poly-dependences --emit=poly %s | filecheck %s
// RUN: polyir-opt --poly-dependences --emit=poly %s | polyir-opt --emit=poly | filecheck %s
// RUN: polyir-opt --check-schedule --emit=none %s

// CHECK:      poly.scop (%n as "n") dependences <value, [
// CHECK-NEXT:     flow "A" "[n] -> { S0[i, j] -> S0[i' = 1 + i, j' = j] : 0 < i <= -2 + n and 0 <= j < n }",
// CHECK-NEXT:     anti "A"
// CHECK-NEXT:     output "A"
// CHECK-NEXT:   ] order "[n] -> { S0[i, j] -> [i, j] }"> {
// CHECK:        poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"{{$}}
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  poly.scop (%n as "n") {
    poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 < i < n and 0 <= j < n }" (%i, %j) {
      %a = affine.load %A[%j] : memref<?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%j] : memref<?xf64>
    }
    poly.domain "[n] -> { S0[i, j] : 0 < i < n and 0 <= j < n }" {
      poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
    }
  }
  return
}
