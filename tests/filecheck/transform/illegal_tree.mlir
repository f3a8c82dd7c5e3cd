// RUN: not polyir-opt --strip-mine="loop=S0.1 size=4" %s 2>&1 | filecheck %s --check-prefix STRIP
// RUN: not polyir-opt --unroll="loop=S0.1 factor=2" %s 2>&1 | filecheck %s --check-prefix UNROLL
// RUN: not polyir-opt --tile=4 %s 2>&1 | filecheck %s --check-prefix TILE
// RUN: not polyir-opt --diamond-tile %s 2>&1 | filecheck %s --check-prefix DIAMOND
// RUN: not polyir-opt --split="statements=S0 condition='i < 5'" %s 2>&1 | filecheck %s --check-prefix SPLIT

// The tree is not the order of the dependences: what keeps the order of a tree keeps its fault.
func.func @wave(%a: memref<?x?xf64>, %n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [flow "a" "[n] -> { S0[i, j] -> S0[i + 1, j - 1] : 1 <= i <= n - 2 and 1 <= j < n }"]> {
    poly.stmt @S0 domain "[n] -> { S0[i, j] : 0 < i < n and 0 <= j < n - 1 }" (%i, %j) {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
    poly.domain "[n] -> { S0[i, j] : 0 < i < n and 0 <= j < n - 1 }" {
      poly.band "[{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]" permutable coincident [false, false]
    }
  }
  return
}

// STRIP: illegal_tree.mlir:{{[0-9]+}}:3: error: strip-mining S0.1 violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
// UNROLL: illegal_tree.mlir:{{[0-9]+}}:3: error: unrolling S0.1 violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
// TILE: illegal_tree.mlir:{{[0-9]+}}:3: error: tiling violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
// DIAMOND: illegal_tree.mlir:{{[0-9]+}}:3: error: diamond tiling violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
// SPLIT: illegal_tree.mlir:{{[0-9]+}}:3: error: splitting S0 by 'i < 5' violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
