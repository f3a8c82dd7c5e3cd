// Functions of the file are inlined where they are statements; what cannot be is named.
// RUN: not polyir-cc --pluto-schedule --mark-parallel %s 2>&1 | grep -v CHECK | filecheck %s
#include <stdio.h>
static double A[100], B[100], C[100][100], D[100];
static int shift, at;

// CHECK-DAG: inlined.c:110:3: warning: region not transformed: a call of 'outer', which cannot be inlined: a call of 'printf', which may have side effects ({{.*}}inlined.c:24:5)
// CHECK-DAG: inlined.c:113:10: warning: region not transformed: a call of 'early', which cannot be inlined: 'return' before the end ({{.*}}inlined.c:33:5)
// CHECK-DAG: inlined.c:116:3: warning: region not transformed: a call of 'moves', which cannot be inlined: the pointer 'p' is changed ({{.*}}inlined.c:38:6)
// CHECK-DAG: inlined.c:119:3: warning: region not transformed: a call of 'again', which cannot be inlined: a call of 'again', which calls itself ({{.*}}inlined.c:43:5)
// CHECK-DAG: inlined.c:122:3: warning: region not transformed: a call of 'fill', which cannot be inlined: the address of an element of a row may lead to other rows
// CHECK-DAG: inlined.c:126:7: warning: region not transformed: 'at', which a function changes that is called here
// CHECK-DAG: inlined.c:132:7: warning: region not transformed: a call of 'shifted', which cannot be inlined: 'shift' is not declared at the call, or hidden there ({{.*}}inlined.c:55:12)
// CHECK-DAG: inlined.c:137:5: warning: region not transformed: a call of 'chosen', which cannot be inlined: the bound of the loop over 'i' is not affine ({{.*}}inlined.c:62:19)
// CHECK-DAG: inlined.c:141:3: warning: region not transformed: a call of 'early_use', which cannot be inlined: 'D' may be a macro at the call ({{.*}}inlined.c:59:15)

static void fill(double *p, int n, double v) {
  for (int i = 0; i < n; i++)
    p[i] = v;
}
static void prints(int n) {
  for (int i = 0; i < n; i++)
    // Not a computation.
    printf("%d", i);
}
static void outer(int n) {
  A[0] = n;
  prints(n);
}
static double early(double *p, int n) {
  p[0] = 1;
  for (int i = 0; i < n; i++)
    return 2;
  return p[1];
}
static void moves(double *p, int n) {
  for (int i = 0; i < n; i++)
    *p++ = i;
}
static void again(double *p, int n) {
  p[n] = 1;
  if (n > 0)
    again(p, n - 1);
}
static int next(int k) {
  at = at + k;
  return k * 2;
}
static void guarded(int k, double v) {
  if (k < 0)
    return;
  A[k] = v;
}
static void shifted(int i) {
  A[i] = B[shift];
}
static void early_use(int n) {
  for (int i = 0; i < n; i++)
    C[0][i] = D[i];
}
static void chosen(double *p) {
  for (int i = 1; i < p[0]; i++)
    p[i] = 0;
}

// CHECK-LABEL: void rows(
// CHECK-NOT: (void)fill
// CHECK: #pragma omp parallel for
// CHECK: for (long i = 1; i < n; i++) {
// CHECK-NEXT: for (long i2 = 0; i2 < i; i2++) {
// CHECK-NEXT: C[i][i2] = {{.*}}2.5;
void rows(int n, double *restrict p) {
#pragma scop
  for (int i = 0; i < n; i++)
    fill(C[i], i, 2.5);
  fill(p, n, 1.5);
#pragma endscop
}

// `return` becomes a condition.
// CHECK-LABEL: void conditions(
// CHECK: for (long i = 3; i < n; i++) {
// CHECK-NEXT: A[i - 3] = B[i];
void conditions(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    guarded(i - 3, B[i]);
#pragma endscop
}

// A parameter is its own variable, with the type of the parameter.
static void halved(double *p, int k) {
  k /= 2;
  p[0] = k;
}
// CHECK-LABEL: int kept(
// CHECK: A[0] = {{.*}}(k / 2);
// CHECK: return k;
int kept(int n, int k) {
#pragma scop
  for (int i = 0; i < n; i++)
    B[i] = i;
  halved(A, k);
#pragma endscop
  return k;
}

void left(int n) {
#pragma scop
  outer(n);
#pragma endscop
#pragma scop
  A[1] = early(B, n);
#pragma endscop
#pragma scop
  moves(A, n);
#pragma endscop
#pragma scop
  again(A, n);
#pragma endscop
#pragma scop
  fill(&C[2][0], n, 0);
#pragma endscop
#pragma scop
  for (int i = 0; i < n; i++)
    A[at] = next(i);
#pragma endscop
  {
    int shift = n;
#pragma scop
    for (int i = 0; i < shift; i++)
      shifted(i);
#pragma endscop
  }
#pragma scop
  for (int i = 0; i < n; i++)
    chosen(C[i]);
#pragma endscop
#define D A
#pragma scop
  early_use(n);
#pragma endscop
}
