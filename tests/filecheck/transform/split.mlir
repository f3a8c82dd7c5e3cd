// RUN: polyir-opt --split="statements=S0,S1 condition='i < n floordiv 2'" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --split="statements=S0 condition='i >= 5' loop=S0.0" --emit=none %s 2>&1 | filecheck %s --allow-empty --check-prefix SOME
// RUN: not polyir-opt --split="statements=S1 condition='i < 5'" %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: polyir-opt --split="statements=S0,S1 condition='i >= 0'" --emit=none %s 2>&1 | filecheck %s --check-prefix NOTHING
// RUN: not polyir-opt --split="statements=S0 condition='k < 5'" %s 2>&1 | filecheck %s --check-prefix CONDITION
// RUN: not polyir-opt --split="statements=S0 condition='2 * i floordiv 2 < 5'" %s 2>&1 | filecheck %s --check-prefix FLOORDIV
// RUN: not polyir-opt --split="condition='i < 5'" %s 2>&1 | filecheck %s --check-prefix MISSING
// RUN: polyir-opt --split="statements=S0,S1 condition='i < 5'" --reverse=S0/1.0 --emit=none --remarks %s 2>&1 | filecheck %s --check-prefix PARTS
// RUN: not polyir-opt --split="statements=S0,S1 condition='i < 5'" --reverse=S0.0 %s 2>&1 | filecheck %s --check-prefix AMBIGUOUS

func.func @pair(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    affine.store %0, %b[%i] : memref<?xf64>
    %1 = affine.load %b[%i] : memref<?xf64>
    affine.store %1, %c[%i] : memref<?xf64>
  }
  return
}

// LEGAL: remark: [split] split S0, S1 by 'i < n floordiv 2' at S0.0
// LEGAL:      poly.sequence {
// LEGAL-NEXT:   poly.filter "[n] -> { {{S[01]}}[i] : {{.*}}2i <= -2 + n{{.*}} }" {
// LEGAL-NEXT:     poly.band "[n] -> [{ {{S[01]}}[i] -> [(i)]; {{S[01]}}[i] -> [(i)] }]" permutable coincident [true] {
// LEGAL:        poly.filter "[n] -> { {{S[01]}}[i] : {{.*}}2i >= -1 + n{{.*}} }" {
// LEGAL-NEXT:     poly.band "[n] -> [{ {{S[01]}}[i] -> [(i)]; {{S[01]}}[i] -> [(i)] }]" permutable coincident [true] {

// SOME-NOT: {{.}}
// ILLEGAL: error: splitting S1 by 'i < 5' violates the flow dependence through b: S0[0] must run before S1[0] (n = 1)
// NOTHING: warning: [split] nothing was split: 'i >= 0' holds for all of the instances in S0.0
// CONDITION: error: 'k < 5' is not an affine condition on i, n of S0, in isl's notation: i < floor(n/2) and j != 0
// FLOORDIV: error: put what floordiv divides into parentheses in '2 * i floordiv 2 < 5'
// MISSING: error: pass 'split' requires the option 'statements'
// PARTS: remark: [reverse] reversed S0/1.0
// AMBIGUOUS: error: 'S0.0' is not one loop: S0/0.0, S0/1.0
