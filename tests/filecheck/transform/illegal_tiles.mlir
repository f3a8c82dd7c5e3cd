// RUN: not polyir-opt --full-tile-separation %s 2>&1 | filecheck %s --check-prefix FULL

// The tree is not the order of the dependences: what keeps the order of a tree keeps its fault.
func.func @wave(%a: memref<?x?xf64>, %n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [flow "a" "[n] -> { S0[i, j] -> S0[i + 1, j - 1] : 1 <= i <= n - 2 and 1 <= j < n }"]> {
    poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 < i < n and 0 <= j < n - 1 }" (%i, %j) {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
    poly.domain "[n] -> { S0[i, j] : 0 < i < n and 0 <= j < n - 1 }" {
      poly.band "[{ S0[i, j] -> [(4*floor((j)/4))] }, { S0[i, j] -> [(4*floor((i)/4))] }]" permutable coincident [false, false] {
        poly.band "[{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]" permutable coincident [false, false]
      }
    }
  }
  return
}

// FULL: illegal_tiles.mlir:{{[0-9]+}}:3: error: the separation of full tiles violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
