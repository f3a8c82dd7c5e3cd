// RUN: polyir-opt --fuse=S0,S1 --emit=poly %s | filecheck %s --check-prefix FUSED
// RUN: polyir-opt --fuse=S0,S1 --distribute=S1 --emit=poly %s | filecheck %s --check-prefix APART
// RUN: not polyir-opt --fuse=S1,S2 %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --fuse=S0,S2 %s 2>&1 | filecheck %s --check-prefix BETWEEN
// RUN: not polyir-opt --fuse=S0,T %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: polyir-opt --distribute=S0 --emit=none %s 2>&1 | filecheck %s --check-prefix ALONE

func.func @chain(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    affine.store %0, %b[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i] : memref<?xf64>
    affine.store %0, %c[%i] : memref<?xf64>
  }
  affine.for %i = 1 to %n {
    %0 = affine.load %c[%i] : memref<?xf64>
    affine.store %0, %a[%i - 1] : memref<?xf64>
    %1 = affine.load %c[-%i + symbol(%n)] : memref<?xf64>
    affine.store %1, %a[%i] : memref<?xf64>
  }
  return
}

// FUSED:      poly.sequence {
// FUSED-NEXT:   poly.filter "{{.*}}S1[i]{{.*}}" {
// FUSED-NEXT:     poly.band "[n] -> [{ {{S0.*S1|S1.*S0}}[i] -> [(i)] }]" permutable coincident [true] {
// FUSED-NEXT:       poly.sequence {
// FUSED-NEXT:         poly.filter "{{.*}}S0[i]{{.*}}"
// FUSED-NEXT:         poly.filter "{{.*}}S1[i]{{.*}}"

// APART:      poly.sequence {
// APART-NEXT:   poly.filter "{{.*}}S0[i]{{.*}}" {
// APART-NEXT:     poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]
// APART-NEXT:   }
// APART-NEXT:   poly.filter "{{.*}}S1[i]{{.*}}" {
// APART-NEXT:     poly.band "[n] -> [{ S1[i] -> [(i)] }]" permutable coincident [true]

// ILLEGAL: fuse_distribute.mlir:9:3: error: fusing S1, S2 violates the flow dependence through c: S1[{{.*}}] must run before S{{[23]}}[{{.*}}]

// BETWEEN: error: the nests of S0, S2 are not neighbours: S1 runs between

// UNKNOWN: error: pass 'fuse': there is no statement 'T' (statements: S0, S1, S2

// ALONE: warning: [distribute] not distributed: S0 shares no loop
