// RUN: polyir-opt --fuse=S0,S1 --emit=poly %s | filecheck %s --check-prefix FUSED
// RUN: polyir-opt --fuse=S0,S1 --distribute=S1 --emit=poly %s | filecheck %s --check-prefix APART
// RUN: not polyir-opt --fuse=S1,S2 %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --fuse=S0,S2 %s 2>&1 | filecheck %s --check-prefix BETWEEN
// RUN: not polyir-opt --fuse=S0,T %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: polyir-opt --fuse=loops=S0.0,S1.0 --emit=poly %s | filecheck %s --check-prefix FUSED
// RUN: polyir-opt --fuse=loops=S0.0,S1.0 --distribute=loops=S1.0 --emit=poly %s | filecheck %s --check-prefix APART
// RUN: not polyir-opt --fuse=loops=S1.0,S2.0 %s 2>&1 | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --distribute=loops=S2.0 %s 2>&1 | filecheck %s --check-prefix CYCLE
// RUN: not polyir-opt --fuse=loops=S0.0,S1 %s 2>&1 | filecheck %s --check-prefix MALFORMED
// RUN: not polyir-opt --fuse=loops=S0.0,S1.1 %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --fuse="statements=S0,S1 loops=S0.0" %s 2>&1 | filecheck %s --check-prefix MIXED
// RUN: not polyir-opt --distribute="loops=S0.0 keep=1" %s 2>&1 | filecheck %s --check-prefix KEEP
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

// ILLEGAL: fuse_distribute.mlir:{{[0-9]+}}:3: error: fusing S1, S2 violates the flow dependence through c: S1[{{.*}}] must run before S{{[23]}}[{{.*}}]

// LOOPS: fuse_distribute.mlir:{{[0-9]+}}:3: error: fusing S1.0, S2.0 violates the flow dependence through c: S1[{{.*}}] must run before S{{[23]}}[{{.*}}]

// CYCLE: error: distributing S2.0 violates the {{.*}} dependence through a: S3[{{.*}}] must run before S2[

// MALFORMED: error: 'S1' is not a loop: write S0.1 for the second loop around S0
// NONE: error: there is no loop 'S1.1': S1 has 1 loop
// MIXED: error: loops cannot be combined with statements or depth
// KEEP: error: loops cannot be combined with statements or keep

// BETWEEN: error: the nests of S0, S2 are not adjacent: S1 runs between them

// UNKNOWN: error: pass 'fuse': there is no statement 'T' (statements: S0, S1, S2

// ALONE: warning: [distribute] S0 was not distributed: it shares no loop
