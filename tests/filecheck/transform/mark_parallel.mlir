// RUN: polyir-opt --mark-parallel --emit=poly %s | filecheck %s --check-prefix OUTERMOST
// RUN: polyir-opt --mark-parallel=inner --emit=poly %s | filecheck %s --check-prefix INNER
// RUN: polyir-opt --mark-parallel=all --emit=poly %s | filecheck %s --check-prefix ALL
// RUN: polyir-opt --mark-parallel=all --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: not polyir-opt --mark-parallel=outer %s 2>&1 | filecheck %s --check-prefix CHOICE

// The sum over k is in order; i and j are parallel.
func.func @multiply(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      affine.for %j = 0 to %n {
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

// OUTERMOST:      poly.band "[n] -> [{ S0[i, k, j] -> [(i)] }]" {{.*}}loop_attributes {{\[\[}}#poly.parallel]] {
// OUTERMOST-NOT:  loop_attributes

// INNER-NOT:  loop_attributes
// INNER:      poly.band "[n] -> [{ S0[i, k, j] -> [(k)] }]" {
// INNER-NEXT:   poly.band "[n] -> [{ S0[i, k, j] -> [(j)] }]"{{.*}} loop_attributes {{\[\[}}#poly.parallel]]

// ALL:      poly.band "[n] -> [{ S0[i, k, j] -> [(i)] }]"{{.*}} loop_attributes {{\[\[}}#poly.parallel]] {
// ALL-NEXT:   poly.band "[n] -> [{ S0[i, k, j] -> [(k)] }]" {
// ALL-NEXT:     poly.band "[n] -> [{ S0[i, k, j] -> [(j)] }]"{{.*}} loop_attributes {{\[\[}}#poly.parallel]]

// REMARK: remark: [mark-parallel] loop 1 around S0 is parallel
// REMARK: remark: [mark-parallel] loop 3 around S0 is parallel

// CHOICE: error: option 'which' of pass 'mark-parallel' cannot be 'outer'; did you mean 'outermost'
