// One loop that cannot be modelled stays in its place; the rest of the region is transformed.
// RUN: not polyir-cc --pluto-schedule --mark-parallel %s 2>&1 | grep -v CHECK | filecheck %s
#include <stdio.h>
static double A[100], B[100];

// CHECK: parts.c:24:5: warning: part of the region not transformed: a call of 'printf', which may have side effects
// CHECK: parts.c:28:3: warning: part of the region not transformed: a while loop

// CHECK: int parts(int n) {
// CHECK: #pragma scop
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK: for (int i = 0; i < n; i++)
// CHECK-NEXT: printf("%g\n", A[i]);
// CHECK: B[last2] = B[last2 - 1] + A[last2];
// CHECK: while (k > 3)
// CHECK: #pragma endscop
int parts(int n) {
  int k = n, last;
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = B[i] + 1;
  for (int i = 0; i < n; i++)
    printf("%g\n", A[i]);
  for (last = 1; last < n; last++) {
    B[last] = B[last - 1] + A[last];
  }
  while (k > 3)
    k /= 2;
#pragma endscop
  return k + last;
}

// A variable of the region hides one of the file. It stays declared for what follows.
static float scale[4];
// CHECK: void hidden(int n, int k) {
// CHECK: double scale = 2.5;
// CHECK: while (k > 3)
// CHECK: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = scale * B[i];
void hidden(int n, int k) {
#pragma scop
  double scale = 2.5;
  while (k > 3)
    k /= 2;
  for (int i = 0; i < n; i++)
    A[i] = scale * B[i];
#pragma endscop
}

// A loop that shares a line with another statement.
// CHECK: void same_line(int n, int k) {
// CHECK: while (k > 3) k /= 2;
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
void same_line(int n, int k) {
#pragma scop
  while (k > 3) k /= 2; for (int i = 0; i < n; i++)
    A[i] = B[i];
#pragma endscop
}
