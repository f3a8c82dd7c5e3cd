// RUN: polyir-tune --quiet --trials=1 --search=ordered --line=20 -o %t.json %s
// RUN: sed -e 's/"pipeline": .*/"pipeline": "tile{sizes=13}",/' %t.json > %t.seven.json
// RUN: polyir-cc --tuned=%t.seven.json %s | filecheck %s
// RUN: sed -e 's/ + A/ - A/' %s > %t.changed.c
// RUN: not polyir-cc --tuned=%t.seven.json %t.changed.c 2>&1 | filecheck %s --check-prefix CHANGED
// RUN: not polyir-cc --tuned=%t.seven.json --optimize %s 2>&1 | filecheck %s --check-prefix PASSES
// RUN: not polyir-tune --trials=1 %s 2>&1 | filecheck %s --check-prefix SEVERAL
// RUN: not polyir-tune --trials=1 --line=3 %s 2>&1 | filecheck %s --check-prefix NONE

// Only the region that was tuned gets the pipeline.
// CHECK-LABEL: void f{{i}}rst
// CHECK: {{[+]}}= 13
// CHECK-LABEL: void s{{e}}cond
// CHECK-NOT: {{[+]}}= 13
// CHANGED: error: '{{.*}}' is for another kernel, or for @{{.*}} before it was changed
// PASSES: error: --tuned is a pipeline for the processor: no passes can be given
// SEVERAL: error: select a region with --line: 20, 30
// NONE: error: there is no region to tune; regions begin in the lines 20, 30
void first(double A[20][30], double B[20][30]) {
#pragma scop
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      B[i][j] = B[i][j] + A[i][j];
#pragma endscop
}

void second(double A[20][30], double B[20][30])
{
  // As above, with another operation.
#pragma scop
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      B[i][j] = B[i][j] * A[i][j];
#pragma endscop
}
