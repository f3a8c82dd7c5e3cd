// RUN: polyir-opt --check-schedule --emit=none %s 2>&1 | filecheck %s --check-prefix HOLDS
// RUN: polyir-opt --pluto-schedule --mark-parallel --convert-parallel-to-omp %s 2>&1 | filecheck %s --check-prefix OMP
// RUN: polyir-opt --pluto-schedule --lower-to-llvm --emit=mlir %s 2>&1 | filecheck %s --check-prefix LLVM
// RUN: polyir-opt --print-schedule --emit=none %s 2>&1 | filecheck %s --check-prefix BOTH

// Passes bring the level that they need: a function that is not raised yet is raised, and scops
// are lowered.

// HOLDS:      needed_level.mlir:{{[0-9]+}}:3: remark: [check-schedule] all 3 dependences hold
// HOLDS-NEXT: needed_level.mlir:{{[0-9]+}}:3: remark: [check-schedule] there are no dependences
// HOLDS-NOT:  {{.}}

// OMP-LABEL: @raised
// OMP-NOT:   omp.
// OMP-LABEL: @not_raised
// OMP:       omp.wsloop

// LLVM-NOT:   poly.scop
// LLVM-LABEL: llvm.func @raised
// LLVM:       llvm.store
// LLVM-LABEL: llvm.func @not_raised
// LLVM:       llvm.store

// BOTH:      // schedule of @raised:
// BOTH-NEXT: // band of 1
// BOTH:      // schedule of @not_raised:
// BOTH-NEXT: // band of 1

func.func @raised(%s: memref<f64>, %n: index) {
  poly.scop (%n as "n") context "[n] -> {  :  }" dependences <value, [flow "s" "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 <= i <= -2 + n }", anti "s" "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 <= i <= -2 + n }", output "s" "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 <= i <= -2 + n }"]> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
      %a = affine.load %s[] : memref<f64>
      affine.store %a, %s[] : memref<f64>
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
      poly.band "[n] -> [{ S0[i] -> [(i)] }]" coincident [false]
    }
  }
  func.return
}
func.func @not_raised(%A: memref<?xf64>, %B: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}
