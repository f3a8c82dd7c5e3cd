// RUN: polyir-opt --tile=32,16 --full-tile-separation --mark-parallel --emit=poly %s | filecheck %s
// RUN: polyir-opt --tile=32,16 --full-tile-separation --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --tile=32,16 --full-tile-separation=separate --emit=poly %s | filecheck %s --check-prefix KIND
// RUN: polyir-opt --full-tile-separation --emit=none %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --full-tile-separation=unrolled %s 2>&1 | filecheck %s --check-prefix OPTION

func.func @copy(%n: index, %m: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %a[%i, %j] : memref<?x?xf64>
      affine.store %0, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      poly.band "[n, m] -> [{ S0[i, j] -> [(i - (i) mod 32)] }, { S0[i, j] -> [(j - (j) mod 16)] }]" {{.*}} loop_attributes {{\[\[}}#poly.parallel], []] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter
// CHECK-NEXT:         poly.band "[n, m] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
// CHECK:            poly.filter
// CHECK-NEXT:         poly.band "[n, m] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"

// LOOPS:      affine.parallel (%[[TI:.*]]) = (0) to (symbol(%n)) step (32) {
// LOOPS-NEXT:   affine.for %[[TJ:.*]] = 0 to %{{.*}} step 16 {
// LOOPS-NEXT:     affine.if
// LOOPS-NEXT:       affine.for %[[I:.*]] = affine_map<(d0) -> (d0)>(%[[TI]]) to affine_map<(d0) -> (d0 + 32)>(%[[TI]]) {
// LOOPS-NEXT:         affine.for %[[J:.*]] = affine_map<(d0) -> (d0)>(%[[TJ]]) to affine_map<(d0) -> (d0 + 16)>(%[[TJ]]) {
// LOOPS:            } else {
// LOOPS:              affine.for {{.*}} to min

// KIND:     poly.sequence
// KIND:     poly.band {{.*}} loops [separate, separate]
// KIND:     poly.band {{.*}} loops [separate, separate]
// NONE:     warning: [full-tile-separation] no full tiles were separated: there is no band of tile loops
// OPTION:   error: option 'points' of pass 'full-tile-separation' cannot be 'unrolled'
