// A pass that fails leaves the program as it was before it, with the passes that were to run.
// RUN: rm -f %t.mlir
// RUN: not polyir-opt --poly-dependences --interchange=S0.0,S0.1 --tile="sizes=32,8 levels=2" --crash-reproducer=%t.mlir %s 2>&1 | filecheck %s
// RUN: filecheck --input-file %t.mlir %s --check-prefix FILE
// RUN: not polyir-opt --run-reproducer %t.mlir 2>&1 | filecheck %s --check-prefix AGAIN
// RUN: not polyir-opt --run-reproducer --tile=32 %t.mlir 2>&1 | filecheck %s --check-prefix OTHER
// RUN: polyir-opt %t.mlir --skew='S0.1 by=S0.0' --emit=none --print-dependences | filecheck %s --check-prefix PROGRAM
// mlir-opt's spelling, and a run without verification.
// RUN: not polyir-opt --poly-raise --reverse=S0.0 --verify-each=false --mlir-pass-pipeline-crash-reproducer=%t.mlir %s
// RUN: filecheck --input-file %t.mlir %s --check-prefix UNVERIFIED
// RUN: rm %t.mlir
// No failure, no file; no program, no file.
// RUN: polyir-opt --poly-dependences --crash-reproducer=%t.mlir --emit=none %s && not test -e %t.mlir
// RUN: echo "func.func @f(" > %t.bad && not polyir-opt --crash-reproducer=%t.mlir %t.bad && not test -e %t.mlir
// RUN: not polyir-opt --crash-reproducer=%t.none/x.mlir %s 2>&1 | filecheck %s --check-prefix NO-FOLDER
// RUN: not polyir-opt --run-reproducer %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --split-input-file --crash-reproducer=%t.mlir %s 2>&1 | filecheck %s --check-prefix PARTS

// CHECK: note: interchange failed: reproducer generated at '{{.*}}'
// CHECK: reproducer.mlir:{{.*}}: error: interchanging S0.0, S0.1 violates
// FILE: builtin.module {
// FILE: poly.scop {{.*}} dependences
// FILE: {-#
// FILE-NEXT: external_resources: {
// FILE-NEXT: mlir_reproducer: {
// FILE-NEXT: pipeline: "builtin.module(interchange{loops=\"S0.0\",\"S0.1\"},tile{sizes=32,8 levels=2})",
// FILE-NEXT: disable_threading: true,
// FILE-NEXT: verify_each: true
// FILE: #-}
// AGAIN: error: interchanging S0.0, S0.1 violates
// OTHER: error: --run-reproducer runs a pipeline: no passes can be given
// PROGRAM: flow A S0 -> S0
// UNVERIFIED: pipeline: "builtin.module(reverse{loop=\"S0.0\"})",
// UNVERIFIED: verify_each: false
// NO-FOLDER: error: cannot write '{{.*}}x.mlir'
// NONE: error: '{{.*}}reproducer.mlir' is not a reproducer: it does not end with a pipeline
// PARTS: error: --crash-reproducer is of one program: no --split-input-file is possible
func.func @sweep(%n: index, %A: memref<?xf64>) {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %b = affine.load %A[%i] : memref<?xf64>
      %sum = arith.addf %a, %b : f64
      affine.store %sum, %A[%i] : memref<?xf64>
    }
  }
  return
}
