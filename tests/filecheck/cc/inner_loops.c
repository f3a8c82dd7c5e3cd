// A loop that cannot be modelled does not keep the loops inside it from being transformed.
// RUN: not polyir-cc --pluto-schedule --mark-parallel %s 2>&1 | grep -v CHECK | filecheck %s
// RUN: grep -v "pragma .*scop" %s | sed 's/RUN/NOT/' > %t.c && polyir-cc --pluto-schedule --mark-parallel %t.c 2>&1 | grep -v CHECK | filecheck %s --check-prefix FOUND
#include <stdio.h>
static double A[100][100], B[100];

// CHECK: inner_loops.c:33:5: warning: part of the region not transformed: a call of 'printf', which may have side effects
// CHECK: inner_loops.c:57:3: warning: part of the region not transformed: a while loop

// CHECK: void outer(int n) {
// CHECK: #pragma scop
// CHECK: for (int i = 0; i < n; i++) {
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long j = 0; j < n; j++) {
// CHECK-NEXT: A[i][j] = B[j] + (double)i;
// CHECK: }
// CHECK: printf("%d\n", i);
// CHECK: B[j] = A[i][j];
// CHECK: #pragma endscop
// FOUND: #pragma omp parallel for
// FOUND-NEXT: for (long j = 0; j < n; j++) {
// FOUND-NEXT: A[i][j] = B[j] + (double)i;
// FOUND: }
// FOUND: printf("%d\n", i);
// FOUND: #pragma omp parallel for
// FOUND-NEXT: for (long j = 0; j < n; j++) {
// FOUND-NEXT: B[j] = A[i][j];
void outer(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      A[i][j] = B[j] + i;
    printf("%d\n", i);
    for (int j = 0; j < n; j++)
      B[j] = A[i][j];
  }
#pragma endscop
}

// Loops that are the only statement of a loop, a branch or a case.
// CHECK: void single(int n, int k) {
// CHECK: while (k > 3)
// CHECK-NEXT: if (k-- % 2)
// CHECK: for (long i = 0; i < n; i++) {
// CHECK: else
// CHECK: switch (k) {
// CHECK: for (long j = 0; j < n; j++) {
// CHECK-NEXT: B[j] = scale
// FOUND: while (k > 3)
// FOUND: for (long i = 0; i < n; i++) {
// FOUND: else
// FOUND: switch (k) {
// FOUND: for (long j = 0; j < n; j++) {
// FOUND-NEXT: B[j] = scale
void single(int n, int k) {
#pragma scop
  while (k > 3)
    if (k-- % 2)
      for (int i = 0; i < n; i++)
        B[i] = k;
    else
      switch (k) {
        double scale;
      case 4:
        scale = 0.5;
        for (int j = 0; j < n; j++)
          B[j] = scale;
      }
#pragma endscop
}

// An inner loop that begins on the line of its outer loop, or ends on that of its end.
// CHECK: void same_line(int n) {
// CHECK: for (int i = n; i > 1; i /= 2)
// CHECK-NEXT: {
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (long j = 0; j < i; j++) {
// CHECK: for (int i = n; i > 1; i /= 2) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (long j = 0; j < i; j++) {
// FOUND: for (int i = n; i > 1; i /= 2)
// FOUND-NEXT: {
// FOUND-NEXT: #pragma omp parallel for
// FOUND-NEXT: for (long j = 0; j < i; j++) {
// FOUND: for (int i = n; i > 1; i /= 2) {
// FOUND-NEXT: #pragma omp parallel for
// FOUND-NEXT: for (long j = 0; j < i; j++) {
void same_line(int n) {
#pragma scop
  for (int i = n; i > 1; i /= 2) for (int j = 0; j < i; j++)
    B[j] = i;
  for (int i = n; i > 1; i /= 2) {
    for (int j = 0; j < i; j++) B[j] = i; }
#pragma endscop
}
