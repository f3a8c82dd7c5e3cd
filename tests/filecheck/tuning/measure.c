// RUN: rm -f %t.json
// RUN: polyir-cc --measure=%t.json %s -o %t.out.c 2>&1 | filecheck %s --check-prefix FIRST
// RUN: polyir-cc --measure=%t.json %s -o %t.again.c 2>&1 | filecheck %s --check-prefix AGAIN
// RUN: cmp %t.out.c %t.again.c
// RUN: sed -e 's/"pipeline": .*/"pipeline": "tile{sizes=13}",/' %t.json > %t.tiles.json
// RUN: polyir-cc --measure=%t.tiles.json %s | filecheck %s
// RUN: polyir-cc --tuned=%t.tiles.json %s | filecheck %s
// RUN: sed -e 's/ [+] A/ - A/' %s > %t.changed.c
// RUN: polyir-cc --measure=%t.json %t.changed.c -o %t.out.c 2>&1 | filecheck %s --check-prefix CHANGED
// RUN: not polyir-cc --measure=%t.json --tile %s 2>&1 | filecheck %s --check-prefix PASSES
// RUN: not polyir-cc --measure=%t.json --tuned=%t.json %s 2>&1 | filecheck %s --check-prefix BOTH
// RUN: not polyir-cc --measure=%t.json --mpi %s -o %t.out.c 2>&1 | filecheck %s --check-prefix MPI
// RUN: not polyir-cc --measure=%t.missing/m.json %s 2>&1 | filecheck %s --check-prefix FOLDER
// RUN: not polyir-opt --tuned=%t.tiles.json %S/options.mlir 2>&1 | filecheck %s --check-prefix SEVERAL

// Each region is measured once, until it is another one; what cannot be measured gets the default.
// FIRST: measure.c:36:9: note: measured: {{[0-9.]+}} ms
// FIRST-NEXT: measure.c:46:9: note: measured: {{[0-9.]+}} ms
// FIRST-NEXT: measure.c:55:9: warning: not measured:
// AGAIN-NOT: note
// AGAIN: measure.c:55:9: warning: not measured:
// CHANGED: changed.c:36:9: note: measured: {{[0-9.]+}} ms
// CHANGED-NOT: note
// CHECK-LABEL: void f{{i}}rst
// CHECK: {{[+]}}= 13
// CHECK-LABEL: void s{{e}}cond
// CHECK: {{[+]}}= 13
// PASSES: error: --measure is a pipeline for the processor: no passes can be given
// BOTH: error: --tuned is a pipeline for the processor: no other one can be given
// MPI: error: --measure does not go with --mpi
// FOLDER: error: cannot write
// SEVERAL: error: '{{.*}}' is for several regions of C: give it to polyir-cc
__attribute__((const)) double unknown(double);

void first(double A[20][30], double B[20][30]) {
#pragma scop
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      B[i][j] = B[i][j] + A[i][j];
#pragma endscop
}

void second(double A[20][30], double B[20][30])
{

#pragma scop
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      B[i][j] = B[i][j] * A[i][j];
#pragma endscop
}

void third(double A[20]) {

#pragma scop
  for (int i = 0; i < 20; i++)
    A[i] = unknown(A[i]);
#pragma endscop
}
