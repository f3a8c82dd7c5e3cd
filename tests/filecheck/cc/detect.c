// Without pragmas, the loops that can be modelled are found; the others stay as they are.
// RUN: polyir-cc --pluto-schedule --mark-parallel %s 2>&1 | grep -v CHECK | filecheck %s
#include <stdio.h>
static double A[100], B[100];

// CHECK: detect.c:55:37: warning: function skipped: cannot parse this C

// CHECK: void consecutive(int n) {
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = B[i] + 1.0;
// CHECK-NEXT: if (B[i] > 0.0) {
// CHECK: /* after */ return;
void consecutive(int n) {
  int i; /* before */
  for (i = 0; i < n; i++)
    A[i] = B[i] + 1;
  // between
  for (i = 0; i < n; i++) {
    if (B[i] > 0) B[i] = 0; else B[i] = 1;
  }
  /* after */ return;
}

// CHECK: int inner(int n) {
// CHECK: for (int i = n; i > 1; i /= 2) {
// CHECK: #pragma omp parallel for
// CHECK: for (long j = 0; j < i; j++) {
// CHECK: printf("%d", i);
int inner(int n) {
  for (int i = n; i > 1; i /= 2) {
    for (int j = 0; j < i; j++)
      A[j] = i;
    printf("%d", i);
  }
  return n;
}

// A line that holds something else, and directives in a loop.
// CHECK: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = 1.0;
// CHECK-NEXT: }
// CHECK-NEXT: n++;
// CHECK: for (int i = 0; i < n; i++)
// CHECK-NEXT: #if 1
int layout(int n) {
  for (int i = 0; i < n; i++) A[i] = 1; n++;
  for (int i = 0; i < n; i++)
#if 1
    B[i] = 2;
#endif
  return n;
}

int unreadable(int n) { __auto_type x = 0; for (; x < n; x++) A[x] = x; return x; }

// A loop with a pragma of its own.
// CHECK: #pragma omp simd
// CHECK-NEXT: for (int i = 0; i < n; i++)
void with_pragma(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    A[i] = 3;
}
