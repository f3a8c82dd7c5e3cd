// RUN: polyir-opt --tile="model explain machine=%S/Inputs/four_cores.json" --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --tile="model threads=4 explain machine=%S/Inputs/four_cores.json" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix THREADS
// RUN: not polyir-opt --tile="auto model" %s 2>&1 | filecheck %s --check-prefix BOTH
// RUN: not polyir-opt --tile="model loops=S0.0,S0.1" %s 2>&1 | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --tile="sizes=16 explain" %s 2>&1 | filecheck %s --check-prefix EXPLAIN
// RUN: not polyir-opt --tile="model threads=0" %s 2>&1 | filecheck %s --check-prefix ZERO

// BOTH: error: auto and model exclude each other
// LOOPS: error: model chooses sizes for bands, not for loops: loops=S0.0,S0.1
// EXPLAIN: error: only model uses threads and explain
// ZERO: error: threads must be 1 or more: threads=0

// Tiles of a transposition touch a square of each array, by lines of 8 elements in rows.
func.func @transpose(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%j, %i] : memref<1000x1000xf64>
      affine.store %a, %B[%i, %j] : memref<1000x1000xf64>
    }
  }
  return
}

// CHECK: remark: [tile] minimise {{[0-9.e+]+}}
// CHECK: remark: [tile] cache: {{.*}} s1 s2 + {{.*}} <= 1
// CHECK-NEXT: remark: [tile] 1 <= s1 <= 1000
// CHECK-NEXT: remark: [tile] 1 <= s2 <= 1000
// CHECK-NEXT: remark: [tile] solution: s1 = [[FIRST:[0-9]+]], s2 = [[SECOND:[0-9]+]]
// CHECK: remark: [tile] the band of 2 over S0: tiles of [[FIRST]] x [[SECOND]] for the cache of level {{[0-9]}}: {{.*}} cycles
// CHECK: poly.band "[{ S0[i, j] -> [(i - (i) mod [[FIRST]])] }, { S0[i, j] -> [(j - (j) mod [[SECOND]])] }]" permutable

// Each of four threads has a tile.
// THREADS: remark: [tile] threads: 0.004 s1 <= 1
