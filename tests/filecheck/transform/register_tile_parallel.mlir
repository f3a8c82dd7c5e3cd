// A loop that register tiles make sequential is no longer marked as parallel, not even where blocks
// are cut apart below it.
// RUN: polyir-opt --pluto-schedule --tile=8 --mark-parallel --register-tile="rows=2 vectors=1 width=4" --check-schedule --remarks --emit=none %S/../../../benchmarks/polybench/lu.mlir 2>&1 | filecheck %s

// CHECK: [mark-parallel] loop 5 around S0, S1, S2 is parallel
// CHECK: [register-tile] blocks of 2 x 4 along loops 2 and 3 of the band of 3 over S2
// CHECK: warning: [register-tile] removed #poly.parallel from loop 5 around S2: it is no longer parallel
// CHECK: [check-schedule] all 13 dependences hold
