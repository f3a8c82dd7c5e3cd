// A loop that calls functions is not a loop of vectors: clang warns of the pragma where it makes none.
// RUN: polyir-cc --optimize="strategy=parallel threads=2" %s | filecheck %s
#include <math.h>

// CHECK-LABEL: void calls(
// CHECK: #pragma omp parallel for{{$}}
void calls(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] = sin(x[i]) + exp(x[i]);
}

// CHECK-LABEL: void products(
// CHECK: #pragma omp parallel for simd
void products(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * (float)i;
}
