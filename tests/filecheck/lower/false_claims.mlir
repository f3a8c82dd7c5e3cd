// RUN: sed 's/\[false, false\]/[false, false] loop_attributes [[#poly.parallel], []]/' %s | not polyir-opt --check-schedule --emit=poly - 2>&1 | filecheck %s --check-prefix PARALLEL
// RUN: sed 's/\[false, false\]/[false, false] loop_attributes [[], [#poly.vector<8>]]/' %s | polyir-opt --check-schedule --emit=none - 2>&1 | filecheck %s --check-prefix VECTOR
// RUN: sed 's/\[false, false\]/[false, false] loop_attributes [[#poly.map<block x>], []]/' %s | not polyir-opt --emit=loops - 2>&1 | filecheck %s --check-prefix MAPPED
// RUN: sed 's/\[false, false\]/[false, true]/' %s | not polyir-opt --emit=c - 2>&1 | filecheck %s --check-prefix COINCIDENT
// RUN: sed 's/coincident \[false, false\]/permutable/' %s | not polyir-opt --emit=llvm - 2>&1 | filecheck %s --check-prefix PERMUTABLE
// RUN: sed -e '/^      poly.band/s/.*/poly.mark #poly.tile<outset [n, n] loops [[#poly.parallel], []]> { poly.band "[n] -> [{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]" }/' %s | not polyir-opt - 2>&1 | filecheck %s --check-prefix TILES
// RUN: sed -e '/^      poly.band/s/.*/poly.mark #poly.tile<outset [n, n] wavefront 1 loops [[], [#poly.parallel]]> { poly.band "[n] -> [{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]" }/' %s | polyir-opt - | filecheck %s --check-prefix WAVEFRONT
// RUN: sed -e '/^      poly.band/s/.*/poly.mark #poly.tile<outset [n, n] wavefront 1 loops [[#poly.parallel], []]> { poly.band "[n] -> [{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]" }/' %s | not polyir-opt - 2>&1 | filecheck %s --check-prefix FRONT
// RUN: sed -e 's/dependences <value.*> {/{/' -e 's/\[false, false\]/[true, true] loop_attributes [[#poly.parallel], []]/' %s | not polyir-opt - 2>&1 | filecheck %s --check-prefix SEVERAL
// RUN: sed -e '/^      poly.band/s/.*/poly.guard "[n] -> { : n < 9 }" { poly.band "[n] -> [{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(i)] }]" }/' %s | not polyir-opt - 2>&1 | filecheck %s --check-prefix GUARD

// A tree that is read from text may claim what is not true; later passes and code generation would
// believe it. Each claim is checked.

func.func @sweep(%n: index, %A: memref<?x?xf64>) {
  poly.scop (%n as "n") context "[n] -> {  :  }" dependences <value, [flow "A" "[n] -> { S0[t, i] -> S0[t' = 1 + t, i' = -1 + i] : 0 <= t <= -2 + n and 0 < i < n }"]> {
    poly.stmt @S0 domain "[n] -> { S0[t, i] : 0 <= t < n and 0 <= i < n }" (%t, %i) {
      %0 = affine.load %A[%t, %i + 1] : memref<?x?xf64>
      affine.store %0, %A[%t + 1, %i] : memref<?x?xf64>
    }
    poly.domain "[n] -> { S0[t, i] : 0 <= t < n and 0 <= i < n }" {
      poly.band "[n] -> [{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(i)] }]" coincident [false, false]
    }
  }
  return
}

// PARALLEL: <stdin>:22:7: error: the loop S0.0 is not parallel, as #poly.parallel requires: it carries the flow dependence through A: S0[0, 1] must run before S0[1, 0] (n = 2)

// The inner loop is parallel inside the outer one.
// VECTOR: remark: [check-schedule] the only dependence holds

// MAPPED: <stdin>:22:7: error: the loop S0.0 is not parallel, as #poly.map<block x> requires: it carries the flow dependence through A: S0[0, 1] must run before S0[1, 0] (n = 2)

// COINCIDENT: <stdin>:22:7: error: the loop S0.1 is not coincident: its value changes along the flow dependence through A: S0[0, 1] must run before S0[1, 0] (n = 2)

// PERMUTABLE: <stdin>:22:7: error: the band is not permutable: the loop S0.1 goes back along the flow dependence through A: S0[0, 1] must run before S0[1, 0] (n = 2)

// TILES: <stdin>:22:1: error: the loop over tiles of n around S0 is not parallel, as #poly.parallel requires: it carries the flow dependence through A: S0[0, 1] must run before S0[1, 0] (n = 2)

// WAVEFRONT: scf.parallel

// FRONT: <stdin>:22:1: error: the loop over tiles of n around S0 is not parallel, as #poly.parallel requires: it carries the flow dependence through A: S0[0, 1] must run before S0[1, 0] (n = 2)

// Without dependences the tree is the original order; what it claims is still checked.
// SEVERAL:      <stdin>:22:7: error: the schedule tree makes 3 false claims:
// SEVERAL-NEXT:   <stdin>:22:7: the loop S0.0 is not coincident: its value changes along
// SEVERAL-NEXT:   <stdin>:22:7: the loop S0.0 is not parallel, as #poly.parallel requires: it carries
// SEVERAL-NEXT:   <stdin>:22:7: the loop S0.1 is not coincident: its value changes along

// GUARD: <stdin>:22:1: error: the guard does not hold for S0[0, 0] (n = 9)
