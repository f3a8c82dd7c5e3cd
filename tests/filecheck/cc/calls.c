// Functions that write nothing but their own variables are called in the new loops, by their names.
// RUN: not polyir-cc --pluto-schedule --mark-parallel %s 2>&1 | grep -v CHECK | filecheck %s
#include <stdio.h>
static double A[100], B[100], T[10];
static int counter;

// CHECK-DAG: calls.c:84:12: warning: region not transformed: a call of 'next', which cannot be inlined: '++' inside an expression ({{.*}}calls.c:31:46)
// CHECK-DAG: calls.c:101:12: warning: region not transformed: a call of 'dot', which may read 'A', which the region writes
// CHECK-DAG: calls.c:108:12: warning: region not transformed: a call of 'looked_up', which may read 'T', which the region writes
// CHECK-DAG: calls.c:116:14: warning: region not transformed: a call of 'dot', which may read 'out', which the region writes
// CHECK-DAG: calls.c:124:12: warning: region not transformed: a call of 'described', which may read 'A', which the region writes

static double clamp(double x) {
  if (x < 0)
    return 0;
  return x > 3 ? 3 : x;
}
static double looked_up(int i) {
  while (i > 100)
    i /= 2;
  return T[i % 10];
}
static double dot(int n, const double *x, const double *y) {
  double s = 0;
  while (n > 100)
    n /= 2;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
static int next(void) { return counter > 3 ? counter++ : 0; }

// A loop with another condition than a limit of its counter.
static int searched(int k) {
  int steps = 0;
  while (k != 1) {
    k = k % 2 ? 3 * k + 1 : k / 2;
    steps++;
  }
  return steps;
}
__attribute__((const)) double computed(double, int);
[[gnu::pure]] double described(int);

// CHECK-LABEL: void called(
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK-NEXT: A[i] = clamp(B[i]) + looked_up((int)i) + computed(B[i], {{.*}}) + dot({{.*}}, x, B);
void called(int n, const double *restrict x) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = clamp(B[i]) + looked_up(i) + computed(B[i], n) + dot(n, x, B);
#pragma endscop
}

// A local array that no pointer leads to.
// CHECK-LABEL: double pure(
// CHECK: #pragma omp parallel for
// CHECK: sums[i] = described((int)i);
double pure(int n) {
  double sums[100];
#pragma scop
  for (int i = 0; i < n; i++)
    sums[i] = described(i);
#pragma endscop
  return sums[n / 2];
}

// No name that is made here is that of a function.
// CHECK-LABEL: void hidden(
// CHECK: for (long clamp_1 = 0; clamp_1 < n; clamp_1++) {
// CHECK-NEXT: A[clamp_1] = clamp(B[clamp_1]) * 2.5;
static double twice(double x) { return clamp(x) * 2.5; }
void hidden(int n) {
#pragma scop
  for (int clamp = 0; clamp < n; clamp++)
    A[clamp] = twice(B[clamp]);
#pragma endscop
}

void counted(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = next();
#pragma endscop
}

// CHECK-LABEL: void counted(
// CHECK: #pragma omp parallel for
// CHECK: A[i] = (double)(1 - searched((int)i));
void counted(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = 1 - searched(i);
#pragma endscop
}

void of_written(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = dot(n, A, B);
#pragma endscop
}

void of_global(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    T[i] = looked_up(i);
#pragma endscop
}

// Without `restrict`, the two may be the same.
void of_pointer(int n, double *out, const double *x) {
#pragma scop
  for (int i = 0; i < n; i++)
    out[i] = dot(n, x, x);
#pragma endscop
}

// A function whose definition is not known may read all that is not local.
void of_anything(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = described(i);
#pragma endscop
}
