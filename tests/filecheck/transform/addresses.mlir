// RUN: polyir-opt --pluto-schedule --tile=16 --wavefront=loop=S0.0 --mark-parallel=loops=S0.1 --emit=poly %s | filecheck %s --check-prefix WAVEFRONT
// RUN: polyir-opt --pluto-schedule --tile=16 --wavefront=loop=S0.2 --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix INSIDE
// RUN: polyir-opt --pluto-schedule --diamond-tile="size=16 loop=S0.0" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix DIAMOND
// RUN: polyir-opt --pluto-schedule --tile=16 --full-tile-separation=loop=S0.2 --emit=none %s 2>&1 | filecheck %s --check-prefix POINTS
// RUN: not polyir-opt --mark-parallel=loops=S0.0 %s 2>&1 | filecheck %s --check-prefix CARRIED
// RUN: not polyir-opt --tile=loops=S0.0,S0.1 %s 2>&1 | filecheck %s --check-prefix TILED
// RUN: not polyir-opt --mark-parallel="which=inner loops=S0.0" %s 2>&1 | filecheck %s --check-prefix WHICH
// RUN: not polyir-opt --wavefront=loop=S0.7 %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --intra-tile-order=loop=S0 %s 2>&1 | filecheck %s --check-prefix MALFORMED
// RUN: not polyir-opt --diamond-tile=loop=T.0 %s 2>&1 | filecheck %s --check-prefix UNKNOWN

func.func @stencil(%steps: index, %n: index, %a: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %0 = affine.load %a[%i - 1] : memref<?xf64>
      %1 = affine.load %a[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i] : memref<?xf64>
    }
  }
  return
}

// WAVEFRONT:      poly.band {{.*}} permutable {
// WAVEFRONT-NEXT:   poly.band {{.*}} permutable coincident [true] loop_attributes {{\[\[}}#poly.parallel]] {
// WAVEFRONT-NEXT:     poly.band {{.*}} permutable{{$}}

// The points of a tile in wavefronts, and the tiles as they were.
// INSIDE: remark: [wavefront] skewed loops 1 to 2 of the band of 2 over S0 into wavefronts: 1 loop inside can run in parallel

// DIAMOND: warning: [diamond-tile] nothing was tiled:
// POINTS: warning: [full-tile-separation] no full tiles were separated: there is no band of tile loops

// CARRIED: addresses.mlir:{{[0-9]+}}:3: error: S0.0 is not parallel: it carries the {{.*}} dependence through a: S0[0, {{.*}}] must run before S0[1,
// TILED: error: tiling S0.0, S0.1 violates the {{.*}} dependence through a: S0[0, {{.*}}] must run before S0[1,
// WHICH: error: the options 'which' and 'loops' of pass 'mark-parallel' exclude each other
// NONE: error: there is no loop 'S0.7': S0 has 2 loops
// MALFORMED: error: 'S0' is not a loop: write S0.1 for the second loop around S0
// UNKNOWN: error: pass 'diamond-tile': there is no statement 'T' (statements: S0)
