// A loop that writes no memory needs no message beside those for others; alone, it gets one.
// RUN: not polyir-cc --pluto-schedule --mark-parallel %s 2>&1 >%t | filecheck %s
#include <stdio.h>
static double A[100], B[100];

// CHECK-NOT: memory
// CHECK: without_effect.c:16:3: warning: part of the region not transformed: a while loop
// CHECK-NEXT: while (m > 3)
void beside(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = A[i];
    (void)t;
  }
  // This one changes only a variable that is not its counter.
  while (m > 3)
    m /= 2;
  for (int i = 0; i < n; i++)
    A[i] = B[i];
#pragma endscop
}

// CHECK-NEXT: without_effect.c:27:9: warning: region not transformed: no loop in it writes to memory
// CHECK-NEXT: pragma scop
// CHECK-NOT: warning
void alone(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    ;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      ;
#pragma endscop
}
