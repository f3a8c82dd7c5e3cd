// RUN: polyir-opt --mark-parallel=all --intra-tile-order --emit=poly %s 2>&1 | filecheck %s --check-prefix MOVED
// RUN: polyir-opt --mark-parallel=all --tile="loops=S1.0,S1.1" --emit=poly %s 2>&1 | filecheck %s --check-prefix TAKEN
// RUN: polyir-opt --mark-parallel=all --pluto-schedule --emit=none %s 2>&1 | filecheck %s --check-prefix DROPPED

// An attribute goes where its loop goes. It is taken off where it is no longer true, and a new
// schedule has none.

func.func @columns(%n: index, %a: memref<?x?xf64>, %sum: memref<?xf64>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %0 = affine.load %a[%i, %j] : memref<?x?xf64>
      %1 = affine.load %sum[%j] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %sum[%j] : memref<?xf64>
    }
  }
  affine.for %t = 1 to %n {
    affine.for %i = 1 to %n {
      %0 = affine.load %a[%t - 1, %i - 1] : memref<?x?xf64>
      affine.store %0, %a[%t, %i] : memref<?x?xf64>
    }
  }
  return
}

// MOVED: poly.band "[n] -> [{ S0[j, i] -> [(i)] }, { S0[j, i] -> [(j)] }]" permutable coincident [false, true] loop_attributes {{\[\[}}], [#poly.parallel]]

// TAKEN: warning: [tile] removed #poly.parallel from loop 2 around S1: it is no longer parallel
// TAKEN: poly.band "[n] -> [{ S1[t, i] -> [(t - (t) mod 32)] }, { S1[t, i] -> [(i - (i) mod 32)] }]" permutable {
// TAKEN-NEXT: poly.band "[n] -> [{ S1[t, i] -> [(t)] }]" {{.*}} {
// TAKEN-NEXT: poly.band "[n] -> [{ S1[t, i] -> [(i)] }]"

// DROPPED: warning: [pluto-schedule] dropped #poly.parallel from the loops around S0, S1
