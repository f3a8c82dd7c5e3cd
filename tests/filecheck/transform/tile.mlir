// RUN: polyir-opt --tile=32,16,8 --emit=poly %s | filecheck %s
// RUN: polyir-opt --tile="sizes=32,32,8 levels=2" --emit=poly %s | filecheck %s --check-prefix LEVELS
// RUN: polyir-opt --tile=32 %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --tile=32,16,8 --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --tile="sizes=32,8 loops=S0.0,S0.2" --emit=poly %s | filecheck %s --check-prefix ADDRESSED
// RUN: not polyir-opt --tile="loops=S0.0,S0.3" %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --tile="loops=S0.0,S0" %s 2>&1 | filecheck %s --check-prefix MALFORMED
// RUN: not polyir-opt --tile=0 %s 2>&1 | filecheck %s --check-prefix ZERO

// A tile loop counts the first points of the tiles; the points follow in one band below.
func.func @multiply(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf64>
        %1 = affine.load %b[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %c[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %c[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK:      poly.band "[n] -> [{ S0[i, j, k] -> [(i - (i) mod 32)] }, { S0[i, j, k] -> [(j - (j) mod 16)] }, { S0[i, j, k] -> [(k - (k) mod 8)] }]" permutable coincident [true, true, false] {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]" permutable coincident [true, true, false]

// LEVELS:      poly.band "[n] -> [{ S0[i, j, k] -> [(i - (i) mod 256)] }, { S0[i, j, k] -> [(j - (j) mod 256)] }, { S0[i, j, k] -> [(k - (k) mod 64)] }]" permutable
// LEVELS-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(i - (i) mod 32)] }, { S0[i, j, k] -> [(j - (j) mod 32)] }, { S0[i, j, k] -> [(k - (k) mod 8)] }]" permutable
// LEVELS-NEXT:     poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]" permutable

// The remainder is exact: the last tile ends with the loop.
// LOOPS:      affine.for %[[TI:.*]] = 0 to %[[N:.*]] step 32 {
// LOOPS-NEXT:   affine.for %[[TJ:.*]] = 0 to %[[N]] step 32 {
// LOOPS-NEXT:     affine.for %[[TK:.*]] = 0 to %[[N]] step 32 {
// LOOPS-NEXT:       affine.for %[[I:.*]] = {{.*}}(%[[TI]]) to min affine_map<(d0)[s0] -> (s0, d0 + 32)>(%[[TI]])[%[[N]]] {
// LOOPS-NEXT:         affine.for %[[J:.*]] = {{.*}}(%[[TJ]]) to min affine_map<(d0)[s0] -> (s0, d0 + 32)>(%[[TJ]])[%[[N]]] {
// LOOPS-NEXT:           affine.for %[[K:.*]] = {{.*}}(%[[TK]]) to min affine_map<(d0)[s0] -> (s0, d0 + 32)>(%[[TK]])[%[[N]]] {

// REMARK: tile.mlir:{{[0-9]+}}:3: remark: [tile] tiled the band of 3 over S0 by 32 x 16 x 8

// Two loops of three, whatever bands they are in.
// ADDRESSED:      poly.band "[n] -> [{ S0[i, j, k] -> [(i - (i) mod 32)] }, { S0[i, j, k] -> [(k - (k) mod 8)] }]" permutable coincident [true, false] {
// ADDRESSED-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }]"
// ADDRESSED-NEXT:     poly.band "[n] -> [{ S0[i, j, k] -> [(j)] }]"
// ADDRESSED-NEXT:       poly.band "[n] -> [{ S0[i, j, k] -> [(k)] }]"

// NONE: error: there is no loop 'S0.3': S0 has 3 loops
// MALFORMED: error: 'S0' is not a loop: write S0.1 for the second loop around S0

// ZERO: error: tile sizes must be 1 or more: sizes=0
